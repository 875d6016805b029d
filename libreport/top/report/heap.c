/* heap: collections one by one, with the size of the heap before and after, and the work they took.
 * The chart is the heap and its goal over time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "mmu/cycles.h"
#include "time/time.h"
#include "top/report.h"

struct heap {
	struct rep_time_curve size, goal; /* of the first run */
};

enum {
	COLUMN_RUN,
	COLUMN_AT,
	COLUMN_HEAP,
	COLUMN_LIVE,
	COLUMN_GOAL,
	COLUMN_GROWTH,
	COLUMN_RATE,
	COLUMN_SINCE,
	COLUMN_MARK,
	COLUMN_STW,
	COLUMN_BACKGROUND,
	COLUMN_ASSIST,
	COLUMN_SWEEP,
	COLUMN_BACKGROUND_NS,
	COLUMN_IDLE_NS,
	COLUMN_PROCS,
	COLUMN_COMPLETE,
	NCOLUMNS
};

#define COLUMN_BYTES(name_text, title_text, key_text, drop_rank, doc_text)                         \
	{                                                                                          \
		.column = {.name = (name_text),                                                    \
			   .title = (title_text),                                                  \
			   .kind = REP_BYTES,                                                      \
			   .drop = (drop_rank)},                                                   \
		.key = (key_text), .doc = (doc_text)                                               \
	}

static const struct rep_report_column columns[NCOLUMNS] = {
    [COLUMN_RUN] = REP_COLUMN_RUN,
    [COLUMN_AT] = {.column = {.name = "at_ns", .title = "MARK AT", .kind = REP_NS},
		   .key = "at",
		   .ascending = true,
		   .doc = "when the mark phase began, since the run did"},
    [COLUMN_HEAP] = COLUMN_BYTES("heap_bytes", "HEAP", "heap", 0,
				 "the heap at its largest, before anything was freed"),
    [COLUMN_LIVE] = COLUMN_BYTES("live_bytes", "LIVE", "live", 0, "what the mark phase left alive"),
    [COLUMN_GOAL] = COLUMN_BYTES("goal_bytes", "GOAL", "goal", 1,
				 "the goal for the heap when the mark phase began"),
    [COLUMN_GROWTH] = COLUMN_BYTES("growth_bytes", "GROWTH", "growth", 5,
				   "allocated since the collection before left its live heap"),
    [COLUMN_RATE] = COLUMN_BYTES("bytes_per_second", "PER SECOND", "rate", 2,
				 "the same by the time it took: the rate of allocation"),
    [COLUMN_SINCE] =
	REP_COLUMN_NS("since_ns", "AFTER", "since", 4, "time since the mark phase before was over"),
    [COLUMN_MARK] = REP_COLUMN_NS("mark_ns", "MARK", "mark", 0, "length of the mark phase"),
    [COLUMN_STW] = REP_COLUMN_NS("stw_ns", "STW", "stw", 1, "its stops of the world"),
    [COLUMN_BACKGROUND] =
	{.column = {.name = "background", .title = "BACKGR", .kind = REP_SHARE, .drop = 3},
	 .key = "background",
	 .doc = "dedicated and fractional workers, as a share of all Ps while "
		"it marked"},
    [COLUMN_ASSIST] =
	REP_COLUMN_NS("assist_ns", "ASSIST", "assist", 2, "goroutines' assists, on all Ps"),
    [COLUMN_SWEEP] = REP_COLUMN_NS("sweep_ns", "SWEEP", "sweep", 6,
				   "sweeps up to the next collection, on all Ps"),
    [COLUMN_BACKGROUND_NS] = REP_COLUMN_RAW_NS("background_ns", "the workers' time, on all Ps"),
    [COLUMN_IDLE_NS] = REP_COLUMN_RAW_NS("idle_ns", "of workers on Ps that had nothing to do"),
    [COLUMN_PROCS] = {.column = {.name = "procs", .kind = REP_COUNT, .raw_only = true},
		      .doc = "GOMAXPROCS"},
    [COLUMN_COMPLETE] = {.column = {.name = "complete", .kind = REP_BOOL, .raw_only = true},
			 .doc = "both ends of the mark phase are in the trace"},
};

static int add_curves(struct heap *h, struct rep_view *v, struct tp_err *err)
{
	struct rep_time time;
	int code = rep_time_begin(&time, v, 1, err);

	if (!code)
		code = rep_time_metric(&time, v, REP_METRIC_HEAP_NAME, &h->size, err);
	if (!code)
		code = rep_time_metric(&time, v, REP_METRIC_GOAL_NAME, &h->goal, err);
	rep_time_release(&time);
	return code;
}

