/* percentile(x, p), median(x), p50(x), p90(x), p95(x), p99(x): exact percentiles by nearest rank.
 *
 * The p-th percentile (0..100) of n values is the value at position ceil(p / 100 * n) of the sorted
 * values, the smallest for p = 0. It is always a value that occurs, and an integer if all are.
 * NULLs do not count; without values the result is NULL.
 *
 * Up to EXACT_VALUES values of a group are kept, eight bytes each. A larger group is reduced to
 * counts by sign, exponent and the first HIST_BITS bits of the fraction (HdrHistogram's idea), so
 * memory stays bounded; its result then deviates by less than 0.1 % of itself. */
#include "base/many.h"
#include "sql/sql.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#define EXACT_VALUES (16u << 20)
#define HIST_BITS    10
#define HIST_SHIFT   (52 - HIST_BITS)
#define HIST_BUCKETS (1u << (64 - HIST_SHIFT))

struct percentile {
	uint64_t *keys;	  /* unsigned, in the order of the values */
	size_t n, room;	  /* of keys; at most EXACT_VALUES */
	uint64_t *counts; /* HIST_BUCKETS of them, or NULL as long as `keys` has room */
	uint64_t total;	  /* values seen */
	double p;	  /* 0..100 */
	bool reals;	  /* keys come from key_of_real(), not key_of_int() */
	bool any_real;
	bool failed;
	bool started;
};

/* Return keys that compare as their values do. */
static uint64_t key_of_int(int64_t v)
{
	return (uint64_t)v ^ (UINT64_C(1) << 63);
}

static int64_t int_of_key(uint64_t k)
{
	return (int64_t)(k ^ (UINT64_C(1) << 63));
}

