/* Declarations shared by the sections of a page; private to libreport/page. */
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
	int64_t rows; /* limit on rows of a table */

	/* A trace: */
	struct tp_store *store;
	const struct rep_run *run;
	struct rep_filter filter; /* selects everything */
	struct rep_view view;
	struct page_reports *reports; /* made partly by another thread; see page_reports_wait */
	struct rep_time time;

	/* The run that this one is compared with, as a second page that is not written; or NULL. */
	struct page *old;
	const struct rep_page_runs *runs; /* all runs that are compared; the first old and new ones
					     are those above */

	/* Profiles: one, or two sets to compare (then `profile` is NULL). */
	const struct rep_page_profile *profile;
	const struct rep_page_sides *sides;
	const char *type; /* name or number of the only sample type shown; NULL: several are */
};

#define PAGE_TYPES 4 /* limit on the sample types of a profile that are shown */

/* A section's `write` appends to `h` the content below the heading; a section without content is
 * left out. It returns an error code with err filled in. If `h` runs out of memory, page_write
 * reports it. */
struct page_section {
	const char *id, *title;
	int (*write)(struct page *p, struct tp_buf *h, struct tp_err *err);
	enum {
		PAGE_TEXT,
		PAGE_READS,   /* uses the reports: written after page_reports_wait */
		PAGE_PICTURE, /* says nothing without its pictures: not in Markdown */
	} kind;
};

/* The tables of tprof-top (reports.c). page_reports_begin starts to make them. page_reports_wait
 * waits until all are made, and returns 0 or their first error; without reports, it returns 0 at
 * once. page_reports_free waits, too. */
int page_reports_begin(struct page *p, struct tp_err *err);
int page_reports_wait(struct page *p, struct tp_err *err);
void page_reports_free(struct page *p);
/* Return a report's table by its name, NULL if there is no such table. Its cells are those of
 * *cells. */
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
int page_deadlock(struct page *p, struct tp_buf *h, struct tp_err *err);
int page_profile_commands(struct page *p, struct tp_buf *h, struct tp_err *err);
/* Finds the sample types that the two sides have in common, as indexes in the first new profile.
 * Returns how many. */
size_t page_common_types(const struct page *p, size_t index[PAGE_TYPES]);
/* Returns 0 if they have such a type, TP_EUNKNOWN with a sentence if not, or the error of
 * rep_profile_sample_index. */
int page_changed_check(const struct page *p, struct tp_err *err);
int page_changed_types(struct page *p, struct tp_buf *h, struct tp_err *err);
int page_changed_functions(struct page *p, struct tp_buf *h, struct tp_err *err);
int page_changed_metrics(struct page *p, struct tp_buf *h, struct tp_err *err);
int page_changed_charts(struct page *p, struct tp_buf *h, struct tp_err *err);
int page_diff_commands(struct page *p, struct tp_buf *h, struct tp_err *err);

/* Values of a sample type as they are shown (section/values.c): their measure, the kind of their
 * column, and a value in ns, in bytes, or as it is. Values that overflow become the largest number.
 */
struct rep_flame_measure page_measure(const struct tp_profile *profile, size_t type);
enum rep_kind page_kind(const struct rep_flame_measure *m);
struct rep_value page_scaled(const struct rep_flame_measure *m, int64_t v);
/* Writes "<h3>inuse_space <small>bytes</small></h3>". */
void page_type_heading(struct tp_buf *h, const struct tp_profile *profile, size_t type);
/* Writes a paragraph with a command about a sample type. */
void page_type_command(struct page *p, struct tp_buf *h, const char *command,
		       const struct tp_profile *profile, size_t type);
/* Finds the sample types to show, at most PAGE_TYPES: the profile's default type, then the others
 * from last to first, as pprof does. Only p->type, if it is set. Returns how many. */
size_t page_types(const struct page *p, const struct tp_profile *profile, size_t index[PAGE_TYPES]);

/* Writes the sum of each sample type as a fact. */
void page_profile_totals(struct page *p, struct tp_buf *h);

/* Writes the page: head, heading, the facts below it (by `facts`), navigation, sections, script. */
int page_write(struct page *p, const struct page_section *sections, size_t n,
	       void (*facts)(struct page *p, struct tp_buf *h), const struct rep_sink *sink,
	       struct tp_err *err);

/* Writes the same page as Markdown: the facts and the parts, which are HTML (markdown.c). */
int page_write_markdown(struct page *p, const struct page_section *sections, size_t n,
			const struct tp_buf *facts, const struct tp_buf *parts,
			const struct rep_sink *sink, struct tp_err *err);

/* Loads the view and the times of p->run in p->store. Call page_end_trace in every case. */
int page_begin_trace(struct page *p, struct tp_err *err);
void page_end_trace(struct page *p);

/* Writes "<code>tprof-top checkout.trace block --from=1s</code>": the command, the files, and
 * `more`, which must need no escaping for a shell. With tprof-diff, `more` comes before the files.
 */
void page_command(struct page *p, struct tp_buf *h, const char *command, const char *more);
/* Writes the same as a paragraph. */
void page_more(struct page *p, struct tp_buf *h, const char *command, const char *more);
/* Appends the same as plain text. Returns 0 or TP_ENOMEM. */
int page_command_text(struct page *p, struct tp_buf *b, const char *command, const char *more);
/* Writes text, which is escaped, as a paragraph in small letters. */
void page_note(struct tp_buf *h, const char *text, size_t size);
/* Writes a string of the run; "(unknown)" if it is empty. */
void page_name(struct page *p, struct tp_buf *h, uint32_t string);
/* Writes a time; as a number of ticks if the run has no clock. */
void page_time_value(struct page *p, struct tp_buf *h, int64_t ns);

/* Pictures as wide as the page, in px. They leave PAGE_RIGHT free at the right, and `left` for
 * names at the left. page_time_axis draws the time axis at y, with about `ticks` ticks. */
#define PAGE_WIDTH 1140
#define PAGE_RIGHT 8
void page_time_axis(struct page *p, struct tp_buf *h, const struct rep_bins *bins, unsigned ticks,
		    int left, double y);
/* Return the x coordinate of a share of the run's time, and of the beginning of a bin. */
double page_time_x(double share, int left);
double page_bin_x(const struct rep_bins *bins, size_t bin, int left);

/* Writes an entry of the list below the heading. */
void page_fact(struct tp_buf *h, const char *name, enum rep_kind kind, struct rep_value value);
/* Writes a moment in UTC as an entry of that list; writes nothing if it has no date. */
void page_fact_when(struct tp_buf *h, int64_t wall_ns);
/* Writes the facts about p->run, a trace: from its format to its number of events. */
void page_trace_facts(struct page *p, struct tp_buf *h);

/* Return the style and the script of the page. */
struct tp_text page_style(void);
struct tp_text page_script(void);

#endif
