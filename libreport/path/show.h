/* Writes paths and wake-ups as sentences and tables. */
#ifndef REP_PATH_SHOW_H
#define REP_PATH_SHOW_H

#include "output/output.h"
#include "path/path.h"
#include "path/wake.h"
#include "task/place.h"

enum rep_path_report {
	REP_PATH_SUMMARY,
	REP_PATH_HOP_LIST,
	REP_PATH_TREE,
	REP_PATH_TOTALS,
	REP_PATH_REQUESTS,
	REP_PATH_WAKERS,
	REP_PATH_BLAME,
	REP_PATH_WHAT_IF,
	REP_NPATH_REPORTS
};

/* Names for the command line, --help and completions. */
extern const struct rep_path_report_desc {
	const char *name, *doc;
	bool several;			   /* it consists of several tables */
} rep_path_reports[REP_NPATH_REPORTS + 1]; /* ends with a NULL name */

/* Where the goroutine of a hop was when it ended: rows of the tables task and region, or TP_NONE. */
struct rep_path_spot {
	uint32_t task, region;
};

struct rep_path_page {
	struct rep_view *v;
	const struct rep_path_requests *list;
	const struct rep_path *path;
	int64_t rows;	/* limit of each table; 0: all rows; -1: the default of each table */
	bool stacks;	/* lists hops with the stacks of both sides instead of a table */
	bool unwrapped; /* does not break sentences into lines */
	/* What the report what-if shortens, like "main.load -50%" (rep_what_if_check). */
	const char *const *what_if;
	size_t nwhat_if;

	/* private */
	const struct rep_path_spot *spot; /* by hop */
	const struct rep_path_task *task; /* by chain of the folded path; set while it is shown */
};

/* Writes a report on paths (any except wakers). The summary is a few sentences, then hops or
 * requests, then totals. Errors: TP_ENOMEM, and those of the output. */
int rep_path_show(struct rep_output *out, const struct rep_path_page *page,
		  enum rep_path_report report, struct tp_err *err);

/* Checks what is to be shortened. Returns 0, TP_ENOMEM, or TP_EFORMAT with a sentence. */
int rep_what_if_check(const char *text, struct tp_err *err);

/* Writes the report wakers. */
int rep_wakes_show(struct rep_output *out, struct rep_view *v, const struct rep_wakes *wakes,
		   int64_t rows, bool stacks, struct tp_err *err);

/* Writes the name of the request, or of all requests, to `text` and returns it: "task checkout #12", "20
 * tasks checkout". */
char *rep_path_subject_text(const struct rep_path_page *page, char *text, size_t size);

/* ---- private ---- */

/* Writes the sentences of the summary. */
int rep_path_verdict(struct rep_output *out, const struct rep_path_page *page, struct tp_err *err);

/* The task in which the goroutines of a chain's hops were, of a single request. */
struct rep_path_task {
	/* Of the table task. TP_NONE: none is to be named, as some hop was in no task, in one of
	 * another type or in the request's own. */
	uint32_t row;
	bool several; /* tasks of this one's type */
	bool known;   /* private */
};

/* Returns where the goroutine of a hop (its number by time) was when it ended, in *place; NULL if in no task or region. */
const struct rep_place *rep_path_hop_place(const struct rep_path_page *page, size_t hop,
					   struct rep_place *place);

/* Writes a hop with its stacks, as lines. */
int rep_path_list_hop(struct rep_output *out, const struct rep_path_page *page, size_t hop,
		      struct tp_err *err);

/* Returns a function's name without the folders of its package: "pkg.(*T).Method". */
struct tp_text rep_path_short(const struct tp_dict *dict, uint32_t name);
/* Returns the short name of a stack's site (rep_path_site); of the entry function if it has none.
 */
struct tp_text rep_path_function(const struct tp_dict *dict, uint32_t entry, uint32_t stack);

#endif
