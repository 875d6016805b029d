/* Pieces: what the sections show, made one after the other in the background. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "goid.h"
#include "query/query.h"
#include "top/top.h"
#include "top/worst.h"
#include "tprof-tui/view/overview/inside.h"

#define ROWS 20 /* of a table */

struct job {
	struct tui_job job;
	struct tui_select select;
	enum ov_piece piece;
	size_t bins;
	struct ov_result result;
};

void ov_result_release(struct ov_result *r)
{
	tui_cells_release(&r->cells);
	rep_time_release(&r->time);
	rep_time_curve_release(&r->heap);
	rep_time_curve_release(&r->goal);
	for (size_t i = 0; r->names && i < r->names->n; i++)
		free(r->names->name[i]);
	free(r->names);
	*r = (struct ov_result){0};
}

/* ---- on the worker's thread ---- */

static struct rep_filter_text without_filters(struct rep_filter_text f)
{
	return (struct rep_filter_text){.from = f.from, .to = f.to};
}

static int report(const struct job *j, const char *name, int64_t rows, struct tp_store *store,
		  struct rep_output *out, struct tp_err *err)
{
	char times[60];
	struct rep_filter_text filter = tui_select_filter(&j->select, times);
	struct rep_top_options opt = {
	    .report = rep_report_find(name),
	    /* Marks and stops are the run's, whoever is looked at: as in the heat map. */
	    .filter = j->piece == OV_GC ? without_filters(filter) : filter,
	    .rows = rows,
	    .tables = true,
	    .whole = true,
	};
	unsigned by = opt.report->filters;

	/* What a report does not know is left to those that do. */
	if (!(by & REP_BY_FRAMES))
		opt.filter.focus = NULL;
	if (!(by & REP_BY_GOROUTINE))
		opt.filter.goroutine = NULL;
	if (!(by & REP_BY_REASON))
		opt.filter.reason = NULL;
	if (!(by & REP_BY_STATE))
		opt.filter.state = NULL;
	if (!(by & REP_BY_TASK))
		opt.filter.task = opt.filter.region = NULL;
	return rep_top(out, store, j->select.run, 1, &opt, err);
}

/* A view of the selection; with nothing but its time range where `only_time`. */
struct sight {
	struct rep_filter filter;
	struct rep_view view;
	char times[60];
};

static int begin_sight(struct sight *s, const struct job *j, bool only_time, struct tp_store *store,
		       struct tp_err *err)
{
	struct rep_filter_text text = tui_select_filter(&j->select, s->times);
	int code;

	if (only_time)
		text = without_filters(text);
	code = rep_filter_init(&s->filter, &text, err);
	return code ? code : rep_view_init(&s->view, store, j->select.run, &s->filter, NULL, err);
}

static void end_sight(struct sight *s)
{
	rep_view_release(&s->view);
	rep_filter_release(&s->filter);
}

/* Events whose time lies in the range: all of segments within it, and those of the segments that it
 * cuts which do. */
static int count_events(struct rep_view *v, const atomic_bool *stop, int64_t *n, struct tp_err *err)
{
	int code = 0;

	*n = v->whole ? v->run->row.events : 0;
	for (size_t i = 0; !v->whole && !code && i < v->nsegments; i++) {
		const struct tp_segment *s = &v->segments[i];
		const struct tp_event_range range = {v->from, v->to, s->first_block, s->blocks};
		struct tp_event_reader *r = NULL;
		const struct tp_event *ev;
		size_t some;

		if (!rep_segment_cut(v, s)) {
			*n += rep_segment_inside(v, s) && s->from_ns < v->to ? s->events : 0;
			continue;
		}
		code = tp_events_open(&r, v->store, v->run->row.id, &range, err);
		while (!code && (code = tp_events_next(r, &ev, &some, err)) > 0) {
			code = atomic_load(stop)
				   ? tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "interrupted")
				   : 0;
			for (size_t k = 0; k < some; k++)
				*n += ev[k].ts >= v->from && ev[k].ts < v->to;
		}
		if (r)
			tp_events_close(r);
	}
	return code;
}

static void count_goroutines(const struct rep_view *v, int64_t *n)
{
	*n = 0;
	for (size_t i = 0; i < v->nrows[TP_TABLE_GOROUTINE]; i++) {
		int64_t end = REP_COL(v, GOROUTINE, ended_ns)[i];

		if (end == TP_NULL)
			end = v->run->row.duration_ns;
		*n += rep_view_overlaps(v, REP_COL(v, GOROUTINE, created_ns)[i], end);
	}
}

