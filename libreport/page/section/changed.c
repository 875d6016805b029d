/* What changed: in profiles by sample type and function, in traces by the metrics of both sides.
 * Counts and totals of traces are per second, because their lengths differ. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/prepare.h"
#include "diff/show.h"
#include "page/inside.h"
#include "profile/noise.h"

#define SECTION_ROWS 60 /* limit on rows of a table of metrics */
#define SENTENCES    10

struct changed {
	struct rep_diff_side old, new;
	struct rep_diff *diff;
	/* profiles: not scaled; the rows are scaled to the old total if the load differs */
	struct rep_diff_row total;
	double load;
};

static void release(struct changed *c)
{
	rep_diff_free(c->diff);
	rep_diff_side_release(&c->old);
	rep_diff_side_release(&c->new);
}

static void write_name(struct tp_buf *h, const struct rep_diff *d, const struct rep_diff_row *row)
{
	struct tp_buf name = {0};
	size_t names;

	if (rep_diff_name(d, row, &name, &names))
		tp_buf_fail(h);
	html_text(h, name.data ? (char *)name.data : "", name.size);
	tp_buf_release(&name);
}

/* Makes the tables of a diff as tprof-diff shows them. */
static int make_tables(const struct rep_diff *d, size_t rows, struct rep_cells *cells,
		       struct tp_err *err)
{
	const struct rep_diff_show show = {.rows = rows};
	struct rep_output *out = NULL;
	int code = rep_cells_output(cells, &out, err);

	if (!code)
		code = rep_diff_rows(d, &show, out, err);
	rep_output_free(out);
	return code;
}

/* ---- profiles ---- */

/* Makes the diff of the sample type with this index in the first new profile. */
static int make_of_type(struct page *p, size_t type, struct changed *c, struct tp_err *err)
{
	const struct rep_page_sides *s = p->sides;
	const struct tp_profile *first = s->new[0];
	struct rep_profile_options plain = REP_PROFILE_OPTIONS_INIT;
	struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	struct rep_filter_notes notes = {0};
	int code = rep_diff_side_profiles(&c->old, s->old, s->nold, err);

	if (!code)
		code = rep_diff_side_profiles(&c->new, s->new, s->nnew, err);
	if (!code)
		code = rep_diff_prepare(&c->old, &plain, &notes, err);
	if (!code)
		code = rep_diff_prepare(&c->new, &plain, &notes, err);
	opt.sample_index = tp_dict_text(first->dict, first->types[type].type).text;
	if (!code)
		code = rep_diff_new(&c->diff, &c->old, &c->new, &opt, err);
	if (!code) {
		c->total = c->diff->total;
		c->load = c->diff->load;
		opt.normalize = c->load != 1;
	}
	if (!code && opt.normalize) {
		rep_diff_free(c->diff);
		code = rep_diff_new(&c->diff, &c->old, &c->new, &opt, err);
	}
	rep_filter_notes_release(&notes);
	return code;
}

/* Returns whether the first old profile has this sample type of the first new one, too. */
static bool is_common(const struct page *p, size_t type)
{
	const struct tp_profile *first = p->sides->new[0], *old = p->sides->old[0];
	size_t index;
	struct tp_err err;

	return !rep_profile_sample_index(
	    old, tp_dict_text(first->dict, first->types[type].type).text, &index, &err);
}

size_t page_common_types(const struct page *p, size_t index[PAGE_TYPES])
{
	size_t n = page_types(p, p->sides->new[0], index), kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (is_common(p, index[i]))
			index[kept++] = index[i];
	}
	return kept;
}

int page_changed_check(const struct page *p, struct tp_err *err)
{
	const struct rep_page_sides *s = p->sides;
	size_t index[PAGE_TYPES];
	char old[REP_TYPE_NAMES], new[REP_TYPE_NAMES];
	const char *type;
	int code = rep_profile_sample_index(s->new[0], p->type, index, err);

	if (code)
		return code;
	type = tp_dict_text(s->new[0]->dict, s->new[0]->types[index[0]].type).text;
	if (page_common_types(p, index))
		return 0;
	rep_profile_type_names(s->old[0], old);
	rep_profile_type_names(s->new[0], new);
	if (p->type)
		return tp_err_set(err, TP_EUNKNOWN, TP_OFFSET_NONE,
				  "%.80s has no sample type %.60s, so nothing can be compared; its "
				  "types are %.100s",
				  s->old_name, type, *old ? old : "without names");
	return tp_err_set(err, TP_EUNKNOWN, TP_OFFSET_NONE,
			  "the profiles have no sample type in common: %.50s has %.70s, and "
			  "%.50s has %.70s; give two profiles of one kind",
			  s->old_name, *old ? old : "types without names", s->new_name,
			  *new ? new : "types without names");
}