static int add_cycle(struct rep_job *job, const struct rep_view *v, const struct rep_gc_cycle *c)
{
	int64_t *row = rep_job_row(job, v);

	if (!row)
		return TP_ENOMEM;
	row[COLUMN_AT] = c->start_ns;
	row[COLUMN_HEAP] = c->heap_bytes;
	row[COLUMN_LIVE] = c->live_bytes;
	row[COLUMN_GOAL] = c->goal_bytes;
	row[COLUMN_GROWTH] = c->growth_bytes;
	row[COLUMN_RATE] = isnan(c->bytes_per_second) || fabs(c->bytes_per_second) > 9e18
			       ? TP_NULL
			       : (int64_t)c->bytes_per_second;
	row[COLUMN_SINCE] = c->since_ns;
	row[COLUMN_MARK] = c->mark_ns;
	row[COLUMN_STW] = c->stw_ns;
	row[COLUMN_ASSIST] = c->assist_ns;
	row[COLUMN_SWEEP] = c->sweep_ns;
	row[COLUMN_BACKGROUND_NS] = c->background_ns;
	row[COLUMN_IDLE_NS] = c->idle_ns;
	row[COLUMN_PROCS] = c->procs;
	row[COLUMN_COMPLETE] = c->complete;
	return 0;
}

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	struct rep_gc_facts facts = {0};
	struct rep_gc_cycle *cycle = NULL;
	size_t n = 0;
	int code = rep_gc_facts_load(&facts, v->store, &v->run->row, v->dict, REP_UTIL_ALL, err);

	if (code == TP_EVERSION)
		tp_err_set(
		    err, code, TP_OFFSET_NONE,
		    "the run '%s' was imported by an older tprof, which did not record the size "
		    "of the heap; import the trace again",
		    v->run->row.name);
	if (!code)
		code = rep_gc_cycles(&facts, &cycle, &n, err);
	for (size_t i = 0; !code && i < n; i++) {
		if (!rep_view_overlaps(v, cycle[i].start_ns,
				       tp_plus(cycle[i].start_ns, cycle[i].mark_ns)))
			continue;
		code = add_cycle(job, v, &cycle[i]);
		if (code)
			rep_job_fail(err, code);
	}
	if (!code && !v->index)
		code = add_curves(job->state, v, err);
	free(cycle);
	rep_gc_facts_release(&facts);
	return code;
}

static struct rep_value value(struct rep_job *job, size_t row, size_t column)
{
	const int64_t *c = rep_job_row_at(job, row);
	double all = (double)c[COLUMN_MARK] * (double)c[COLUMN_PROCS];

	if (column != COLUMN_BACKGROUND)
		return rep_job_cell(job, row, column);
	/* Of all the time of all Ps while it marked. */
	return c[COLUMN_MARK] > 0 && c[COLUMN_PROCS] > 0
		   ? rep_float((double)c[COLUMN_BACKGROUND_NS] / all)
		   : rep_null();
}

static int chart(struct rep_job *job, struct rep_chart *out, struct tp_err *err)
{
	struct heap *h = job->state;
	struct rep_chart_line *lines = tp_arena_alloc(&job->texts.arena, 2 * sizeof(*lines));

	if (!lines)
		return rep_job_fail(err, TP_ENOMEM);
	*out = (struct rep_chart){
	    .title = "the heap and its goal",
	    .x = {.title = "time", .kind = job->runs[0].row.ticks ? REP_COUNT : REP_NS},
	    .y = {.title = "bytes", .kind = REP_BYTES},
	    .lines = lines,
	};
	if (h->size.n)
		lines[out->nlines++] = (struct rep_chart_line){
		    .name = "heap", .x = h->size.x, .y = h->size.y, .n = h->size.n};
	if (h->goal.n)
		lines[out->nlines++] = (struct rep_chart_line){
		    .name = "goal", .x = h->goal.x, .y = h->goal.y, .n = h->goal.n, .steps = true};
	return 0;
}

static void release(struct rep_job *job)
{
	struct heap *h = job->state;

	rep_time_curve_release(&h->size);
	rep_time_curve_release(&h->goal);
}

static const struct rep_report_ops ops = {
    .state = sizeof(struct heap),
    .add = add,
    .value = value,
    .release = release,
    .chart = chart,
};

const struct rep_report rep_report_heap = {
    .name = "heap",
    .doc = "the heap and its goal over time, and collections one by one",
    .rows = "collections",
    .columns = columns,
    .ncolumns = NCOLUMNS,
    .sort = "heap",
    .filters = REP_BY_TIME,
    .ops = &ops,
};
