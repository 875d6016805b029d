/* Histograms of durations: of the spans of goroutines by group, state and reason, from what the
 * store keeps of them; and of tasks and regions by type, one by one. Bars are half an octave wide:
 * durations of programs spread over many powers of ten. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hist.h"
#include "base/many.h"
#include "base/sum.h"
#include "dist.h"
#include "keys.h"
#include "page/inside.h"
#include "sums/part.h"

#define MOST   12  /* histograms of spans; and of tasks, and of regions */
#define BARS   130 /* half octaves of 63 bits, and zero */
#define WIDTH  350
#define HEIGHT 116
#define TOP    6
#define BOTTOM (HEIGHT - 20)

struct histogram {
	struct tp_text name;
	char detail[200]; /* ours, and escaped text: see put_detail */
	int64_t count, total_ns, max_ns;
	int64_t p50, p90, p99;
	bool known; /* there are percentiles */
	double bar[BARS];
};

/* 0 for 0 and 1, then two for every power of two. */
static size_t bar_of(double ns)
{
	double at = ns < 1 ? 0 : floor(2 * log2(ns)) + 1;

	return at < BARS ? (size_t)at : BARS - 1;
}

static void write_bars(struct html *h, const struct histogram *g, size_t first, size_t last)
{
	double most = 0, width = (double)WIDTH / (double)(last - first + 1);

	for (size_t i = first; i <= last; i++)
		most = fmax(most, g->bar[i]);
	html_put(h, "<path class=\"bar\" d=\"");
	for (size_t i = first; i <= last; i++) {
		double height = (BOTTOM - TOP) * g->bar[i] / most;

		if (!(g->bar[i] > 0))
			continue;
		height = fmax(height, 1.5); /* seldom is not never */
		html_put(h, "M");
		html_px(h, (double)(i - first) * width + 0.5);
		html_f(h, " %dv", BOTTOM);
		html_px(h, -height);
		html_put(h, "h");
		html_px(h, width - 1);
		html_put(h, "v");
		html_px(h, height);
		html_put(h, "z");
	}
	html_put(h, "\"/>\n");
}

/* Marks at powers of ten (or of a hundred, a thousand, where they are many). */
static void write_marks(struct page *p, struct html *h, size_t first, size_t last)
{
	double width = (double)WIDTH / (double)(last - first + 1), from = 1;
	double end = -100;
	double decades = ((double)last - (double)first) * 0.5 * log10(2);
	double step = decades > 9 ? 1000 : decades > 4 ? 100 : 10;

	for (int i = 0; i < 20; i++, from *= 10) {
		double x = (2 * log2(from) + 1 - (double)first) * width;
		bool marked = fabs(remainder(log10(from), log10(step))) < 0.01;
		double half;
		struct rep_value v = rep_float(from);

		if (x < -0.1 || x > WIDTH + 0.1 || !marked)
			continue;
		half = x < 18 ? 0 : x > WIDTH - 18 ? 36 : 18;
		if (x - half < end + 4)
			continue;
		end = x - half + 36;
		html_put(h, "<path class=\"tick\" d=\"M");
		html_px(h, x);
		html_f(h, " %dv4\"/><text x=\"", BOTTOM);
		html_px(h, x);
		html_f(h, "\" y=\"%d\" text-anchor=\"%s\">", BOTTOM + 15,
		       half < 1	   ? "start"
		       : half > 20 ? "end"
				   : "middle");
		html_value(h, p->run->row.ticks ? REP_COUNT : REP_NS, &v);
		html_put(h, "</text>\n");
	}
}