static void write_value(struct tp_buf *h, const struct rep_flame_measure *m, int64_t v)
{
	struct rep_value value = page_scaled(m, v);

	html_value(h, page_kind(m), &value);
}

/* Writes "+3.4MiB", coloured by its sign if the change is beyond noise. */
static void write_delta(struct tp_buf *h, const struct rep_flame_measure *m,
			const struct rep_diff_row *row)
{
	int64_t delta = rep_diff_delta(row->flat);
	bool noise = row->verdict == REP_VERDICT_SAME;

	tp_buf_printf(h, "<b%s>%s",
		      noise || !delta ? ""
		      : delta > 0     ? " class=\"up\""
				      : " class=\"down\"",
		      delta > 0 ? "+" : "");
	write_value(h, m, delta);
	tp_buf_text(h, "</b>");
}

static int write_sentences(struct page *p, struct tp_buf *h, size_t type, struct tp_err *err)
{
	const struct tp_profile *first = p->sides->new[0];
	struct rep_flame_measure m = page_measure(first, type);
	struct changed c = {0};
	const struct rep_diff *d;
	struct rep_diff_pair t;
	int code = make_of_type(p, type, &c, err);
	size_t shown = 0;

	if (code) {
		release(&c);
		return code;
	}
	d = c.diff;
	t = c.total.flat;
	tp_buf_text(h, "<li><p><b>");
	html_str(h, d->type);
	tp_buf_text(h, "</b>: ");
	write_value(h, &m, t.old);
	tp_buf_text(h, " → ");
	write_value(h, &m, t.new);
	tp_buf_text(h, ", ");
	write_delta(h, &m, &c.total);
	if (isfinite(rep_diff_percent(t)))
		tp_buf_printf(h, " (%+.1f%%)", rep_diff_percent(t));
	if (d->sets)
		tp_buf_printf(h, "; medians of %zu and %zu runs: %s", d->nold, d->nnew,
			      rep_diff_verdict(d, c.total.verdict));
	else if (d->noise && t.old != t.new &&c.total.verdict == REP_VERDICT_SAME)
		tp_buf_printf(h, ": %s", d->events ? REP_NOISE_EVENTS : REP_NOISE_SAMPLES);
	if (c.load != 1)
		tp_buf_printf(
		    h,
		    "; the load differs: %.3g times the total, and most functions changed "
		    "with it, so new values are scaled to the old total below",
		    c.load);
	tp_buf_text(h, "</p>");
	for (size_t i = 0; i < d->n && shown < 3; i++) {
		int64_t delta = rep_diff_delta(d->row[i].flat);

		if (!delta || (d->noise && d->row[i].verdict == REP_VERDICT_SAME))
			continue;
		tp_buf_text(h, "<p>");
		write_delta(h, &m, &d->row[i]);
		tp_buf_text(h, " in ");
		write_name(h, d, &d->row[i]);
		tp_buf_text(h, "</p>");
		shown++;
	}
	tp_buf_text(h, "</li>\n");
	release(&c);
	return 0;
}

int page_changed_types(struct page *p, struct tp_buf *h, struct tp_err *err)
{
	size_t index[PAGE_TYPES], n = page_common_types(p, index);
	int code = 0;

	tp_buf_text(h, "<ul class=\"findings\">\n");
	for (size_t i = 0; i < n && !code; i++)
		code = write_sentences(p, h, index[i], err);
	tp_buf_text(h, "</ul>\n");
	return code;
}

static int write_functions(struct page *p, struct tp_buf *h, size_t type, struct tp_err *err)
{
	const struct tp_profile *first = p->sides->new[0];
	struct rep_cells cells = {0};
	struct changed c = {0};
	int code = make_of_type(p, type, &c, err);

	if (!code)
		code = make_tables(c.diff, (size_t)p->rows, &cells, err);
	if (!code) {
		page_type_heading(h, first, type);
		page_table_write(h, &cells, &cells.sheet[0], "functions by how much they changed");
		page_type_command(p, h, c.load != 1 ? "tprof-diff --normalize" : "tprof-diff",
				  first, type);
	}
	rep_cells_release(&cells);
	release(&c);
	return code;
}

int page_changed_functions(struct page *p, struct tp_buf *h, struct tp_err *err)
{
	size_t index[PAGE_TYPES], n = page_common_types(p, index);
	int code = 0;

	for (size_t i = 0; i < n && !code; i++)
		code = write_functions(p, h, index[i], err);
	return code;
}

/* ---- traces ---- */

static int measure(const struct rep_page_run *runs, size_t n, struct rep_diff_side *side,
		   struct tp_err *err)
{
	const struct rep_metrics_options opt = REP_METRICS_OPTIONS_INIT;
	int code = 0;

