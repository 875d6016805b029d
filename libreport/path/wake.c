#include "path/wake.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/hist.h"
#include "base/many.h"
#include "base/sum.h"
#include "path/ender.h"
#include "spans/crossing.h"
#include "spans/segment.h"
#include "stack.h"
#include "task/inside.h"

#define EXACT_MOST 500000 /* most latencies that are kept exactly; more go into histograms */

struct adding {
	struct rep_view *v;
	struct rep_wakes *out;
	struct rep_inside inside;
	bool everywhere, by_stack;
	struct rep_keys wakers, woken, pairs;
	uint32_t *site;	   /* by stack: its site's name + 1; not used with by_stack */
	uint32_t *waiting; /* by goroutine: its pair + 1 from the wake-up until it runs */
	struct rep_dist dist;
	struct rep_keys buckets; /* pair, bucket */
	int64_t *bucket_count;
	size_t bucket_room;
	bool folded;
};

static int fail(struct tp_err *err, int code)
{
	return tp_err_full(err, code, "the run has too many different stacks");
}

uint32_t rep_path_site(const struct tp_dict *dict, uint32_t stack)
{
	uint32_t frame = rep_stack_collector(dict, stack);

	return tp_dict_frame_name(dict, frame ? frame : rep_stack_site(dict, stack));
}

/* Returns the value by which stacks are told apart: the stack itself (by_stack), or its site. */
static uint32_t site_of(struct adding *a, uint32_t stack)
{
	if (stack >= tp_dict_stacks(a->v->dict))
		return 0;
	if (a->by_stack)
		return stack;
	if (!a->site[stack])
		a->site[stack] = rep_path_site(a->v->dict, stack) + 1;
	return a->site[stack] - 1;
}

static int find_pair(struct adding *a, const struct tp_span *span, struct rep_wake **out,
		     uint32_t *pair)
{
	enum rep_path_kind ender = rep_path_ender_in(a->v, span);
	bool outside = ender != REP_PATH_RUNNING;
	struct rep_wake wake = {
	    .waker_entry = outside ? TP_NONE : rep_view_entry(a->v, span->waker),
	    .waker_stack = outside ? 0 : span->waker_stack,
	    .outside = (uint8_t)ender,
	    .entry = rep_view_entry(a->v, span->goroutine),
	    .stack = span->stack,
	    .reason = span->reason,
	};
	uint32_t waker, woken;
	size_t known;
	int code = rep_keys_add(&a->wakers, wake.waker_entry, site_of(a, wake.waker_stack),
				wake.outside, 0, &waker);

	if (!code)
		code = rep_keys_add(&a->woken, wake.entry, site_of(a, wake.stack), wake.reason, 0,
				    &woken);
	known = a->pairs.n;
	if (!code)
		code = rep_keys_add(&a->pairs, waker, woken, 0, 0, pair);
	if (!code)
		code = tp_grow(&a->out->wake, &a->out->room, *pair, sizeof(wake));
	if (code)
		return code;
	if (*pair == known) {
		a->out->wake[*pair] = wake;
		a->out->n = a->pairs.n;
	}
	*out = &a->out->wake[*pair];
	return 0;
}

static int put_bucket(struct adding *a, uint32_t pair, uint32_t bucket, int64_t count)
{
	uint32_t at;
	int code = rep_keys_add(&a->buckets, pair, bucket, 0, 0, &at);

	if (!code)
		code = tp_grow(&a->bucket_count, &a->bucket_room, at, sizeof(*a->bucket_count));
	if (!code)
		tp_sum(&a->bucket_count[at], count);
	return code;
}

/* Replaces latencies by histograms, when there are too many to keep. */
static int fold(struct adding *a)
{
	int code = 0;

	a->folded = true;
	for (size_t i = 0; i < a->dist.n && !code; i++)
		code = put_bucket(a, a->dist.item[i].owner,
				  (uint32_t)tp_hist_bucket_of(a->dist.item[i].value),
				  a->dist.item[i].count);
	rep_dist_release(&a->dist);
	return code;
}

