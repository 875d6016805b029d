#include "tprof-web/runs.h"

#include <inttypes.h>
#include <string.h>

#include "output/output.h"
#include "run.h"

static void put_text(struct tp_buf *out, const char *name, const char *text)
{
	tp_buf_printf(out, ",\"%s\":", name);
	rep_put_json(out, text, strlen(text));
}

static void put_run(struct tp_buf *out, const struct rep_run *run)
{
	const struct tp_run *r = &run->row;

	tp_buf_printf(out, "{\"id\":%" PRId64, r->id);
	put_text(out, "kind", r->kind);
	put_text(out, "name", r->name);
	put_text(out, "format", r->format);
	tp_buf_printf(out,
		      ",\"wall_ns\":%" PRId64 ",\"duration_ns\":%" PRId64
		      ",\"ticks\":%s,\"events\":%" PRId64 ",\"goroutines\":%" PRId64
		      ",\"losses\":%" PRId64 ",\"labels\":[",
		      r->wall_ns == TP_NULL ? 0 : r->wall_ns, r->duration_ns,
		      r->ticks ? "true" : "false", r->events, r->goroutines, run->losses);
	for (size_t i = 0; i < run->nlabels; i++) {
		tp_buf_text(out, i ? "," : "");
		rep_put_json(out, run->labels[i], strlen(run->labels[i]));
	}
	tp_buf_text(out, "]}");
}

int web_runs_put(struct tp_buf *out, const char *store, struct tp_err *err)
{
	/* A connection of its own, as that of the timeline may be busy. */
	struct tp_store *s = NULL;
	struct rep_runs runs = {0};
	int code = tp_store_open(&s, store, err);

	if (!code)
		code = rep_runs_load(s, &runs, err);
	tp_buf_text(out, "[");
	for (size_t i = 0; i < runs.n && !code; i++) {
		tp_buf_text(out, i ? "," : "");
		put_run(out, &runs.run[i]);
	}
	if (tp_buf_text(out, "]") && !code)
		code = tp_nomem(err);
	rep_runs_release(&runs);
	tp_store_close(s);
	return code;
}
