/* goroutines: single ones, and where the time of each went. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "top/shares.h"

enum {
	COLUMN_RUN,
	COLUMN_ID,
	COLUMN_FUNCTION,
	COLUMN_CREATED,
	COLUMN_ENDED,
	COLUMN_TIMES,
	COLUMN_STATE = COLUMN_TIMES + REP_NTIMES,
	COLUMN_INSIDE,
	NCOLUMNS = COLUMN_INSIDE + REP_NINSIDE,
	NUMBER_THERE = NCOLUMNS, /* it has a span that counts */
	NUMBER_INDEX,		 /* of the goroutine in its run */
	NNUMBERS
};

static const struct rep_report_column columns[NCOLUMNS] = {
    [COLUMN_RUN] = REP_COLUMN_RUN,
    [COLUMN_ID] = {.column = {.name = "goroutine", .title = "GOROUTINE", .kind = REP_ID},
		   .cell = REP_CELL_GOROUTINE,
		   .key = "id",
		   .doc = "goroutine id"},
    [COLUMN_FUNCTION] = {.column = {.name = "function",
				    .title = "ENTRY FUNCTION",
				    .kind = REP_TEXT,
				    .shorten = REP_SHORTEN_FUNCTION,
				    .least = 18},
			 .cell = REP_CELL_ENTRY,
			 .key = "function",
			 .doc = "function it began with"},
    [COLUMN_CREATED] =
	REP_COLUMN_NS("created_ns", "CREATED", "created", 9, "first seen, since the run began"),
    [COLUMN_ENDED] = REP_COLUMN_NS("ended_ns", "ENDED", "ended", 10,
				   "ended; nothing if not by the end of the run"),
    [COLUMN_TIMES] = REP_COLUMNS_TIMES(8),
    [COLUMN_STATE] = {.column = {.name = "state", .title = "STATE", .kind = REP_TEXT, .drop = 11},
		      .doc = "ended, or its state when the run ended"},
    [COLUMN_INSIDE] = REP_COLUMNS_INSIDE(3),
};

struct goroutines {
	int64_t total_ns;
	struct rep_shares inside; /* of the table's rows */
};

struct adding {
	struct rep_job *job;
	size_t at;     /* the row of the first goroutine that is being added */
	size_t n;      /* goroutines */
	uint32_t *row; /* of the table, by goroutine; TP_NONE: not in it */
};

static int64_t *all_time(const struct rep_job *job)
{
	return &((struct goroutines *)job->state)->total_ns;
}

static void add_time(const struct adding *a, size_t goroutine, unsigned state, int64_t ns)
{
	int64_t *row = rep_job_row_at(a->job, a->at + goroutine);

	rep_times_add(&row[COLUMN_TIMES], state, ns);
	tp_sum(all_time(a->job), ns);
}

static int on_part(void *ctx, const struct rep_part *part, struct tp_err *err)
{
	const struct adding *a = ctx;

	(void)err;
	if (part->goroutine >= a->n)
		return 0;
	rep_job_row_at(a->job, a->at + part->goroutine)[NUMBER_THERE] = true;
	add_time(a, part->goroutine, part->state, part->total_ns);
	return 0;
}

/* The sums of a goroutine as Go's summary has them become those of its spans: they differ for one
 * that has no P in a system call when the run ends, whose last stretch Go counts as Syscall and
 * once more as Runnable (timeline/span.h). */
static int64_t correct(int64_t *times, int64_t presence)
{
	int64_t twice = times[REP_TIME_TOTAL] - presence;

	if (twice <= 0 || times[REP_TIME_CALL] < twice || times[REP_TIME_READY] < twice)
		return 0;
	times[REP_TIME_READY] -= twice;
	times[REP_TIME_CALL] -= twice;
	times[REP_TIME_TOTAL] -= twice;
	tp_sum(&times[REP_TIME_CALL_BLOCKED], twice);
	return twice;
}

/* Keeps the goroutines that are shown, with their names: those from `first` on, of which the view
 * has the columns. */
