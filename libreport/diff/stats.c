#include "diff/stats.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"

struct rep_stats {
	size_t n, m;
	size_t rank_old, rank_new; /* order statistics of the medians' intervals, 0: none */
	size_t rank_shift;	   /* and of the differences, 0: none */
	double *below;		   /* without ties: P(U <= u), u up to n m; NULL: too many runs */
	double *ways;		   /* room for permutations under ties */
	uint32_t *rank;		   /* twice the midranks, both sets */
};

/* ---- distributions ---- */

static double log_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* Where all of it fits 53 bits, to the last of them: p is compared with alpha, and 2 / 10 is not
 * above 0.2. */
static double choose(size_t n, size_t k)
{
	double c = 1;

	if (n > REP_STATS_EXACT && k > 3)
		return exp(log_choose((double)n, (double)k));
	for (size_t i = 1; i <= k; i++)
		c = c * (double)(n - k + i) / (double)i;
	return c;
}

double rep_stats_ways(size_t n, size_t m)
{
	return choose(n + m, n < m ? n : m);
}

/* Under ties all ways to draw the smaller set are counted (permutations()) where that takes few
 * steps, as there is a test for each row. */
#define MOST_STEPS 1000000

static bool by_permutations(size_t n, size_t m)
{
	double few = (double)(n < m ? n : m), all = (double)(n + m);

	return few == 1 || (few + 1) * (all * (all + 1) + 1) * all <= MOST_STEPS;
}

static double normal_above(double z)
{
	return 0.5 * erfc(z * 0.70710678118654752440);
}

/* Two-sided, of a U so small; ties: sum(t^3 - t). */
static double normal_p(double n, double m, double u, double ties)
{
	double all = n + m, variance = n * m / 12 * (all + 1 - ties / (all * (all - 1)));
	double z = (n * m / 2 - u - 0.5) / sqrt(variance);

	return z > 0 ? 2 * normal_above(z) : 1;
}

double rep_stats_least_p(size_t n, size_t m)
{
	double p;

	if (!n)
		return ldexp(1, m < REP_STATS_MAX ? -(int)m : -REP_STATS_MAX);
	p = n + m <= REP_STATS_EXACT || by_permutations(n, m)
		? 2 / choose(n + m, n < m ? n : m)
		: normal_p((double)n, (double)m, 0, 0);
	return p < 1 ? p : 1;
}

size_t rep_stats_least_runs(double alpha)
{
	size_t n = 1;

	while (n < REP_STATS_MAX && rep_stats_least_p(n, n) > alpha)
		n++;
	return n;
}

/* How many runs it takes for a p up to alpha, in words. The smaller set may do with fewer where the
 * larger one has more. */
static void put_needed(char text[REP_STATS_ADVICE], size_t n, size_t m, double alpha)
{
	size_t used = strlen(text), more = n > m ? n : m, few = n && n < m ? n : m;
	size_t room = REP_STATS_ADVICE - used;

	while (n && few < more && rep_stats_least_p(more, few) > alpha)
		few++;
	while (!n && few < REP_STATS_MAX && rep_stats_least_p(0, few) > alpha)
		few++;
	if (!n)
		snprintf(text + used, room, "%zu", few);
	else if (few < more)
		snprintf(text + used, room, "%zu %s with these %zu", few,
			 n > m ? "new ones" : "old ones", more);
	else
		snprintf(text + used, room, "%zu on each side", rep_stats_least_runs(alpha));
}

