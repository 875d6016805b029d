/* Lanes over whatever a damaged dump left in a store: every kind of row, pictures at several zooms,
 * marks, moments and steps. */
#include <stdlib.h>

#include "fuzz.h"
#include "lanes/lanes.h"

static const struct rep_filter_text filters[] = {
    {0}, {.goroutine = "1"}, {.goroutine = "main"}, {.task = "."}, {.region = "."}};

#define ROWS 9 /* so that one input does not take for ever */

static void draw(struct rep_lanes *lanes, const struct rep_lane_rows *rows)
{
	int64_t duration = rep_lanes_duration(lanes), length = duration + 1;
	struct rep_picture p = {.cols = 7, .row = rows->row};
	struct tp_err err;

	p.nrows = rows->n < ROWS ? rows->n : ROWS;
	for (int i = 0; i < 6 && length > 0; i++, length /= 9) {
		p.from = i % 2 ? duration / 3 : 0;
		p.to = p.from + length;
		for (int exact = 0; exact < 2; exact++) {
			p.coarse = !exact;
			if (rep_lanes_draw(lanes, &p, NULL, &err)) {
				MUST(err.code < 0 && err.msg[0]);
				continue;
			}
			MUST(p.exact || !exact);
			for (size_t k = 0; k < p.nrows * 7; k++) {
				const struct rep_cell *cell = &p.cell[k];

				for (unsigned s = 0; s < TP_NSTATES; s++)
					MUST(cell->ns[s] >= 0 || !exact);
			}
		}
	}
	free(p.cell);
}

static int on_mark(void *ctx, const struct rep_mark *mark)
{
	size_t *n = ctx;

	MUST(mark->from <= mark->to && mark->kind < REP_NMARK_KINDS && mark->text);
	return ++*n > 5000;
}

static void look_at_places(struct rep_lanes *lanes, const struct rep_lane_rows *rows)
{
	int64_t duration = rep_lanes_duration(lanes);
	struct tp_err err;

	for (size_t i = 0; i < rows->n && i < ROWS; i++) {
		const struct rep_lane *row = &rows->row[i];
		struct rep_moment m;
		uint32_t g;

		if (row->kind == REP_LANE_GOROUTINE) {
			for (int k = 0; k < 4; k++) {
				if (rep_lanes_moment(lanes, row->index, duration / 3 * k, &m, &err))
					MUST(err.code < 0 && err.msg[0]);
				rep_moment_release(&m);
			}
		} else if (rep_lanes_on(lanes, row, duration / 2, &g, &err)) {
			MUST(err.code < 0 && err.msg[0]);
		}
	}
}

static void step(struct rep_lanes *lanes)
{
	struct tp_err err;

	for (int back = 0; back < 2; back++) {
		for (uint32_t only = 0; only < 3; only++) {
			struct rep_event_at at = {.number = UINT64_MAX,
						  .ns = back ? INT64_MAX : INT64_MIN};

			for (int i = 0; i < 300; i++)
				if (rep_lanes_step(lanes, back ? -1 : 1, only ? only - 1 : TP_NONE,
						   &at, &err))
					break;
		}
	}
}

static void look(struct tp_store *s, const struct rep_run *run, const struct rep_filter_text *text)
{
	struct rep_lanes *lanes;
	struct rep_filter filter;
	struct tp_err err;
	size_t n = 0;

	MUST(!rep_filter_init(&filter, text, &err));
	if (!rep_lanes_new(&lanes, s, run, &filter, &err)) {
		for (unsigned k = 0; k < REP_NLANE_KINDS; k++) {
			const struct rep_lanes_options options = {
			    .kind = (enum rep_lane_kind)k, .from = INT64_MIN, .to = INT64_MAX};
			struct rep_lane_rows rows;

			if (!rep_lanes_rows(lanes, &options, &rows, &err)) {
				draw(lanes, &rows);
				look_at_places(lanes, &rows);
			}
			rep_lane_rows_release(&rows);
		}
		if (rep_lanes_marks(lanes, REP_MARKS_ALL, INT64_MIN, INT64_MAX, on_mark, &n, NULL,
				    &err))
			MUST(err.code < 0 && err.msg[0]);
		step(lanes);
		rep_lanes_free(lanes);
	} else {
		MUST(err.code < 0 && err.msg[0]);
	}
	rep_filter_release(&filter);
}

void fuzz_lanes(struct fuzz_store *f, uint64_t pick)
{
	look(f->s, f->run, &filters[fuzz_pick(&pick, sizeof(filters) / sizeof(filters[0]))]);
}
