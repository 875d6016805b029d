/* benchlanes: how long a timeline takes to draw, for `make bench`. Not installed.
 *
 *   benchlanes STORE [ROWS COLUMNS]
 *
 * Draws every kind of row at every zoom, from the whole run to columns of one nanosecond around its
 * middle, and prints a line each: kind of rows, length in ns, then milliseconds of the first time
 * from sums alone (coarse), of the first exact one, of the slowest of five more, and whether the
 * first was exact by itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lanes/lanes.h"

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int fail(const struct tp_err *err)
{
	fprintf(stderr, "benchlanes: %s\n", err->msg);
	return 1;
}

/* The middle of what is drawn is that of the run. */
static int measure(struct rep_lanes *lanes, const char *kind, struct rep_picture *p, int64_t length,
		   struct tp_err *err)
{
	int64_t duration = rep_lanes_duration(lanes);
	double begin, coarse, first, again = 0;
	bool at_once;
	int code;

	p->from = (duration - length) / 2;
	p->to = p->from + length;
	p->coarse = true;
	begin = now_ms();
	code = rep_lanes_draw(lanes, p, NULL, err);
	coarse = now_ms() - begin;
	at_once = p->exact;
	p->coarse = false;
	begin = now_ms();
	if (!code)
		code = rep_lanes_draw(lanes, p, NULL, err);
	first = now_ms() - begin;
	for (int i = 0; i < 5 && !code; i++) {
		begin = now_ms();
		code = rep_lanes_draw(lanes, p, NULL, err);
		if (now_ms() - begin > again)
			again = now_ms() - begin;
	}
	if (!code)
		printf("%-10s %3zu x %3d %15lld ns %9.3f %9.3f %9.3f%s\n", kind, p->nrows, p->cols,
		       (long long)length, coarse, first, again, at_once ? " exact" : "");
	return code;
}

/* As many rows as a screen has, of those that are there in the middle. */
static int measure_kind(struct tp_store *store, const struct rep_run *run, enum rep_lane_kind kind,
			bool unfolded, size_t rows, int cols, struct tp_err *err)
{
	struct rep_lanes_options options = {.kind = kind, .from = INT64_MIN, .to = INT64_MAX};
	struct rep_lane_rows list = {0};
	struct rep_lanes *lanes;
	struct rep_picture p = {.cols = cols};
	uint32_t *entry = NULL;
	double begin = now_ms();
	int code = rep_lanes_new(&lanes, store, run, NULL, err);

	if (code)
		return code;
	printf("%-10s new %.3f ms", unfolded ? "unfolded" : rep_lane_kinds[kind], now_ms() - begin);
	begin = now_ms();
	code = rep_lanes_rows(lanes, &options, &list, err);
	if (!code && unfolded) {
		entry = malloc((list.n + 1) * sizeof(*entry));
		for (size_t i = 0; entry && i < list.n; i++)
			entry[i] = list.row[i].index;
		options.unfolded = entry;
		options.nunfolded = entry ? list.n : 0;
		rep_lane_rows_release(&list);
		code = rep_lanes_rows(lanes, &options, &list, err);
	}
	printf(", rows %.3f ms (%zu)\n", now_ms() - begin, list.n);
	p.row = list.row;
	p.nrows = list.n < rows ? list.n : rows;
	for (int64_t length = rep_lanes_duration(lanes); !code && length > cols; length /= 4)
		code =
		    measure(lanes, unfolded ? "unfolded" : rep_lane_kinds[kind], &p, length, err);
	if (!code)
		code = measure(lanes, unfolded ? "unfolded" : rep_lane_kinds[kind], &p, cols, err);
	free(p.cell);
	free(entry);
	rep_lane_rows_release(&list);
	rep_lanes_free(lanes);
	return code;
}

int main(int argc, char **argv)
{
	size_t rows = argc > 2 ? strtoul(argv[2], NULL, 10) : 24;
	int cols = argc > 3 ? atoi(argv[3]) : 80;
	struct rep_runs runs = {0};
	struct tp_store *store;
	struct tp_err err;
	int code;

	if (argc < 2 || rows < 1 || cols < 1) {
		fprintf(stderr, "usage: benchlanes STORE [ROWS COLUMNS]\n");
		return 2;
	}
	code = tp_store_open(&store, argv[1], &err);
	if (code)
		return fail(&err);
	code = rep_runs_load(store, &runs, &err);
	for (int k = 0; k <= REP_NLANE_KINDS && !code && runs.n; k++) {
		bool unfolded = k == REP_NLANE_KINDS;

		code = measure_kind(store, &runs.run[0],
				    unfolded ? REP_LANE_GROUP : (enum rep_lane_kind)k, unfolded,
				    rows, cols, &err);
	}
	rep_runs_release(&runs);
	tp_store_close(store);
	return code ? fail(&err) : 0;
}
