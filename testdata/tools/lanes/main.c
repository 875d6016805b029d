/* lanes: how long a timeline takes to draw, for `make bench`, and whether it is right, for `make
 * conformance`. Not installed.
 *
 *   lanes STORE [ROWS COLUMNS]      times
 *   lanes check [-n N] STORE...     compares N (20) random pictures of every run with its spans
 *
 * The former draws every kind of row at every zoom, from the whole run to columns of one nanosecond
 * around its middle, and prints a line each: kind of rows, their number, columns, length in ns, and
 * milliseconds: of the first time from sums alone (coarse), of the first exact one, of the median
 * of five that are each moved by 1 ns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lanes/lanes.h"
#include "lanes/testing_moment.h"

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int fail(const struct tp_err *err)
{
	fprintf(stderr, "lanes: %s\n", err->msg);
	return 1;
}

static int draw(struct rep_lanes *lanes, struct rep_picture *p, double *ms, struct tp_err *err)
{
	double begin = now_ms();
	int code = rep_lanes_draw(lanes, p, NULL, err);

	*ms = now_ms() - begin;
	return code;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* The middle of what is drawn is that of the run. */
static int measure(struct rep_lanes *lanes, const char *kind, struct rep_picture *p, int64_t length,
		   struct tp_err *err)
{
	double coarse = 0, first = 0, moved[5] = {0};
	int code;

	if (rep_lanes_duration(lanes) > INT64_MAX / 2)
		return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE, "no run takes so long");
	p->from = (rep_lanes_duration(lanes) - length) / 2;
	p->to = p->from + length;
	p->coarse = true;
	code = draw(lanes, p, &coarse, err);
	p->coarse = false;
	if (!code)
		code = draw(lanes, p, &first, err);
	for (int i = 0; i < 5 && !code; i++) {
		p->from++;
		p->to++;
		code = draw(lanes, p, &moved[i], err);
	}
	qsort(moved, 5, sizeof(*moved), by_value);
	if (!code)
		printf("%s %zu %d %lld %.3f %.3f %.3f\n", kind, p->nrows, p->cols,
		       (long long)length, coarse, first, moved[2]);
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
	const char *name = unfolded ? "unfolded" : rep_lane_kinds[kind];
	uint32_t *entry = NULL;
	double begin = now_ms();
	int code = rep_lanes_new(&lanes, store, run, NULL, err);

	if (code)
		return code;
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
	printf("%s %zu %d begin %.3f\n", name, list.n, cols, now_ms() - begin);
	p.row = list.row;
	p.nrows = list.n < rows ? list.n : rows;
	for (int64_t length = rep_lanes_duration(lanes); !code && length > cols; length /= 4)
		code = measure(lanes, name, &p, length, err);
	if (!code)
		code = measure(lanes, name, &p, cols, err);
	free(p.cell);
	free(entry);
	rep_lane_rows_release(&list);
	rep_lanes_free(lanes);
	return code;
}

static bool check_run(struct tp_store *store, const struct rep_run *run, int n, const char *path)
{
	struct lanes_check c;
	size_t hops;
	bool good = lanes_check_open(&c, store, run) && lanes_check_pictures(&c, n) &&
		    lanes_check_totals(&c, REP_LANE_GROUP, n) &&
		    lanes_check_totals(&c, REP_LANE_GOROUTINE, n) &&
		    lanes_check_totals(&c, REP_LANE_TASK, n) && lanes_check_moments(&c, n) &&
		    lanes_check_path(&c, NULL, &hops) && lanes_check_path(&c, ".", &hops);

	if (!good)
		printf("%s: run %lld: %s\n", path, (long long)run->row.id, c.problem);
	lanes_check_close(&c);
	return good;
}

static int check(char **path, int paths)
{
	int n = 20, bad = 0, good = 0;

	if (paths > 2 && !strcmp(path[0], "-n")) {
		n = atoi(path[1]);
		path += 2;
		paths -= 2;
	}
	for (int i = 0; i < paths; i++) {
		struct rep_runs runs = {0};
		struct tp_store *store;
		struct tp_err err;

		if (tp_store_open(&store, path[i], &err) || rep_runs_load(store, &runs, &err))
			return fail(&err);
		for (size_t r = 0; r < runs.n; r++) {
			if (strcmp(runs.run[r].row.kind, "trace") != 0)
				continue;
			if (check_run(store, &runs.run[r], n, path[i]))
				good++;
			else
				bad++;
		}
		rep_runs_release(&runs);
		tp_store_close(store);
	}
	printf("lanes: %d passed, %d failed\n", good, bad);
	return bad > 0;
}

int main(int argc, char **argv)
{
	size_t rows = argc > 2 ? strtoul(argv[2], NULL, 10) : 24;
	int cols = argc > 3 ? atoi(argv[3]) : 80;
	struct rep_runs runs = {0};
	struct tp_store *store;
	struct tp_err err;
	int code;

	if (argc > 2 && !strcmp(argv[1], "check"))
		return check(argv + 2, argc - 2);
	if (argc < 2 || rows < 1 || cols < 1) {
		fprintf(stderr,
			"usage: lanes STORE [ROWS COLUMNS]\n       lanes check [-n N] STORE...\n");
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