static int picture(struct job *j, struct tp_store *store, struct tp_err *err)
{
	struct ov_result *r = &j->result;
	struct sight s = {0};
	int code = begin_sight(&s, j, true, store, err);

	if (!code)
		code = rep_time_begin(&r->time, &s.view, j->bins, err);
	if (!code)
		code = rep_time_procs(&r->time, &s.view, err);
	if (!code)
		code = rep_time_alive(&r->time, &s.view, err);
	if (!code)
		code = rep_time_metric(&r->time, &s.view, REP_METRIC_HEAP_NAME, &r->heap, err);
	if (!code)
		code = rep_time_metric(&r->time, &s.view, REP_METRIC_GOAL_NAME, &r->goal, err);
	if (!code) {
		count_goroutines(&s.view, &r->goroutines);
		code = count_events(&s.view, &j->job.stop, &r->events, err);
	}
	end_sight(&s);
	return code;
}

/* The collector's bands, and groups of goroutines: what has to read more. */
static int groups(struct job *j, struct tp_store *store, struct tp_err *err)
{
	struct ov_result *r = &j->result;
	struct sight s = {0};
	int code = begin_sight(&s, j, true, store, err);

	if (!code)
		code = rep_time_begin(&r->time, &s.view, j->bins, err);
	if (!code)
		code = rep_time_goroutines(&r->time, &s.view, err);
	if (!code) {
		r->names = calloc(1, sizeof(*r->names));
		code = r->names ? 0 : tp_nomem(err);
	}
	for (size_t i = 0; !code && i < r->time.ngroups; i++) {
		struct tp_text text = tp_dict_text(s.view.dict, r->time.group[i].entry);

		r->names->name[i] = strndup(text.text, text.size);
		if (!r->names->name[i])
			code = tp_nomem(err);
		r->names->n++;
	}
	end_sight(&s);
	return code;
}

static int collector(struct job *j, struct tp_store *store, struct tp_err *err)
{
	struct sight s = {0};
	int code = begin_sight(&s, j, true, store, err);

	if (!code)
		code = rep_time_begin(&j->result.time, &s.view, j->bins, err);
	if (!code)
		code = rep_time_collector(&j->result.time, &s.view, err);
	end_sight(&s);
	return code;
}

/* The longest spans of some states. */
static int worst(struct job *j, uint32_t states, const char *name, struct tp_store *store,
		 struct rep_output *out, struct tp_err *err)
{
	const struct rep_worst_options opt = {.states = states,
					      .n = ROWS,
					      .no_rest = states == 1u << TP_ST_WAITING,
					      .stop = &j->job.stop};
	struct sight s = {0};
	int code = begin_sight(&s, j, false, store, err);

	if (!code)
		code = rep_worst_print(&s.view, &opt, name, out, err);
	end_sight(&s);
	return code;
}

/* About the run. */
static int query(const struct job *j, const char *sql, struct tp_store *store,
		 struct rep_output *out, struct tp_err *err)
{
	const struct rep_query_options opt = {.run = j->select.run->row.id};
	struct rep_query *q = NULL;
	int code = rep_query_new(&q, store, &opt, err);

	if (!code)
		code = rep_query_run(q, sql, out, err);
	rep_query_free(q);
	return code;
}

/* What was lost, and what there is to say beside; NULLs are not known. */
static int losses(const struct job *j, struct tp_store *store, struct rep_output *out,
		  struct tp_err *err)
{
	static const char sql[] =
	    "SELECT 'lost' AS kind, reason AS what, from_ns AS at_ns, to_ns - from_ns AS dur_ns, "
	    "bytes, events FROM loss WHERE run = :run UNION ALL SELECT CASE severity WHEN 0 "
	    "THEN 'note' WHEN 1 THEN 'warning' ELSE 'damage' END, " REP_NOTICE_TEXT ", NULL, NULL, "
	    "NULL, NULL FROM notice WHERE run = :run";
	char text[sizeof(sql) + 300];
	int64_t goid;

	/* Damage that makes this fail is told where goroutines are read. */
	if (rep_goids_mixed(store, j->select.run->row.id, &goid, err) == 1)
		snprintf(text, sizeof(text),
			 "%s UNION ALL SELECT 'warning', 'goroutine %" PRId64 " came again, and is "
			 "one here', NULL, NULL, NULL, NULL UNION ALL SELECT 'note', 'tprof-store "
			 "delete, and a new import, tell lives apart', NULL, NULL, NULL, NULL "
			 "LIMIT 1000",
			 sql, goid);
	else
		snprintf(text, sizeof(text), "%s LIMIT 1000", sql);
	return query(j, text, store, out, err);
}

static int labels(const struct job *j, struct tp_store *store, struct rep_output *out,
		  struct tp_err *err)
{
	static const char sql[] =
	    "SELECT key AS label, count(DISTINCT coalesce(text, number)) AS \"values\", "
	    "min(coalesce(text, number)) AS example FROM bucket_label WHERE run = :run GROUP BY "
	    "key ORDER BY key LIMIT 1000";

	return query(j, sql, store, out, err);
}