static void write_histogram(struct page *p, struct html *h, const struct histogram *g,
			    const char *noun)
{
	size_t first = 0, last = BARS - 1;

	while (first < BARS - 1 && !(g->bar[first] > 0))
		first++;
	while (last > first && !(g->bar[last] > 0))
		last--;
	first = first > 1 ? first - 1 : first;
	last = last < BARS - 2 ? last + 1 : last;
	html_put(h, "<figure class=\"card\"><figcaption><b>");
	if (g->name.size)
		html_text(h, g->name.text, g->name.size);
	else
		html_put(h, "(unknown)");
	html_put(h, "</b><br>");
	html_str(h, g->detail);
	html_put(h, *g->detail ? ", " : "");
	html_counted(h, g->count, noun);
	html_put(h, ", ");
	page_time_value(p, h, g->total_ns);
	html_f(h,
	       " in all</figcaption>\n<svg class=\"hist\" viewBox=\"0 0 %d %d\" width=\"%d\" "
	       "height=\"%d\" role=\"img\" aria-label=\"histogram of durations\">\n",
	       WIDTH, HEIGHT, WIDTH, HEIGHT);
	write_bars(h, g, first, last);
	html_f(h, "<path class=\"axis\" d=\"M0 %d.5h%d\"/>\n", BOTTOM, WIDTH);
	write_marks(p, h, first, last);
	html_put(h, "</svg><p class=\"note\">");
	if (g->known) {
		html_put(h, "p50 ");
		page_time_value(p, h, g->p50);
		html_put(h, ", p90 ");
		page_time_value(p, h, g->p90);
		html_put(h, ", p99 ");
		page_time_value(p, h, g->p99);
		html_put(h, ", ");
	}
	html_put(h, "longest ");
	page_time_value(p, h, g->max_ns);
	html_put(h, "</p></figure>\n");
}

/* ---- spans ---- */

struct gathered {
	struct rep_keys keys; /* entry, state class, reason */
	struct rep_key_sum {
		int64_t count, total_ns, max_ns;
	} * sum;
	size_t room;
	uint32_t *of_site; /* histogram of a site + 1, 0 for none; by row of `site` */
	size_t nsites;
	/* Second walk: which are shown. */
	uint32_t *shown; /* + 1, by key */
	struct histogram *histogram;
	struct tp_hist *hist;
	size_t n;
};

static int key_of(struct gathered *g, const struct rep_part *part, uint32_t *index)
{
	enum rep_time_class c = rep_time_class_of(part->state);

	if (c == REP_TIME_NCLASSES)
		return 1;
	return rep_keys_add(&g->keys, part->entry, c, c == REP_TIME_BLOCKED ? part->reason : 0, 0,
			    index);
}

static int on_part(void *ctx, const struct rep_part *part, struct tp_err *err)
{
	struct gathered *g = ctx;
	uint32_t index;
	int code = key_of(g, part, &index);

	if (code > 0)
		return 0;
	if (!code)
		code = tp_grow(&g->sum, &g->room, index, sizeof(*g->sum));
	if (code)
		return tp_nomem(err);
	tp_sum(&g->sum[index].count, part->count);
	tp_sum(&g->sum[index].total_ns, part->total_ns);
	if (part->max_ns > g->sum[index].max_ns)
		g->sum[index].max_ns = part->max_ns;
	return 0;
}

static void count_span(struct gathered *g, size_t i, int bucket, int64_t count)
{
	double middle = (double)tp_hist_mid(bucket);

	tp_hist_add(&g->hist[i], bucket, (uint64_t)count);
	g->histogram[i].bar[bar_of(middle)] += (double)count;
}

static int on_part_again(void *ctx, const struct rep_part *part, struct tp_err *err)
{
	struct gathered *g = ctx;
	uint32_t index;

	(void)err;
	if (key_of(g, part, &index) || index >= g->keys.n || !g->shown[index])
		return 0;
	if (part->site == TP_NONE) {
		if (part->count == 1 && part->total_ns >= 0)
			count_span(g, g->shown[index] - 1, tp_hist_bucket((uint64_t)part->total_ns),
				   1);
	} else if (part->site < g->nsites) {
		g->of_site[part->site] = g->shown[index];
	}
	return 0;
}

/* The keys with most time but those of one span, the most first. */
static size_t pick(const struct gathered *g, uint32_t best[MOST])
{
	size_t n = 0;

	for (uint32_t i = 0; i < g->keys.n; i++) {
		size_t at = n;

		if (g->sum[i].count < 2)
			continue;
		while (at && g->sum[best[at - 1]].total_ns < g->sum[i].total_ns)
			at--;
		if (at == MOST)
			continue;
		if (n < MOST)
			n++;
		memmove(&best[at + 1], &best[at], (n - at - 1) * sizeof(best[0]));
		best[at] = i;
	}
	return n;
}

