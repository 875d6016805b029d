/* The sums of a profile, its functions and its labels, as tprof-top shows them. */
#include <stdio.h>

#include "base/sum.h"
#include "page/inside.h"
#include "profile/report.h"
#include "profile/top.h"

void page_profile_totals(struct page *p, struct tp_buf *h)
{
	const struct tp_profile *profile = p->profile->profile;
	size_t index[PAGE_TYPES], n = page_types(p, p->profile->profile, index);

	for (size_t k = 0; k < n; k++) {
		struct rep_flame_measure m = page_measure(profile, index[k]);
		int64_t sum = 0;

		for (size_t i = 0; i < profile->nsamples; i++)
			tp_sum(&sum, profile->value[i * profile->ntypes + index[k]]);
		page_fact(h, tp_dict_text(profile->dict, profile->types[index[k]].type).text,
			  page_kind(&m), page_scaled(&m, sum));
	}
}

static struct rep_profile_options options_of(char text[24], size_t type)
{
	struct rep_profile_options opt = REP_PROFILE_OPTIONS_INIT;

	snprintf(text, 24, "%zu", type);
	opt.sample_index = text;
	opt.no_trim = true;
	return opt;
}

/* Removes the lines beside the tables, which the page shows elsewhere. */
static void drop_notes(struct rep_cells *cells)
{
	cells->nnotes = 0;
	for (size_t i = 0; i < cells->n; i++)
		cells->sheet[i].notes = 0;
}

static int write_type(struct page *p, struct tp_buf *h, size_t type, struct tp_err *err)
{
	struct tp_profile *profile = p->profile->profile;
	struct rep_cells cells = {0};
	struct rep_output *out = NULL;
	struct rep_profile_top top;
	char number[24];
	struct rep_profile_options opt = options_of(number, type);
	int code = rep_profile_top(&top, profile, &opt, err);
	size_t all = top.n, rows = (size_t)p->rows;

	if (!code)
		code = rep_cells_output(&cells, &out, err);
	top.n = all < rows ? all : rows;
	if (!code)
		code = rep_profile_top_print(&top, out, err);
	if (!code) {
		drop_notes(&cells);
		page_type_heading(h, profile, type);
		page_table_write(h, &cells, &cells.sheet[0], "functions by what they cost");
		if (all > rows) {
			tp_buf_text(h, "<p class=\"note\">… and ");
			html_counted(h, (int64_t)(all - rows), "more function");
			tp_buf_text(h, "</p>\n");
		}
		page_type_command(p, h, "tprof-top", profile, type);
	}
	rep_output_free(out);
	rep_cells_release(&cells);
	rep_profile_top_release(&top);
	return code;
}

int page_functions(struct page *p, struct tp_buf *h, struct tp_err *err)
{
	size_t index[PAGE_TYPES], n = page_types(p, p->profile->profile, index);
	int code = 0;

	for (size_t i = 0; i < n && !code; i++)
		code = write_type(p, h, index[i], err);
	return code;
}

/* ---- labels, and what may be deadlocked ---- */

/* Writes a report's rows, if it has some. `goroutines`: they are no values of a sample type. */
static int write_report(struct page *p, struct tp_buf *h, const char *name, bool goroutines,
			const char *caption, struct tp_err *err)
{
	const struct rep_profile_report *report = rep_profile_report_find(name);
	struct tp_profile *profile = p->profile->profile;
	struct rep_cells cells = {.most_rows = (size_t)p->rows};
	struct rep_profile_view view = {0};
	struct rep_profile_options opt;
	struct rep_output *out = NULL;
	size_t index[PAGE_TYPES];
	char number[24], command[40];
	int code;

	if (!page_types(p, profile, index))
		return 0;
	opt = options_of(number, index[0]);
	code = rep_profile_view_init(&view, profile, &opt, &report->traits, err);
	if (!code)
		code = rep_cells_output(&cells, &out, err);
	if (!code)
		code = report->table(&view, NULL, out, err);
	if (cells.cut)
		code = 0;
	if (!code && cells.sheet[0].nrows) {
		if (!goroutines)
			page_type_heading(h, profile, index[0]);
		page_table_write(h, &cells, &cells.sheet[0], caption);
		snprintf(command, sizeof(command), "tprof-top --%s", name);
		page_more(p, h, command, "");
	}
	rep_output_free(out);
	rep_cells_release(&cells);
	rep_profile_view_release(&view);
	return code;
}

int page_tags(struct page *p, struct tp_buf *h, struct tp_err *err)
{
	return write_report(p, h, "tags", false, "labels by their values", err);
}

int page_deadlock(struct page *p, struct tp_buf *h, struct tp_err *err)
{
	if (rep_profile_type_find(p->profile->profile, "goroutine") == SIZE_MAX ||
	    rep_profile_type_find(p->profile->profile, "wait") == SIZE_MAX)
		return 0;
	return write_report(p, h, "deadlock", true, "goroutines that may be deadlocked", err);
}
