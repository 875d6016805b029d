/* What the sections of a page share; private to libreport/page. */
#ifndef REP_PAGE_INSIDE_H
#define REP_PAGE_INSIDE_H

#include "page/html.h"
#include "page/page.h"
#include "page/tables.h"
#include "page/time.h"
#include "top/view.h"

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
	struct page_tables tables; /* by name of the report */
	struct page_time time;
};

/* A section adds to `h` what stands under its heading; a section that adds nothing is left out.
 * Errors with err filled in; memory that `h` had not is its own to tell. */
struct page_section {
	const char *id, *title;
	int (*write)(struct page *p, struct html *h, struct tp_err *err);
};

int page_findings(struct page *p, struct html *h, struct tp_err *err);
int page_losses(struct page *p, struct html *h, struct tp_err *err);
int page_charts(struct page *p, struct html *h, struct tp_err *err);
int page_heat(struct page *p, struct html *h, struct tp_err *err);
int page_strips(struct page *p, struct html *h, struct tp_err *err);
int page_reports(struct page *p, struct html *h, struct tp_err *err);
int page_histograms(struct page *p, struct html *h, struct tp_err *err);
int page_latencies(struct page *p, struct html *h, struct tp_err *err);
int page_flames(struct page *p, struct html *h, struct tp_err *err);
int page_commands(struct page *p, struct html *h, struct tp_err *err);

/* Everything: head, heading (`facts` writes what stands under it), navigation, sections, script. */
int page_write(struct page *p, const struct page_section *sections, size_t n,
	       void (*facts)(struct page *p, struct html *h), const struct rep_sink *sink,
	       struct tp_err *err);

int page_no_memory(struct tp_err *err);

/* <code>tprof-top checkout.trace block --from=1s</code>: command, the file, what else (ours). */
void page_command(struct page *p, struct html *h, const char *command, const char *more);
/* The same for a shell: the file in quotes where it needs them, and the run. */
void page_command_text(struct page *p, struct tp_buf *b, const char *command, const char *more);
/* A string of the run, "(unknown)" for none. */
void page_name(struct page *p, struct html *h, uint32_t string);
/* Is the run's time ticks? Then times are numbers. */
void page_time_value(struct page *p, struct html *h, int64_t ns);

/* A flame graph made for the inside of a page (rep_flame_options.inside), and the script of all. */
void page_flame_frame(struct html *h, const struct tp_buf *document, const char *title,
		      uint32_t levels);
void page_flame_script(struct html *h);

/* The script and style of this page. */
struct tp_text page_style(void);
struct tp_text page_script(void);

#endif
