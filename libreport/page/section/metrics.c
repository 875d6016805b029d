/* A trace against a trace: what was measured in both, charts of both, flame graphs of views. Runs
 * of different length are compared by what happens in a second. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/trace/compare.h"
#include "diff/trace/metrics.h"
#include "diff/trace/show.h"
#include "flame/flame.h"
#include "page/inside.h"
#include "profile/trace.h"

#define SECTION_ROWS 60 /* of a table */
#define SENTENCES    10
#define BUDGET	     ((size_t)320 << 10) /* of a graph's frames */

struct compared {
	struct rep_metrics **old, **new; /* of each run */
	size_t nold, nnew;
	struct rep_trace_diff *diff;
};

static void release(struct compared *c)
{
	rep_trace_diff_free(c->diff);
	for (size_t i = 0; c->old && i < c->nold; i++)
		rep_metrics_free(c->old[i]);
	for (size_t i = 0; c->new &&i < c->nnew; i++)
		rep_metrics_free(c->new[i]);
	free(c->old);
	free(c->new);
}

static int measure(const struct rep_page_run *runs, size_t n, struct rep_metrics ***out,
		   size_t *nout, struct tp_err *err)
{
	const struct rep_metrics_options opt = REP_METRICS_OPTIONS_INIT;
	int code = 0;

	*out = calloc(n + 1, sizeof(**out));
	if (!*out)
		return tp_nomem(err);
	for (; *nout < n && !code; ++*nout)
		code =
		    rep_metrics_new(&(*out)[*nout], runs[*nout].store, runs[*nout].run, &opt, err);
	return code;
}

static int make(struct page *p, struct compared *c, struct tp_err *err)
{
	const struct rep_trace_options opt = REP_TRACE_OPTIONS_INIT;
	int code = measure(p->runs->old, p->runs->nold, &c->old, &c->nold, err);

	if (!code)
		code = measure(p->runs->new, p->runs->nnew, &c->new, &c->nnew, err);
	if (!code) {
		const struct rep_trace_side old = {c->old, c->nold}, new = {c->new, c->nnew};

		code = rep_trace_diff_new(&c->diff, &old, &new, &opt, err);
	}
	return code;
}

/* ---- sentences ---- */

static void write_name(struct html *h, const struct rep_trace_row *row)
{
	struct tp_buf name = {0};

	if (rep_trace_metric_name(row, &name))
		h->code = TP_ENOMEM;
	html_text(h, name.data ? (char *)name.data : "", name.size);
	tp_buf_release(&name);
}

static void write_amount(struct html *h, const struct rep_trace_diff *d,
			 const struct rep_trace_row *row, double value)
{
	char text[REP_TRACE_VALUE];

	html_str(h, isnan(value) ? "nothing"
				 : rep_trace_value(text, row, value, &d->opt.per, d->ticks));
}

/* The interval of the change as shares of the old value; false where there is none. */
static bool interval_of(const struct rep_trace_row *row, double *low, double *high)
{
	if (!row->of_delta.known || !(row->old > 0))
		return false;
	*low = row->of_delta.low / row->old;
	*high = row->of_delta.high / row->old;
	return isfinite(*low) && isfinite(*high);
}

static void write_sentence(struct html *h, const struct rep_trace_diff *d,
			   const struct rep_trace_row *row)
{
	double change = rep_trace_change(row), low, high;

	html_put(h, "<li><p><b>");
	write_name(h, row);
	html_put(h, "</b>: ");
	write_amount(h, d, row, row->old);
	html_put(h, " → ");
	write_amount(h, d, row, row->new);
	if (isfinite(change))
		html_f(h, ", <b>%+.1f%%</b>", change * 100);
	if (interval_of(row, &low, &high))
		html_f(h, " <span class=\"soft\">(%+.1f%% to %+.1f%%)</span>", low * 100,
		       high * 100);
	html_put(h, "</p></li>\n");
}