static int describe(const struct adding *a, struct rep_view *v, size_t first)
{
	size_t n = v->nrows[TP_TABLE_GOROUTINE], kept = a->at,
	       size = a->job->width * sizeof(int64_t);
	int code = 0;

	for (size_t i = 0; i < n && !code; i++) {
		int64_t *row = rep_job_row_at(a->job, a->at + i);

		if (!row[NUMBER_THERE])
			continue;
		row[NUMBER_INDEX] = (int64_t)(first + i);
		row[COLUMN_ID] = REP_COL(v, GOROUTINE, id)[i];
		row[COLUMN_CREATED] = REP_COL(v, GOROUTINE, created_ns)[i];
		row[COLUMN_ENDED] = REP_COL(v, GOROUTINE, ended_ns)[i];
		row[COLUMN_STATE] = REP_COL(v, GOROUTINE, last_state)[i];
		code = rep_row_string(&row[COLUMN_FUNCTION], v, rep_view_entry(v, (int64_t)i));
		if (kept != a->at + i)
			memcpy(rep_job_row_at(a->job, kept), row, size);
		kept++;
	}
	a->job->nrows = kept;
	return code;
}

#define DESCRIBED                                                                                  \
	(REP_BIT(GOROUTINE, id) | REP_BIT(GOROUTINE, name) | REP_BIT(GOROUTINE, created_ns) |      \
	 REP_BIT(GOROUTINE, ended_ns) | REP_BIT(GOROUTINE, last_state))

/* clang-format off */
static const struct { unsigned column; enum tp_state state; } sums[] = {
	{TP_COL(GOROUTINE, running_ns), TP_ST_RUNNING},
	{TP_COL(GOROUTINE, runnable_ns), TP_ST_RUNNABLE},
	{TP_COL(GOROUTINE, blocked_ns), TP_ST_WAITING},
	{TP_COL(GOROUTINE, syscall_ns), TP_ST_SYSCALL},
	{TP_COL(GOROUTINE, syscall_blocked_ns), TP_ST_SYSCALL_BLOCKED},
	{TP_COL(GOROUTINE, lost_ns), TP_ST_LOST},
};
/* clang-format on */

/* Adds some goroutines with the sums of the table. */
static int add_rows(void *ctx, struct rep_view *v, size_t first, struct tp_err *err)
{
	struct adding *a = ctx;
	size_t n = v->nrows[TP_TABLE_GOROUTINE];
	int64_t *all = all_time(a->job);
	int code;

	a->at = a->job->nrows;
	a->n = first + n;
	if (!rep_job_rows(a->job, v, n))
		return rep_job_fail(err, TP_ENOMEM);
	for (size_t i = 0; i < n; i++)
		rep_job_row_at(a->job, a->at + i)[NUMBER_THERE] =
		    rep_view_match_goroutine(v, (int64_t)i);
	for (size_t k = 0; k < TP_COUNT_OF(sums); k++) {
		const int64_t *ns = v->col[TP_TABLE_GOROUTINE][sums[k].column];

		for (size_t i = 0; i < n; i++) {
			if (ns[i] && rep_job_row_at(a->job, a->at + i)[NUMBER_THERE])
				add_time(a, i, sums[k].state, ns[i]);
		}
	}
	for (size_t i = 0; i < n; i++) {
		int64_t *row = rep_job_row_at(a->job, a->at + i);

		if (row[NUMBER_THERE] &&
		    REP_COL(v, GOROUTINE, last_state)[i] == TP_ST_SYSCALL_BLOCKED)
			*all -= correct(&row[COLUMN_TIMES], REP_COL(v, GOROUTINE, total_ns)[i]);
	}
	code = describe(a, v, first);
	return code ? rep_job_fail(err, code) : rep_job_trim(a->job, v, err);
}

/* The sums of the table goroutine, where neither time nor spans are chosen. */
static int add_sums(struct adding *a, struct rep_view *v, struct tp_err *err)
{
	uint32_t bits = DESCRIBED | REP_BIT(GOROUTINE, total_ns);
	int code = rep_view_goids(v, err);

	for (size_t k = 0; k < TP_COUNT_OF(sums); k++)
		bits |= 1u << sums[k].column;
	return code ? code : rep_view_visit(v, TP_TABLE_GOROUTINE, bits, add_rows, a, err);
}

