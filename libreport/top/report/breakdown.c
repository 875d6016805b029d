/* breakdown: where the time of each group of goroutines went (with --each, of each goroutine), by
 * state and reason, with percentiles. What Go's tool shows of a goroutine group: its states do not
 * overlap; time in ranges (GC mark assist, sweep, stops of the world) is shown, too, and is time
 * that the states count as well. */
#include <stdlib.h>

#include "base/many.h"
#include "base/sum.h"
#include "top/report.h"

#define STATE_RANGE TP_NSTATES /* in place of a state: time in a range */

struct breakdown {
	/* Owner: string of the entry function and TP_NONE, or run and goroutine (index). */
	struct rep_keys owners;
	struct owner {
		int64_t total_ns;
		int64_t id;	/* with --each */
		uint32_t entry; /* of the common dictionary */
	} * owner;
	size_t owner_room;
	struct rep_keys places; /* row, stack */
	int64_t *place_ns;
	size_t place_room;
};

enum {
	COLUMN_RUN,
	COLUMN_GOROUTINE,
	COLUMN_ENTRY,
	COLUMN_STATE,
	COLUMN_REASON,
	COLUMN_COUNT,
	COLUMN_TOTAL,
	COLUMN_SHARE,
	COLUMN_MEAN,
	COLUMN_P50,
	COLUMN_P90,
	COLUMN_P99,
	COLUMN_MAX,
	COLUMN_EXACT,
	COLUMN_WHERE,
	COLUMN_WHERE_SHARE,
	COLUMN_STACK,
	NCOLUMNS,
	NUMBER_OWNER = NCOLUMNS,
	NUMBER_MOST_NS, /* at the stack that took most */
	NNUMBERS
};

static const struct rep_report_column columns[NCOLUMNS] = {
    [COLUMN_RUN] = {.column = {.name = "run", .title = "RUN", .kind = REP_TEXT},
		    .cell = REP_CELL_RUN,
		    .doc = "name of the run, with --each"},
    [COLUMN_GOROUTINE] = {.column = {.name = "goroutine", .title = "GOROUTINE", .kind = REP_ID},
			  .cell = REP_CELL_GOROUTINE,
			  .key = "id",
			  .doc = "goroutine id, with --each"},
    [COLUMN_ENTRY] = {.column = {.name = "entry",
				 .title = "ENTRY FUNCTION",
				 .kind = REP_TEXT,
				 .shorten = REP_SHORTEN_FUNCTION,
				 .least = 16},
		      .cell = REP_CELL_ENTRY,
		      .key = "entry",
		      .doc = "function the goroutines began with"},
    [COLUMN_STATE] = {.column = {.name = "state", .title = "STATE", .kind = REP_TEXT},
		      .key = "state",
		      .doc = "in what state; overlap: in a range, which the states count as well"},
    [COLUMN_REASON] =
	{.column = {.name = "reason", .title = "REASON", .kind = REP_TEXT, .least = 12},
	 .cell = REP_CELL_STRING,
	 .key = "reason",
	 .doc = "why blocked or stopped; name of the range"},
    [COLUMN_COUNT] = REP_COLUMN_COUNT("times"),
    [COLUMN_TOTAL] = REP_COLUMN_NS("total_ns", "TOTAL", "total", 0, "time"),
    [COLUMN_SHARE] = REP_COLUMN_SHARE(1, "of the time of this group (goroutine) here"),
    [COLUMN_MEAN] = REP_COLUMN_NS("mean_ns", "MEAN", "mean", 7, "total / count"),
    [COLUMN_P50] = REP_COLUMN_PERCENTILE("p50_ns", "P50", "p50", 4, "median"),
    [COLUMN_P90] = REP_COLUMN_PERCENTILE("p90_ns", "P90", "p90", 6, "90th percentile"),
    [COLUMN_P99] = REP_COLUMN_PERCENTILE("p99_ns", "P99", "p99", 3, "99th percentile"),
    [COLUMN_MAX] = REP_COLUMN_NS("max_ns", "MAX", "max", 2, "the longest"),
    [COLUMN_EXACT] = REP_COLUMN_EXACT,
    [COLUMN_WHERE] = {.column = {.name = "where",
				 .title = "MOSTLY",
				 .shorten = REP_SHORTEN_WHERE,
				 .kind = REP_TEXT,
				 .least = 20,
				 .drop = 5,
				 .table_only = true},
		      .cell = REP_CELL_WHERE,
		      .doc = "the place that took most of it"},
    [COLUMN_WHERE_SHARE] = {.column = {.name = "most_share", .kind = REP_SHARE, .raw_only = true},
			    .doc = "its share of the row"},
    [COLUMN_STACK] = REP_COLUMN_RAW_TEXT("most_stack", REP_CELL_STACK, "its stack, leaf first"),
};

struct adding {
	struct rep_job *job;
	struct rep_view *v;
};

