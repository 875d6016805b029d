/* Histograms of durations: of the spans of goroutines by group, state and reason, from the
 * histograms that the store keeps; and of tasks and regions by type, from single durations. Bars
 * are half an octave wide, because the durations in a program range over many powers of ten. */
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

#define MOST   12  /* limit on histograms of spans, of tasks, and of regions */
#define BARS   130 /* half octaves of 63 bits, and zero */
#define WIDTH  350
#define HEIGHT 116
#define TOP    6
#define BOTTOM (HEIGHT - 20)

struct histogram {
	const struct rep_key *key;
	struct tp_text name;
	char detail[200]; /* state and reason: bytes of the dump */
	int64_t count, total_ns, max_ns;
	double bar[BARS];
};

/* Returns the bar of a duration: bar 0 below 1 ns, then two bars for each power of two. */
static size_t bar_of(double ns)
{
	double at = ns < 1 ? 0 : floor(2 * log2(ns)) + 1;

	return at < BARS ? (size_t)at : BARS - 1;
}

static void write_bars(struct tp_buf *h, const struct histogram *g, size_t first, size_t last)
{
	double most = 0, width = (double)WIDTH / (double)(last - first + 1);

	for (size_t i = first; i <= last; i++)
		most = fmax(most, g->bar[i]);
	tp_buf_text(h, "<path class=\"bar\" d=\"");
	for (size_t i = first; i <= last; i++) {
		double height = (BOTTOM - TOP) * g->bar[i] / most;

		if (!(g->bar[i] > 0))
			continue;
		height = fmax(height, 1.5); /* keeps small counts visible */
		tp_buf_text(h, "M");
		html_px(h, (double)(i - first) * width + 0.5);
		tp_buf_printf(h, " %dv", BOTTOM);
		html_px(h, -height);
		tp_buf_text(h, "h");
		html_px(h, width - 1);
		tp_buf_text(h, "v");
		html_px(h, height);
		tp_buf_text(h, "z");
	}
	tp_buf_text(h, "\"/>\n");
}

/* Writes marks at powers of 10; of 100 or 1000 if there would be many. */
static void write_marks(struct page *p, struct tp_buf *h, size_t first, size_t last)
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
		tp_buf_text(h, "<path class=\"tick\" d=\"M");
		html_px(h, x);
		tp_buf_printf(h, " %dv4\"/><text x=\"", BOTTOM);
		html_px(h, x);
		tp_buf_printf(h, "\" y=\"%d\" text-anchor=\"%s\">", BOTTOM + 15,
			      half < 1	  ? "start"
			      : half > 20 ? "end"
					  : "middle");
		html_value(h, p->run->row.ticks ? REP_COUNT : REP_NS, &v);
		tp_buf_text(h, "</text>\n");
	}
}

static void write_histogram(struct page *p, struct tp_buf *h, const struct histogram *g,
			    const struct rep_percentiles *percentiles, const char *noun)
{
	static const char *const names[] = {
	    [REP_P50] = "p50 ", [REP_P90] = "p90 ", [REP_P99] = "p99 "};
	size_t first = 0, last = BARS - 1;

	while (first < BARS - 1 && !(g->bar[first] > 0))
		first++;
	while (last > first && !(g->bar[last] > 0))
		last--;
	first = first > 1 ? first - 1 : first;
	last = last < BARS - 2 ? last + 1 : last;
	tp_buf_text(h, "<figure class=\"card\"><figcaption><b>");
	if (g->name.size)
		html_text(h, g->name.text, g->name.size);
	else
		tp_buf_text(h, "(unknown)");
	tp_buf_text(h, "</b><br>");
	html_str(h, g->detail);
	tp_buf_text(h, *g->detail ? ", " : "");
	html_counted(h, g->count, noun);
	tp_buf_text(h, ", ");
	page_time_value(p, h, g->total_ns);
	tp_buf_printf(
	    h,
	    " in all</figcaption>\n<svg class=\"hist\" viewBox=\"0 0 %d %d\" width=\"%d\" "
	    "height=\"%d\" role=\"img\" aria-label=\"histogram of durations\">\n",
	    WIDTH, HEIGHT, WIDTH, HEIGHT);
	write_bars(h, g, first, last);
	tp_buf_printf(h, "<path class=\"axis\" d=\"M0 %d.5h%d\"/>\n", BOTTOM, WIDTH);
	write_marks(p, h, first, last);
	tp_buf_text(h, "</svg><p class=\"note\">");
	for (int i = 0; i < REP_NPERCENTILES && percentiles->known; i++) {
		tp_buf_text(h, names[i]);
		page_time_value(p, h, percentiles->ns[i]);
		tp_buf_text(h, ", ");
	}
	tp_buf_text(h, "longest ");
	page_time_value(p, h, g->max_ns);
	tp_buf_text(h, "</p></figure>\n");
}