static int make(struct job *j, struct tp_store *store, struct rep_output *out, struct tp_err *err)
{
	switch (j->piece) {
	case OV_PICTURE:
		return picture(j, store, err);
	case OV_GROUPS:
		return groups(j, store, err);
	case OV_PROCS:
		return report(j, "procs", 0, store, out, err);
	case OV_SCHED:
		return report(j, "sched", ROWS, store, out, err);
	case OV_BLOCK:
		return report(j, "block", ROWS, store, out, err);
	case OV_READY:
		return worst(j, 1u << TP_ST_RUNNABLE, "latencies", store, out, err);
	case OV_WAITS:
		return worst(j, 1u << TP_ST_WAITING, "waits", store, out, err);
	case OV_STOPS:
		return report(j, "stops", ROWS, store, out, err);
	case OV_GC: {
		int code = collector(j, store, err);

		return code ? code : report(j, "gc", 0, store, out, err);
	}
	case OV_HEAP:
		return report(j, "heap", 1, store, out, err);
	case OV_MMU:
		return report(j, "mmu", 0, store, out, err);
	case OV_LOSSES:
		return losses(j, store, out, err);
	case OV_TYPES:
		return ov_profile_types(out, store, &j->select, err);
	case OV_FUNCTIONS:
		return ov_profile_functions(out, store, &j->select, err);
	case OV_LABELS:
		return labels(j, store, out, err);
	case OV_NPIECES:
		break;
	}
	return 0;
}

static int work(struct tui_job *job, struct tp_store *store, struct tp_err *err)
{
	struct job *j = (struct job *)job;
	struct rep_output *out = NULL;
	int code;

	j->result.cells.ticks = j->select.run->row.ticks;
	code = tui_cells_output(&j->result.cells, &out, err);
	if (!code)
		code = make(j, store, out, err);
	if (!code)
		code = rep_output_finish(out, err);
	rep_output_free(out);
	if (!code && j->result.cells.n && (j->piece == OV_LOSSES || j->piece == OV_LABELS))
		code = tui_sheet_dress(&j->result.cells, &j->result.cells.sheet[0],
				       j->piece == OV_LOSSES ? "losses" : "labels", err);
	return code;
}

/* ---- on the screen's thread ---- */

static void ask_next(struct tui *t, struct tui_view *v);

static void take(struct overview *o, enum ov_piece piece, struct ov_result *r)
{
	struct ov_result old = o->result[piece];

	o->result[piece] = *r;
	*r = (struct ov_result){0};
	for (int i = 0; i < o->nsections; i++) {
		struct ov_section *s = &o->section[i];

		if (s->ops == &ov_table && s->which == (int)piece)
			tui_table_show(&s->table, ov_sheet(o, piece));
	}
	ov_result_release(&old);
}

static void done(struct tui_view *v, struct tui_job *job)
{
	struct job *j = (struct job *)job;
	struct overview *o = v->state;

	o->doing = -1;
	o->done |= 1u << j->piece;
	free(o->error[j->piece]);
	o->error[j->piece] = NULL;
	if (!job->code) {
		take(o, j->piece, &j->result);
	} else {
		o->error[j->piece] = strdup(job->err.msg);
		/* All that is left would be as unwelcome. */
		if (job->code == TP_ECANCEL) {
			o->pending = 0;
			tui_message(v->tui, "interrupted; ^L goes on");
		}
	}
	v->busy = false;
	ask_next(v->tui, v);
}

static void release(struct tui_job *job)
{
	struct job *j = (struct job *)job;

	ov_result_release(&j->result);
	tui_select_release(&j->select);
	free(j);
}

static void ask_next(struct tui *t, struct tui_view *v)
{
	struct overview *o = v->state;
	struct job *j;

	/* Of a view that is not shown nothing is made: it is asked for when it is drawn again. */
	if (o->doing >= 0 || !o->pending || !v->select.run || tui_current(t) != v)
		return;
	j = calloc(1, sizeof(*j));
	if (!j || !tui_select_copy(&j->select, &v->select)) {
		free(j);
		o->pending = 0;
		tui_nomem(t);
		return;
	}
	while (!(o->pending >> j->piece & 1))
		j->piece++;
	o->pending &= ~(1u << j->piece);
	o->doing = (int)j->piece;
	j->bins = (size_t)(o->bins > 0 ? o->bins : 1);
	j->job = (struct tui_job){.work = work, .done = done, .release = release, .view = v};
	v->busy = true;
	tui_worker_ask(t->worker, &j->job);
}

void ov_ask(struct tui *t, struct tui_view *v, unsigned pieces)
{
	struct overview *o = v->state;

	o->pending |= pieces;
	ask_next(t, v);
}

struct tui_sheet *ov_sheet(const struct overview *o, enum ov_piece piece)
{
	const struct tui_cells *c = &o->result[piece].cells;

	return c->n ? &c->sheet[0] : NULL;
}

const struct rep_value *ov_cell(const struct overview *o, enum ov_piece piece, size_t row,
				const char *column)
{
	const struct tui_sheet *s = ov_sheet(o, piece);
	int c = s && row < s->nrows ? tui_sheet_column(s, column) : -1;

	return c < 0 ? NULL : tui_cell(s, row, (size_t)c);
}