static int by_rank(const void *a, const void *b, void *ctx)
{
	const struct rep_trace_diff *d = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (d->row[x].rank != d->row[y].rank)
		return d->row[x].rank > d->row[y].rank ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int write_sentences(struct page *p, struct html *h, const struct rep_trace_diff *d,
			   struct tp_err *err)
{
	uint32_t *order = calloc(d->n + 1, sizeof(*order));
	char advice[REP_TRACE_ADVICE];
	size_t n = 0;

	if (!order)
		return tp_nomem(err);
	for (uint32_t i = 0; i < d->n; i++) {
		if (d->row[i].verdict == REP_VERDICT_CHANGED)
			order[n++] = i;
	}
	qsort_r(order, n, sizeof(*order), by_rank, (void *)(uintptr_t)d);
	if (n) {
		html_put(h, "<ul class=\"findings\">\n");
		for (size_t i = 0; i < n && i < SENTENCES; i++)
			write_sentence(h, d, &d->row[order[i]]);
		html_put(h, "</ul>\n");
	}
	html_put(h, "<p class=\"note\">");
	html_counted(h, (int64_t)n, "metric");
	html_f(h, " of %zu %s. ", d->n,
	       d->sets	? "changed, by a rank test over the runs"
	       : n == 1 ? "differs by more than the unrest within the runs"
			: "differ by more than the unrest within the runs");
	html_str(h, rep_trace_advice(d, advice));
	html_put(h, " Counts and totals are told by the second, as runs differ in length.</p>\n<p "
		    "class=\"more\">");
	page_command(p, h, "tprof-diff", "");
	html_put(h, "</p>\n");
	free(order);
	return 0;
}

/* ---- tables ---- */

static int put_row(const struct rep_trace_diff *d, const struct rep_trace_row *row,
		   struct rep_output *out, struct tp_err *err)
{
	char old[REP_TRACE_VALUE], new[REP_TRACE_VALUE], interval[64] = "";
	double change = rep_trace_change(row), low, high;
	struct tp_buf name = {0};
	struct rep_value v[6] = {
	    [1] = isnan(row->old)
		      ? rep_null()
		      : rep_str(rep_trace_value(old, row, row->old, &d->opt.per, d->ticks)),
	    [2] = isnan(row->new)
		      ? rep_null()
		      : rep_str(rep_trace_value(new, row, row->new, &d->opt.per, d->ticks)),
	    [3] = isfinite(change) ? rep_float(change) : rep_null(),
	    [5] = rep_str(rep_trace_verdict(d, row->verdict)),
	};
	int code = rep_trace_metric_name(row, &name) ? tp_nomem(err) : 0;

	if (interval_of(row, &low, &high))
		snprintf(interval, sizeof(interval), "%+.1f%% to %+.1f%%", low * 100, high * 100);
	v[0] = rep_text(name.data ? (char *)name.data : "", name.size);
	v[4] = rep_str(interval);
	if (!code)
		code = rep_output_row(out, v, err);
	tp_buf_release(&name);
	return code;
}

static int write_section(struct page *p, struct html *h, const struct rep_trace_diff *d,
			 unsigned section, struct tp_err *err)
{
	static const struct rep_column columns[] = {
	    {.name = "metric", .title = "METRIC", .kind = REP_TEXT},
	    {.name = "old", .title = "OLD", .kind = REP_TEXT, .right = true},
	    {.name = "new", .title = "NEW", .kind = REP_TEXT, .right = true},
	    {.name = "change", .title = "CHANGE", .kind = REP_SHARE},
	    {.name = "interval", .title = "95 % INTERVAL", .kind = REP_TEXT, .right = true},
	    {.name = "verdict", .title = "VERDICT", .kind = REP_TEXT},
	};
	const struct rep_trace_section *desc = &rep_trace_sections[section];
	struct rep_cells cells = {0};
	struct rep_output *out = NULL;
	size_t n = 0, shown = 0;
	int code = rep_cells_output(&cells, &out, err);

	if (!code)
		code = rep_output_begin(out, desc->name, columns, 6, err);
	for (size_t i = 0; i < d->n && !code; i++) {
		if (d->row[i].section != section || n++ >= SECTION_ROWS)
			continue;
		code = put_row(d, &d->row[i], out, err);
		shown++;
	}
	if (!code)
		code = rep_output_end(out, err);
	if (!code && shown) {
		char text[80];

		html_f(h, "<h3>%s <small>%s</small></h3>\n", desc->name, desc->doc);
		page_table_write(h, &cells, &cells.sheet[0], desc->doc);
		snprintf(text, sizeof(text), "--by=%s --rows=0", desc->name);
		html_put(h, "<p class=\"more\">");
		if (shown < n)
			html_f(h, "… and %zu more: ", n - shown);
		page_command(p, h, "tprof-diff", text);
		html_put(h, "</p>\n");
	}
	rep_output_free(out);
	rep_cells_release(&cells);
	return code;
}

int page_changed_metrics(struct page *p, struct html *h, struct tp_err *err)
{
	struct compared c = {0};
	int code = make(p, &c, err);

	if (!code)
		code = write_sentences(p, h, c.diff, err);
	for (unsigned i = 0; i < REP_NTRACE_SECTIONS && !code; i++)
		code = write_section(p, h, c.diff, i, err);
	release(&c);
	return code;
}

/* ---- charts: each of both, one above the other would hide what differs ---- */

int page_changed_charts(struct page *p, struct html *h, struct tp_err *err)
{
	int code;

	html_put(h, "<h3>Old</h3>\n");
	code = page_charts(p->old, h, err);
	html_put(h, "<h3>New</h3>\n");
	return code ? code : page_charts(p, h, err);
}

/* ---- flame graphs ---- */

struct side {
	struct tp_profile *profile;
	struct rep_profile_view view;
};

static int load_side(struct page *p, enum rep_trace_view which, struct side *s, struct tp_err *err)
{
	struct rep_trace_profile_options opt = {.view = which};
	struct rep_profile_options plain = REP_PROFILE_OPTIONS_INIT;
	int code = rep_trace_profile(p->store, p->run, &opt, &s->profile, err);

	return code ? code
		    : rep_profile_view_init(&s->view, s->profile, &plain, &rep_flame_traits, err);
}

static int write_view(struct page *p, struct html *h, enum rep_trace_view which, struct tp_err *err)
{
	const struct rep_trace_view_desc *desc = &rep_trace_views[which];
	struct rep_flame_tree_options how = {.compared = true};
	struct side old = {0}, new = {0};
	struct rep_flame_part parts[2] = {
	    {.view = &new.view, .name = p->run->row.name, .trace = true},
	    {.view = &old.view,
	     .name = p->old->run->row.name,
	     .side = REP_FLAME_OLD,
	     .trace = true}};
	struct rep_flame_heading words = {0};
	struct rep_flame_tree tree = {0};
	char text[200];
	int code = load_side(p, which, &new, err);

	if (!code)
		code = load_side(p->old, which, &old, err);
	if (!code)
		code = rep_flame_tree_init(&tree, &how, err);
	if (!code)
		code = rep_flame_parts_add(&tree, parts, 2, false, err);
	if (!code)
		code = rep_flame_tree_sum(&tree, err);
	if (!code)
		code = rep_flame_heading(&words, &tree, parts, 2, "", err);
	if (!code && rep_flame_weight(&tree, 0)) {
		html_f(h, "<h3>%s <small>%s</small></h3>\n", desc->name, desc->doc);
		snprintf(text, sizeof(text), "Flame graph of the difference: %s", desc->name);
		code = page_flame_write(h, &tree, &words, BUDGET, text, err);
		html_put(h, "<p class=\"more\">");
		snprintf(text, sizeof(text), "tprof-flame -o %s.html --view=%s", desc->name,
			 desc->name);
		page_command(p, h, text, "");
		html_put(h, "</p>\n");
	}
	rep_flame_heading_release(&words);
	rep_flame_tree_release(&tree);
	rep_profile_view_release(&old.view);
	rep_profile_view_release(&new.view);
	tp_profile_free(old.profile);
	tp_profile_free(new.profile);
	return code;
}

int page_changed_views(struct page *p, struct html *h, struct tp_err *err)
{
	static const enum rep_trace_view views[] = {REP_TRACE_CPU, REP_TRACE_OFFCPU,
						    REP_TRACE_SCHED, REP_TRACE_SYSCALL};
	int code = 0;

	page_flame_script(h);
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]) && !code; i++)
		code = write_view(p, h, views[i], err);
	return code;
}