char *rep_stats_advice(size_t n, size_t m, size_t tests, double alpha, const char *rows,
		       const char *fewer, char text[REP_STATS_ADVICE])
{
	double least = rep_stats_least_p(n, m), of_one = alpha / (double)(tests ? tests : 1);
	char old[40] = "";
	size_t used = 0;

	text[0] = '\0';
	if (least <= of_one)
		return text;
	if (n)
		snprintf(old, sizeof(old), "%zu old and ", n);
	if (least > alpha) {
		snprintf(text, REP_STATS_ADVICE,
			 "too few runs: with %s%zu new, p is at least %.2g, but alpha is %g; "
			 "use ",
			 old, m, least, alpha);
		put_needed(text, n, m, alpha);
		if (tests < 2)
			return text;
		used = strlen(text);
		snprintf(text + used, REP_STATS_ADVICE - used, ", or ");
		put_needed(text, n, m, of_one);
		used = strlen(text);
		snprintf(text + used, REP_STATS_ADVICE - used,
			 " to find a single change among %zu %s", tests, rows);
		return text;
	}
	snprintf(text, REP_STATS_ADVICE, "too few runs to find a single change among %zu %s; use ",
		 tests, rows);
	put_needed(text, n, m, of_one);
	used = strlen(text);
	snprintf(text + used, REP_STATS_ADVICE - used, ", or compare fewer %s (%s)", rows, fewer);
	return text;
}

double rep_stats_at_most(size_t k, size_t n)
{
	double low = DBL_MIN, high = 1; /* of 0 there is no logarithm */

	if (k >= n)
		return 1;
	for (int step = 0; step < 50; step++) {
		double p = (low + high) / 2, sum = 0;

		for (size_t i = 0; i <= k; i++)
			sum += exp(log_choose((double)n, (double)i) + (double)i * log(p) +
				   (double)(n - i) * log1p(-p));
		*(sum > 0.05 ? &low : &high) = p;
	}
	return high;
}

/* The greatest k with 2 P(Bin(n, 1/2) < k) <= alpha, 0 if there is none. */
static size_t order_rank(size_t n, double alpha)
{
	double sum = 0;
	size_t k = 0;

	for (; k < n; k++) {
		sum += exp(log_choose((double)n, (double)k) - (double)n * log(2.0));
		if (2 * sum > alpha)
			break;
	}
	return k;
}

/* P(U <= u) for n and m without ties. The number of ways to get u with a values of the old set and
 * j of the new is N(a, j, u) = N(a - 1, j, u - j) + N(a, j - 1, u): whether the largest is old or
 * new. One row of j at a time. */
static int distribution(struct rep_stats *s)
{
	size_t most = s->n * s->m, size = most + 1;
	double total = choose(s->n + s->m, s->n), sum = 0;
	double *ways = calloc((s->m + 1) * size, sizeof(*ways));

	s->below = tp_many(size, sizeof(*s->below));
	if (!ways || !s->below) {
		free(ways);
		return TP_ENOMEM;
	}
	for (size_t j = 0; j <= s->m; j++)
		ways[j * size] = 1;
	for (size_t a = 1; a <= s->n; a++)
		for (size_t j = 1; j <= s->m; j++)
			for (size_t u = a * j + 1; u-- > 0;) {
				double *w = &ways[j * size + u];

				*w = (u >= j ? w[-(ptrdiff_t)j] : 0) + ways[(j - 1) * size + u];
			}
	for (size_t u = 0; u < size; u++) {
		sum += ways[s->m * size + u];
		s->below[u] = sum / total;
	}
	free(ways);
	return 0;
}

/* The greatest k with 2 P(U < k) <= alpha: differences k and nm + 1 - k from below bound the shift.
 */
static size_t shift_rank(const struct rep_stats *s, double alpha)
{
	double n = (double)s->n, m = (double)s->m;
	double sd = sqrt(n * m * (n + m + 1) / 12), k;
	double low = 0, high = n * m / 2;

	if (s->below) {
		size_t u = 0;

		while (u < s->n * s->m && 2 * s->below[u] <= alpha)
			u++;
		return u;
	}
	/* Where the normal with continuity correction says the same, found by bisection. */
	for (int i = 0; i < 64; i++) {
		k = (low + high) / 2;
		if (2 * normal_above((n * m / 2 - k + 0.5) / sd) <= alpha)
			low = k;
		else
			high = k;
	}
	return (size_t)low;
}

