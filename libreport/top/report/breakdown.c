/* breakdown: where the time of each group of goroutines went (with --each, of each goroutine), by
 * state and reason, with percentiles. What Go's tool shows of a goroutine group: its states do not
 * overlap; time in ranges (GC mark assist, sweep, stops of the world) is shown, too, and is time
 * that the states count as well. */
#include <stdlib.h>

#include "base/many.h"
#include "base/sum.h"
#include "top/durations.h"

#define STATE_RANGE TP_NSTATES /* in place of a state: time in a range */

struct row {
	struct rep_sum sum;
	int64_t most_ns; /* at the stack that took most */
	uint32_t most;
};

struct breakdown {
	/* Owner: string of the entry function and TP_NONE, or run and goroutine (index). */
	struct rep_keys owners;
	struct owner {
		int64_t total_ns;
		int64_t id;	/* with --each */
		uint32_t entry; /* of the common dictionary */
		uint32_t run;
	} * owner;
	size_t owner_room;
	struct rep_keys keys; /* owner, state, reason */
	struct row *row;
	size_t room;
	struct rep_keys places; /* row, stack */
	int64_t *place_ns;
	size_t place_room;
	struct rep_durations durations;
	bool ranges;
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
	NCOLUMNS
};

static const struct rep_report_column columns[NCOLUMNS] = {
    [COLUMN_RUN] = {.column = {.name = "run", .title = "RUN", .kind = REP_TEXT},
		    .doc = "name of the run, with --each"},
    [COLUMN_GOROUTINE] = {.column = {.name = "goroutine", .title = "GOROUTINE", .kind = REP_ID},
			  .key = "id",
			  .doc = "goroutine id, with --each"},
    [COLUMN_ENTRY] = {.column = {.name = "entry",
				 .title = "ENTRY FUNCTION",
				 .kind = REP_TEXT,
				 .shorten = REP_SHORTEN_FUNCTION,
				 .least = 16},
		      .key = "entry",
		      .doc = "function the goroutines began with"},
    [COLUMN_STATE] = {.column = {.name = "state", .title = "STATE", .kind = REP_TEXT},
		      .key = "state",
		      .doc = "in what state; overlap: in a range, which the states count as well"},
    [COLUMN_REASON] =
	{.column = {.name = "reason", .title = "REASON", .kind = REP_TEXT, .least = 12},
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
				 .kind = REP_TEXT,
				 .least = 20,
				 .drop = 5,
				 .table_only = true},
		      .doc = "the place that took most of it"},
    [COLUMN_WHERE_SHARE] = {.column = {.name = "most_share", .kind = REP_SHARE, .raw_only = true},
			    .doc = "its share of the row"},
    [COLUMN_STACK] = REP_COLUMN_RAW_TEXT("most_stack", "its stack, leaf first"),
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
	b->owner[*owner].run = (uint32_t)v->index;
	b->owner[*owner].id = TP_NULL;
	if (each && goroutine >= 0 && (uint64_t)goroutine < v->nrows[TP_TABLE_GOROUTINE])
		b->owner[*owner].id = REP_COL(v, GOROUTINE, id)[goroutine];
	return 0;
}

static int row_of(const struct adding *a, uint32_t owner, uint32_t state, uint32_t reason,
		  uint32_t *row)
{
	struct breakdown *b = a->job->state;
	uint32_t name;
	int code = rep_view_string(a->v, reason, &name);

	if (!code)
		code = rep_keys_add(&b->keys, owner, state, name, 0, row);
	return code ? code : tp_grow(&b->row, &b->room, *row, sizeof(*b->row));
}

