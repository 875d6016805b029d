/* What a report implements, and what it may use. Private to libreport/top. */
#ifndef REP_TOP_REPORT_H
#define REP_TOP_REPORT_H

#include "base/sum.h"
#include "base/units.h"
#include "chart/chart.h"
#include "dist.h"
#include "keys.h"
#include "spans/view.h"
#include "stack.h"
#include "sums/part.h"
#include "task/choose.h"
#include "top/top.h"

/* The durations of a report's rows, taken from parts (sums/part.h), and their percentiles. */
struct rep_durations {
	struct rep_sum {
		int64_t count, total_ns;
		int64_t min_ns, max_ns; /* undefined while count is 0 */
	} * sum;			/* by row */
	size_t room;
	int64_t total_ns;     /* of all rows */
	uint32_t *site_owner; /* site of the view → row + 1 */
	size_t nsites;
	struct rep_dist dist;
	struct rep_percentiles *percentiles; /* by row; NULL before prepare */
	bool unknown;			     /* some durations are only known as a sum */
};

/* A report being made. */
struct rep_job {
	const struct rep_report *report;
	const struct rep_top_options *opt;
	const struct rep_report_column *sort;
	struct rep_texts texts; /* of the common dictionary */
	const struct rep_run *runs;
	size_t nruns;
	struct rep_goids *goids;    /* of each run */
	bool every;		    /* percentiles of all rows are needed before rows are chosen */
	int64_t length_ns;	    /* of the time range, summed over the runs */
	size_t nrows;		    /* set by add and finish */
	size_t dropped;		    /* further ones, which are not shown: see rep_job_trim */
	bool lack;		    /* memory ran out while rows were compared */
	struct rep_members members; /* the tasks that --task selects */
	char note[200];		    /* a line under the table, or "" */
	char lead[600];		    /* lines above the table, separated by \n, or ""; set by
				       finish */
	/* Columns behind the report's own, whose names depend on the run; set by finish. */
	struct rep_column *extra;
	size_t nextra;
	uint64_t hidden; /* a bit for each column that this table leaves out; set by finish */
	void *state;	 /* the report's */

	/* private: see below */
	size_t width; /* numbers of a row, with its run */
	int64_t *row;
	size_t row_room;
	size_t limit;	  /* on the rows shown; 0: none */
	uint64_t nonzero; /* a bit for each number that a dropped row has set */
	struct rep_keys keys;
	struct rep_durations durations;
	bool picks;
	struct rep_pick choice;
	struct rep_tasks tasks;
};

/* Each returns 0 or an error code with err filled in. */
struct rep_report_ops {
	size_t state; /* bytes of job->state, which begins as zeros and is freed by the caller */
	/* Before the first run. NULL: nothing to do. */
	int (*begin)(struct rep_job *job, struct tp_err *err);
	/* Adds up one run. */
	int (*add)(struct rep_job *job, struct rep_view *v, struct tp_err *err);
	/* After the last run. NULL: nothing to do. */
	int (*finish)(struct rep_job *job, struct tp_err *err);
	/* Computes the percentiles of these rows before they are shown or sorted by; `v` is the
	 * view of the only run unless job->every. NULL: nothing to do. */
	int (*prepare)(struct rep_job *job, struct rep_view *v, const uint32_t *rows, size_t n,
		       struct tp_err *err);
	/* Returns a cell; columns behind the report's own are the extra ones. NULL: rows are those
	 * of rep_job_row. */
	struct rep_value (*value)(struct rep_job *job, size_t row, size_t column);
	/* Returns a number that orders rows with equal sort keys, the smallest first: a hash of what
	 * the row is about, such as its stack, or the position of the row. It must not depend on ids,
	 * which differ between imports of the same dump. NULL, and if the numbers are equal: the
	 * other columns with sort keys decide. */
	uint64_t (*tie)(struct rep_job *job, size_t row);
	/* Frees what job->state holds; called in every case. NULL: it holds nothing. */
	void (*release)(struct rep_job *job);
	/* Returns the stack of a row, of the common dictionary. NULL: rows have no stacks. */
	uint32_t (*stack)(struct rep_job *job, size_t row);
	/* Fills in a chart after finish; it lives as long as the job (texts is its arena). NULL:
	 * the report has no chart. */
	int (*chart)(struct rep_job *job, struct rep_chart *chart, struct tp_err *err);
};

