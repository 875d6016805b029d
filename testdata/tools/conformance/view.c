#include "conformance/view.h"

#include <stdio.h>
#include <string.h>

#include "run.h"

int view_open(struct view *v, const char *path, struct tp_err *err)
{
	const struct {
		enum tp_table_id table;
		struct tp_rows *rows;
	} tables[] = {
	    {TP_TABLE_GOROUTINE, &v->goroutines},
	    {TP_TABLE_GOROUTINE_BLOCK, &v->blocks},
	    {TP_TABLE_GOROUTINE_RANGE, &v->ranges},
	    {TP_TABLE_TASK, &v->tasks},
	    {TP_TABLE_PROC, &v->procs},
	    {TP_TABLE_THREAD, &v->threads},
	};
	struct rep_runs runs = {0};
	int code;

	memset(v, 0, sizeof(*v));
	code = tp_store_open(&v->store, path, err);
	if (!code)
		code = rep_runs_load(v->store, &runs, err);
	if (!code && runs.n != 1)
		code = tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "%zu runs where one was stored",
				  runs.n);
	if (!code) {
		const struct tp_run *row = &runs.run[0].row;

		v->run = row->id;
		v->start_ns = row->start_ns;
		v->ticks = row->ticks;
		v->events = row->events;
		v->inferred = row->inferred;
		v->losses = runs.run[0].losses;
		if (sscanf(row->format, "go 1.%d", &v->version) != 1)
			code = tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE,
					  "format '%s' is no go version", row->format);
	}
	rep_runs_release(&runs);
	if (!code)
		code = tp_dict_load(v->store, v->run, &v->dict, err);
	for (size_t i = 0; !code && i < sizeof(tables) / sizeof(tables[0]); i++)
		code = tp_rows_load(v->store, v->run, tables[i].table, 0, tables[i].rows, err);
	if (code)
		return code;
	v->ids = (struct tp_listing){
	    .dict = v->dict,
	    .g_id = (const uint64_t *)v->goroutines.col[TP_COL(GOROUTINE, goid)],
	    .m_id = (const uint64_t *)v->threads.col[TP_COL(THREAD, id)],
	    .p_id = v->procs.col[TP_COL(PROC, id)],
	    .ng = (uint32_t)v->goroutines.nrows,
	    .nm = (uint32_t)v->threads.nrows,
	    .np = (uint32_t)v->procs.nrows,
	    .start_ns = v->start_ns,
	};
	return 0;
}

void view_close(struct view *v)
{
	tp_rows_release(&v->goroutines);
	tp_rows_release(&v->blocks);
	tp_rows_release(&v->ranges);
	tp_rows_release(&v->tasks);
	tp_rows_release(&v->procs);
	tp_rows_release(&v->threads);
	tp_dict_free(v->dict);
	if (v->store)
		tp_store_close(v->store);
	memset(v, 0, sizeof(*v));
}

int view_events(struct view *v, view_events_fn fn, void *ctx, struct tp_err *err)
{
	const struct tp_event_range all = {
	    .from_ns = INT64_MIN, .to_ns = INT64_MAX, .nblocks = INT64_MAX};
	struct tp_event_reader *r;
	const struct tp_event *ev;
	size_t n;
	int code = tp_events_open(&r, v->store, v->run, &all, err);

	if (code)
		return code;
	while ((code = tp_events_next(r, &ev, &n, err)) > 0) {
		code = fn(ctx, ev, n, err);
		if (code)
			break;
	}
	tp_events_close(r);
	return code;
}