/* ---- gathering: sums by key first, then the durations of the keys that are shown ---- */

struct gathered {
	struct rep_keys keys;
	struct rep_key_sum {
		int64_t count, total_ns, max_ns;
	} * sum; /* by key */
	size_t room;
	uint32_t *shown; /* by key: its histogram + 1; 0: not shown */
	struct histogram *histogram;
	size_t n;
	struct rep_dist dist; /* of the histograms */
};

static void release(struct gathered *g)
{
	rep_keys_release(&g->keys);
	free(g->sum);
	free(g->shown);
	free(g->histogram);
	rep_dist_release(&g->dist);
}

static int add_sum(struct gathered *g, uint32_t key, int64_t count, int64_t total_ns,
		   int64_t max_ns)
{
	if (tp_grow(&g->sum, &g->room, key, sizeof(*g->sum)))
		return TP_ENOMEM;
	tp_sum(&g->sum[key].count, count);
	tp_sum(&g->sum[key].total_ns, total_ns);
	if (max_ns > g->sum[key].max_ns)
		g->sum[key].max_ns = max_ns;
	return 0;
}

static int64_t rank_of(const struct rep_key_sum *sum, bool by_count)
{
	return by_count ? sum->count : sum->total_ns;
}

/* Picks the keys with most time (or the highest count) among those with at least `least` durations,
 * at most MOST. Makes their histograms, still without bars and percentiles. */
static int pick(struct gathered *g, const struct tp_dict *dict, int64_t least, bool by_count)
{
	uint32_t best[MOST];

	for (uint32_t i = 0; i < g->keys.n; i++) {
		size_t at = g->n;

		if (g->sum[i].count < least)
			continue;
		while (at &&
		       rank_of(&g->sum[best[at - 1]], by_count) < rank_of(&g->sum[i], by_count))
			at--;
		if (at == MOST)
			continue;
		g->n += g->n < MOST;
		memmove(&best[at + 1], &best[at], (g->n - at - 1) * sizeof(best[0]));
		best[at] = i;
	}
	g->shown = calloc(g->keys.n + 1, sizeof(*g->shown));
	g->histogram = calloc(g->n + 1, sizeof(*g->histogram));
	if (!g->shown || !g->histogram)
		return TP_ENOMEM;
	for (size_t i = 0; i < g->n; i++) {
		const struct rep_key_sum *sum = &g->sum[best[i]];

		g->shown[best[i]] = (uint32_t)i + 1;
		g->histogram[i] = (struct histogram){
		    .key = &g->keys.key[best[i]],
		    .name = tp_dict_text(dict, g->keys.key[best[i]].part[0]),
		    .count = sum->count,
		    .total_ns = sum->total_ns,
		    .max_ns = sum->max_ns,
		};
	}
	return 0;
}

static int put_duration(struct gathered *g, uint32_t i, int64_t ns)
{
	g->histogram[i].bar[bar_of((double)ns)]++;
	return rep_dist_put(&g->dist, i, ns);
}

static int put_bucket(struct gathered *g, uint32_t i, int bucket, int64_t count)
{
	g->histogram[i].bar[bar_of((double)tp_hist_mid(bucket))] += (double)count;
	return rep_dist_put_bucket(&g->dist, i, bucket, count);
}

/* Computes the percentiles and writes all histograms. */
static int write_all(struct page *p, struct tp_buf *h, struct gathered *g, const char *noun,
		     struct tp_err *err)
{
	struct rep_percentiles percentiles[MOST];
	int code = rep_dist_solve(&g->dist, percentiles, g->n);