	side->run = calloc(n + 1, sizeof(*side->run));
	if (!side->run)
		return tp_nomem(err);
	for (; side->n < n && !code; side->n += !code)
		code = rep_metrics_new(&side->run[side->n].metrics, runs[side->n].store,
				       runs[side->n].run, &opt, err);
	return code;
}

static int make_of_traces(struct page *p, struct changed *c, struct tp_err *err)
{
	const struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	int code = measure(p->runs->old, p->runs->nold, &c->old, err);

	if (!code)
		code = measure(p->runs->new, p->runs->nnew, &c->new, err);
	return code ? code : rep_diff_new(&c->diff, &c->old, &c->new, &opt, err);
}

static void write_amount(struct tp_buf *h, const struct rep_diff *d, const struct rep_diff_row *row,
			 double value)
{
	char text[REP_DIFF_VALUE];

	html_str(h, isnan(value) ? "nothing" : rep_diff_value(d, row, value, text));
}

/* Computes the interval of the change as shares of the old value. Returns false if it is unknown.
 */
static bool interval_of(const struct rep_diff_row *row, double *low, double *high)
{
	if (!row->of_delta.known || !(row->old > 0))
		return false;
	*low = row->of_delta.low / row->old;
	*high = row->of_delta.high / row->old;
	return isfinite(*low) && isfinite(*high);
}

static void write_sentence(struct tp_buf *h, const struct rep_diff *d,
			   const struct rep_diff_row *row)
{
	double change = row->change, low, high;

	tp_buf_text(h, "<li><p><b>");
	write_name(h, d, row);
	tp_buf_text(h, "</b>: ");
	write_amount(h, d, row, row->old);
	tp_buf_text(h, " → ");
	write_amount(h, d, row, row->new);
	if (isfinite(change))
		tp_buf_printf(h, ", <b>%+.1f%%</b>", change * 100);
	if (interval_of(row, &low, &high))
		tp_buf_printf(h, " <span class=\"soft\">(%+.1f%% to %+.1f%%)</span>", low * 100,
			      high * 100);
	tp_buf_text(h, "</p></li>\n");
}

static void write_metrics(struct page *p, struct tp_buf *h, const struct rep_diff *d)
{
	char advice[REP_DIFF_ADVICE_SIZE];
	size_t n = 0;

	/* Changed rows come first, the largest change in front. */
	while (n < d->n && (d->row[n].verdict == REP_VERDICT_CHANGED ||
			    d->row[n].verdict == REP_VERDICT_DIFFERS))
		n++;
	if (n) {
		tp_buf_text(h, "<ul class=\"findings\">\n");
		for (size_t i = 0; i < n && i < SENTENCES; i++)
			write_sentence(h, d, &d->row[i]);
		tp_buf_text(h, "</ul>\n");
	}
	tp_buf_text(h, "<p class=\"note\">");
	html_counted(h, (int64_t)n, "metric");
	tp_buf_printf(h, " of %zu %s. ", d->n,
		      d->sets  ? "changed or differ in all runs"
		      : n == 1 ? "differs by more than the variation within each run"
			       : "differ by more than the variation within each run");
	html_str(h, rep_diff_advice(d, advice));
	tp_buf_text(h,
		    " Counts and totals are per second, because the lengths of runs differ.</p>\n");
	page_more(p, h, "tprof-diff", "");
}

static void write_section(struct page *p, struct tp_buf *h, const struct rep_cells *cells,
			  const struct rep_sheet *t)
{
	int section = rep_trace_section_find(t->name);
	const char *doc = section < 0 ? "" : rep_trace_sections[section].doc;
	char text[80];

	tp_buf_printf(h, "<h3>%s <small>%s</small></h3>\n", t->name, doc);
	page_table_write(h, cells, t, doc);
	snprintf(text, sizeof(text), "--by=%s --rows=0", t->name);
	page_more(p, h, "tprof-diff", text);
}

int page_changed_metrics(struct page *p, struct tp_buf *h, struct tp_err *err)
{
	struct rep_cells cells = {0};
	struct changed c = {0};
	int code = make_of_traces(p, &c, err);

	if (!code)
		code = make_tables(c.diff, p->opt->markdown ? (size_t)p->rows : SECTION_ROWS,
				   &cells, err);
	if (!code && c.diff)
		write_metrics(p, h, c.diff);
	for (size_t i = 0; i < cells.n && !code; i++)
		write_section(p, h, &cells, &cells.sheet[i]);
	rep_cells_release(&cells);
	release(&c);
	return code;
}

/* Writes the charts of each run by itself: curves of both in one chart would hide each other. */
int page_changed_charts(struct page *p, struct tp_buf *h, struct tp_err *err)
{
	int code;

	tp_buf_text(h, "<h3>Old</h3>\n");
	code = page_charts(p->old, h, err);
	tp_buf_text(h, "<h3>New</h3>\n");
	return code ? code : page_charts(p, h, err);
}
