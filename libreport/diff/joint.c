/* All rows of two sets of runs tested together, by permuting which runs are old and which new. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/random.h"
#include "diff/stats.h"
#include "dist.h"

#define EVERY 5000	  /* ways to choose the old runs up to which all are tried */
#define DRAWN 2000	  /* else so many are drawn, */
#define LEAST 500	  /* fewer where the rows are many, but at least so many */
#define MOST  400000000.0 /* values that are added up */
#define SEED  1

struct joint {
	size_t n, m;
	size_t rows; /* with a test */
	double *y;   /* rows of n + m: the values on a scale where quotients are differences */
	double *sum, *squares; /* by row, of all runs */
	double *t, *s, *observed;
	int64_t *bits;
	uint32_t *row;		/* where the caller has it */
	uint32_t *order;	/* by observed, greatest first */
	size_t *single, *joint; /* permutations that reach the observed: alone; it or a later row */
	size_t *old;		/* which runs are old, ascending */
	uint64_t seed;
};

/* ---- the scale ---- */

/* The smallest value of a row that is not 0, without its sign; 0 for a row without a test. */
static double least_of(const struct joint *j, const double *value)
{
	double least = INFINITY;
	bool same = true;

	for (size_t i = 0; i < j->n + j->m; i++) {
		if (isnan(value[i]))
			return 0;
		same = same && value[i] == value[0];
		if (value[i] != 0)
			least = fmin(least, fabs(value[i]));
	}
	return same ? 0 : least;
}

/* Returns the value that a share of n values is below; none is negative, so that they are in the
 * order of their bits. */
static double quantile(struct joint *j, const double *value, size_t n, double share)
{
	size_t at = (size_t)(share * (double)n);
	double found;

	memcpy(j->bits, value, n * sizeof(*value));
	rep_select_rank(j->bits, 0, n, at);
	memcpy(&found, &j->bits[at], sizeof(found));
	return found;
}

/* Puts rows that have a test on the scale: asinh, which is a logarithm for values above `unit` and
 * has a place for 0 and negative ones. Its unit is half of the row's smallest value; of sampled rows
 * it is what four samples are worth, below which they differ by chance: the smallest value of most
 * rows is that of one sample. The mean is taken off, for the digits of the squares. */
static void put_rows(struct joint *j, const double *value, size_t rows, bool sampled)
{
	size_t runs = j->n + j->m;
	double sample;

	for (size_t i = 0; i < rows; i++) {
		j->t[j->rows] = least_of(j, &value[i * runs]);
		if (j->t[j->rows] > 0)
			j->row[j->rows++] = (uint32_t)i;
	}
	sample = sampled && j->rows ? quantile(j, j->t, j->rows, 0.5) : 0;
	for (size_t i = 0; i < j->rows; i++) {
		const double *v = &value[j->row[i] * runs];
		double *y = &j->y[i * runs], mean = 0, unit = fmax(j->t[i] / 2, 4 * sample);

		for (size_t r = 0; r < runs; r++) {
			y[r] = asinh(v[r] / unit);
			mean += y[r] / (double)runs;
		}
		for (size_t r = 0; r < runs; r++) {
			y[r] -= mean;
			j->sum[i] += y[r];
			j->squares[i] += y[r] * y[r];
		}
	}
}

/* ---- one way to choose the old runs ---- */

/* Sets t of each row to the difference of the means, divided by the sum of its standard error and a
 * typical row's: a row whose few runs happen to agree does not win by that. The more runs, the less
 * they agree by chance, and the less is added. */
static void test_rows(struct joint *j)
{
	double n = (double)j->n, m = (double)j->m, typical;

	for (size_t i = 0; i < j->rows; i++) {
		const double *y = &j->y[i * (j->n + j->m)];
		double a = 0, b, inside;

		for (size_t k = 0; k < j->n; k++)
			a += y[j->old[k]];
		b = (j->sum[i] - a) / m;
		inside = j->squares[i] - a * a / n - m * b * b;
		j->s[i] = sqrt(fmax(inside, 0) / (n + m - 2) * (1 / n + 1 / m));
		j->t[i] = fabs(b - a / n);
	}
	typical = quantile(j, j->s, j->rows, fmin(0.5, 3 / (n + m - 2)));
	for (size_t i = 0; i < j->rows; i++) {
		double below = j->s[i] + typical;

		/* Rounded, lest a tie depends on the order in which runs were added up. */
		j->t[i] = below > 0 ? (double)(float)(j->t[i] / below) : (double)INFINITY;
	}
}