	if (code)
		return tp_nomem(err);
	tp_buf_text(h, "<div class=\"cards\">\n");
	for (size_t i = 0; i < g->n; i++)
		write_histogram(p, h, &g->histogram[i], &percentiles[i], noun);
	tp_buf_text(h, "</div>\n<p class=\"more\">");
	return 0;
}

/* ---- spans: by entry function, state, and reason ---- */

struct spans {
	struct gathered g;
	uint32_t *of_site; /* by row of `site`: its histogram + 1; 0: not shown */
	size_t nsites;
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
	struct spans *s = ctx;
	uint32_t index;
	int code = key_of(&s->g, part, &index);

	if (code > 0)
		return 0;
	if (!code)
		code = add_sum(&s->g, index, part->count, part->total_ns, part->max_ns);
	return code ? tp_nomem(err) : 0;
}

static int on_part_again(void *ctx, const struct rep_part *part, struct tp_err *err)
{
	struct spans *s = ctx;
	uint32_t index;
	int code = 0;

	if (key_of(&s->g, part, &index) || index >= s->g.keys.n || !s->g.shown[index])
		return 0;
	if (part->site < s->nsites)
		s->of_site[part->site] = s->g.shown[index];
	else if (part->site == TP_NONE && part->count == 1 && part->total_ns >= 0)
		code = put_duration(&s->g, s->g.shown[index] - 1, part->total_ns);
	return code ? tp_nomem(err) : 0;
}

static void put_detail(const struct rep_view *v, struct histogram *h)
{
	struct tp_text reason = tp_dict_text(v->dict, h->key->part[2]);

	if (h->key->part[1] == REP_TIME_BLOCKED && reason.size)
		snprintf(h->detail, sizeof(h->detail), "blocked: %.*s",
			 reason.size > 120 ? 120 : (int)reason.size, reason.text);
	else
		snprintf(h->detail, sizeof(h->detail), "%s", rep_time_class_names[h->key->part[1]]);
}

static int put_site_hist(void *ctx, struct rep_view *v, size_t first, struct tp_err *err)
{
	struct spans *s = ctx;
	int code = 0;

	(void)first;
	for (size_t i = 0; !code && i < v->nrows[TP_TABLE_SITE_HIST]; i++) {
		uint64_t site = (uint64_t)REP_COL(v, SITE_HIST, site)[i];
		int64_t bucket = REP_COL(v, SITE_HIST, bucket)[i];
		int64_t count = REP_COL(v, SITE_HIST, count)[i];

		if (site < s->nsites && s->of_site[site] && bucket >= 0 &&
		    bucket < TP_HIST_BUCKETS && count > 0 &&
		    put_bucket(&s->g, s->of_site[site] - 1, (int)bucket, count))
			code = tp_nomem(err);
	}
	return code;
}

static int gather_spans(struct spans *s, struct rep_view *v, struct tp_err *err)
{
	int code = rep_parts_each(v, REP_PARTS_DURATIONS, on_part, s, err);

	if (code)
		return code;
	/* A single span is not a distribution. */
	code = pick(&s->g, v->dict, 2, false);
	s->nsites = v->nrows[TP_TABLE_SITE];
	s->of_site = calloc(s->nsites + 1, sizeof(*s->of_site));
	if (code || !s->of_site)
		return tp_nomem(err);
	for (size_t i = 0; i < s->g.n; i++)
		put_detail(v, &s->g.histogram[i]);
	code = rep_parts_each(v, REP_PARTS_DURATIONS, on_part_again, s, err);
	return code ? code
		    : rep_view_visit(v, TP_TABLE_SITE_HIST,
				     REP_BIT(SITE_HIST, site) | REP_BIT(SITE_HIST, bucket) |
					 REP_BIT(SITE_HIST, count),
				     put_site_hist, s, err);
}