static int put_latency(struct adding *a, uint32_t pair, int64_t woken, int64_t ran)
{
	struct rep_wake *w = &a->out->wake[pair];
	int64_t ns = ran > woken ? tp_minus(ran, woken) : 0;
	int code = 0;

	if (!w->ran++ || ns > w->max_ns) {
		w->max_ns = ns;
		w->worst_ns = woken;
	}
	tp_sum(&w->latency_ns, ns);
	tp_sum(&a->out->latency_ns, ns);
	if (!a->folded && a->dist.puts >= EXACT_MOST)
		code = fold(a);
	if (code)
		return code;
	return a->folded ? put_bucket(a, pair, (uint32_t)tp_hist_bucket_of(ns), 1)
			 : rep_dist_put(&a->dist, pair, ns);
}

static bool wanted(struct adding *a, const struct tp_span *span)
{
	int64_t ns;

	if (span->end < a->v->from || span->end >= a->v->to)
		return false;
	if (!a->everywhere &&
	    !rep_inside_clip(&a->inside, span->goroutine, span->end, span->end, &ns))
		return false;
	if (!rep_match_reason(&a->v->match, span->reason))
		return false;
	return !(a->v->filter->by_id || a->v->filter->given[REP_FILTER_GOROUTINE]) ||
	       rep_view_match_goroutine(a->v, span->goroutine);
}

static int on_span(void *ctx, const struct tp_span *span, bool crosses, uint32_t end_stack,
		   struct tp_err *err)
{
	struct adding *a = ctx;
	struct rep_wake *w;
	uint32_t pair;
	int code = 0;

	(void)crosses;
	(void)end_stack;
	if (span->goroutine >= a->v->nrows[TP_TABLE_GOROUTINE])
		return 0;
	if (span->state == TP_ST_WAITING && !span->open && wanted(a, span)) {
		code = find_pair(a, span, &w, &pair);
		if (!code) {
			w->count++;
			a->out->count++;
			tp_sum(&w->waited_ns, tp_minus(span->end, span->start));
			tp_sum(&a->out->waited_ns, tp_minus(span->end, span->start));
			a->waiting[span->goroutine] = pair + 1;
		}
	} else if (a->waiting[span->goroutine]) {
		pair = a->waiting[span->goroutine] - 1;
		a->waiting[span->goroutine] = 0;
		if (span->state == TP_ST_RUNNABLE && !span->open)
			code = put_latency(a, pair, span->start, span->end);
	}
	return code ? fail(err, code) : 0;
}

/* Adds the latencies of goroutines that were woken in a segment that was read but ran in one that was not. */
static int take_crossing(struct adding *a, const bool *read)
{
	struct rep_view *v = a->v;
	struct rep_crossing c;
	int code = 0;

	for (size_t i = 0; !code && rep_crossing_next(v, &i, &c);) {
		uint32_t g;

		if (c.span.state != TP_ST_RUNNABLE || c.span.open)
			continue;
		g = c.span.goroutine;
		if (g >= v->nrows[TP_TABLE_GOROUTINE] || !a->waiting[g] || c.first < 0 ||
		    (uint64_t)c.first >= v->nsegments || !read[c.first] || c.last < 0 ||
		    (uint64_t)c.last >= v->nsegments || read[c.last])
			continue;
		code = put_latency(a, a->waiting[g] - 1, c.span.start, c.span.end);
		a->waiting[g] = 0;
	}
	return code;
}

enum { BY_COUNT, BY_WAITED, BY_P50, BY_P99, BY_MAX, NKEYS };

const struct rep_wake_key rep_wake_keys[] = {
    [BY_COUNT] = {"count", "pairs, the most frequent"},
    [BY_WAITED] = {"waited", "pairs, by the time waited"},
    [BY_P50] = {"p50", "pairs, by the median latency"},
    [BY_P99] = {"p99", "pairs, by the latency's 99th percentile"},
    [BY_MAX] = {"max", "pairs, by the longest latency"},
    [NKEYS] = {NULL, NULL},
};

bool rep_wake_key_find(const char *name, size_t *key)
{
	for (*key = 0; *key < NKEYS; (*key)++)
		if (!strcasecmp(rep_wake_keys[*key].name, name))
			return true;
	return false;
}

static int64_t key_of(const struct rep_wake *w, size_t key)
{
	switch (key) {
	case BY_WAITED:
		return w->waited_ns;
	case BY_P50:
		return w->latency.known ? w->latency.ns[REP_P50] : -1;
	case BY_P99:
		return w->latency.known ? w->latency.ns[REP_P99] : -1;
	case BY_MAX:
		return w->ran ? w->max_ns : -1;
	default:
		return w->count;
	}
}