int rep_stats_new(struct rep_stats **out, size_t n, size_t m, double level)
{
	struct rep_stats *s;
	int code = 0;

	*out = NULL;
	if (!n || !m || n > REP_STATS_MAX || m > REP_STATS_MAX)
		return TP_ELIMIT;
	s = calloc(1, sizeof(*s));
	if (!s)
		return TP_ENOMEM;
	s->n = n;
	s->m = m;
	s->rank_old = order_rank(n, 1 - level);
	s->rank_new = order_rank(m, 1 - level);
	if (n + m <= REP_STATS_EXACT)
		code = distribution(s);
	if (!code && by_permutations(n, m) && n > 1 && m > 1) {
		size_t sums = (n + m) * (n + m + 1) + 1; /* of twice the ranks */

		s->ways = tp_many(((n < m ? n : m) + 1) * sums, sizeof(*s->ways));
		code = s->ways ? 0 : TP_ENOMEM;
	}
	s->rank = tp_many(n + m, sizeof(*s->rank));
	if (code || !s->rank) {
		rep_stats_free(s);
		return TP_ENOMEM;
	}
	s->rank_shift = shift_rank(s, 1 - level);
	*out = s;
	return 0;
}

void rep_stats_free(struct rep_stats *s)
{
	if (!s)
		return;
	free(s->below);
	free(s->ways);
	free(s->rank);
	free(s);
}

/* ---- one row ---- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void sort_values(double *v, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (v[i] < v[i - 1]) {
			qsort(v, n, sizeof(*v), by_value);
			return;
		}
}

/* Of sorted values. */
static double middle(const double *v, size_t n)
{
	double a = v[(n - 1) / 2], b = v[n / 2];

	return a + (b - a) / 2;
}

double rep_stats_median(double *v, size_t n)
{
	sort_values(v, n);
	return n ? middle(v, n) : (double)NAN;
}

static struct rep_side side(const double *v, size_t n, size_t rank)
{
	struct rep_side s = {.median = middle(v, n)};

	if (rank)
		s.interval = (struct rep_range){true, v[rank - 1], v[n - rank]};
	return s;
}

/* The k-th smallest (from 1) of all differences new - old: bisection, each time counting the pairs
 * that are not above the middle in one pass over both sorted sets. What is left is bounded by
 * differences that there are. */
static double difference(const struct rep_stats *s, const double *old, const double *new, size_t k)
{
	double low = new[0] - old[s->n - 1], high = new[s->m - 1] - old[0];

	while (low < high) {
		double mid = low + (high - low) / 2, below = low, above = high;
		size_t count = 0, j = 0;

		if (mid >= high) /* rounded */
			mid = low;
		for (size_t i = 0; i < s->n; i++) {
			while (j < s->m && new[j] - old[i] <= mid)
				j++;
			count += j;
			if (j && new[j - 1] - old[i] > below)
				below = new[j - 1] - old[i];
			if (j < s->m && new[j] - old[i] < above)
				above = new[j] - old[i];
		}
		if (count >= k)
			high = below;
		else
			low = above;
	}
	return low;
}

/* Twice the midranks of both sets into s->rank (the old ones first); returns twice the rank sum of
 * the old, and sum(t^3 - t) over ties. */
static uint64_t rank_values(struct rep_stats *s, const double *old, const double *new, double *ties)
{
	size_t i = 0, j = 0;
	uint64_t sum = 0;

	*ties = 0;
	while (i < s->n || j < s->m) {
		double v = j == s->m || (i < s->n && old[i] <= new[j]) ? old[i] : new[j];
		size_t first = i + j, from_i = i, from_j = j;
		double t;
		uint32_t rank;

		while (i < s->n && old[i] == v)
			i++;
		while (j < s->m && new[j] == v)
			j++;
		/* places first + 1 … i + j, whose mean is half of their sum's ends */
		rank = (uint32_t)(first + 1 + i + j);
		for (; from_i < i; from_i++) {
			s->rank[from_i] = rank;
			sum += rank;
		}
		for (; from_j < j; from_j++)
			s->rank[s->n + from_j] = rank;
		t = (double)(i + j - first);
		*ties += t * t * t - t;
	}
	return sum;
}

