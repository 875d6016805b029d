/* tprof-top's reports: from a store's runs to ranked tables.
 *
 * A report adds up what its rows stand for over one run or several, and then shows the rows that
 * come first by a sort key. Reports, their columns and their sort keys are named in the tables
 * below, which options, help, completions, the manual and the output have in common.
 *
 * Everything is exact, in a time range and under a filter too, but percentiles: they are exact
 * where the single durations are at hand (the column percentiles_exact and a line under the table
 * say so), else read from histograms with at most 1 % error. */
#ifndef REP_TOP_TOP_H
#define REP_TOP_TOP_H

#include "output/output.h"
#include "run.h"
#include "spans/filter.h"
#include "store/store.h"

/* Which filters make sense for a report. */
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
};

/* How a report whose rows are numbers (rep_job_row) shows that of a column. */
enum rep_cell_kind {
	REP_CELL_NUMBER,    /* as it is; TP_NULL: nothing */
	REP_CELL_RUN,	    /* the name of the row's run */
	REP_CELL_GOROUTINE, /* a goroutine of that run, by its id */
	REP_CELL_STRING,    /* a string */
	REP_CELL_ENTRY,	    /* an entry function: people see "(unknown)" for the empty string */
	REP_CELL_WHERE,	    /* a stack: where it is */
	REP_CELL_STACK,	    /* a stack: all its functions */
};

struct rep_report_column {
	struct rep_column column;
	enum rep_cell_kind cell;
	const char *key; /* for --sort; NULL: one cannot sort by it */
	const char *doc;
	bool percentile;
	bool ascending; /* sorted by it, small numbers come first */
};

struct rep_job;

struct rep_report {
	const char *name; /* as given on the command line */
	const char *doc;
	const char *rows; /* what its rows are, in the plural */
	const struct rep_report_column *columns;
	size_t ncolumns;
	const char *sort;		  /* key of the usual order */
	bool ascending;			  /* which begins with the smallest number */
	unsigned filters;		  /* REP_BY_… */
	const struct rep_report_ops *ops; /* NULL: a page made of others */
	const struct rep_report *const
	    *page;	  /* which (ends with a NULL), of each `page_rows` rows */
	size_t page_rows; /* 0: all */
};

/* All of them; the first is the default. Ends with a NULL. */
extern const struct rep_report *const rep_reports[];

/* The report of this name, or NULL. */
const struct rep_report *rep_report_find(const char *name);
/* The column that this key sorts by, or NULL. */
const struct rep_report_column *rep_report_sort(const struct rep_report *r, const char *key);

/* A column that no format writes: a line for each frame of a row's stack, leaf first: function,
 * tab, "file:line". Empty where all of them together would be too much. */
#define REP_TOP_FRAMES "frames"

/* What the report mmu is to show. */
struct rep_mmu_options {
	unsigned include; /* REP_UTIL_… (mmu/utilisation.h); 0: the usual ones */
	bool per_p, as_go;
	const char *windows; /* "10ms" or several, separated by commas; NULL: some of each size */
};

/* Reports that have a chart (mmu, heap) draw it above their table. */
enum rep_top_chart { REP_CHART_AND_TABLE, REP_CHART_ONLY, REP_CHART_SVG };

struct rep_top_options {
	const struct rep_report *report;
	struct rep_filter_text filter;
	const char *sort; /* NULL: the report's own */
	int64_t rows;	  /* the most a table shows; 0: all */
	bool tables;	  /* the output's format is table: empty sections may be left out */
	/* Of tables that somebody takes as they are (rep_output_visitor): the cells that other
	 * formats have come, too, and a column REP_TOP_FRAMES where rows are about stacks. */
	bool whole;
	const char *min, *max, *log; /* of tasks and regions: task/choose.h */
	const char *slowest;	     /* "1%" or "10": how many of the slowest are compared */
	bool each;		     /* one row per goroutine */
	bool regions;		     /* the slowest regions, not tasks */
	struct rep_mmu_options mmu;
	enum rep_top_chart chart;
	struct rep_sink svg; /* where REP_CHART_SVG goes; nothing goes to the output then */
};

/* What the user means who names a report and gives these options: `tasks` with a latency are single
 * tasks, with one id it is that task, with --slowest it is what makes them slow. NULL for none. */
const struct rep_report *rep_report_meant(const char *name, struct rep_top_options *opt);

/* Does the report consist of several tables (rep_output_options.several)? */
bool rep_top_several(const struct rep_report *r);

/* Does it have a chart? */
bool rep_top_has_chart(const struct rep_report *r);

/* Do the options make sense, as far as can be said without a run (rep_filter_check_run)? 0, or
 * TP_EFORMAT with a sentence. */
int rep_top_check(const struct rep_top_options *opt, struct tp_err *err);

/* Writes the report on these runs (at least one; added up where there are several) to an output
 * that has been made for it. TP_EFORMAT for filters and sort keys that make no sense. */
int rep_top(struct rep_output *out, struct tp_store *store, const struct rep_run *runs,
	    size_t nruns, const struct rep_top_options *opt, struct tp_err *err);

/* The same as a profile: a sample for each row (opt->rows > 0: of the first ones), whose values are
 * what of its columns adds up. TP_EFORMAT with a sentence for reports that are none. *p is the
 * caller's. */
struct tp_profile;
int rep_top_profile(struct tp_profile **p, struct tp_store *store, const struct rep_run *runs,
		    size_t nruns, const struct rep_top_options *opt, struct tp_err *err);
/* Can the report be one? 0, or that sentence. */
int rep_top_profile_check(const struct rep_report *r, struct tp_err *err);

#endif