/* The name of a reason is a text of the dump: escaped here, as the rest of the detail is ours. */
static void put_detail(struct page *p, struct histogram *h, const struct rep_key *key)
{
	struct tp_text reason = tp_dict_text(p->view.dict, key->part[2]);

	if (key->part[1] == REP_TIME_BLOCKED && reason.size)
		snprintf(h->detail, sizeof(h->detail), "blocked: %.*s",
			 reason.size > 120 ? 120 : (int)reason.size, reason.text);
	else
		snprintf(h->detail, sizeof(h->detail), "%s", rep_time_class_names[key->part[1]]);
}

static int fill(struct page *p, struct gathered *g, struct tp_err *err)
{
	struct rep_view *v = &p->view;
	uint32_t best[MOST];
	int code;

	g->n = pick(g, best);
	g->shown = calloc(g->keys.n + 1, sizeof(*g->shown));
	g->histogram = calloc(g->n + 1, sizeof(*g->histogram));
	g->hist = calloc(g->n + 1, sizeof(*g->hist));
	g->nsites = v->nrows[TP_TABLE_SITE];
	g->of_site = calloc(g->nsites + 1, sizeof(*g->of_site));
	if (!g->shown || !g->histogram || !g->hist || !g->of_site)
		return tp_nomem(err);
	for (size_t i = 0; i < g->n; i++) {
		const struct rep_key *key = &g->keys.key[best[i]];
		const struct rep_key_sum *sum = &g->sum[best[i]];
		struct histogram *h = &g->histogram[i];

		g->shown[best[i]] = (uint32_t)i + 1;
		h->name = tp_dict_text(v->dict, key->part[0]);
		h->count = sum->count;
		h->total_ns = sum->total_ns;
		h->max_ns = sum->max_ns;
		put_detail(p, h, key);
	}
	code = rep_parts_each(v, REP_PARTS_DURATIONS, on_part_again, g, err);
	if (!code)
		code = rep_view_load(v, TP_TABLE_SITE_HIST,
				     REP_BIT(SITE_HIST, site) | REP_BIT(SITE_HIST, bucket) |
					 REP_BIT(SITE_HIST, count),
				     err);
	for (size_t i = 0; !code && i < v->nrows[TP_TABLE_SITE_HIST]; i++) {
		uint64_t site = (uint64_t)REP_COL(v, SITE_HIST, site)[i];
		int64_t bucket = REP_COL(v, SITE_HIST, bucket)[i];
		int64_t count = REP_COL(v, SITE_HIST, count)[i];

		if (site < g->nsites && g->of_site[site] && bucket >= 0 &&
		    bucket < TP_HIST_BUCKETS && count > 0)
			count_span(g, g->of_site[site] - 1, (int)bucket, count);
	}
	for (size_t i = 0; i < g->n; i++) {
		struct histogram *h = &g->histogram[i];

		h->known = g->hist[i].n > 0;
		h->p50 = (int64_t)tp_hist_quantile(&g->hist[i], 0.5);
		h->p90 = (int64_t)tp_hist_quantile(&g->hist[i], 0.9);
		h->p99 = (int64_t)tp_hist_quantile(&g->hist[i], 0.99);
	}
	return code;
}

int page_histograms(struct page *p, struct html *h, struct tp_err *err)
{
	struct gathered g = {0};
	int code = rep_parts_each(&p->view, REP_PARTS_DURATIONS, on_part, &g, err);

	if (!code)
		code = fill(p, &g, err);
	if (!code && g.n) {
		html_put(h,
			 "<p class=\"note\">How long goroutines stayed in a state, each time: the "
			 "groups, states and reasons that take most time. Wider to the right is "
			 "slower, a power of ten from mark to mark unless it says otherwise; "
			 "percentiles within 1 %.</p>\n<div class=\"cards\">\n");
		for (size_t i = 0; i < g.n; i++)
			write_histogram(p, h, &g.histogram[i], "time");
		html_put(h, "</div>\n<p class=\"more\">");
		page_command(p, h, "tprof-top", "groups");
		html_put(h, "</p>\n");
	}
	rep_keys_release(&g.keys);
	free(g.sum);
	free(g.of_site);
	free(g.shown);
	free(g.histogram);
	free(g.hist);
	return code;
}

/* ---- tasks and regions ---- */

struct interval_set {
	struct rep_keys keys; /* names */
	int64_t *count;
	size_t room;
};

struct intervals {
	enum tp_table_id table;
	unsigned name, start, end;
	const char *noun, *command;
};