static uint64_t key_of_real(double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double real_of_key(uint64_t k)
{
	uint64_t bits = k >> 63 ? k ^ UINT64_C(1) << 63 : ~k;
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static void keys_to_reals(struct percentile *a)
{
	if (a->reals)
		return;
	a->reals = true;
	for (size_t i = 0; i < a->n; i++)
		a->keys[i] = key_of_real((double)int_of_key(a->keys[i]));
}

static void fail(sqlite3_context *c, struct percentile *a, const char *text)
{
	a->failed = true;
	if (text)
		sqlite3_result_error(c, text, -1);
	else
		sqlite3_result_error_nomem(c);
}

/* Replaces the values by counts. */
static int keys_to_counts(struct percentile *a)
{
	a->counts = calloc(HIST_BUCKETS, sizeof(*a->counts));
	if (!a->counts)
		return SQLITE_NOMEM;
	keys_to_reals(a);
	for (size_t i = 0; i < a->n; i++)
		a->counts[a->keys[i] >> HIST_SHIFT]++;
	free(a->keys);
	a->keys = NULL;
	a->n = a->room = 0;
	return SQLITE_OK;
}

static int add_key(struct percentile *a, uint64_t key)
{
	if (tp_grow_raw(&a->keys, &a->room, a->n, sizeof(*a->keys)))
		return SQLITE_NOMEM;
	a->keys[a->n++] = key;
	return SQLITE_OK;
}

static void step(sqlite3_context *c, int argc, sqlite3_value **argv)
{
	const double *fixed = sqlite3_user_data(c);
	struct percentile *a = sqlite3_aggregate_context(c, sizeof(*a));
	int type;
	double v;

	if (!a) {
		sqlite3_result_error_nomem(c);
		return;
	}
	if (a->failed)
		return;
	if (!a->started) {
		a->started = true;
		a->p = fixed ? *fixed : 50;
		if (argc == 2 && sqlite3_value_type(argv[1]) == SQLITE_NULL)
			a->p = NAN;
		else if (argc == 2)
			a->p = sqlite3_value_double(argv[1]);
		if (argc == 2 && (!(a->p >= 0 && a->p <= 100) ||
				  sqlite3_value_numeric_type(argv[1]) == SQLITE_TEXT ||
				  sqlite3_value_numeric_type(argv[1]) == SQLITE_BLOB)) {
			fail(c, a,
			     "percentile(x, p): p must be a number from 0 to 100, as in "
			     "percentile(dur_ns, 99.9)");
			return;
		}
	}
	type = sqlite3_value_numeric_type(argv[0]);
	if (type == SQLITE_NULL)
		return;
	if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) {
		fail(c, a, "percentiles need numbers, but this column has text");
		return;
	}
	if (type == SQLITE_FLOAT) {
		a->any_real = true;
		keys_to_reals(a);
	}
	if (!a->counts && a->n == EXACT_VALUES && keys_to_counts(a)) {
		fail(c, a, NULL);
		return;
	}
	a->total++;
	v = sqlite3_value_double(argv[0]);
	if (a->counts)
		a->counts[key_of_real(v) >> HIST_SHIFT]++;
	else if (add_key(a, a->reals ? key_of_real(v) : key_of_int(sqlite3_value_int64(argv[0]))))
		fail(c, a, NULL);
}

/* Returns the key of a rank (0: the smallest) by radix selection: counts the next eleven bits, then keeps the
 * keys that share those of the result. Takes linear time for all values; reorders the keys. */
static uint64_t key_at_rank(uint64_t *keys, size_t n, uint64_t rank)
{
	static const unsigned step_bits = 11;
	unsigned shift = 64;

	while (shift > 0 && n > 1) {
		unsigned bits = shift < step_bits ? shift : step_bits;
		uint32_t counts[1 << 11] = {0};
		uint64_t mask = (UINT64_C(1) << bits) - 1, want = 0;
		size_t kept = 0;

		shift -= bits;
		for (size_t i = 0; i < n; i++)
			counts[keys[i] >> shift & mask]++;
		while (rank >= counts[want])
			rank -= counts[want++];
		for (size_t i = 0; i < n; i++)
			if ((keys[i] >> shift & mask) == want)
				keys[kept++] = keys[i];
		n = kept;
	}
	return keys[0];
}

static void result_from_counts(sqlite3_context *c, struct percentile *a, uint64_t rank)
{
	uint64_t k = 0;
	double v;

	while (k < HIST_BUCKETS - 1 && rank >= a->counts[k])
		rank -= a->counts[k++];
	v = real_of_key(k << HIST_SHIFT | UINT64_C(1) << (HIST_SHIFT - 1)); /* middle */
	if (a->any_real || fabs(v) >= 0x1p63)
		sqlite3_result_double(c, v);
	else
		sqlite3_result_int64(c, llround(v));
}

static void finish(sqlite3_context *c)
{
	struct percentile *a = sqlite3_aggregate_context(c, 0);
	uint64_t rank, key;

	if (!a)
		return; /* no rows: NULL */
	if (!a->failed && a->total) {
		double r = ceil(a->p / 100 * (double)a->total);

		rank = r < 1 ? 0 : (uint64_t)r - 1;
		if (rank >= a->total)
			rank = a->total - 1;
		if (a->counts) {
			result_from_counts(c, a, rank);
		} else {
			key = key_at_rank(a->keys, a->n, rank);
			if (a->reals)
				sqlite3_result_double(c, real_of_key(key));
			else
				sqlite3_result_int64(c, int_of_key(key));
		}
	}
	free(a->keys);
	free(a->counts);
	memset(a, 0, sizeof(*a));
}

int tp_sql_percentile_register(struct sqlite3 *db)
{
	static const double p50 = 50, p90 = 90, p95 = 95, p99 = 99;
	static const struct {
		const char *name;
		int nargs;
		const double *p;
	} functions[] = {
	    {"percentile", 2, NULL}, {"median", 1, &p50}, {"p50", 1, &p50},
	    {"p90", 1, &p90},	     {"p95", 1, &p95},	  {"p99", 1, &p99},
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		/* SQLite takes user data as plain void; it is only read. */
		int rc = sqlite3_create_function_v2(
		    db, functions[i].name, functions[i].nargs,
		    SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
		    (void *)(uintptr_t)functions[i].p, NULL, step, finish, NULL);
		if (rc)
			return rc;
	}
	return SQLITE_OK;
}
