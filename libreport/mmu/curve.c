/* The mean over a moving window is continuous, and linear between the times at which one of its
 * edges meets a step; its least value is therefore at one of these times. Utilisation is between 0
 * and 1, so the mean changes by at most 1/window per ns: where it is mu, it cannot fall below a
 * bound within (mu - bound) * window. A long window therefore skips most steps, and a short one
 * soon reaches 0, which ends the search. */
#include "mmu/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/units.h"

struct series {
	const struct rep_utils *all;
	const struct rep_util *u;
	const uint64_t *step;
	size_t n;
	double *sum;	/* the integral up to each step, or up to each 2^shift-th … */
	unsigned shift; /* … of a long function, which has millions */
};

#define LONG_STEPS ((size_t)1 << 20)
#define LONG_SHIFT 3

struct rep_mmu {
	struct series *s;
	size_t n;
};

static int64_t ts_of(const struct series *s, size_t step)
{
	return rep_util_ts(s->u, step);
}

static double util_of(const struct series *s, size_t step)
{
	return rep_util_at(s->all, s->u, step);
}

/* Returns the integral from a step, not the last one, to the next. */
static double area(const struct series *s, size_t step)
{
	return util_of(s, step) * (double)(ts_of(s, step + 1) - ts_of(s, step));
}

/* Returns the integral up to a step: the same sum, to the bit, whether it was kept or not. */
static double sum_to(const struct series *s, size_t step)
{
	double sum = s->sum[step >> s->shift];

	for (size_t i = step >> s->shift << s->shift; i < step; i++)
		sum += area(s, i);
	return sum;
}

int rep_mmu_new(struct rep_mmu **out, const struct rep_utils *utils, struct tp_err *err)
{
	struct rep_mmu *m = calloc(1, sizeof(*m));
	int failed;

	*out = m;
	if (m)
		m->s = calloc(utils->n + 1, sizeof(*m->s));
	failed = !m || !m->s;
	for (size_t i = 0; !failed && i < utils->n; i++) {
		struct series *s = &m->s[i];
		double sum = 0;

		s->all = utils;
		s->u = &utils->series[i];
		s->step = s->u->step;
		s->n = s->u->n;
		s->shift = s->n > LONG_STEPS ? LONG_SHIFT : 0;
		s->sum = tp_many((s->n >> s->shift) + 1, sizeof(*s->sum));
		m->n = i + 1;
		failed = !s->sum;
		for (size_t j = 0; !failed && j < s->n; j++) {
			if (j)
				sum += area(s, j - 1);
			if (!(j & (((size_t)1 << s->shift) - 1)))
				s->sum[j >> s->shift] = sum;
		}
	}
	if (!failed)
		return 0;
	rep_mmu_free(m);
	*out = NULL;
	return tp_nomem(err);
}

void rep_mmu_free(struct rep_mmu *m)
{
	for (size_t i = 0; m && i < m->n; i++)
		free(m->s[i].sum);
	if (m)
		free(m->s);
	free(m);
}

static int64_t start_of(const struct series *s)
{
	return ts_of(s, 0);
}

static int64_t end_of(const struct series *s)
{
	return ts_of(s, s->n - 1);
}

static int64_t length_of(const struct series *s)
{
	return end_of(s) - start_of(s);
}

int64_t rep_mmu_length(const struct rep_mmu *m)
{
	int64_t most = 0;

	for (size_t i = 0; i < m->n; i++)
		most = length_of(&m->s[i]) > most ? length_of(&m->s[i]) : most;
	return most;
}

/* ---- a moving window ---- */

struct edge {
	size_t pos; /* the last step at or before the edge */
};

#define NEAR 8

/* Moves an edge forward to t. Returns the integral up to there. */
static double move(const struct series *s, struct edge *e, int64_t t)
{
	/* No step at t or before is greater. */
	const uint64_t last = (((uint64_t)t + 1) << s->u->shift) - 1;
	size_t pos = e->pos;

	if (pos + NEAR < s->n && s->step[pos + NEAR] > last) {
		while (s->step[pos + 1] <= last)
			pos++;
	} else {
		size_t step = 1, above;

		/* Search in strides that double, then halve. */
		while (pos + step < s->n && s->step[pos + step] <= last) {
			pos += step;
			step *= 2;
		}
		above = pos + step < s->n ? pos + step : s->n;
		while (pos + 1 < above) {
			size_t half = pos + (above - pos) / 2;

			if (s->step[half] <= last)
				pos = half;
			else
				above = half;
		}
	}
	e->pos = pos;
	return (s->shift ? sum_to(s, pos) : s->sum[pos]) +
	       util_of(s, pos) * (double)(t - ts_of(s, pos));
}