static const struct intervals interval_tables[] = {
    {TP_TABLE_TASK, TP_COL(TASK, name), TP_COL(TASK, start_ns), TP_COL(TASK, end_ns), "task",
     "tasks"},
    {TP_TABLE_REGION, TP_COL(REGION, name), TP_COL(REGION, start_ns), TP_COL(REGION, end_ns),
     "region", "regions"},
};

static int64_t duration_of(const struct rep_view *v, const struct intervals *t, size_t row)
{
	int64_t start = v->col[t->table][t->start][row], end = v->col[t->table][t->end][row];
	int64_t ns;

	if (start == TP_NULL || end == TP_NULL || __builtin_sub_overflow(end, start, &ns) || ns < 0)
		return -1;
	return ns;
}

static int write_one(struct page *p, struct html *h, const struct intervals *t, uint32_t name,
		     struct tp_err *err)
{
	const struct rep_view *v = &p->view;
	struct histogram *g = calloc(1, sizeof(*g));
	int64_t *ns = tp_many(v->nrows[t->table] + 1, sizeof(*ns));
	struct rep_percentiles percentiles;
	size_t n = 0;

	for (size_t i = 0; g && ns && i < v->nrows[t->table]; i++) {
		int64_t d = duration_of(v, t, i);

		if ((uint32_t)v->col[t->table][t->name][i] != name || d < 0)
			continue;
		ns[n++] = d;
		tp_sum(&g->total_ns, d);
		g->max_ns = d > g->max_ns ? d : g->max_ns;
		g->bar[bar_of((double)d)]++;
	}
	if (g && ns && n) {
		g->name = tp_dict_text(v->dict, name);
		if (!g->name.size && t->table == TP_TABLE_REGION)
			g->name = (struct tp_text){"(inherited from the creator)", 28};
		g->count = (int64_t)n;
		rep_percentiles_of(ns, n, &percentiles);
		g->known = percentiles.known;
		g->p50 = percentiles.ns[REP_P50];
		g->p90 = percentiles.ns[REP_P90];
		g->p99 = percentiles.ns[REP_P99];
		write_histogram(p, h, g, t->noun);
	}
	n = g && ns;
	free(g);
	free(ns);
	return n ? 0 : tp_nomem(err);
}

static int write_intervals(struct page *p, struct html *h, const struct intervals *t,
			   struct tp_err *err)
{
	struct rep_view *v = &p->view;
	struct interval_set set = {0};
	uint32_t best[MOST], index;
	size_t n = 0;
	int code = rep_view_load(v, t->table, 1u << t->name | 1u << t->start | 1u << t->end, err);

	for (size_t i = 0; !code && i < v->nrows[t->table]; i++) {
		if (duration_of(v, t, i) < 0)
			continue;
		code = rep_keys_add(&set.keys, (uint32_t)v->col[t->table][t->name][i], 0, 0, 0,
				    &index);
		if (!code)
			code = tp_grow(&set.count, &set.room, index, sizeof(*set.count));
		if (code)
			code = tp_nomem(err);
		else
			set.count[index]++;
	}
	for (uint32_t i = 0; !code && i < set.keys.n; i++) {
		size_t at = n;

		while (at && set.count[best[at - 1]] < set.count[i])
			at--;
		if (at == MOST)
			continue;
		n += n < MOST;
		memmove(&best[at + 1], &best[at], (n - at - 1) * sizeof(best[0]));
		best[at] = i;
	}
	if (!code && n) {
		html_put(h, "<div class=\"cards\">\n");
		for (size_t i = 0; i < n && !code; i++)
			code = write_one(p, h, t, set.keys.key[best[i]].part[0], err);
		html_put(h, "</div>\n<p class=\"more\">");
		if (set.keys.n > n)
			html_f(h, "… and %zu more: ", set.keys.n - n);
		page_command(p, h, "tprof-top", t->command);
		html_put(h, "</p>\n");
	}
	rep_keys_release(&set.keys);
	free(set.count);
	return code;
}

int page_latencies(struct page *p, struct html *h, struct tp_err *err)
{
	int code = 0;

	for (size_t i = 0; i < sizeof(interval_tables) / sizeof(interval_tables[0]) && !code; i++)
		code = write_intervals(p, h, &interval_tables[i], err);
	return code;
}