/* Sets the message for an error code that comes without one, and returns the code. */
int rep_job_fail(struct tp_err *err, int code);
#ifdef TP_ANALYZER
#define rep_job_fail(err, code) (rep_job_fail(err, code), (code))
#endif

/* Compiles what was typed about tasks, regions and logs (task/choose.h); *choice must be released
 * in every case. */
int rep_top_pick(struct rep_pick *choice, const struct rep_top_options *opt, struct tp_err *err);
/* Loads the tasks of a run (job->tasks), of which job->choice selects some, until the next call. */
int rep_job_tasks(struct rep_job *job, struct rep_view *v, struct tp_err *err);

/* ---- texts ---- */

/* Returns a cell for a goroutine of a run, by its id (TP_NULL: none). */
struct rep_value rep_job_goroutine(const struct rep_job *job, uint32_t run, int64_t id);
/* Returns a text such as "network in pay" or "running in db/query": the state, or the reason if it
 * is blocked, and the types of the subtask and the region (strings of the common dictionary; 0 for
 * none). */
struct rep_value rep_job_place(struct rep_job *job, unsigned state, uint32_t reason,
			       uint32_t subtask, uint32_t region);

/* ---- rows of numbers ---- */

/* Appends n rows of zeros, of v's run, and returns the first. The numbers of a row are shown as
 * rep_report_column.cell says. Rows stay where they are until the next call. NULL when memory has
 * run out. */
int64_t *rep_job_rows(struct rep_job *job, const struct rep_view *v, size_t n);
static inline int64_t *rep_job_row(struct rep_job *job, const struct rep_view *v)
{
	return rep_job_rows(job, v, 1);
}
/* Finds the row with this key, or appends one. For reports whose rows are all of this kind. Returns
 * 0, TP_ENOMEM or TP_ELIMIT. */
int rep_job_key(struct rep_job *job, const struct rep_view *v, uint32_t a, uint32_t b, uint32_t c,
		uint32_t *row);
/* Returns a row; its last number, behind those of the report, is the index of its run. */
static inline int64_t *rep_job_row_at(const struct rep_job *job, size_t row)
{
	return &job->row[row * job->width];
}
/* Drops rows that will not be shown as they are not among the first, if there are many and nothing
 * needs the others. To be called while rows are added, when all of them have the numbers that rows
 * may be sorted by; rows stay in order, but move. Returns 0 or an error. */
int rep_job_trim(struct rep_job *job, const struct rep_view *v, struct tp_err *err);
/* Returns a cell of such a row. */
struct rep_value rep_job_cell(struct rep_job *job, size_t row, size_t column);
/* Leaves a column out of tables if it shows 0 in all rows. */
void rep_job_hide_zeros(struct rep_job *job, size_t column);
/* Set a number to a string or a stack of v's run. Return 0, TP_ENOMEM or TP_ELIMIT. */
int rep_row_string(int64_t *cell, struct rep_view *v, int64_t string);
int rep_row_stack(int64_t *cell, struct rep_view *v, int64_t stack);

/* ---- durations ---- */

/* For each run begin, put for each part, end; `prepare` of the report is rep_durations_prepare.
 * Return 0 or an error code; _put and _add leave the message to the caller. */
int rep_durations_begin(struct rep_job *job, struct rep_view *v, struct tp_err *err);
/* Adds a part to a row. */
int rep_durations_put(struct rep_job *job, uint32_t row, const struct rep_part *part);
/* Adds time to a row, but no duration. */
int rep_durations_add(struct rep_job *job, uint32_t row, int64_t ns);
int rep_durations_end(struct rep_job *job, struct rep_view *v, struct tp_err *err);
int rep_durations_prepare(struct rep_job *job, struct rep_view *v, const uint32_t *rows, size_t n,
			  struct tp_err *err);