/* Returns the time at which the edge meets the next step. */
static int64_t next(const struct series *s, const struct edge *e)
{
	return e->pos + 1 < s->n ? ts_of(s, e->pos + 1) : INT64_MAX;
}

struct window {
	const struct series *s;
	struct edge left, right;
	int64_t length, at;
	double mean;
};

static void move_window(struct window *w, int64_t at)
{
	double right = move(w->s, &w->right, at + w->length);

	w->at = at;
	w->mean = (right - move(w->s, &w->left, at)) / (double)w->length;
}

static void open_window(struct window *w, const struct series *s, int64_t at, int64_t length)
{
	*w = (struct window){.s = s, .length = length};
	move_window(w, at);
}

/* Moves the window on to where its mean can be below `bound` or the slope of the mean changes.
 * Returns false if it is at `to` already. */
static bool advance(struct window *w, double bound, int64_t to)
{
	int64_t left = next(w->s, &w->left), right = next(w->s, &w->right), at;

	if (w->at >= to)
		return false;
	if (right != INT64_MAX)
		right -= w->length;
	at = left < right ? left : right;
	if (w->mean > bound) {
		double far = (w->mean - bound) * (double)w->length;

		if (far < (double)(to - w->at) && w->at + (int64_t)far > at)
			at = w->at + (int64_t)far;
		else if (far >= (double)(to - w->at))
			at = to;
	}
	move_window(w, at < to ? at : to);
	return true;
}

/* ---- the lowest ---- */

static int64_t fit(const struct series *s, int64_t window)
{
	return window < length_of(s) ? window : length_of(s);
}

/* Searches windows that begin in [from, to] and are lower than *best. */
static void look(const struct rep_mmu *m, size_t series, int64_t length, int64_t from, int64_t to,
		 struct rep_mmu_window *best)
{
	struct window w;

	if (from > to)
		return;
	open_window(&w, &m->s[series], from, length);
	do {
		if (w.mean < best->util || best->at == TP_NULL)
			*best = (struct rep_mmu_window){w.mean, w.at, length, series};
		if (best->util <= 0)
			return;
	} while (advance(&w, best->util, to));
}

static const struct rep_mmu_window none = {1, TP_NULL, 0, 0};

struct rep_mmu_window rep_mmu_minimum(struct rep_mmu *m, int64_t window_ns)
{
	struct rep_mmu_window best = none;

	for (size_t i = 0; i < m->n; i++) {
		const struct series *s = &m->s[i];
		int64_t length = fit(s, window_ns);

		look(m, i, length, start_of(s), end_of(s) - length, &best);
		if (best.util <= 0)
			break;
	}
	return best;
}

/* Finds the lowest window in [from, to] that overlaps none of out[0 … n). */
static void look_between(const struct rep_mmu *m, size_t series, int64_t length,
			 const struct rep_mmu_window *out, size_t n, struct rep_mmu_window *best)
{
	int64_t from = start_of(&m->s[series]), last = end_of(&m->s[series]) - length;

	while (from <= last) {
		int64_t to = last, after = INT64_MAX;
		bool inside = false;

		/* The earliest chosen window that is not before the search. */
		for (size_t i = 0; i < n; i++) {
			if (out[i].series != series || out[i].at + out[i].length <= from ||
			    out[i].at >= after)
				continue;
			after = out[i].at;
			inside = true;
		}
		if (inside && after - length < to)
			to = after - length;
		look(m, series, length, from, to, best);
		if (!inside)
			return;
		from = after + length;
	}
}

size_t rep_mmu_worst(struct rep_mmu *m, int64_t window_ns, struct rep_mmu_window *out, size_t n)
{
	size_t found = 0;

	for (; found < n; found++) {
		out[found] = none;
		for (size_t i = 0; i < m->n && out[found].util > 0; i++)
			look_between(m, i, fit(&m->s[i], window_ns), out, found, &out[found]);
		if (out[found].at == TP_NULL)
			break;
	}
	return found;
}

/* ---- the distribution ---- */

/* Where the density changes by this, or a mass at one value. Kept apart, a corner takes 16 bytes, and
 * there are millions. */
struct corner {
	double at, change;
};

struct corner_list {
	struct corner *v;
	size_t n, room;
};

