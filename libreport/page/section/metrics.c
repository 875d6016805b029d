/* A trace against a trace: what was measured in both, charts of both. Runs
 * of different length are compared by what happens in a second. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/show.h"
#include "page/inside.h"

#define SECTION_ROWS 60 /* of a table */
#define SENTENCES    10

struct compared {
	struct rep_diff_side old, new;
	struct rep_diff *diff;
};

static void release(struct compared *c)
{
	rep_diff_free(c->diff);
	rep_diff_side_release(&c->old);
	rep_diff_side_release(&c->new);
}

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

static int make(struct page *p, struct compared *c, struct tp_err *err)
{
	const struct rep_diff_options opt = REP_DIFF_OPTIONS_INIT;
	int code = measure(p->runs->old, p->runs->nold, &c->old, err);

	if (!code)
		code = measure(p->runs->new, p->runs->nnew, &c->new, err);
	return code ? code : rep_diff_new(&c->diff, &c->old, &c->new, &opt, err);
}

/* ---- sentences ---- */

static void write_name(struct html *h, const struct rep_diff *d, const struct rep_diff_row *row)
{
	struct tp_buf name = {0};
	size_t names;

	if (rep_diff_name(d, row, &name, &names))
		h->code = TP_ENOMEM;
	html_text(h, name.data ? (char *)name.data : "", name.size);
	tp_buf_release(&name);
}

static void write_amount(struct html *h, const struct rep_diff *d, const struct rep_diff_row *row,
			 double value)
{
	char text[REP_DIFF_VALUE];

	html_str(h, isnan(value) ? "nothing" : rep_diff_value(d, row, value, text));
}

/* The interval of the change as shares of the old value; false where there is none. */
static bool interval_of(const struct rep_diff_row *row, double *low, double *high)
{
	if (!row->of_delta.known || !(row->old > 0))
		return false;
	*low = row->of_delta.low / row->old;
	*high = row->of_delta.high / row->old;
	return isfinite(*low) && isfinite(*high);
}

static void write_sentence(struct html *h, const struct rep_diff *d, const struct rep_diff_row *row)
{
	double change = row->change, low, high;

	html_put(h, "<li><p><b>");
	write_name(h, d, row);
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
	const struct rep_diff *d = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (d->row[x].rank != d->row[y].rank)
		return d->row[x].rank > d->row[y].rank ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int write_sentences(struct page *p, struct html *h, const struct rep_diff *d,
			   struct tp_err *err)
{
	uint32_t *order = calloc(d->n + 1, sizeof(*order));
	char advice[REP_DIFF_ADVICE_SIZE];
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
	html_str(h, rep_diff_advice(d, advice));
	html_put(h, " Counts and totals are told by the second, as runs differ in length.</p>\n<p "
		    "class=\"more\">");
	page_command(p, h, "tprof-diff", "");
	html_put(h, "</p>\n");
	free(order);
	return 0;
}

/* ---- tables ---- */

static int put_row(const struct rep_diff *d, const struct rep_diff_row *row, struct rep_output *out,
		   struct tp_err *err)
{
	char old[REP_DIFF_VALUE], new[REP_DIFF_VALUE], interval[64] = "";
	double change = row->change, low, high;
	struct tp_buf name = {0};
	struct rep_value v[6] = {
	    [1] = isnan(row->old) ? rep_null() : rep_str(rep_diff_value(d, row, row->old, old)),
	    [2] = isnan(row->new) ? rep_null() : rep_str(rep_diff_value(d, row, row->new, new)),
	    [3] = isfinite(change) ? rep_float(change) : rep_null(),
	    [5] = rep_str(rep_diff_verdict(d, row->verdict)),
	};
	size_t names;
	int code = rep_diff_name(d, row, &name, &names) ? tp_nomem(err) : 0;

	if (interval_of(row, &low, &high))
		snprintf(interval, sizeof(interval), "%+.1f%% to %+.1f%%", low * 100, high * 100);
	v[0] = rep_text(name.data ? (char *)name.data : "", name.size);
	v[4] = rep_str(interval);
	if (!code)
		code = rep_output_row(out, v, err);
	tp_buf_release(&name);
	return code;
}

static int write_section(struct page *p, struct html *h, const struct rep_diff *d, unsigned section,
			 struct tp_err *err)
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
	struct page_tables tables = {0};
	struct rep_output *out = NULL;
	size_t n = 0, shown = 0;
	int code = page_tables_output(&tables, &out, err);

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
		page_table_write(h, &tables.table[0], desc->doc);
		snprintf(text, sizeof(text), "--by=%s --rows=0", desc->name);
		html_put(h, "<p class=\"more\">");
		if (shown < n)
			html_f(h, "… and %zu more: ", n - shown);
		page_command(p, h, "tprof-diff", text);
		html_put(h, "</p>\n");
	}
	rep_output_free(out);
	page_tables_release(&tables);
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
