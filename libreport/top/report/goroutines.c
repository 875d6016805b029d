/* goroutines: single ones, and where the time of each went. */
#include <stdlib.h>
#include <string.h>

#include "base/big.h"
#include "base/many.h"
#include "base/sum.h"
#include "top/report.h"

struct goroutine {
	int64_t id;
	int64_t created_ns, ended_ns;
	int64_t ns[TP_NSTATES];
	uint32_t name; /* string of the common dictionary */
	uint32_t run;  /* index in job->runs */
	uint8_t last_state;
	bool there; /* it has a span that counts */
};

struct goroutines {
	struct goroutine *g;
	size_t n;
	int64_t total_ns;
};

enum {
	COLUMN_RUN,
	COLUMN_ID,
	COLUMN_FUNCTION,
	COLUMN_CREATED,
	COLUMN_ENDED,
	COLUMN_TOTAL,
	COLUMN_SHARE,
	COLUMN_RUNNING,
	COLUMN_RUNNABLE,
	COLUMN_BLOCKED,
	COLUMN_SYSCALLS,
	COLUMN_SYSCALL,
	COLUMN_SYSCALL_BLOCKED,
	COLUMN_LOST,
	COLUMN_STATE,
	NCOLUMNS
};

static const struct rep_report_column columns[NCOLUMNS] = {
    [COLUMN_RUN] = REP_COLUMN_RUN,
    [COLUMN_ID] = {.column = {.name = "goroutine", .title = "GOROUTINE", .kind = REP_ID},
		   .key = "id",
		   .doc = "goroutine id"},
    [COLUMN_FUNCTION] = {.column = {.name = "function",
				    .title = "ENTRY FUNCTION",
				    .kind = REP_TEXT,
				    .shorten = REP_SHORTEN_FUNCTION,
				    .least = 18},
			 .key = "function",
			 .doc = "function it began with"},
    [COLUMN_CREATED] =
	REP_COLUMN_NS("created_ns", "CREATED", "created", 9, "first seen, since the run began"),
    [COLUMN_ENDED] = REP_COLUMN_NS("ended_ns", "ENDED", "ended", 10,
				   "ended; nothing if not by the end of the run"),
    [COLUMN_TOTAL] = REP_COLUMN_NS("total_ns", "TOTAL", "total", 0, "its time, all states"),
    [COLUMN_SHARE] = REP_COLUMN_SHARE(8, "of all goroutines' time here"),
    [COLUMN_RUNNING] = REP_COLUMN_NS("running_ns", "RUNNING", "running", 2, "executing on a P"),
    [COLUMN_RUNNABLE] = REP_COLUMN_NS("runnable_ns", "RUNNABLE", "runnable", 3, "waiting for a P"),
    [COLUMN_BLOCKED] = REP_COLUMN_NS("blocked_ns", "BLOCKED", "blocked", 1, "blocked"),
    [COLUMN_SYSCALLS] = {.column = {.name = "syscalls_ns",
				    .title = "SYSCALL",
				    .kind = REP_NS,
				    .table_only = true,
				    .drop = 4},
			 .key = "syscall",
			 .doc = "in system calls, with and without a P"},
    [COLUMN_SYSCALL] = REP_COLUMN_RAW_NS("syscall_ns", "in system calls with a P"),
    [COLUMN_SYSCALL_BLOCKED] =
	REP_COLUMN_RAW_NS("syscall_blocked_ns", "in system calls without a P"),
    [COLUMN_LOST] =
	REP_COLUMN_NS("lost_ns", "LOST", "lost", 7, "of which a damaged trace says nothing"),
    [COLUMN_STATE] = {.column = {.name = "state", .title = "STATE", .kind = REP_TEXT, .drop = 11},
		      .doc = "ended, or its state when the run ended"},
};

struct adding {
	struct goroutine *g; /* those of the run */
	size_t n;
	int64_t total_ns;
};

static int on_part(void *ctx, const struct rep_part *part, struct tp_err *err)
{
	struct adding *a = ctx;

	(void)err;
	if (part->goroutine >= a->n)
		return 0;
	tp_sum(&a->g[part->goroutine].ns[part->state], part->total_ns);
	a->g[part->goroutine].there = true;
	tp_sum(&a->total_ns, part->total_ns);
	return 0;
}

/* The sums of a goroutine as Go's summary has them become those of its spans: they differ for one
 * that has no P in a system call when the run ends, whose last stretch Go counts as Syscall and
 * once more as Runnable (timeline/span.h). */
static int64_t correct(struct goroutine *g, int64_t presence)
{
	int64_t sum = 0, twice;

	for (int i = 0; i < TP_NSTATES; i++)
		tp_sum(&sum, g->ns[i]);
	twice = sum - presence;
	if (twice <= 0 || g->ns[TP_ST_SYSCALL] < twice || g->ns[TP_ST_RUNNABLE] < twice)
		return 0;
	g->ns[TP_ST_RUNNABLE] -= twice;
	g->ns[TP_ST_SYSCALL] -= twice;
	tp_sum(&g->ns[TP_ST_SYSCALL_BLOCKED], twice);
	return twice;
}

/* The sums of the table goroutine, where neither time nor spans are chosen. */
static int take_sums(struct rep_view *v, struct adding *a, struct tp_err *err)
{
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
	uint32_t bits = REP_BIT(GOROUTINE, total_ns);
	int code;

	for (size_t k = 0; k < TP_COUNT_OF(sums); k++)
		bits |= 1u << sums[k].column;
	code = rep_view_load(v, TP_TABLE_GOROUTINE, bits, err);
	for (size_t k = 0; !code && k < TP_COUNT_OF(sums); k++) {
		const int64_t *ns = v->col[TP_TABLE_GOROUTINE][sums[k].column];

		for (size_t i = 0; i < a->n; i++) {
			if (!a->g[i].there)
				continue;
			a->g[i].ns[sums[k].state] = ns[i];
			tp_sum(&a->total_ns, ns[i]);
		}
	}
	for (size_t i = 0; !code && i < a->n; i++) {
		if (a->g[i].there && REP_COL(v, GOROUTINE, last_state)[i] == TP_ST_SYSCALL_BLOCKED)
			a->total_ns -= correct(&a->g[i], REP_COL(v, GOROUTINE, total_ns)[i]);
	}
	return code;
}

