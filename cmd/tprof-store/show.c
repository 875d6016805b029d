/* list and show: what a store holds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/many.h"
#include "base/units.h"
#include "inventory.h"
#include "tprof-store/store.h"

int store_is_one(struct store_args *args)
{
	struct tp_err err;
	int is = cmd_is_store(args->path, &err);

	if (is < 0)
		return cmd_fail(&args->cmd, args->path, &err);
	if (is)
		return CMD_OK;
	return cmd_reject(&args->cmd, CMD_INPUT,
			  "%s: is not a store; tprof-import imports dumps into one", args->path);
}

static int open_store(struct store_args *args)
{
	struct tp_err err;
	int status = cmd_open_store(&args->cmd, args->path, false);

	if (!status && rep_runs_load(args->cmd.store, &args->cmd.all, &err))
		status = cmd_fail(&args->cmd, args->path, &err);
	return status;
}

int store_pick(struct store_args *args, const char *spec, struct rep_runs *runs)
{
	struct tp_err err;
	int status = args->cmd.store ? CMD_OK : open_store(args);

	/* All of none are none; anything else is not there. */
	if (!status && !args->cmd.all.n && !strcmp(spec, "all")) {
		cmd_note(&args->cmd, "%s: " REP_NO_RUNS, args->path);
		return CMD_OK;
	}
	if (!status && rep_runs_select(&args->cmd.all, spec, runs, &err))
		status = cmd_fail(&args->cmd, args->path, &err);
	return status;
}

/* "2026-11-21 17:50:03", in UTC. */
static const char *when(int64_t unix_ns, char text[32])
{
	time_t t = (time_t)(unix_ns / 1000000000);
	struct tm tm;

	text[0] = '\0';
	if (unix_ns != TP_NULL && unix_ns && gmtime_r(&t, &tm))
		strftime(text, 32, "%Y-%m-%d %H:%M:%S", &tm);
	return text;
}

static int join_labels(const struct rep_run *run, struct tp_buf *b)
{
	int failed = 0;

	b->size = 0;
	for (size_t i = 0; i < run->nlabels; i++) {
		failed |= i ? tp_buf_put(b, " ", 1) : 0;
		failed |= tp_buf_put(b, run->labels[i], strlen(run->labels[i]));
	}
	return failed | tp_buf_put(b, "", 1);
}

static const struct rep_column columns[] = {
    {.name = "run", .doc = "id of the run", .title = "RUN", .kind = REP_ID},
    {.name = "kind", .doc = "trace or profile", .title = "KIND", .kind = REP_TEXT},
    {.name = "name",
     .doc = "of the run",
     .title = "NAME",
     .kind = REP_TEXT,
     .shorten = REP_SHORTEN_LEFT},
    {.name = "format",
     .doc = "version of the format",
     .title = "FORMAT",
     .kind = REP_TEXT,
     .drop = 3},
    {.name = "time",
     .doc = "when it was recorded, in UTC",
     .title = "RECORDED (UTC)",
     .kind = REP_TEXT,
     .drop = 2,
     .least = 19},
    {.name = "duration_ns",
     .doc = "how long it lasts",
     .title = "LASTS",
     .kind = REP_NS,
     .drop = 4},
    {.name = "events",
     .doc = "events of a trace, samples of a profile",
     .title = "EVENTS",
     .kind = REP_COUNT,
     .drop = 5},
    {.name = "bytes", .doc = "bytes it takes in the store", .title = "TAKES", .kind = REP_BYTES},
    {.name = "losses",
     .doc = "places where something was lost",
     .title = "LOSSES",
     .kind = REP_COUNT,
     .drop = 1},
    {.name = "labels",
     .doc = "KEY=VALUE, separated by commas",
     .title = "LABELS",
     .kind = REP_TEXT,
     .shorten = REP_SHORTEN_RIGHT},
    {.name = "imported_ns",
     .doc = "when it was imported, in Unix time",
     .kind = REP_ID,
     .raw_only = true},
};