/* P of a rank sum at least as far from its mean, over all ways to draw so many of these ranks as
 * the smaller set has: the ways to get each sum, one value after the other. The larger set's sum is
 * as far from its mean. `sum` is twice that of the old. */
static double permutations(struct rep_stats *s, uint64_t sum)
{
	size_t all = s->n + s->m, few = s->n < s->m ? s->n : s->m, most = all * (all + 1);
	size_t size = most + 1, seen = 0;
	double *w = s->ways, total = 0, far = 0;
	/* twice the ranks of n: their mean is n (N + 1) */
	int64_t away = llabs((int64_t)sum - (int64_t)(s->n * (all + 1)));
	int64_t mean = (int64_t)(few * (all + 1));

	if (few == 1) {
		for (size_t i = 0; i < all; i++)
			far += llabs((int64_t)s->rank[i] - mean) >= away;
		return far / (double)all;
	}
	memset(w, 0, (few + 1) * size * sizeof(*w));
	w[0] = 1;
	for (size_t i = 0; i < all; i++) {
		size_t r = s->rank[i], taken = i + 1 < few ? i + 1 : few;

		seen += r;
		for (size_t k = taken; k > 0; k--)
			for (size_t at = seen < most ? seen : most; at + 1 > r; at--)
				w[k * size + at] += w[(k - 1) * size + at - r];
	}
	for (size_t at = 0; at < size; at++) {
		double ways = w[few * size + at];

		total += ways;
		if (llabs((int64_t)at - mean) >= away)
			far += ways;
	}
	return far / total;
}

static double two_sided(struct rep_stats *s, double u, uint64_t sum, double ties)
{
	double n = (double)s->n, m = (double)s->m, all = n + m;
	double small = u < n * m - u ? u : n * m - u, p;

	if (ties == 0 && s->below)
		p = 2 * s->below[(size_t)small];
	else if (ties >= all * all * all - all) /* all are equal */
		p = 1;
	else if (by_permutations(s->n, s->m))
		p = permutations(s, sum);
	else
		p = normal_p(n, m, small, ties);
	return p < 1 ? p : 1;
}

void rep_stats_compare(struct rep_stats *s, double *old, double *new, struct rep_comparison *c)
{
	size_t pairs = s->n * s->m;
	uint64_t sum;
	double ties;

	memset(c, 0, sizeof(*c));
	sort_values(old, s->n);
	sort_values(new, s->m);
	c->old = side(old, s->n, s->rank_old);
	c->new = side(new, s->m, s->rank_new);
	sum = rank_values(s, old, new, &ties);
	/* U of the old set is its rank sum less the least one it can have; the new set's is the
	 * rest. */
	c->u = (double)pairs - ((double)sum / 2 - (double)(s->n * (s->n + 1)) / 2);
	c->p = two_sided(s, c->u, sum, ties);
	c->delta.known = s->rank_shift > 0;
	if (c->delta.known) {
		c->delta.low = difference(s, old, new, s->rank_shift);
		c->delta.high = difference(s, old, new, pairs + 1 - s->rank_shift);
	}
}

/* ---- many rows ---- */

struct test {
	double p;
	size_t at;
};

static int by_p(const void *a, const void *b)
{
	double x = ((const struct test *)a)->p, y = ((const struct test *)b)->p;

	return (x > y) - (x < y);
}

int rep_stats_adjust(const double *p, size_t n, double *q)
{
	struct test *tests = tp_many(n ? n : 1, sizeof(*tests));
	double least = 1;
	size_t k = 0;

	if (!tests)
		return TP_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		q[i] = p[i];
		if (!isnan(p[i]))
			tests[k++] = (struct test){p[i], i};
	}
	qsort(tests, k, sizeof(*tests), by_p);
	/* q of the i-th smallest: the least p_j k / j over j >= i */
	for (size_t i = k; i-- > 0;) {
		double v = tests[i].p * (double)k / (double)(i + 1);

		if (v < least)
			least = v;
		q[tests[i].at] = least;
	}
	free(tests);
	return 0;
}