int page_histograms(struct page *p, struct tp_buf *h, struct tp_err *err)
{
	struct spans s = {0};
	int code = gather_spans(&s, &p->view, err);

	if (!code && s.g.n) {
		tp_buf_text(
		    h, "<p class=\"note\">How long goroutines stayed in a state each time, for the "
		       "groups, states and reasons that take most time. The time axis is "
		       "logarithmic: from one mark to the next durations grow tenfold, unless the "
		       "marks say otherwise. Percentiles are within 1 %.</p>\n");
		code = write_all(p, h, &s.g, "time", err);
		page_command(p, h, "tprof-top", "groups");
		tp_buf_text(h, "</p>\n");
	}
	release(&s.g);
	free(s.of_site);
	return code;
}

/* ---- tasks and regions: by name ---- */

struct intervals {
	enum tp_table_id table;
	unsigned name, start, end;
	const char *noun, *command;
	const char *unnamed; /* how to call those without a name */
};

static const struct intervals interval_tables[] = {
    {TP_TABLE_TASK, TP_COL(TASK, name), TP_COL(TASK, start_ns), TP_COL(TASK, end_ns), "task",
     "tasks", ""},
    {TP_TABLE_REGION, TP_COL(REGION, name), TP_COL(REGION, start_ns), TP_COL(REGION, end_ns),
     "region", "regions", "(inherited from the creator)"},
};

static int64_t duration_of(const struct rep_view *v, const struct intervals *t, size_t row)
{
	int64_t start = v->col[t->table][t->start][row], end = v->col[t->table][t->end][row];
	int64_t ns;

	if (start == TP_NULL || end == TP_NULL || __builtin_sub_overflow(end, start, &ns) || ns < 0)
		return -1;
	return ns;
}

struct gathering {
	struct gathered *g;
	const struct intervals *t;
	bool again;
};

/* Adds up the complete intervals by name; again: takes the durations of the names that are shown. */
static int gather_rows(void *ctx, struct rep_view *v, size_t first, struct tp_err *err)
{
	const struct gathering *a = ctx;
	const struct intervals *t = a->t;
	struct gathered *g = a->g;
	int code = 0;

	(void)first;
	for (size_t i = 0; !code && i < v->nrows[t->table]; i++) {
		int64_t ns = duration_of(v, t, i);
		uint32_t key;

		if (ns < 0)
			continue;
		code =
		    rep_keys_add(&g->keys, (uint32_t)v->col[t->table][t->name][i], 0, 0, 0, &key);
		if (!code && !a->again)
			code = add_sum(g, key, 1, ns, ns);
		else if (!code && g->shown[key])
			code = put_duration(g, g->shown[key] - 1, ns);
	}
	return code ? tp_nomem(err) : 0;
}

static int gather_intervals(struct gathered *g, struct rep_view *v, const struct intervals *t,
			    struct tp_err *err)
{
	const uint32_t columns = 1u << t->name | 1u << t->start | 1u << t->end;
	struct gathering a = {g, t, false};
	int code = rep_view_visit(v, t->table, columns, gather_rows, &a, err);

	if (!code && pick(g, v->dict, 1, true))
		code = tp_nomem(err);
	a.again = true;
	if (!code)
		code = rep_view_visit(v, t->table, columns, gather_rows, &a, err);
	for (size_t i = 0; i < g->n; i++)
		if (!g->histogram[i].name.size)
			g->histogram[i].name =
			    (struct tp_text){t->unnamed, (uint32_t)strlen(t->unnamed)};
	return code;
}

static int write_intervals(struct page *p, struct tp_buf *h, const struct intervals *t,
			   struct tp_err *err)
{
	struct rep_view *v = &p->view;
	struct gathered g = {0};
	int code = gather_intervals(&g, v, t, err);

	if (!code && g.n) {
		code = write_all(p, h, &g, t->noun, err);
		if (g.keys.n > g.n)
			tp_buf_printf(h, "… and %zu more: ", g.keys.n - g.n);
		page_command(p, h, "tprof-top", t->command);
		tp_buf_text(h, "</p>\n");
	}
	release(&g);
	return code;
}

int page_latencies(struct page *p, struct tp_buf *h, struct tp_err *err)
{
	int code = 0;

	for (size_t i = 0; i < sizeof(interval_tables) / sizeof(interval_tables[0]) && !code; i++)
		code = write_intervals(p, h, &interval_tables[i], err);
	return code;
}