struct corners {
	struct corner_list density, point;
	bool quiet;  /* the last corner is of `point` */
	double mass; /* total below `bound` */
	double zero; /* time of windows with utilisation 0, if only that is needed */
	double bound;
};

static int add_corner(struct corner_list *c, double at, double change)
{
	if (tp_grow_raw(&c->v, &c->room, c->n, sizeof(*c->v)))
		return TP_ENOMEM;
	c->v[c->n++] = (struct corner){at, change};
	return 0;
}

/* Adds a stretch in which the mean goes from a to b in this time. Values above the bound do not
 * matter. */
static int add_stretch(struct corners *c, double a, double b, double time)
{
	double low = a < b ? a : b, high = a < b ? b : a;

	if (low > c->bound || time <= 0)
		return 0;
	if (high - low < 1e-15) {
		struct corner_list *list = &c->point;

		c->mass += time;
		/* In a quiet time all windows are alike. */
		if (c->quiet && list->v[list->n - 1].at == low) {
			list->v[list->n - 1].change += time;
			return 0;
		}
		c->quiet = true;
		return add_corner(list, low, time);
	}
	c->quiet = false;
	c->mass += high > c->bound ? time * (c->bound - low) / (high - low) : time;
	if (add_corner(&c->density, low, time / (high - low)))
		return TP_ENOMEM;
	/* What is above the bound is never looked at. */
	return high > c->bound ? 0 : add_corner(&c->density, high, -time / (high - low));
}

enum { ALL_ZERO = 1 };

static int gather(const struct rep_mmu *m, int64_t window_ns, struct corners *c)
{
	double zero = 0;
	int code = 0;

	c->density.n = c->point.n = 0;
	c->quiet = false;
	c->mass = 0;
	for (size_t i = 0; !code && i < m->n; i++) {
		const struct series *s = &m->s[i];
		int64_t length = fit(s, window_ns), to = end_of(s) - length, at;
		struct window w;
		double mean;

		if (length < window_ns)
			continue;
		open_window(&w, s, start_of(s), length);
		for (;;) {
			at = w.at;
			mean = w.mean;
			if (!advance(&w, c->bound, to))
				break;
			if (mean <= 0 && w.mean <= 0)
				zero += (double)(w.at - at);
			if (zero >= c->zero)
				return ALL_ZERO;
			code = add_stretch(c, mean, w.mean, (double)(w.at - at));
			if (code)
				break;
		}
	}
	return code;
}

static int compare_corners(const void *pa, const void *pb)
{
	const struct corner *a = pa, *b = pb;

	return a->at < b->at ? -1 : a->at > b->at;
}

static int compare_doubles(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	return a < b ? -1 : a > b;
}

static void sort_corners(struct corner_list *c)
{
	if (c->n)
		qsort(c->v, c->n, sizeof(*c->v), compare_corners);
}

/* Returns the value below which there is this much mass; corners must be sorted. */
static double invert(const struct corners *c, double mass)
{
	const struct corner_list *lists[] = {&c->density, &c->point};
	double sum = 0, density = 0, at = 1;
	size_t next[2] = {0, 0};

	while (next[0] < c->density.n || next[1] < c->point.n) {
		bool point =
		    next[0] == c->density.n ||
		    (next[1] < c->point.n && c->point.v[next[1]].at <= c->density.v[next[0]].at);
		const struct corner *x = &lists[point]->v[next[point]++];
		double here = sum + (x->at - at) * density;

		if (here >= mass)
			return density > 0 ? at + (mass - sum) / density : x->at;
		sum = here + (point ? x->change : 0);
		if (sum >= mass)
			return x->at;
		at = x->at;
		density += point ? 0 : x->change;
	}
	/* The corners above the bound were left out. */
	return density > 0 && c->bound < 1 ? fmin(at + (mass - sum) / density, c->bound) : at;
}

/* The number of windows that are looked at first, and how far their share may be off: six standard
 * deviations. The more steps there are, the more a closer bound saves. */
#define GUESSES	     2048
#define LONG_GUESSES (16 * GUESSES)
#define MARGIN	     0.015