/* Keeps the goroutines that are shown, with their names and times. */
static int describe(struct rep_job *job, struct rep_view *v, struct goroutine *g, size_t n,
		    struct tp_err *err)
{
	struct goroutines *all = job->state;
	size_t kept = all->n;

	for (size_t i = 0; i < n; i++) {
		int64_t state = REP_COL(v, GOROUTINE, last_state)[i];
		int code;

		if (!g[i].there)
			continue;
		g[i].id = REP_COL(v, GOROUTINE, id)[i];
		g[i].created_ns = REP_COL(v, GOROUTINE, created_ns)[i];
		g[i].ended_ns = REP_COL(v, GOROUTINE, ended_ns)[i];
		g[i].last_state = (uint8_t)(state >= 0 && state < TP_NSTATES ? state : TP_ST_NONE);
		g[i].run = (uint32_t)v->index;
		code = rep_view_string(v, rep_view_entry(v, (int64_t)i), &g[i].name);
		if (code)
			return rep_job_fail(err, code);
		all->g[kept++] = g[i];
	}
	all->n = kept;
	return 0;
}

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	struct goroutines *all = job->state;
	const struct rep_filter *f = v->filter;
	bool sums = v->whole && !f->states && !f->given[REP_FILTER_FOCUS] &&
		    !f->given[REP_FILTER_IGNORE] && !f->given[REP_FILTER_REASON] &&
		    !rep_filter_inside(f);
	struct adding a = {0};
	int code = rep_view_load(v, TP_TABLE_GOROUTINE,
				 REP_BIT(GOROUTINE, id) | REP_BIT(GOROUTINE, name) |
				     REP_BIT(GOROUTINE, created_ns) | REP_BIT(GOROUTINE, ended_ns) |
				     REP_BIT(GOROUTINE, last_state),
				 err);

	if (code)
		return code;
	a.n = v->nrows[TP_TABLE_GOROUTINE];
	/* The run's goroutines are put behind those of other runs, then moved together. */
	a.g = tp_big_many(all->n + a.n, sizeof(*a.g));
	if (!a.g)
		return rep_job_fail(err, TP_ENOMEM);
	if (all->n)
		memcpy(a.g, all->g, all->n * sizeof(*a.g));
	free(all->g);
	all->g = a.g;
	a.g += all->n;
	memset(a.g, 0, a.n * sizeof(*a.g));
	if (sums) {
		for (size_t i = 0; i < a.n; i++)
			a.g[i].there = rep_view_match_goroutine(v, (int64_t)i);
		code = take_sums(v, &a, err);
	} else {
		code = rep_parts_each(v, REP_PARTS_BY_GOROUTINE, on_part, &a, err);
	}
	tp_sum(&all->total_ns, a.total_ns);
	if (!code)
		code = describe(job, v, a.g, a.n, err);
	job->nrows = all->n;
	return code;
}

static int finish(struct rep_job *job, struct tp_err *err)
{
	struct goroutines *all = job->state;
	bool lost = false;

	(void)err;
	for (size_t i = 0; i < all->n && !lost; i++)
		lost = all->g[i].ns[TP_ST_LOST] != 0;
	if (!lost)
		job->hidden |= 1u << COLUMN_LOST;
	return 0;
}

static struct rep_value value(struct rep_job *job, size_t row, size_t column)
{
	struct goroutines *all = job->state;
	const struct goroutine *g = &all->g[row];

	switch (column) {
	case COLUMN_RUN:
		return rep_str(job->runs[g->run].row.name);
	case COLUMN_ID:
		return rep_job_goroutine(job, g->run, g->id);
	case COLUMN_FUNCTION:
		return rep_texts_string(&job->texts, g->name, "(unknown)");
	case COLUMN_CREATED:
		return rep_opt(g->created_ns);
	case COLUMN_ENDED:
		return rep_opt(g->ended_ns);
	case COLUMN_TOTAL:
		return rep_int(rep_states_total(g->ns));
	case COLUMN_SHARE:
		return rep_share(rep_states_total(g->ns), all->total_ns);
	case COLUMN_RUNNING:
		return rep_int(g->ns[TP_ST_RUNNING]);
	case COLUMN_RUNNABLE:
		return rep_int(g->ns[TP_ST_RUNNABLE]);
	case COLUMN_BLOCKED:
		return rep_int(g->ns[TP_ST_WAITING]);
	case COLUMN_SYSCALLS:
		return rep_int(rep_states_syscall(g->ns));
	case COLUMN_SYSCALL:
		return rep_int(g->ns[TP_ST_SYSCALL]);
	case COLUMN_SYSCALL_BLOCKED:
		return rep_int(g->ns[TP_ST_SYSCALL_BLOCKED]);
	case COLUMN_LOST:
		return rep_int(g->ns[TP_ST_LOST]);
	default:
		return rep_str(g->ended_ns == TP_NULL ? rep_state_name(g->last_state) : "ended");
	}
}

static void release(struct rep_job *job)
{
	struct goroutines *all = job->state;

	free(all->g);
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
    .sort = "running",
    .filters =
	REP_BY_TASK | REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE | REP_BY_STATE | REP_BY_REASON,
    .ops = &ops,
};