static int list_run(struct store_args *args, struct rep_output *out, const struct rep_run *run,
		    struct tp_buf *labels, struct tp_err *err)
{
	const struct tp_run *r = &run->row;
	bool trace = !strcmp(r->kind, "trace");
	char time[32];
	int64_t bytes;
	int code = rep_run_bytes(args->cmd.store, r->id, &bytes, err);

	if (code)
		return code;
	if (join_labels(run, labels))
		return tp_nomem(err);
	const struct rep_value row[] = {
	    rep_int(r->id),
	    rep_str(r->kind),
	    rep_str(r->name),
	    rep_str(r->format),
	    rep_str(when(r->wall_ns, time)),
	    r->ticks || !r->duration_ns ? rep_null() : rep_int(r->duration_ns),
	    trace ? rep_int(r->events) : rep_null(),
	    rep_int(bytes),
	    rep_int(run->losses),
	    rep_str((const char *)labels->data),
	    rep_int(r->imported_ns),
	};
	return rep_output_row(out, row, err);
}

static int list_runs(struct store_args *args, struct rep_output *out, const struct rep_runs *runs,
		     struct tp_err *err)
{
	struct tp_buf labels = {0};
	int code = rep_output_begin(out, "runs", columns, TP_COUNT_OF(columns), err);

	for (size_t i = 0; i < runs->n && !code; i++)
		code = list_run(args, out, &runs->run[i], &labels, err);
	if (!code)
		code = rep_output_end(out, err);
	tp_buf_release(&labels);
	return code;
}

int store_list(struct store_args *args)
{
	struct rep_output *out = NULL;
	struct rep_runs runs = {0};
	struct tp_err err;
	int status = store_pick(args, args->cmd.run_spec ? args->cmd.run_spec : "all", &runs);

	if (!status)
		cmd_pager(&args->cmd);
	if (!status)
		status = cmd_output(&args->cmd, false, &out);
	if (!status)
		status = cmd_output_end(&args->cmd, out, args->path,
					list_runs(args, out, &runs, &err), &err);
	rep_runs_release(&runs);
	return status;
}

/* ---- show ---- */

static const struct rep_column facts[] = {
    {.name = "run", .doc = "id of the run", .kind = REP_ID, .raw_only = true},
    {.name = "fact", .doc = "what the row is about", .title = "FACT", .kind = REP_TEXT},
    {.name = "value",
     .doc = "text",
     .title = "VALUE",
     .kind = REP_TEXT,
     .shorten = REP_SHORTEN_RIGHT},
};

static const struct rep_column streams[] = {
    {.name = "run", .doc = "id of the run", .kind = REP_ID, .raw_only = true},
    {.name = "stream",
     .doc = "a part of the run in the store",
     .title = "STREAM",
     .kind = REP_TEXT},
    {.name = "rows", .doc = "rows in it", .title = "ROWS", .kind = REP_COUNT},
    {.name = "blocks", .doc = "blocks it is packed in", .title = "BLOCKS", .kind = REP_COUNT},
    {.name = "bytes", .doc = "bytes it takes in the store", .title = "TAKES", .kind = REP_BYTES},
    {.name = "raw_bytes", .doc = "bytes before packing", .title = "UNPACKED", .kind = REP_BYTES},
};

struct showing {
	struct rep_output *out;
	int64_t run;
};

static int show_stream(void *ctx, const struct rep_stream *s, struct tp_err *err)
{
	struct showing *show = ctx;
	struct rep_value row[] = {rep_int(show->run), rep_str(s->name),	 rep_int(s->rows),
				  rep_int(s->blocks), rep_int(s->bytes), rep_int(s->raw)};

	return rep_output_row(show->out, row, err);
}

static const char *count(char text[TP_COUNT_SIZE], int64_t n)
{
	return n > 0 ? tp_fmt_count(text, n) : "";
}