/* Estimates the value of a share from `most` windows at equal distances, with room for their means. */
static double guess(const struct rep_mmu *m, int64_t window_ns, double all, double share,
		    double *means, size_t most)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++) {
		const struct series *s = &m->s[i];
		double places = (double)(length_of(s) - window_ns);
		size_t count = places > 0 ? (size_t)((double)(most - 1) * (places / all)) : 0;
		struct window w;

		if (!count)
			continue;
		open_window(&w, s, start_of(s), window_ns);
		for (size_t k = 0; k < count && n < most; k++) {
			int64_t at = start_of(s) + (int64_t)(places * (double)k / (double)count);

			move_window(&w, at > w.at ? at : w.at);
			means[n++] = w.mean;
		}
	}
	if (!n)
		return 1;
	qsort(means, n, sizeof(*means), compare_doubles);
	share = share < 1 ? share : 1;
	return means[(size_t)(share * (double)(n - 1))];
}

int rep_mmu_quantiles(struct rep_mmu *m, int64_t window_ns, const double *share, double *util,
		      size_t n, struct tp_err *err)
{
	struct corners c = {0};
	double all = 0, margin, *means;
	size_t most = GUESSES;
	int code = 0;

	for (size_t i = 0; i < m->n; i++) {
		most = m->s[i].n > LONG_STEPS ? LONG_GUESSES : most;
		if (length_of(&m->s[i]) > window_ns)
			all += (double)(length_of(&m->s[i]) - window_ns);
	}
	if (all <= 0 || !n) {
		for (size_t i = 0; i < n; i++)
			util[i] = rep_mmu_minimum(m, window_ns).util;
		return 0;
	}
	means = tp_many(most, sizeof(*means));
	if (!means)
		return tp_nomem(err);
	/* Only values below the highest of the results matter. If the estimate of that is too low,
	 * the search is repeated. */
	for (margin = MARGIN * sqrt((double)GUESSES / (double)most);; margin *= 4) {
		c.bound =
		    guess(m, window_ns, all, share[n - 1] + margin, means, most) + margin / 100;
		c.zero = all * share[n - 1];
		code = gather(m, window_ns, &c);
		if (code == ALL_ZERO) {
			memset(util, 0, n * sizeof(*util));
			code = 0;
			goto done;
		}
		if (code || c.bound >= 1 || c.mass >= all * share[n - 1])
			break;
	}
	if (!code) {
		sort_corners(&c.density);
		sort_corners(&c.point);
		for (size_t i = 0; i < n; i++)
			util[i] = invert(&c, all * share[i]);
	}
done:
	free(c.density.v);
	free(c.point.v);
	free(means);
	return code ? tp_nomem(err) : 0;
}

double rep_mmu_mean(const struct rep_mmu *m, size_t series, int64_t from, int64_t to)
{
	const struct series *s;
	struct edge e = {0};
	double before;

	if (series >= m->n)
		return 1;
	s = &m->s[series];
	from = from > start_of(s) ? from : start_of(s);
	to = to < end_of(s) ? to : end_of(s);
	if (from >= to)
		return 1;
	before = move(s, &e, from);
	return (move(s, &e, to) - before) / (double)(to - from);
}

size_t rep_mmu_windows(int64_t length_ns, int64_t out[REP_MMU_WINDOWS])
{
	static const int64_t few[] = {1000, 10000, 100000};
	static const int64_t of_ten[] = {1, 2, 5};
	size_t n = 0;

	for (size_t i = 0; i < 3 && few[i] <= length_ns; i++)
		out[n++] = few[i];
	for (int64_t ten = 1000000; ten <= length_ns; ten *= 10) {
		for (int i = 0; i < 3 && ten <= length_ns / of_ten[i] && n < REP_MMU_WINDOWS; i++)
			out[n++] = ten * of_ten[i];
		if (ten > INT64_MAX / 10)
			break;
	}
	return n;
}

int rep_mmu_windows_parse(const char *text, int64_t out[REP_MMU_WINDOWS], size_t *n,
			  struct tp_err *err)
{
	for (*n = 0; *text;) {
		size_t size = strcspn(text, ",");
		char one[64];

		if (size >= sizeof(one) || *n == REP_MMU_WINDOWS)
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "--window takes up to %d lengths such as 10ms",
					  REP_MMU_WINDOWS);
		memcpy(one, text, size);
		one[size] = '\0';
		if (tp_ask_unit("--window", one, err))
			return TP_EFORMAT;
		if (tp_parse_ns(one, &out[*n]) || out[*n] < 1)
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "--window '%s' is not a length of 1ns or more, like 10ms",
					  one);
		++*n;
		text += size + (text[size] == ',');
	}
	if (*n)
		return 0;
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "--window takes lengths such as 1ms,10ms");
}
