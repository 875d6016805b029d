/* What a report implements, and what it may use. Private to libreport/top. */
#ifndef REP_TOP_REPORT_H
#define REP_TOP_REPORT_H

#include "chart/chart.h"
#include "dist.h"
#include "keys.h"
#include "spans/view.h"
#include "stack.h"
#include "sums/part.h"
#include "top/top.h"

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
	bool lack;		    /* memory ran out while rows were compared */
	struct rep_members members; /* the tasks that --task selects */
	char note[200];		    /* a line under the table, or "" */
	char lead[600];		    /* lines above the table, or ""; set by finish */
	/* Columns behind the report's own, whose names depend on the run; set by finish. */
	struct rep_column *extra;
	size_t nextra;
	uint64_t hidden; /* a bit for each column that this table leaves out; set by finish */
	void *state;	 /* the report's */
	int64_t *row;	 /* those of rep_job_row */
	size_t row_room;
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
	/* Returns a number that orders rows with equal sort keys and does not depend on ids. NULL:
	 * the other columns decide. */
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

struct rep_pick;
/* Compiles what was typed about tasks, regions and logs (task/choose.h); *choice must be released
 * in every case. */
int rep_top_pick(struct rep_pick *choice, const struct rep_top_options *opt, struct tp_err *err);

/* ---- texts ---- */

/* Returns a cell for a goroutine of a run, by its id (TP_NULL: none). */
struct rep_value rep_job_goroutine(const struct rep_job *job, uint32_t run, int64_t id);
/* Returns a text such as "network in pay" or "running in db/query": the state, or the reason if it
 * is blocked, and the types of the subtask and the region (strings of the common dictionary; 0 for
 * none). */
struct rep_value rep_job_place(struct rep_job *job, unsigned state, uint32_t reason,
			       uint32_t subtask, uint32_t region);

/* ---- rows of numbers ---- */

/* Appends a row of a number for each column, all 0, to be set by the caller and shown as
 * rep_report_column.cell says. The row is of v's run. It stays until the next call. NULL when
 * memory has run out. */
int64_t *rep_job_row(struct rep_job *job, const struct rep_view *v);
/* Returns such a row. */
int64_t *rep_job_row_at(const struct rep_job *job, size_t row);
/* Returns a cell of such a row. */
struct rep_value rep_job_cell(struct rep_job *job, size_t row, size_t column);
/* Set a cell to a string or a stack of v's run. Return 0 or TP_ENOMEM. */
int rep_row_string(int64_t *cell, struct rep_view *v, int64_t string);
int rep_row_stack(int64_t *cell, struct rep_view *v, int64_t stack);

/* ---- sums ---- */

struct rep_sum {
	int64_t count, total_ns;
	int64_t min_ns, max_ns; /* undefined while count is 0 */
};

void rep_sum_add(struct rep_sum *s, int64_t count, int64_t total_ns, int64_t min_ns,
		 int64_t max_ns);
/* The columns of a sum, in the order in which reports have them. */
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
struct rep_value rep_sum_value(const struct rep_sum *s, const struct rep_percentiles *p,
			       int64_t whole, enum rep_sum_column column);
struct rep_value rep_share(int64_t part, int64_t whole);
/* Return the sum of times by state (TP_NSTATES of them): of all states, and of system calls with a
 * P and without. Sums that do not fit 64 bits stay at the limit. */
int64_t rep_states_total(const int64_t *ns);
int64_t rep_states_syscall(const int64_t *ns);
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
#define REP_COLUMNS_DISTRIBUTION                                                                   \
	REP_COLUMN_NS("mean_ns", "MEAN", "mean", 3, "total / count"),                              \
	    REP_COLUMN_PERCENTILE("p50_ns", "P50", "p50", 4, "median"),                            \
	    REP_COLUMN_PERCENTILE("p90_ns", "P90", "p90", 6, "90th percentile"),                   \
	    REP_COLUMN_PERCENTILE("p99_ns", "P99", "p99", 5, "99th percentile"),                   \
	    REP_COLUMN_NS("max_ns", "MAX", "max", 2, "the longest")
#define REP_COLUMN_EXACT                                                                           \
	{                                                                                          \
		.column = {.name = "percentiles_exact", .kind = REP_BOOL, .raw_only = true},       \
		.doc = "percentiles are exact; else within 1 %"                                    \
	}
#define REP_COLUMN_RAW_TEXT(name_text, doc_text)                                                   \
	{                                                                                          \
		.column = {.name = (name_text), .kind = REP_TEXT, .raw_only = true},               \
		.doc = (doc_text)                                                                  \
	}
#define REP_COLUMN_STACK(doc_text)                                                                 \
	{                                                                                          \
		.column = {.name = "stack", .kind = REP_TEXT, .raw_only = true},                   \
		.cell = REP_CELL_STACK, .doc = (doc_text)                                          \
	}
#define REP_COLUMN_RAW_NS(name_text, doc_text)                                                     \
	{                                                                                          \
		.column = {.name = (name_text), .kind = REP_NS, .raw_only = true},                 \
		.doc = (doc_text)                                                                  \
	}

/* The reports, one file each in report/. */
extern const struct rep_report rep_report_groups, rep_report_goroutines, rep_report_block,
    rep_report_sched, rep_report_syscalls, rep_report_cpu, rep_report_gc, rep_report_tasks,
    rep_report_regions, rep_report_procs, rep_report_overview, rep_report_task, rep_report_region,
    rep_report_logs, rep_report_outliers, rep_report_breakdown, rep_report_story,
    rep_report_one_task, rep_report_mmu, rep_report_stops, rep_report_pauses, rep_report_heap;

/* The note for percentiles that are not known. */
#define REP_NOTE_UNKNOWN                                                                           \
	"percentiles are not kept for a goroutine that lives long; narrow it with --from and --to"

#endif