static int by_key(const void *x, const void *y, void *ctx)
{
	const struct rep_wake *a = x, *b = y;
	int64_t ka = key_of(a, *(const size_t *)ctx), kb = key_of(b, *(const size_t *)ctx);

	if (ka != kb)
		return ka > kb ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (a->waited_ns != b->waited_ns)
		return a->waited_ns > b->waited_ns ? -1 : 1;
	if (a->latency_ns != b->latency_ns)
		return a->latency_ns > b->latency_ns ? -1 : 1;
	return a->waker_stack < b->waker_stack ? -1 : a->waker_stack > b->waker_stack;
}

void rep_wakes_sort(struct rep_wakes *wakes, size_t key)
{
	wakes->sort = key;
	if (wakes->n)
		qsort_r(wakes->wake, wakes->n, sizeof(*wakes->wake), by_key, &key);
}

static int solve(struct adding *a)
{
	struct rep_wakes *out = a->out;
	struct rep_percentiles *p = calloc(out->n + 1, sizeof(*p));
	int code = p ? 0 : TP_ENOMEM;

	for (size_t i = 0; i < a->buckets.n && !code; i++)
		code = rep_dist_put_bucket(&a->dist, a->buckets.key[i].part[0],
					   (int)a->buckets.key[i].part[1], a->bucket_count[i]);
	if (!code)
		code = rep_dist_solve(&a->dist, p, out->n);
	for (size_t i = 0; i < out->n && !code; i++)
		out->wake[i].latency = p[i];
	free(p);
	out->exact = !a->folded;
	if (!code)
		rep_wakes_sort(out, BY_COUNT);
	return code;
}

static int read_all(struct adding *a, struct tp_err *err)
{
	struct rep_view *v = a->v;
	bool *read = calloc(v->nsegments + 1, sizeof(*read));
	int code = 0;

	if (!read)
		return fail(err, TP_ENOMEM);
	for (size_t i = 0; i < v->nsegments; i++)
		read[i] =
		    rep_segment_inside(v, &v->segments[i]) || rep_segment_cut(v, &v->segments[i]);
	if (!a->everywhere) {
		memset(read, 0, v->nsegments * sizeof(*read));
		code = rep_inside_segments(&a->inside, v, read);
		if (code)
			fail(err, code);
	}
	if (!code)
		code = rep_segments_each(v, read, on_span, a, err);
	if (!code) {
		code = take_crossing(a, read);
		if (!code)
			code = solve(a);
		if (code)
			fail(err, code);
	}
	free(read);
	return code;
}

int rep_wakes_add_up(struct rep_view *v, const char *task, const char *region, bool by_stack,
		     struct rep_wakes *wakes, struct tp_err *err)
{
	struct adding a = {.v = v, .out = wakes, .by_stack = by_stack};
	int code;

	memset(wakes, 0, sizeof(*wakes));
	a.everywhere = !task && !region;
	code = rep_view_load(v, TP_TABLE_GOROUTINE,
			     REP_BIT(GOROUTINE, name) | REP_BIT(GOROUTINE, id), err);
	if (!code && !a.everywhere)
		code = rep_inside_init(&a.inside, v, task, region, err);
	if (!code) {
		a.site = calloc(tp_dict_stacks(v->dict) + (size_t)1, sizeof(*a.site));
		a.waiting = calloc(v->nrows[TP_TABLE_GOROUTINE] + 1, sizeof(*a.waiting));
		code = a.site && a.waiting ? read_all(&a, err) : fail(err, TP_ENOMEM);
	}
	if (!code)
		code = rep_matcher_settle(&v->match, err);
	rep_inside_release(&a.inside);
	rep_keys_release(&a.wakers);
	rep_keys_release(&a.woken);
	rep_keys_release(&a.pairs);
	rep_keys_release(&a.buckets);
	rep_dist_release(&a.dist);
	free(a.bucket_count);
	free(a.site);
	free(a.waiting);
	return code;
}

void rep_wakes_release(struct rep_wakes *wakes)
{
	free(wakes->wake);
	memset(wakes, 0, sizeof(*wakes));
}