/* The sums of parts, which come in any order. */
static int add_parts(struct adding *a, struct rep_view *v, struct tp_err *err)
{
	int code = rep_view_load(v, TP_TABLE_GOROUTINE, DESCRIBED, err);

	if (code)
		return code;
	a->at = a->job->nrows;
	a->n = v->nrows[TP_TABLE_GOROUTINE];
	if (a->n && !rep_job_rows(a->job, v, a->n))
		return rep_job_fail(err, TP_ENOMEM);
	code = rep_parts_each(v, REP_PARTS_BY_GOROUTINE, on_part, a, err);
	if (!code && (code = describe(a, v, 0)))
		rep_job_fail(err, code);
	return code ? code : rep_job_trim(a->job, v, err);
}

static uint32_t row_of(void *ctx, uint32_t goroutine)
{
	const struct adding *a = ctx;

	return goroutine < a->n ? a->row[goroutine] : TP_NONE;
}

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	const struct rep_filter *f = v->filter;
	bool whole = v->whole && !f->states && !f->given[REP_FILTER_FOCUS] &&
		     !f->given[REP_FILTER_IGNORE] && !f->given[REP_FILTER_REASON] &&
		     !rep_filter_inside(f);
	struct adding a = {.job = job};
	size_t before = job->nrows;
	int code = whole ? add_sums(&a, v, err) : add_parts(&a, v, err);

	if (code)
		return code;
	a.row = tp_many(a.n + 1, sizeof(*a.row));
	if (!a.row)
		return rep_job_fail(err, TP_ENOMEM);
	for (size_t i = 0; i < a.n; i++)
		a.row[i] = TP_NONE;
	for (size_t i = before; i < job->nrows; i++)
		a.row[rep_job_row_at(job, i)[NUMBER_INDEX]] = (uint32_t)i;
	code =
	    rep_shares_put_places(&((struct goroutines *)job->state)->inside, v, row_of, &a, err);
	free(a.row);
	return code;
}

static int finish(struct rep_job *job, struct tp_err *err)
{
	struct goroutines *g = job->state;

	rep_job_hide_zeros(job, COLUMN_TIMES + REP_TIME_LOST);
	return rep_shares_sort(&g->inside) ? rep_job_fail(err, TP_ENOMEM) : 0;
}

static struct rep_value value(struct rep_job *job, size_t row, size_t column)
{
	const struct goroutines *g = job->state;
	const int64_t *numbers = rep_job_row_at(job, row);

	if (column == COLUMN_TIMES + REP_TIME_SHARE)
		return rep_share(numbers[COLUMN_TIMES + REP_TIME_TOTAL], g->total_ns);
	if (column >= COLUMN_INSIDE)
		return rep_shares_inside(job, &g->inside, (uint32_t)row,
					 (unsigned)column - COLUMN_INSIDE);
	if (column == COLUMN_STATE)
		return rep_str(numbers[COLUMN_ENDED] == TP_NULL
				   ? rep_state_name((unsigned)numbers[COLUMN_STATE])
				   : "ended");
	return rep_job_cell(job, row, column);
}

static void release(struct rep_job *job)
{
	rep_shares_release(&((struct goroutines *)job->state)->inside);
}

static const struct rep_report_ops ops = {
    .state = sizeof(struct goroutines),
    .add = add,
    .finish = finish,
    .value = value,
    .release = release,
};

const struct rep_report rep_report_goroutines = {
    .name = "goroutines",
    .doc = "single goroutines, and where the time of each went",
    .rows = "goroutines",
    .columns = columns,
    .ncolumns = NCOLUMNS,
    .numbers = NNUMBERS,
    .sort = "running",
    .filters =
	REP_BY_TASK | REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE | REP_BY_STATE | REP_BY_REASON,
    .ops = &ops,
};
