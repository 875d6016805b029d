#include "diff/power.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/many.h"
#include "base/random.h"
#include "diff/stats.h"

#define DRAWS 2000
#define SEED  1

static double uniform(uint64_t *seed)
{
	return ((double)(tp_random(seed) >> 11) + 0.5) / 9007199254740992.0;
}

double rep_power_normal(uint64_t *seed)
{
	double r = sqrt(-2 * log(uniform(seed)));

	return r * cos(6.283185307179586 * uniform(seed));
}

struct power_case {
	size_t n;	/* runs on each side */
	double noise;	/* coefficient of variation: 0.05 */
	double change;	/* 0.1: the new value is 10 % larger */
	double alpha;	/* a p up to it counts */
	unsigned draws; /* simulated pairs of sets */
};

/* The share of draws with p <= alpha, in the direction of the change unless that is 0. TP_ENOMEM. */
static int simulate(const struct power_case *c, uint64_t seed, double *share)
{
	/* of a lognormal with that coefficient of variation */
	double sd = sqrt(log1p(c->noise * c->noise));
	double *value = tp_many(2 * c->n, sizeof(*value));
	struct rep_stats *stats = NULL;
	unsigned found = 0;
	int code = value ? rep_stats_new(&stats, c->n, c->n, 0.95) : TP_ENOMEM;

	for (unsigned i = 0; !code && i < c->draws; i++) {
		struct rep_comparison row;

		for (size_t j = 0; j < 2 * c->n; j++)
			value[j] = trunc(1e12 * exp(sd * rep_power_normal(&seed)) *
					 (j < c->n ? 1 : 1 + c->change));
		rep_stats_compare(stats, value, value + c->n, &row);
		found += row.p <= c->alpha && (c->change == 0 || row.u > (double)(c->n * c->n) / 2);
	}
	*share = (double)found / c->draws;
	rep_stats_free(stats);
	free(value);
	return code;
}

int rep_power_table(struct rep_output *out, struct tp_err *err)
{
	static const size_t runs[] = {4, 5, 6, 8, 10, 15, 20};
	static const double noises[] = {0.005, 0.02, 0.05, 0.1, 0.2};
	static const double changes[] = {0, 0.05, 0.1, 0.2};
	static const struct rep_column columns[] = {
	    {.name = "noise", .title = "NOISE", .kind = REP_SHARE},
	    {.name = "runs", .title = "RUNS", .kind = REP_COUNT},
	    {.name = "false_alarms", .title = "NO CHANGE", .kind = REP_SHARE},
	    {.name = "gate_5", .title = "5%", .kind = REP_SHARE},
	    {.name = "gate_10", .title = "10%", .kind = REP_SHARE},
	    {.name = "gate_20", .title = "20%", .kind = REP_SHARE},
	    {.name = "row_5", .title = "ROW 5%", .kind = REP_SHARE},
	    {.name = "row_10", .title = "ROW 10%", .kind = REP_SHARE},
	    {.name = "row_20", .title = "ROW 20%", .kind = REP_SHARE},
	};
	int code = rep_output_begin(out, "power", columns, 9, err);

	for (size_t n = 0; !code && n < sizeof(noises) / sizeof(noises[0]); n++) {
		for (size_t r = 0; !code && r < sizeof(runs) / sizeof(runs[0]); r++) {
			struct rep_value row[9] = {rep_float(noises[n]), rep_int((int64_t)runs[r])};

			for (size_t c = 0; !code && c < 7; c++) {
				struct power_case one = {
				    .n = runs[r],
				    .noise = noises[n],
				    .change = changes[c < 4 ? c : c - 3],
				    /* the surest of 100 rows: Benjamini and Hochberg ask this of it
				     */
				    .alpha = c < 4 ? 0.05 : 0.05 / 100,
				    .draws = DRAWS,
				};
				double share;

				if (simulate(&one, SEED, &share))
					code = tp_nomem(err);
				row[2 + c] = rep_float(share);
			}
			if (!code)
				code = rep_output_row(out, row, err);
		}
	}
	return code ? code : rep_output_end(out, err);
}