/* Writes a time into a note: ticks, if the runs have no clock. Returns text. */
char *rep_job_ns(const struct rep_job *job, char text[TP_COUNT_SIZE], int64_t ns);
/* Says in job->note what all rows are together, with percentiles. After _prepare, and only if
 * job->every was set before _end. */
int rep_durations_say(struct rep_job *job, struct tp_err *err);
/* The columns of durations, in the order in which reports have them. */
enum rep_sum_column {
	REP_SUM_COUNT,
	REP_SUM_TOTAL,
	REP_SUM_SHARE, /* of `whole` */
	REP_SUM_MEAN,
	REP_SUM_P50,
	REP_SUM_P90,
	REP_SUM_P99,
	REP_SUM_MAX,
	REP_SUM_EXACT, /* whether its percentiles are */
};
struct rep_value rep_durations_value(const struct rep_job *job, size_t row, int64_t whole,
				     enum rep_sum_column column);
void rep_durations_release(struct rep_durations *d);

/* ---- columns ---- */

/* Columns that reports have in common. The run is shown where there are several. */
#define REP_COLUMN_RUN                                                                             \
	{                                                                                          \
		.column = {.name = "run", .title = "RUN", .kind = REP_TEXT}, .cell = REP_CELL_RUN, \
		.doc = "name of the run"                                                           \
	}
#define REP_COLUMN_COUNT(doc_text)                                                                 \
	{                                                                                          \
		.column = {.name = "count", .title = "COUNT", .kind = REP_COUNT}, .key = "count",  \
		.doc = (doc_text)                                                                  \
	}
#define REP_COLUMN_NS(name_text, title_text, key_text, drop_rank, doc_text)                        \
	{                                                                                          \
		.column = {.name = (name_text),                                                    \
			   .title = (title_text),                                                  \
			   .kind = REP_NS,                                                         \
			   .drop = (drop_rank)},                                                   \
		.key = (key_text), .doc = (doc_text)                                               \
	}
#define REP_COLUMN_SHARE(drop_rank, doc_text)                                                      \
	{                                                                                          \
		.column = {.name = "share",                                                        \
			   .title = "SHARE",                                                       \
			   .kind = REP_SHARE,                                                      \
			   .drop = (drop_rank)},                                                   \
		.doc = (doc_text)                                                                  \
	}
#define REP_COLUMN_PERCENTILE(name_text, title_text, key_text, drop_rank, doc_text)                \
	{                                                                                          \
		.column = {.name = (name_text),                                                    \
			   .title = (title_text),                                                  \
			   .kind = REP_NS,                                                         \
			   .drop = (drop_rank)},                                                   \
		.key = (key_text), .doc = (doc_text), .percentile = true                           \
	}
#define REP_COLUMNS_DISTRIBUTION REP_COLUMNS_DISTRIBUTION_OF("total / count")
#define REP_COLUMNS_DISTRIBUTION_OF(mean_doc)                                                      \
	REP_COLUMN_NS("mean_ns", "MEAN", "mean", 3, (mean_doc)),                                   \
	    REP_COLUMN_PERCENTILE("p50_ns", "P50", "p50", 4, "median"),                            \
	    REP_COLUMN_PERCENTILE("p90_ns", "P90", "p90", 6, "90th percentile"),                   \
	    REP_COLUMN_PERCENTILE("p99_ns", "P99", "p99", 5, "99th percentile"),                   \
	    REP_COLUMN_NS("max_ns", "MAX", "max", 2, "the longest")
#define REP_COLUMN_EXACT                                                                           \
	{                                                                                          \
		.column = {.name = "percentiles_exact", .kind = REP_BOOL, .raw_only = true},       \
		.doc = "percentiles are exact; else within 1 %"                                    \
	}
#define REP_COLUMN_RAW_TEXT(name_text, cell_kind, doc_text)                                        \
	{                                                                                          \
		.column = {.name = (name_text), .kind = REP_TEXT, .raw_only = true},               \
		.cell = (cell_kind), .doc = (doc_text)                                             \
	}
