/* The reports of tprof-top: ranked tables on the runs of a store.
 *
 * A report adds up its rows over one run or several and shows the first ones by a sort key.
 * Reports, columns and sort keys are named in tables, which options, help, completions, the manual
 * and the output share.
 *
 * All numbers are exact, in a time range and under filters too, except percentiles: they are exact
 * if the single durations are available, and come from histograms with an error of at most 1 %
 * otherwise. The column percentiles_exact and a line under the table tell which. */
#ifndef REP_TOP_TOP_H
#define REP_TOP_TOP_H

#include "incident/incident.h"
#include "output/output.h"
#include "run.h"
#include "spans/filter.h"
#include "store/store.h"

/* The filters that a report obeys. */
enum {
	REP_BY_TIME = 1,
	REP_BY_FRAMES = 2,
	REP_BY_GOROUTINE = 4,
	REP_BY_STATE = 8,
	REP_BY_REASON = 16,
	REP_BY_TASK = 32,     /* --task and --region */
	REP_BY_LATENCY = 64,  /* --min and --max */
	REP_BY_LOG = 128,     /* --log */
	REP_BY_SLOWEST = 256, /* --slowest */
	REP_BY_EACH = 512,    /* --each */
	REP_BY_MOMENT = 1024, /* --last and --around */
};

/* How a number of a row (rep_job_row) is shown; TP_NULL is nothing in every case. */
enum rep_cell_kind {
	REP_CELL_NUMBER,    /* as it is */
	REP_CELL_RUN,	    /* the name of the row's run */
	REP_CELL_GOROUTINE, /* a goroutine of that run, by its id */
	REP_CELL_STRING,    /* a string */
	REP_CELL_ENTRY,	    /* an entry function: people see "(unknown)" for the empty string */
	REP_CELL_STATE,	    /* the name of a state; "nobody" for none */
	REP_CELL_WHERE,	    /* a stack: where it is */
	REP_CELL_FUNCTION,  /* a stack: the function of its site */
	REP_CELL_LOCATION,  /* a stack: file and line of that */
	REP_CELL_STACK,	    /* a stack: all its functions */
};

struct rep_report_column {
	struct rep_column column;
	enum rep_cell_kind cell;
	const char *key; /* for --sort; NULL: the report cannot be sorted by it */
	const char *doc;
	bool percentile;
	bool ascending; /* small numbers come first when the report is sorted by it */
};

struct rep_job;

struct rep_report {
	const char *name; /* as given on the command line */
	const char *doc;
	const char *rows; /* a word for its rows, in the plural */
	const struct rep_report_column *columns;
	size_t ncolumns;
	/* By column: which number of a row it shows, where that is not the number of the column. */
	const uint8_t *number;
	size_t numbers;			      /* of a row, where they are not as many as columns */
	const char *sort;		      /* key of the usual order */
	bool ascending;			      /* that order begins with the smallest number */
	unsigned filters;		      /* REP_BY_… */
	const struct rep_report_ops *ops;     /* NULL: a page of other reports */
	const struct rep_report *const *page; /* those reports; ends with a NULL */
	size_t page_rows;		      /* rows of each; 0: all */
};

/* All reports; the first is the default. Ends with a NULL. */
extern const struct rep_report *const rep_reports[];

/* Returns the report of this name, or NULL. */
const struct rep_report *rep_report_find(const char *name);
/* Returns the column that a sort key or a title names, or NULL. */
const struct rep_report_column *rep_report_sort(const struct rep_report *r, const char *key);

/* A column that no format writes. It has a line for each frame of the row's stack, leaf first:
 * function, tab, "file:line". It is empty if all stacks together would take too much memory. */
#define REP_TOP_FRAMES "frames"

/* Options of the report mmu. */
struct rep_mmu_options {
	unsigned include; /* REP_UTIL_… (mmu/utilisation.h); 0: REP_UTIL_USUAL */
	bool per_p, as_go;
	const char *windows; /* lengths such as "10ms,1s"; NULL: a series of lengths */
};

/* What reports with a chart (mmu, heap) show. */
enum rep_top_chart { REP_CHART_AND_TABLE, REP_CHART_ONLY, REP_CHART_SVG };

struct rep_top_options {
	const struct rep_report *report;
	struct rep_filter_text filter;
	const char *sort; /* NULL: the report's own */
	int64_t rows;	  /* of a table, at most; 0: all */
	bool rows_given;  /* by the user; otherwise reports of several tables show few of each */
	bool tables;	  /* the output's format is table; empty sections may be left out */
	/* The output keeps cells (output/cells.h): it also gets those of other formats, and a column
	 * REP_TOP_FRAMES if rows are about stacks. */
	bool whole;
	bool
	    table_texts; /* the output is JSON with a head, which has the columns of tables as well */
	const char *min, *max, *log; /* which tasks and regions count: task/choose.h */
	const char *slowest;	     /* "1%" or "10": the number of slowest tasks compared */
	bool each;		     /* one row per goroutine */
	bool regions;		     /* `slowest` is about regions */
	bool findings;		     /* of the overview only what its tables say */
	/* For findings: the table of the report outliers if the caller has it, which must outlive the call; or NULL. */
	const struct rep_sheet *outliers;
	struct rep_mmu_options mmu;
	struct rep_incident_options incident;
	enum rep_top_chart chart;
	struct rep_sink svg; /* receives REP_CHART_SVG; the output gets nothing then */
};

/* Returns the report that a name and options mean, or NULL: `tasks` with a latency means single
 * tasks, with an id that task, with --slowest the report outliers; `incident` means a page, and moves
 * --task to opt->incident. */
const struct rep_report *rep_report_meant(const char *name, struct rep_top_options *opt);

/* Returns whether the report consists of several tables (rep_output_options.several). */
bool rep_top_several(const struct rep_report *r);

/* Returns whether the report has a chart. */
bool rep_top_has_chart(const struct rep_report *r);

/* Checks options as far as that is possible without a run (rep_filter_check_run). Returns 0, or
 * TP_EFORMAT with a sentence. */
int rep_top_check(const struct rep_top_options *opt, struct tp_err *err);

/* Writes the report on one run, or on the sum of several, to an output. Returns TP_EFORMAT for
 * filters and sort keys that do not fit the report. */
int rep_top(struct rep_output *out, struct tp_store *store, const struct rep_run *runs,
	    size_t nruns, const struct rep_top_options *opt, struct tp_err *err);

/* Makes a profile of the report, which the caller frees: a sample for each row (of the first
 * opt->rows, if not 0) with the columns that add up as values. Returns TP_EFORMAT with a sentence
 * for reports that cannot be one. */
struct tp_profile;
int rep_top_profile(struct tp_profile **p, struct tp_store *store, const struct rep_run *runs,
		    size_t nruns, const struct rep_top_options *opt, struct tp_err *err);
/* Returns 0 if the report can be a profile, or TP_EFORMAT with that sentence. */
int rep_top_profile_check(const struct rep_report *r, struct tp_err *err);

#endif
