/* The ordered events of a trace as text: a line each, or as Go's tools print them. */
#include <stdlib.h>

#include "base/buf.h"
#include "export/parsed.h"
#include "goid.h"
#include "order/listing.h"
#include "tprof-export/export.h"

/* The ids behind the indices of events, as the store keeps them. */
struct ids {
	struct tp_rows g, m, p;
	int64_t *life;
};

/* The listing tells lives of an id apart; what Go prints does not. */
static int load_lives(struct tp_store *s, int64_t run, struct ids *ids, struct tp_err *err)
{
	struct rep_goids goids = {0};
	int code = rep_goids_load(&goids, s, run, err);

	if (!code &&
	    rep_goids_lives(&goids, ids->g.col[TP_COL(GOROUTINE, id)], ids->g.nrows, &ids->life))
		code = tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
	rep_goids_release(&goids);
	return code;
}

static int load_ids(struct tp_store *s, int64_t run, struct ids *ids, struct tp_err *err)
{
	int code =
	    tp_rows_load(s, run, TP_TABLE_GOROUTINE,
			 1u << TP_COL(GOROUTINE, id) | 1u << TP_COL(GOROUTINE, goid), &ids->g, err);

	if (!code)
		code =
		    tp_rows_load(s, run, TP_TABLE_THREAD, 1u << TP_COL(THREAD, id), &ids->m, err);
	if (!code)
		code = tp_rows_load(s, run, TP_TABLE_PROC, 1u << TP_COL(PROC, id), &ids->p, err);
	return code;
}

/* `parsed` NULL: a line for each. */
static int list_events(struct tp_event_reader *r, const struct tp_listing *l,
		       struct rep_parsed *parsed, struct tp_err *err)
{
	struct tp_buf out = {0};
	const struct tp_event *ev;
	size_t n;
	int code = 0, more = 0;

	while (!code && (more = tp_events_next(r, &ev, &n, err)) > 0) {
		for (size_t i = 0; !code && i < n; i++) {
			code = parsed ? rep_parsed_event(parsed, &ev[i], &out)
				      : tp_listing_line(l, &ev[i], &out);
			if (code)
				tp_err_full(err, code, "the store is damaged");
			else
				code = cmd_write_buf(&out, CMD_BLOCK, err);
		}
	}
	if (!code)
		code = more;
	if (!code)
		code = cmd_write_buf(&out, 0, err);
	tp_buf_release(&out);
	return code;
}

static int list_run(struct export_args *args, bool as_parsed)
{
	static const struct tp_event_range all = {INT64_MIN, INT64_MAX, 0, INT64_MAX};
	struct tp_store *s = args->cmd.store;
	const struct tp_run *run = &args->cmd.runs.run[0].row;
	struct tp_event_reader *reader = NULL;
	struct tp_dict *dict = NULL;
	struct ids ids = {0};
	struct tp_err err;
	int code;

	code = tp_dict_load(s, run->id, &dict, &err);
	if (!code)
		code = load_ids(s, run->id, &ids, &err);
	if (!code && !as_parsed)
		code = load_lives(s, run->id, &ids, &err);
	if (!code)
		code = tp_events_open(&reader, s, run->id, &all, &err);
	if (!code) {
		struct tp_listing listing = {
		    .dict = dict,
		    .g_id = (const uint64_t *)ids.g.col[TP_COL(GOROUTINE, goid)],
		    .m_id = (const uint64_t *)ids.m.col[TP_COL(THREAD, id)],
		    .p_id = ids.p.col[TP_COL(PROC, id)],
		    .ng = (uint32_t)ids.g.nrows,
		    .nm = (uint32_t)ids.m.nrows,
		    .np = (uint32_t)ids.p.nrows,
		    .start_ns = run->start_ns,
		    .g_life = ids.life,
		};
		struct rep_parsed parsed = {0};

		if (as_parsed)
			code = rep_parsed_init(&parsed, s, run, &listing, &err);
		if (!code)
			code = list_events(reader, &listing, as_parsed ? &parsed : NULL, &err);
		rep_parsed_release(&parsed);
	}
	if (reader)
		tp_events_close(reader);
	tp_rows_release(&ids.g);
	tp_rows_release(&ids.m);
	tp_rows_release(&ids.p);
	free(ids.life);
	tp_dict_free(dict);
	return code ? cmd_fail(&args->cmd, cmd_path(&args->cmd), &err) : CMD_OK;
}

static int export_list(struct export_args *args, bool as_parsed)
{
	int status = export_open_trace(args);

	if (!status)
		status = export_begin(args);
	return status ? status : list_run(args, as_parsed);
}

int export_events(struct export_args *args)
{
	return export_list(args, false);
}

int export_parsed(struct export_args *args)
{
	return export_list(args, true);
}
