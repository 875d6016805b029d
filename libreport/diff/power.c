#include "diff/power.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/random.h"
#include "diff/stats.h"

#define DRAWS	   2000
#define DRAWS_ROWS 100
#define SEED	   1
#define NOISES	   5
#define CHANGES	   3
#define ROWS	   20 /* of a noise, that are tested together with the others */

static const size_t runs[] = {4, 5, 6, 8, 10, 15, 20};
static const double noises[NOISES] = {0.005, 0.02, 0.05, 0.1, 0.2}; /* coefficients of variation */
static const double changes[CHANGES] = {0.05, 0.1, 0.2};	    /* 0.1: 10 % larger */

static double uniform(uint64_t *seed)
{
	return ((double)(tp_random(seed) >> 11) + 0.5) / 9007199254740992.0;
}

double rep_power_normal(uint64_t *seed)
{
	double r = sqrt(-2 * log(uniform(seed)));

	return r * cos(6.283185307179586 * uniform(seed));
}

/* A value of a run, and what it is in the new version: lognormal. */
static double draw(double noise, double change, uint64_t *seed)
{
	return trunc(1e12 * exp(sqrt(log1p(noise * noise)) * rep_power_normal(seed)) *
		     (1 + change));
}

/* One number, as a gate tests it: the share of draws with p <= 0.05, in the direction of the change
 * unless that is 0. TP_ENOMEM. */
static int try_gate(size_t n, double noise, double change, double *share)
{
	double *value = tp_many(2 * n, sizeof(*value));
	struct rep_stats *stats = NULL;
	uint64_t seed = SEED;
	unsigned found = 0;
	int code = value ? rep_stats_new(&stats, n, n, 0.95) : TP_ENOMEM;

	for (unsigned i = 0; !code && i < DRAWS; i++) {
		struct rep_comparison row;

		for (size_t k = 0; k < 2 * n; k++)
			value[k] = draw(noise, k < n ? 0 : change, &seed);
		rep_stats_compare(stats, value, value + n, &row);
		found += row.p <= 0.05 && (change == 0 || row.u > (double)(n * n) / 2);
	}
	*share = (double)found / DRAWS;
	rep_stats_free(stats);
	free(value);
	return code;
}

/* A hundred rows of all noises, tested together: those that have changed are found in this share of
 * draws. Returns 0 or TP_ENOMEM. */
static int try_rows(size_t n, double share[NOISES][CHANGES])
{
	enum { ALL = NOISES * ROWS };
	double *value = tp_many(ALL * 2 * n, sizeof(*value)), p[ALL], q[ALL];
	uint64_t seed = SEED;
	int code = value ? 0 : TP_ENOMEM;

	memset(share, 0, NOISES * sizeof(*share));
	for (unsigned i = 0; !code && i < DRAWS_ROWS; i++) {
		for (size_t k = 0; k < ALL * 2 * n; k++) {
			size_t row = k / (2 * n), which = row % ROWS;
			bool changed = which < CHANGES && k % (2 * n) >= n;

			value[k] = draw(noises[row / ROWS], changed ? changes[which] : 0, &seed);
		}
		code = rep_stats_joint(value, ALL, n, n, false, p, q);
		for (size_t row = 0; !code && row < ALL; row++)
			if (row % ROWS < CHANGES && q[row] <= 0.05)
				share[row / ROWS][row % ROWS] += 1.0 / DRAWS_ROWS;
	}
	free(value);
	return code;
}

static int put_runs(size_t n, double noise, const double found[CHANGES], struct rep_output *out,
		    struct tp_err *err)
{
	struct rep_value row[9] = {rep_float(noise), rep_int((int64_t)n)};
	double share = 0;
	int code = 0;

	for (size_t c = 0; !code && c <= CHANGES; c++) {
		code = try_gate(n, noise, c ? changes[c - 1] : 0, &share);
		row[2 + c] = rep_float(share);
	}
	for (size_t c = 0; c < CHANGES; c++)
		row[3 + CHANGES + c] = rep_float(found[c]);
	return code ? tp_nomem(err) : rep_output_row(out, row, err);
}

int rep_power_table(struct rep_output *out, struct tp_err *err)
{
	static const struct rep_column columns[] = {
	    {.name = "noise",
	     .doc = "scatter of the runs, as a share of the mean",
	     .title = "NOISE",
	     .kind = REP_SHARE},
	    {.name = "runs", .doc = "runs a side", .title = "RUNS", .kind = REP_COUNT},
	    {.name = "false_alarms",
	     .doc = "comparisons without a change in which a row is called changed",
	     .title = "NO CHANGE",
	     .kind = REP_SHARE},
	    {.name = "gate_5",
	     .doc = "changes of 5 % that a gate finds",
	     .title = "5%",
	     .kind = REP_SHARE},
	    {.name = "gate_10",
	     .doc = "changes of 10 % that a gate finds",
	     .title = "10%",
	     .kind = REP_SHARE},
	    {.name = "gate_20",
	     .doc = "changes of 20 % that a gate finds",
	     .title = "20%",
	     .kind = REP_SHARE},
	    {.name = "row_5",
	     .doc = "changes of 5 % found among many rows",
	     .title = "ROW 5%",
	     .kind = REP_SHARE},
	    {.name = "row_10",
	     .doc = "changes of 10 % found among many rows",
	     .title = "ROW 10%",
	     .kind = REP_SHARE},
	    {.name = "row_20",
	     .doc = "changes of 20 % found among many rows",
	     .title = "ROW 20%",
	     .kind = REP_SHARE},
	};
	double found[sizeof(runs) / sizeof(runs[0])][NOISES][CHANGES];
	int code = rep_output_begin(out, "power", columns, 9, err);

	for (size_t r = 0; !code && r < sizeof(runs) / sizeof(runs[0]); r++)
		if (try_rows(runs[r], found[r]))
			code = tp_nomem(err);
	for (size_t i = 0; !code && i < NOISES; i++)
		for (size_t r = 0; !code && r < sizeof(runs) / sizeof(runs[0]); r++)
			code = put_runs(runs[r], noises[i], found[r][i], out, err);
	return code ? code : rep_output_end(out, err);
}