static int owner_of(const struct adding *a, uint32_t entry, int64_t goroutine, uint32_t *owner)
{
	struct breakdown *b = a->job->state;
	const struct rep_view *v = a->v;
	bool each = a->job->opt->each;
	size_t known = b->owners.n;
	uint32_t name;
	int code = rep_view_string(a->v, entry, &name);

	if (!code)
		code = rep_keys_add(&b->owners, each ? (uint32_t)v->index : name,
				    each ? (uint32_t)goroutine : TP_NONE, 0, 0, owner);
	if (!code)
		code = tp_grow(&b->owner, &b->owner_room, *owner, sizeof(*b->owner));
	if (code || *owner != known)
		return code;
	b->owner[*owner].entry = name;
	b->owner[*owner].id = TP_NULL;
	if (each && goroutine >= 0 && (uint64_t)goroutine < v->nrows[TP_TABLE_GOROUTINE])
		b->owner[*owner].id = REP_COL(v, GOROUTINE, id)[goroutine];
	return 0;
}

/* Finds the row of an owner, a state and a reason. */
static int row_of(const struct adding *a, uint32_t owner, uint32_t state, uint32_t reason,
		  uint32_t *index)
{
	const struct breakdown *b = a->job->state;
	uint32_t name;
	int64_t *row;
	int code = rep_view_string(a->v, reason, &name);

	if (!code)
		code = rep_job_key(a->job, a->v, owner, state, name, index);
	if (code)
		return code;
	row = rep_job_row_at(a->job, *index);
	row[COLUMN_GOROUTINE] = b->owner[owner].id;
	row[COLUMN_ENTRY] = b->owner[owner].entry;
	row[COLUMN_STATE] = state;
	row[COLUMN_REASON] = name;
	row[NUMBER_OWNER] = owner;
	if (!row[NUMBER_MOST_NS])
		row[COLUMN_WHERE] = row[COLUMN_STACK] = TP_NULL;
	return 0;
}

static int add_place(const struct adding *a, uint32_t index, uint32_t stack, int64_t ns)
{
	struct breakdown *b = a->job->state;
	int64_t *row = rep_job_row_at(a->job, index);
	uint32_t common, at;
	int code = rep_view_stack(a->v, stack, &common);

	if (!code)
		code = rep_keys_add(&b->places, index, common, 0, 0, &at);
	if (!code)
		code = tp_grow(&b->place_ns, &b->place_room, at, sizeof(*b->place_ns));
	if (code)
		return code;
	tp_sum(&b->place_ns[at], ns);
	if (b->place_ns[at] > row[NUMBER_MOST_NS]) {
		row[NUMBER_MOST_NS] = b->place_ns[at];
		row[COLUMN_WHERE] = row[COLUMN_STACK] = common;
	}
	return 0;
}

static int on_part(void *ctx, const struct rep_part *part, struct tp_err *err)
{
	const struct adding *a = ctx;
	struct breakdown *b = a->job->state;
	uint32_t owner, row;
	int code = owner_of(a, part->entry, part->goroutine, &owner);

	if (!code)
		code = row_of(a, owner, part->state, part->reason, &row);
	if (code)
		return rep_job_fail(err, code);
	tp_sum(&b->owner[owner].total_ns, part->total_ns);
	code = rep_durations_put(a->job, row, part);
	if (!code && part->stack)
		code = add_place(a, row, part->stack, part->total_ns);
	return code ? rep_job_fail(err, code) : 0;
}

/* ---- time in ranges ---- */

static int add_range(const struct adding *a, int64_t goroutine, int64_t name, int64_t ns,
		     struct tp_err *err)
{
	uint32_t owner, row;
	int code;

	if (!rep_view_match_goroutine(a->v, goroutine))
		return 0;
	code = owner_of(a, rep_view_entry(a->v, goroutine), goroutine, &owner);
	if (!code)
		code = row_of(a, owner, STATE_RANGE, (uint32_t)name, &row);
	if (!code)
		code = rep_durations_add(a->job, row, ns);
	return code ? rep_job_fail(err, code) : 0;
}

/* Of the whole run: as Go's summary has it. */
static int add_range_sums(const struct adding *a, struct tp_err *err)
{
	struct rep_view *v = a->v;
	int code =
	    rep_view_load(v, TP_TABLE_GOROUTINE_RANGE,
			  REP_BIT(GOROUTINE_RANGE, goroutine) | REP_BIT(GOROUTINE_RANGE, name) |
			      REP_BIT(GOROUTINE_RANGE, total_ns),
			  err);

	for (size_t i = 0; !code && i < v->nrows[TP_TABLE_GOROUTINE_RANGE]; i++)
		code = add_range(a, REP_COL(v, GOROUTINE_RANGE, goroutine)[i],
				 REP_COL(v, GOROUTINE_RANGE, name)[i],
				 REP_COL(v, GOROUTINE_RANGE, total_ns)[i], err);
	return code;
}

