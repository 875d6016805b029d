/* What the sections of a page share; private to libreport/page. */
#ifndef REP_PAGE_INSIDE_H
#define REP_PAGE_INSIDE_H

#include "flame/words.h"
#include "output/html.h"
#include "page/page.h"
#include "page/tables.h"
#include "spans/view.h"
#include "time/time.h"

/* A page being made. */
struct page {
	const struct rep_page_options *opt;
	const char *title;
	int64_t rows; /* the most of a table */

	/* A trace: */
	struct tp_store *store;
	const struct rep_run *run;
	struct rep_filter filter; /* of nothing */
	struct rep_view view;
	struct page_reports *reports; /* being made, on other threads too; see page_reports_wait */
	struct rep_time time;

	/* The run it is compared with: a page of its own that is not written; NULL for none. */
	struct page *old;
	const struct rep_page_runs *runs; /* all that are compared; the first are those above */

	/* Profiles: one, or sets that are compared (then `profile` is NULL). */
	const struct rep_page_profile *profile;
	const struct rep_page_sides *sides;
	const char *type; /* name or number of the type that a page is about, NULL: several */
};

#define PAGE_TYPES 4 /* sample types of a profile that are shown */

/* A section adds to `h` what stands under its heading; a section that adds nothing is left out.
 * Errors with err filled in; memory that `h` had not is its own to tell. */
struct page_section {
	const char *id, *title;
	int (*write)(struct page *p, struct tp_buf *h, struct tp_err *err);
	bool reads; /* reports: it is written when they are there */
};

/* The tables of tprof-top (reports.c). `begin` starts to make them; `wait` gives when all are made
 * (NULL reports: none are); `free` waits, too. */
int page_reports_begin(struct page *p, struct tp_err *err);
int page_reports_wait(struct page *p, struct tp_err *err);
void page_reports_free(struct page *p);
/* A report's table by its name, NULL where there is none; *cells is what it is of. */
const struct rep_sheet *page_report_of(const struct page *p, const char *name,
				       const struct rep_cells **cells);
const struct rep_sheet *page_report(const struct page *p, const char *name);

int page_findings(struct page *p, struct tp_buf *h, struct tp_err *err);
int page_losses(struct page *p, struct tp_buf *h, struct tp_err *err);
int page_charts(struct page *p, struct tp_buf *h, struct tp_err *err);
int page_heat(struct page *p, struct tp_buf *h, struct tp_err *err);
int page_strips(struct page *p, struct tp_buf *h, struct tp_err *err);
int page_reports(struct page *p, struct tp_buf *h, struct tp_err *err);
int page_histograms(struct page *p, struct tp_buf *h, struct tp_err *err);
int page_latencies(struct page *p, struct tp_buf *h, struct tp_err *err);
int page_flames(struct page *p, struct tp_buf *h, struct tp_err *err);
int page_commands(struct page *p, struct tp_buf *h, struct tp_err *err);

int page_functions(struct page *p, struct tp_buf *h, struct tp_err *err);
int page_profile_flames(struct page *p, struct tp_buf *h, struct tp_err *err);
int page_tags(struct page *p, struct tp_buf *h, struct tp_err *err);
int page_profile_commands(struct page *p, struct tp_buf *h, struct tp_err *err);
/* Finds the sample types that the two sides have in common, as indexes in the first new profile.
 * Returns how many. */
size_t page_common_types(const struct page *p, size_t index[PAGE_TYPES]);
/* Do they have one that is shown? */
int page_changed_check(const struct page *p, struct tp_err *err);
int page_changed_types(struct page *p, struct tp_buf *h, struct tp_err *err);
int page_changed_functions(struct page *p, struct tp_buf *h, struct tp_err *err);
int page_changed_metrics(struct page *p, struct tp_buf *h, struct tp_err *err);
int page_changed_charts(struct page *p, struct tp_buf *h, struct tp_err *err);
int page_diff_commands(struct page *p, struct tp_buf *h, struct tp_err *err);

/* How values of a sample type are shown (section/values.c): its kind, and a value in ns, bytes, or
 * as it is; what does not fit stays at the most that does. */
struct rep_flame_measure page_measure(const struct tp_profile *profile, size_t type);
enum rep_kind page_kind(const struct rep_flame_measure *m);
struct rep_value page_scaled(const struct rep_flame_measure *m, int64_t v);
/* <h3>inuse_space <small>bytes</small></h3> */
void page_type_heading(struct tp_buf *h, const struct tp_profile *profile, size_t type);
/* A command about a sample type. */
void page_type_command(struct page *p, struct tp_buf *h, const char *command,
		       const struct tp_profile *profile, size_t type);
/* Sample types in the order in which they are shown, at most PAGE_TYPES: the one that the profile
 * wants to be seen first, then the others, the last first as pprof does. */
size_t page_types(const struct page *p, const struct tp_profile *profile, size_t index[PAGE_TYPES]);

/* Sums by sample type, as facts. */
void page_profile_totals(struct page *p, struct tp_buf *h);

/* Everything: head, heading (`facts` writes what stands under it), navigation, sections, script. */
int page_write(struct page *p, const struct page_section *sections, size_t n,
	       void (*facts)(struct page *p, struct tp_buf *h), const struct rep_sink *sink,
	       struct tp_err *err);

/* View and times of p->run in p->store; page_end_trace in every case. */
int page_begin_trace(struct page *p, struct tp_err *err);
void page_end_trace(struct page *p);

/* <code>tprof-top checkout.trace block --from=1s</code>: command, the file, what else (ours), which
 * are options in front of the files where the command is tprof-diff. */
void page_command(struct page *p, struct tp_buf *h, const char *command, const char *more);
/* A paragraph of it. */
void page_more(struct page *p, struct tp_buf *h, const char *command, const char *more);
/* The same as plain text. Returns 0 or TP_ENOMEM. */
int page_command_text(struct page *p, struct tp_buf *b, const char *command, const char *more);
/* A paragraph in small letters, of anybody's text. */
void page_note(struct tp_buf *h, const char *text, size_t size);
/* A string of the run, "(unknown)" for none. */
void page_name(struct page *p, struct tp_buf *h, uint32_t string);
/* Is the run's time ticks? Then times are numbers. */
void page_time_value(struct page *p, struct tp_buf *h, int64_t ns);

/* Pictures that are as wide as the page, in px: they leave room at their right, and at their left
 * as much as their names take. Their time, about so many ticks of it, goes below, at y. */
#define PAGE_WIDTH 1140
#define PAGE_RIGHT 8
void page_time_axis(struct page *p, struct tp_buf *h, const struct rep_bins *bins, unsigned ticks,
		    int left, double y);
/* Where a share of their time is. */
double page_time_x(double share, int left);
double page_bin_x(const struct rep_bins *bins, size_t bin, int left);

/* One entry of the list under the heading. */
void page_fact(struct tp_buf *h, const char *name, enum rep_kind kind, struct rep_value value);
/* A moment, in UTC; an entry of that list. Nothing for one that no calendar has. */
void page_fact_when(struct tp_buf *h, int64_t wall_ns);
/* Of p->run, a trace: from its format to its number of events. */
void page_trace_facts(struct page *p, struct tp_buf *h);

/* The script and style of this page. */
struct tp_text page_style(void);
struct tp_text page_script(void);

#endif