static int show_facts(struct showing *show, const struct rep_run *run, struct tp_buf *labels,
		      struct tp_err *err)
{
	const struct tp_run *r = &run->row;
	char recorded[32], imported[32], lasts[TP_UNITS_SIZE] = "", size[TP_UNITS_SIZE],
					 lost[TP_UNITS_SIZE] = "";
	char events[TP_COUNT_SIZE], goroutines[TP_COUNT_SIZE], generations[TP_COUNT_SIZE];
	char losses[TP_COUNT_SIZE], inferred[TP_COUNT_SIZE];
	int code = 0;

	if (join_labels(run, labels))
		return tp_nomem(err);
	if (!r->ticks && r->duration_ns)
		tp_fmt_ns(lasts, r->duration_ns);
	if (r->lost_bytes)
		tp_fmt_bytes(lost, r->lost_bytes);
	const struct {
		const char *name, *value; /* "": not shown */
	} fact[] = {
	    {"name", r->name},
	    {"kind", r->kind},
	    {"format", r->format},
	    {"source", r->source},
	    {"labels", (const char *)labels->data},
	    {"recorded (UTC)", when(r->wall_ns, recorded)},
	    {"imported (UTC)", when(r->imported_ns, imported)},
	    {"lasts", lasts},
	    {"events", count(events, r->events)},
	    {"goroutines", count(goroutines, r->goroutines)},
	    {"generations", count(generations, r->generations)},
	    {"size of the dump", tp_fmt_bytes(size, r->size_in)},
	    {"hash of the dump", r->hash},
	    {"losses", count(losses, run->losses)},
	    {"lost bytes", lost},
	    {"events put in", count(inferred, r->inferred)},
	    {"warning", run->warning},
	};
	for (size_t i = 0; i < TP_COUNT_OF(fact) && !code; i++) {
		const struct rep_value row[] = {rep_int(show->run), rep_str(fact[i].name),
						rep_str(fact[i].value)};

		code = *fact[i].value ? rep_output_row(show->out, row, err) : 0;
	}
	return code;
}

static int show_run(struct store_args *args, struct rep_output *out, const struct rep_run *run,
		    struct tp_buf *labels, struct tp_err *err)
{
	struct showing show = {out, run->row.id};
	int code = rep_output_begin(out, "run", facts, 3, err);

	if (!code)
		code = show_facts(&show, run, labels, err);
	if (!code)
		code = rep_output_end(out, err);
	if (!code)
		code = rep_output_note(out, false, "", err);
	if (!code)
		code = rep_output_begin(out, "streams", streams, 6, err);
	if (!code)
		code = rep_run_streams(args->cmd.store, run->row.id, show_stream, &show, err);
	return code ? code : rep_output_end(out, err);
}

static int show_runs(struct store_args *args, struct rep_output *out, const char *spec)
{
	struct rep_runs runs = {0};
	struct tp_buf labels = {0};
	struct tp_err err;
	int code = 0, status = store_pick(args, spec, &runs);

	for (size_t i = 0; i < runs.n && !code && !status; i++)
		code = show_run(args, out, &runs.run[i], &labels, &err);
	if (code)
		status = cmd_fail(&args->cmd, args->path, &err);
	tp_buf_release(&labels);
	rep_runs_release(&runs);
	return status;
}

int store_show(struct store_args *args)
{
	const char *one = args->cmd.run_spec ? args->cmd.run_spec : "latest";
	struct rep_output *out = NULL;
	struct tp_err err;
	int status = open_store(args);

	if (!status)
		cmd_pager(&args->cmd);
	if (!status)
		status = cmd_output(&args->cmd, true, &out);
	if (!status && !args->nwords)
		status = show_runs(args, out, one);
	for (size_t i = 0; i < args->nwords && !status; i++)
		status = show_runs(args, out, args->word[i]);
	if (!status && rep_output_finish(out, &err))
		status = cmd_fail(&args->cmd, args->path, &err);
	rep_output_free(out);
	return status;
}