static int add_rows(void *ctx, struct rep_view *v, size_t first, struct tp_err *err)
{
	const struct adding *a = ctx;
	int code = 0;

	(void)first;
	for (size_t i = 0; !code && i < v->nrows[TP_TABLE_RANGE]; i++) {
		int64_t goroutine = REP_COL(v, RANGE, goroutine)[i];
		int64_t start = REP_COL(v, RANGE, start_ns)[i], end = REP_COL(v, RANGE, end_ns)[i];

		if (goroutine != TP_NULL && rep_view_overlaps(v, start, end))
			code = add_range(
			    a, goroutine, REP_COL(v, RANGE, name)[i],
			    tp_minus(rep_view_clip_end(v, end), rep_view_clip_start(v, start)),
			    err);
	}
	return code;
}

static int add_ranges(const struct adding *a, struct tp_err *err)
{
	return rep_view_visit(a->v, TP_TABLE_RANGE,
			      REP_BIT(RANGE, goroutine) | REP_BIT(RANGE, name) |
				  REP_BIT(RANGE, start_ns) | REP_BIT(RANGE, end_ns),
			      add_rows, (void *)(uintptr_t)a, err);
}

/* Returns whether the filter selects goroutines and times only, so that ranges can be shown. */
static bool wants_ranges(const struct rep_filter *f)
{
	return !f->states && !f->given[REP_FILTER_FOCUS] && !f->given[REP_FILTER_IGNORE] &&
	       !f->given[REP_FILTER_REASON] && !rep_filter_inside(f);
}

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	const struct adding a = {.job = job, .v = v};
	unsigned want = REP_PARTS_DURATIONS | REP_PARTS_ALL_DURATIONS |
			(job->opt->each ? REP_PARTS_BY_GOROUTINE : 0u);
	int code = rep_durations_begin(job, v, err);

	if (!code)
		code = rep_view_load(v, TP_TABLE_GOROUTINE,
				     REP_BIT(GOROUTINE, id) | REP_BIT(GOROUTINE, name), err);
	if (!code)
		code = rep_parts_each(v, want, on_part, (void *)(uintptr_t)&a, err);
	if (!code)
		code = rep_durations_end(job, v, err);
	if (!code && wants_ranges(v->filter))
		code = v->whole ? add_range_sums(&a, err) : add_ranges(&a, err);
	return code;
}

static int finish(struct rep_job *job, struct tp_err *err)
{
	const struct breakdown *b = job->state;

	(void)err;
	if (!job->opt->each)
		job->hidden |= 1u << COLUMN_RUN | 1u << COLUMN_GOROUTINE;
	/* Of one group its name needs no column: --goroutine has said it. */
	if (!job->opt->each && b->owners.n == 1 && job->opt->filter.goroutine)
		job->hidden |= 1u << COLUMN_ENTRY;
	return 0;
}

static struct rep_value value(struct rep_job *job, size_t row, size_t column)
{
	const struct breakdown *b = job->state;
	const int64_t *numbers = rep_job_row_at(job, row);
	bool range = numbers[COLUMN_STATE] == STATE_RANGE;

	if (column == COLUMN_RUN && !job->opt->each)
		return rep_null();
	if (column == COLUMN_STATE)
		return rep_str(range ? "overlap" : rep_state_name((unsigned)numbers[COLUMN_STATE]));
	if (column == COLUMN_WHERE_SHARE)
		return numbers[NUMBER_MOST_NS]
			   ? rep_share(numbers[NUMBER_MOST_NS], job->durations.sum[row].total_ns)
			   : rep_null();
	if (column < COLUMN_COUNT || column > COLUMN_EXACT)
		return rep_job_cell(job, row, column);
	if (range && (column == COLUMN_COUNT || column == COLUMN_MAX))
		return rep_null();
	return rep_durations_value(job, row, b->owner[numbers[NUMBER_OWNER]].total_ns,
				   (enum rep_sum_column)(column - COLUMN_COUNT));
}

static void release(struct rep_job *job)
{
	struct breakdown *b = job->state;

	rep_keys_release(&b->owners);
	rep_keys_release(&b->places);
	free(b->owner);
	free(b->place_ns);
}

static const struct rep_report_ops ops = {
    .state = sizeof(struct breakdown),
    .add = add,
    .finish = finish,
    .prepare = rep_durations_prepare,
    .value = value,
    .release = release,
};

const struct rep_report rep_report_breakdown = {
    .name = "breakdown",
    .doc = "groups (--each: goroutines) by state and reason, with percentiles",
    .rows = "rows",
    .columns = columns,
    .ncolumns = NCOLUMNS,
    .numbers = NNUMBERS,
    .sort = "total",
    .filters = REP_BY_TASK | REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE | REP_BY_STATE |
	       REP_BY_REASON | REP_BY_EACH,
    .ops = &ops,
};
