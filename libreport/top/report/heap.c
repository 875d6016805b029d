/* heap: collections one by one, with what the heap was before and after, and who did the work. The
 * chart is the heap and its goal over time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "mmu/cycles.h"
#include "top/report.h"

struct cycle {
	struct rep_gc_cycle c;
	uint32_t run;
};

struct curve {
	double *x, *y;
	size_t n, x_room, y_room;
};

struct heap {
	struct cycle *v;
	size_t n, room;
	struct curve size, goal; /* of the first run */
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
    [COLUMN_RUN] = {.column = {.name = "run", .title = "RUN", .kind = REP_TEXT},
		    .doc = "name of the run"},
    [COLUMN_AT] = {.column = {.name = "at_ns", .title = "MARK AT", .kind = REP_NS},
		   .key = "at",
		   .ascending = true,
		   .doc = "when the mark phase began, since the run did"},
    [COLUMN_HEAP] = COLUMN_BYTES("heap_bytes", "HEAP", "heap", 0,
				 "the heap at its largest, before anything was taken from it"),
    [COLUMN_LIVE] = COLUMN_BYTES("live_bytes", "LIVE", "live", 0, "what the mark phase left"),
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

static int begin(struct rep_job *job, struct tp_err *err)
{
	job->state = calloc(1, sizeof(struct heap));
	return job->state ? 0 : rep_job_fail(err, TP_ENOMEM);
}

static int add_point(struct curve *c, int64_t ts, int64_t value)
{
	if (tp_grow(&c->x, &c->x_room, c->n, sizeof(*c->x)) ||
	    tp_grow(&c->y, &c->y_room, c->n, sizeof(*c->y)))
		return TP_ENOMEM;
	c->x[c->n] = (double)ts;
	c->y[c->n++] = (double)value;
	return 0;
}

static int add_curves(struct heap *h, const struct rep_gc_facts *f, const struct rep_view *v)
{
	int64_t before = INT64_MIN, goal = 0;
	int code = 0;

	for (size_t i = 0; !code && i < f->metric.nrows; i++) {
		int64_t ts = f->metric.col[TP_COL(METRIC, ts_ns)][i];
		int64_t value = f->metric.col[TP_COL(METRIC, value)][i];

		/* A store may say anything; a chart's x does not descend. */
		if (!rep_view_overlaps(v, ts, ts) || ts < before)
			continue;
		before = ts;
		if (f->metric_kind[i] == REP_METRIC_HEAP)
			code = add_point(&h->size, ts, value);
		else if (f->metric_kind[i] == REP_METRIC_GOAL)
			code = add_point(&h->goal, ts, goal = value);
	}
	if (!code && h->goal.n)
		code = add_point(&h->goal, rep_view_clip_end(v, f->duration_ns), goal);
	return code;
}

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	struct heap *h = job->state;
	struct rep_gc_facts facts = {0};
	struct rep_gc_cycle *cycle = NULL;
	size_t n = 0;
	int code = rep_gc_facts_load(&facts, v->store, &v->run->row, v->dict, REP_UTIL_ALL, err);

	if (code == TP_EVERSION)
		tp_err_set(
		    err, code, TP_OFFSET_NONE,
		    "the run '%s' was imported by a tprof that did not keep the heap's size; "
		    "import the trace again",
		    v->run->row.name);
	if (!code)
		code = rep_gc_cycles(&facts, &cycle, &n, err);
	for (size_t i = 0; !code && i < n; i++) {
		if (!rep_view_overlaps(v, cycle[i].start_ns,
				       tp_plus(cycle[i].start_ns, cycle[i].mark_ns)))
			continue;
		code = tp_grow(&h->v, &h->room, (uint32_t)h->n, sizeof(*h->v));
		if (code)
			rep_job_fail(err, code);
		else
			h->v[h->n++] = (struct cycle){cycle[i], (uint32_t)v->index};
	}
	if (!code && !v->index) {
		code = add_curves(h, &facts, v);
		if (code)
			rep_job_fail(err, code);
	}
	free(cycle);
	rep_gc_facts_release(&facts);
	job->nrows = h->n;
	return code;
}

static int finish(struct rep_job *job, struct tp_err *err)
{
	(void)err;
	if (job->nruns == 1)
		job->hidden |= 1u << COLUMN_RUN;
	return 0;
}

/* Of all the time of all Ps while it marked. */
static struct rep_value background(const struct rep_gc_cycle *c)
{
	if (c->procs <= 0 || c->mark_ns <= 0)
		return rep_null();
	return rep_float((double)c->background_ns / ((double)c->mark_ns * (double)c->procs));
}

static struct rep_value value(struct rep_job *job, size_t row, size_t column)
{
	const struct cycle *x = &((struct heap *)job->state)->v[row];
	const struct rep_gc_cycle *c = &x->c;

	switch (column) {
	case COLUMN_RUN:
		return rep_str(job->runs[x->run].row.name);
	case COLUMN_AT:
		return rep_int(c->start_ns);
	case COLUMN_HEAP:
		return rep_opt(c->heap_bytes);
	case COLUMN_LIVE:
		return rep_opt(c->live_bytes);
	case COLUMN_GOAL:
		return rep_opt(c->goal_bytes);
	case COLUMN_GROWTH:
		return rep_opt(c->growth_bytes);
	case COLUMN_RATE:
		return isnan(c->bytes_per_second) || fabs(c->bytes_per_second) > 9e18
			   ? rep_null()
			   : rep_int((int64_t)c->bytes_per_second);
	case COLUMN_SINCE:
		return rep_opt(c->since_ns);
	case COLUMN_MARK:
		return rep_int(c->mark_ns);
	case COLUMN_STW:
		return rep_int(c->stw_ns);
	case COLUMN_BACKGROUND:
		return background(c);
	case COLUMN_ASSIST:
		return rep_int(c->assist_ns);
	case COLUMN_SWEEP:
		return rep_int(c->sweep_ns);
	case COLUMN_BACKGROUND_NS:
		return rep_int(c->background_ns);
	case COLUMN_IDLE_NS:
		return rep_int(c->idle_ns);
	case COLUMN_PROCS:
		return rep_opt(c->procs);
	default:
		return rep_int(c->complete);
	}
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

	if (!h)
		return;
	free(h->v);
	free(h->size.x);
	free(h->size.y);
	free(h->goal.x);
	free(h->goal.y);
	free(h);
}

static const struct rep_report_ops ops = {
    .begin = begin,
    .add = add,
    .finish = finish,
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
