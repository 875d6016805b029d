/* Makes the pieces that the sections show, one at a time in the background. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "goid.h"
#include "tprof-tui/fill.h"
#include "tprof-tui/view/overview/inside.h"

#define ROWS 20 /* most rows of a table */

void ov_result_release(struct ov_result *r)
{
	rep_time_release(&r->time);
	rep_time_curve_release(&r->heap);
	rep_time_curve_release(&r->goal);
	for (size_t i = 0; i < REP_TIME_GROUPS; i++)
		free(r->name[i]);
	*r = (struct ov_result){0};
}

/* ---- on the worker's thread ---- */

/* A request for a piece, and its results. */
struct ask {
	struct tui_fill fill;
	struct ov_result result;
};

/* Makes a report with the filters that it obeys. */
static int report(struct tui_fill *f, const char *name, int64_t rows, struct tp_store *store,
		  struct rep_output *out, struct tp_err *err)
{
	const struct rep_report *report = rep_report_find(name);

	return tui_fill_report(f, report, report->filters | REP_BY_TIME, rows, store, out, err);
}

/* Counts the events in the time range. Segments inside the range count as a whole; in segments that its
 * ends cut, events are read and counted. */
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

/* Runs `make` for a result over time, on the view of the selected time range. */
static int over_time(struct tui_fill *f, struct tp_store *store,
		     int (*make)(struct ov_result *r, struct rep_view *v, const atomic_bool *stop,
				 struct tp_err *err),
		     struct tp_err *err)
{
	struct ov_result *r = &((struct ask *)f)->result;
	struct tui_filtered s = {0};
	int code = tui_filtered_init(&s, &f->job.select, REP_BY_TIME, store, err);

	if (!code)
		code = rep_time_begin(&r->time, &s.view, r->bins, err);
	if (!code)
		code = make(r, &s.view, &f->job.stop, err);
	tui_filtered_release(&s);
	return code;
}

static int picture(struct ov_result *r, struct rep_view *v, const atomic_bool *stop,
		   struct tp_err *err)
{
	int code = rep_time_procs(&r->time, v, err);

	if (!code)
		code = rep_time_alive(&r->time, v, err);
	if (!code)
		code = rep_time_metric(&r->time, v, REP_METRIC_HEAP_NAME, &r->heap, err);
	if (!code)
		code = rep_time_metric(&r->time, v, REP_METRIC_GOAL_NAME, &r->goal, err);
	if (code)
		return code;
	count_goroutines(v, &r->goroutines);
	return count_events(v, stop, &r->events, err);
}

/* Makes the groups of goroutines, which takes longer than the other pieces. */
static int groups(struct ov_result *r, struct rep_view *v, const atomic_bool *stop,
		  struct tp_err *err)
{
	int code = rep_time_goroutines(&r->time, v, err);

	(void)stop;
	for (size_t i = 0; !code && i < r->time.ngroups; i++) {
		struct tp_text text = tp_dict_text(v->dict, r->time.group[i].entry);

		r->name[i] = strndup(text.text, text.size);
		if (!r->name[i])
			code = tp_nomem(err);
	}
	return code;
}

static int collector(struct ov_result *r, struct rep_view *v, const atomic_bool *stop,
		     struct tp_err *err)
{
	(void)stop;
	return rep_time_collector(&r->time, v, err);
}

/* Makes mark phases and pauses. They belong to the whole run, so only the time range applies, as in the
 * heat map. */
static int gc(struct tui_fill *f, struct tp_store *store, struct rep_output *out,
	      struct tp_err *err)
{
	int code = over_time(f, store, collector, err);

	return code ? code
		    : tui_fill_report(f, rep_report_find("gc"), REP_BY_TIME, 0, store, out, err);
}

/* Writes the longest spans in these states. */
static int worst(struct tui_fill *f, uint32_t states, const char *name, struct tp_store *store,
		 struct rep_output *out, struct tp_err *err)
{
	const struct rep_worst_options opt = {.states = states,
					      .n = ROWS,
					      .no_rest = states == 1u << TP_ST_WAITING,
					      .stop = &f->job.stop};

	return tui_fill_worst(f, &opt, TUI_BY_ALL, name, store, out, err);
}