#define REP_COLUMN_STACK(doc_text) REP_COLUMN_RAW_TEXT("stack", REP_CELL_STACK, doc_text)
#define REP_COLUMN_RAW_NS(name_text, doc_text)                                                     \
	{                                                                                          \
		.column = {.name = (name_text), .kind = REP_NS, .raw_only = true},                 \
		.doc = (doc_text)                                                                  \
	}

#define REP_COLUMN_SYSCALLS(drop_rank, doc_text)                                                   \
	{                                                                                          \
		.column = {.name = "syscalls_ns",                                                  \
			   .title = "SYSCALL",                                                     \
			   .kind = REP_NS,                                                         \
			   .table_only = true,                                                     \
			   .drop = (drop_rank)},                                                   \
		.key = "syscall", .doc = (doc_text)                                                \
	}

/* How the time of goroutines is divided by state. Numbers of a row, in this order from some number
 * on; their columns have the same order. */
enum {
	REP_TIME_TOTAL,
	REP_TIME_SHARE,
	REP_TIME_RUN,
	REP_TIME_READY,
	REP_TIME_BLOCK,
	REP_TIME_CALLS,
	REP_TIME_CALL,
	REP_TIME_CALL_BLOCKED,
	REP_TIME_LOST,
	REP_NTIMES
};
#define REP_COLUMNS_TIMES(share_drop)                                                              \
	REP_COLUMN_NS("total_ns", "TOTAL", "total", 0, "their time, all states"),                  \
	    REP_COLUMN_SHARE(share_drop, "of all goroutines' time here"),                          \
	    REP_COLUMN_NS("running_ns", "RUNNING", "running", 2, "executing on a P"),              \
	    REP_COLUMN_NS("runnable_ns", "RUNNABLE", "runnable", 3, "waiting for a P"),            \
	    REP_COLUMN_NS("blocked_ns", "BLOCKED", "blocked", 1, "blocked"),                       \
	    REP_COLUMN_SYSCALLS(4, "in system calls, with and without a P"),                       \
	    REP_COLUMN_RAW_NS("syscall_ns", "in system calls with a P"),                           \
	    REP_COLUMN_RAW_NS("syscall_blocked_ns", "in system calls without a P"),                \
	    REP_COLUMN_NS("lost_ns", "LOST", "lost", 7, "of which a damaged trace says nothing")
/* Adds time in a state to these numbers. */
static inline void rep_times_add(int64_t *times, unsigned state, int64_t ns)
{
	static const uint8_t at[TP_NSTATES] = {
	    [TP_ST_RUNNING] = REP_TIME_RUN,
	    [TP_ST_RUNNABLE] = REP_TIME_READY,
	    [TP_ST_WAITING] = REP_TIME_BLOCK,
	    [TP_ST_SYSCALL] = REP_TIME_CALL,
	    [TP_ST_SYSCALL_BLOCKED] = REP_TIME_CALL_BLOCKED,
	    [TP_ST_LOST] = REP_TIME_LOST,
	};

	tp_sum(&times[REP_TIME_TOTAL], ns);
	if (at[state])
		tp_sum(&times[at[state]], ns);
	if (at[state] == REP_TIME_CALL || at[state] == REP_TIME_CALL_BLOCKED)
		tp_sum(&times[REP_TIME_CALLS], ns);
}

/* The reports, one file each in report/. */
extern const struct rep_report rep_report_groups, rep_report_goroutines, rep_report_block,
    rep_report_locks, rep_report_sched, rep_report_syscalls, rep_report_cpu, rep_report_gc,
    rep_report_tasks, rep_report_regions, rep_report_procs, rep_report_overview, rep_report_task,
    rep_report_region, rep_report_logs, rep_report_outliers, rep_report_breakdown, rep_report_story,
    rep_report_one_task, rep_report_mmu, rep_report_stops, rep_report_pauses, rep_report_heap,
    rep_report_incident, rep_report_incident_page, rep_report_incident_longest,
    rep_report_incident_path;

#endif