static int add_place(const struct adding *a, uint32_t row, uint32_t stack, int64_t ns)
{
	struct breakdown *b = a->job->state;
	uint32_t common, at;
	int code = rep_view_stack(a->v, stack, &common);

	if (!code)
		code = rep_keys_add(&b->places, row, common, 0, 0, &at);
	if (!code)
		code = tp_grow(&b->place_ns, &b->place_room, at, sizeof(*b->place_ns));
	if (code)
		return code;
	tp_sum(&b->place_ns[at], ns);
	if (b->place_ns[at] > b->row[row].most_ns) {
		b->row[row].most_ns = b->place_ns[at];
		b->row[row].most = common;
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
	rep_sum_add(&b->row[row].sum, part->count, part->total_ns, part->min_ns, part->max_ns);
	code = rep_durations_put(&b->durations, row, part);
	if (!code && part->stack)
		code = add_place(a, row, part->stack, part->total_ns);
	return code ? rep_job_fail(err, code) : 0;
}

/* ---- time in ranges ---- */

static int add_range(const struct adding *a, int64_t goroutine, int64_t name, int64_t ns,
		     struct tp_err *err)
{
	struct breakdown *b = a->job->state;
	uint32_t owner, row;
	int code;

	if (!rep_view_match_goroutine(a->v, goroutine))
		return 0;
	code = owner_of(a, rep_view_entry(a->v, goroutine), goroutine, &owner);
	if (!code)
		code = row_of(a, owner, STATE_RANGE, (uint32_t)name, &row);
	if (code)
		return rep_job_fail(err, code);
	b->ranges = true;
	tp_sum(&b->row[row].sum.total_ns, ns);
	return 0;
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

static int add_ranges(const struct adding *a, struct tp_err *err)
{
	struct rep_view *v = a->v;
	int code = rep_view_load(v, TP_TABLE_RANGE,
				 REP_BIT(RANGE, goroutine) | REP_BIT(RANGE, name) |
				     REP_BIT(RANGE, start_ns) | REP_BIT(RANGE, end_ns),
				 err);

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

/* Returns whether the filter selects goroutines and times only, so that ranges can be shown. */
static bool wants_ranges(const struct rep_filter *f)
{
	return !f->states && !f->given[REP_FILTER_FOCUS] && !f->given[REP_FILTER_IGNORE] &&
	       !f->given[REP_FILTER_REASON] && !rep_filter_inside(f);
}

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	struct breakdown *b = job->state;
	const struct adding a = {.job = job, .v = v};
	unsigned want = REP_PARTS_DURATIONS | REP_PARTS_ALL_DURATIONS |
			(job->opt->each ? REP_PARTS_BY_GOROUTINE : 0u);
	int code = rep_durations_begin_run(&b->durations, v, err);

	if (!code)
		code = rep_view_load(v, TP_TABLE_GOROUTINE,
				     REP_BIT(GOROUTINE, id) | REP_BIT(GOROUTINE, name), err);
	if (!code)
		code = rep_parts_each(v, want, on_part, (void *)(uintptr_t)&a, err);
	if (!code)
		code = rep_durations_end_run(&b->durations, job, v, err);
	if (!code && wants_ranges(v->filter))
		code = v->whole ? add_range_sums(&a, err) : add_ranges(&a, err);
	job->nrows = b->keys.n;
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

static const struct rep_sum *sum_of(struct rep_job *job, size_t row)
{
	const struct breakdown *b = job->state;

	return &b->row[row].sum;
}

static int prepare(struct rep_job *job, struct rep_view *v, const uint32_t *rows, size_t n,
		   struct tp_err *err)
{
	struct breakdown *b = job->state;

	return rep_durations_prepare(&b->durations, job, v, rows, n, sum_of, err);
}

static struct rep_value most(struct rep_job *job, const struct row *row, size_t column)
{
	if (!row->most_ns)
		return rep_null();
	if (column == COLUMN_WHERE_SHARE)
		return rep_share(row->most_ns, row->sum.total_ns);
	return column == COLUMN_WHERE ? rep_stack_where(&job->texts, row->most)
				      : rep_stack_names(&job->texts, row->most);
}

static struct rep_value value(struct rep_job *job, size_t row, size_t column)
{
	static const struct rep_percentiles none;
	const struct breakdown *b = job->state;
	const uint32_t *key = b->keys.key[row].part;
	const struct owner *owner = &b->owner[key[0]];
	const struct row *r = &b->row[row];
	bool range = key[1] == STATE_RANGE;
	const struct rep_percentiles *p =
	    b->durations.percentiles ? &b->durations.percentiles[row] : &none;

	switch (column) {
	case COLUMN_RUN:
		return job->opt->each ? rep_str(job->runs[owner->run].row.name) : rep_null();
	case COLUMN_GOROUTINE:
		return rep_job_goroutine(job, owner->run, owner->id);
	case COLUMN_ENTRY:
		return rep_texts_string(&job->texts, owner->entry, "(unknown)");
	case COLUMN_STATE:
		return rep_str(range ? "overlap" : rep_state_name(key[1]));
	case COLUMN_REASON:
		return rep_texts_string(&job->texts, key[2], "");
	case COLUMN_WHERE:
	case COLUMN_WHERE_SHARE:
	case COLUMN_STACK:
		return most(job, r, column);
	default:
		if (range && (column == COLUMN_COUNT || column == COLUMN_MAX))
			return rep_null();
		return rep_sum_value(&r->sum, p, owner->total_ns,
				     (enum rep_sum_column)(column - COLUMN_COUNT));
	}
}

static void release(struct rep_job *job)
{
	struct breakdown *b = job->state;

	rep_keys_release(&b->owners);
	rep_keys_release(&b->keys);
	rep_keys_release(&b->places);
	rep_durations_release(&b->durations);
	free(b->owner);
	free(b->row);
	free(b->place_ns);
}

static const struct rep_report_ops ops = {
    .state = sizeof(struct breakdown),
    .add = add,
    .finish = finish,
    .prepare = prepare,
    .value = value,
    .release = release,
};

const struct rep_report rep_report_breakdown = {
    .name = "breakdown",
    .doc = "groups (--each: goroutines) by state and reason, with percentiles",
    .rows = "rows",
    .columns = columns,
    .ncolumns = NCOLUMNS,
    .sort = "total",
    .filters = REP_BY_TASK | REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE | REP_BY_STATE |
	       REP_BY_REASON | REP_BY_EACH,
    .ops = &ops,
};