/* Writes losses and notices; unknown values are NULL. */
static int losses(struct tui_fill *f, struct tp_store *store, struct rep_output *out,
		  struct tp_err *err)
{
	static const char sql[] =
	    "SELECT 'lost' AS kind, reason AS what, from_ns AS at_ns, to_ns - from_ns AS dur_ns, "
	    "bytes, events FROM loss WHERE run = :run UNION ALL SELECT CASE severity WHEN 0 "
	    "THEN 'note' WHEN 1 THEN 'warning' ELSE 'damage' END, " REP_NOTICE_TEXT ", NULL, NULL, "
	    "NULL, NULL FROM notice WHERE run = :run";
	char text[sizeof(sql) + 300];
	int64_t goid;

	/* An error, such as damage, is left to the reports on goroutines. */
	if (rep_goids_mixed(store, f->job.select.run->row.id, &goid, err) == 1)
		snprintf(text, sizeof(text),
			 "%s UNION ALL SELECT 'warning', 'several goroutines had the id %" PRId64
			 " and are counted as one', NULL, NULL, NULL, NULL UNION ALL SELECT "
			 "'note', 'delete the run with tprof-store and import it again to tell "
			 "them apart', NULL, NULL, NULL, NULL "
			 "LIMIT 1000",
			 sql, goid);
	else
		snprintf(text, sizeof(text), "%s LIMIT 1000", sql);
	return tui_fill_query(f, text, "losses", store, out, err);
}

static int labels(struct tui_fill *f, struct tp_store *store, struct rep_output *out,
		  struct tp_err *err)
{
	static const char sql[] =
	    "SELECT key AS label, count(DISTINCT coalesce(text, number)) AS \"values\", "
	    "min(coalesce(text, number)) AS example FROM bucket_label WHERE run = :run GROUP BY "
	    "key ORDER BY key LIMIT 1000";

	return tui_fill_query(f, sql, "labels", store, out, err);
}

static int make(struct tui_fill *f, struct tp_store *store, struct rep_output *out,
		struct tp_err *err)
{
	switch ((enum ov_piece)f->which) {
	case OV_PICTURE:
		return over_time(f, store, picture, err);
	case OV_GROUPS:
		return over_time(f, store, groups, err);
	case OV_PROCS:
		return report(f, "procs", 0, store, out, err);
	case OV_SCHED:
		return report(f, "sched", ROWS, store, out, err);
	case OV_BLOCK:
		return report(f, "block", ROWS, store, out, err);
	case OV_READY:
		return worst(f, 1u << TP_ST_RUNNABLE, "latencies", store, out, err);
	case OV_WAITS:
		return worst(f, 1u << TP_ST_WAITING, "waits", store, out, err);
	case OV_STOPS:
		return report(f, "stops", ROWS, store, out, err);
	case OV_GC:
		return gc(f, store, out, err);
	case OV_HEAP:
		return report(f, "heap", 1, store, out, err);
	case OV_MMU:
		return report(f, "mmu", 0, store, out, err);
	case OV_LOSSES:
		return losses(f, store, out, err);
	case OV_TYPES:
		return ov_profile_types(out, store, &f->job.select, err);
	case OV_FUNCTIONS:
		return ov_profile_functions(out, store, &f->job.select, err);
	case OV_LABELS:
		return labels(f, store, out, err);
	case OV_NPIECES:
		break;
	}
	return 0;
}

/* ---- on the screen's thread ---- */

static void release(struct tui_fill *f)
{
	ov_result_release(&((struct ask *)f)->result);
}

static void taken(struct tui_view *v, struct tui_fill *f)
{
	struct overview *o = v->state;
	struct ov_result *r = &((struct ask *)f)->result, old = o->result[f->which];

	if (f->job.code)
		return;
	o->result[f->which] = *r;
	*r = old;
}

void ov_ask(struct tui_view *v, int piece)
{
	struct overview *o = v->state;
	const struct tui_fill how = {.rows = &o->piece[piece],
				     .pieces = &o->pieces,
				     .which = piece,
				     .fill = make,
				     .taken = taken,
				     .release = release};
	struct ask *a = tui_fill_new(v, sizeof(*a), &how);

	if (!a)
		return;
	a->result.bins = (size_t)(o->bins > 0 ? o->bins : 1);
	tui_job_ask(&a->fill.job);
}
