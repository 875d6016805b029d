/* The events of a trace, line by line. */
#include "common/stream.h"
#include "order/listing.h"
#include "tprof-export/export.h"

/* The ids behind the indices of events, as the store keeps them. */
struct ids {
	struct tp_rows g, m, p;
};

static int load_ids(struct tp_store *s, int64_t run, struct ids *ids, struct tp_err *err)
{
	int code =
	    tp_rows_load(s, run, TP_TABLE_GOROUTINE, 1u << TP_COL(GOROUTINE, id), &ids->g, err);

	if (!code)
		code =
		    tp_rows_load(s, run, TP_TABLE_THREAD, 1u << TP_COL(THREAD, id), &ids->m, err);
	if (!code)
		code = tp_rows_load(s, run, TP_TABLE_PROC, 1u << TP_COL(PROC, id), &ids->p, err);
	return code;
}

static int list_events(struct tp_event_reader *r, const struct tp_listing *l, struct tp_err *err)
{
	struct cmd_stream out = {0};
	const struct tp_event *ev;
	size_t n;
	int code = 0, more = 0;

	while (!code && (more = tp_events_next(r, &ev, &n, err)) > 0) {
		for (size_t i = 0; !code && i < n; i++)
			if ((code = tp_listing_line(l, &ev[i], &out.buf)))
				tp_err_set(err, code, TP_OFFSET_NONE, "out of memory");
		if (!code)
			code = cmd_stream_flush(&out, CMD_STREAM_BLOCK, err);
	}
	if (!code)
		code = more;
	if (!code)
		code = cmd_stream_flush(&out, 0, err);
	cmd_stream_release(&out);
	return code;
}

static int list_run(struct export_args *args)
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
	if (!code)
		code = tp_events_open(&reader, s, run->id, &all, &err);
	if (!code) {
		struct tp_listing listing = {
		    .dict = dict,
		    .g_id = (const uint64_t *)ids.g.col[TP_COL(GOROUTINE, id)],
		    .m_id = (const uint64_t *)ids.m.col[TP_COL(THREAD, id)],
		    .p_id = ids.p.col[TP_COL(PROC, id)],
		    .ng = (uint32_t)ids.g.nrows,
		    .nm = (uint32_t)ids.m.nrows,
		    .np = (uint32_t)ids.p.nrows,
		    .start_ns = run->start_ns,
		};
		code = list_events(reader, &listing, &err);
	}
	if (reader)
		tp_events_close(reader);
	tp_rows_release(&ids.g);
	tp_rows_release(&ids.m);
	tp_rows_release(&ids.p);
	tp_dict_free(dict);
	return code ? cmd_fail(&args->cmd, args->paths[0], &err) : CMD_OK;
}

int export_events(struct export_args *args)
{
	int status = export_open_trace(args);

	if (!status)
		status = export_begin(args);
	return status ? status : list_run(args);
}