static void count(struct joint *j)
{
	double most = 0;

	for (size_t i = j->rows; i-- > 0;) {
		uint32_t row = j->order[i];

		most = fmax(most, j->t[row]);
		j->single[row] += j->t[row] >= j->observed[row];
		j->joint[row] += most >= j->observed[row];
	}
}

/* ---- all ways ---- */

/* The next way in lexical order; false after the last. */
static bool next_way(struct joint *j)
{
	size_t runs = j->n + j->m, k = j->n;

	while (k-- > 0) {
		if (j->old[k] == runs - j->n + k)
			continue;
		j->old[k]++;
		while (++k < j->n)
			j->old[k] = j->old[k - 1] + 1;
		return true;
	}
	return false;
}

/* Any way (Knuth, The Art of Computer Programming, 3.4.2, algorithm S). */
static void draw_way(struct joint *j)
{
	size_t runs = j->n + j->m, k = 0;

	for (size_t i = 0; i < runs && k < j->n; i++)
		if (tp_random(&j->seed) % (runs - i) < j->n - k)
			j->old[k++] = i;
}

static size_t try_ways(struct joint *j)
{
	double all = rep_stats_ways(j->n, j->m);
	double most = fmax(LEAST, fmin(DRAWN, MOST / ((double)j->rows * (double)j->n)));
	size_t ways = 1;

	count(j);
	if (all <= EVERY) {
		for (; next_way(j); ways++) {
			test_rows(j);
			count(j);
		}
		return ways;
	}
	for (; (double)ways < most; ways++) {
		draw_way(j);
		test_rows(j);
		count(j);
	}
	return ways;
}

static int by_observed(const void *a, const void *b, void *ctx)
{
	const double *t = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return t[x] != t[y] ? (t[x] < t[y] ? 1 : -1) : (x > y) - (x < y);
}

static void test(struct joint *j, double *p, double *q)
{
	double most = 0;
	size_t ways;

	for (size_t k = 0; k < j->n; k++)
		j->old[k] = k;
	test_rows(j);
	memcpy(j->observed, j->t, j->rows * sizeof(*j->t));
	for (uint32_t i = 0; i < j->rows; i++)
		j->order[i] = i;
	qsort_r(j->order, j->rows, sizeof(*j->order), by_observed, j->observed);
	ways = try_ways(j);
	for (size_t i = 0; i < j->rows; i++) {
		uint32_t row = j->order[i];

		most = fmax(most, (double)j->joint[row] / (double)ways);
		p[j->row[row]] = (double)j->single[row] / (double)ways;
		q[j->row[row]] = most;
	}
}

int rep_stats_joint(const double *value, size_t rows, size_t n, size_t m, bool sampled, double *p,
		    double *q)
{
	struct joint j = {.n = n, .m = m, .seed = SEED};
	size_t runs = n + m;
	int code = TP_ENOMEM;

	for (size_t i = 0; i < rows; i++)
		p[i] = q[i] = (double)NAN;
	j.y = tp_many(rows + 1, runs * sizeof(*j.y));
	j.sum = calloc(rows + 1, 5 * sizeof(*j.sum));
	j.bits = tp_many(rows + 1, sizeof(*j.bits));
	j.row = tp_many(rows + 1, 2 * sizeof(*j.row));
	j.single = calloc(rows + 1, 2 * sizeof(*j.single));
	j.old = tp_many(n, sizeof(*j.old));
	if (j.y && j.sum && j.bits && j.row && j.single && j.old) {
		j.squares = j.sum + rows;
		j.t = j.squares + rows;
		j.s = j.t + rows;
		j.observed = j.s + rows;
		j.order = j.row + rows;
		j.joint = j.single + rows;
		put_rows(&j, value, rows, sampled);
		code = 0;
		if (j.rows && runs > 2)
			test(&j, p, q);
	}
	free(j.y);
	free(j.sum);
	free(j.bits);
	free(j.row);
	free(j.single);
	free(j.old);
	return code;
}
