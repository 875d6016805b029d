/* A small timeline for tests: three workers of one group, and main. */
#ifndef TUI_TIMELINE_TESTING_SAMPLE_H
#define TUI_TIMELINE_TESTING_SAMPLE_H

#include <string.h>

#include "tprof-tui/view/timeline/timeline.h"

#define SAMPLE_LANE(k, i, id_, text, a, b, d)                                                      \
	{                                                                                          \
		.kind = (k), .index = (i), .id = (id_), .goid = {(id_), 0}, .name = (text),        \
		.name_size = sizeof(text) - 1, .from = (a), .to = (b), .depth = (d)                \
	}

static const struct rep_lane sample_lanes[] = {
    SAMPLE_LANE(REP_LANE_GROUP, 7, 3, "main.worker", 10, 900, 0),
    SAMPLE_LANE(REP_LANE_GOROUTINE, 4, 20, "main.worker", 10, 300, 1),
    SAMPLE_LANE(REP_LANE_GOROUTINE, 1, 21, "main.worker", 10, 900, 1),
    SAMPLE_LANE(REP_LANE_GOROUTINE, 5, 22, "main.worker", 500, 600, 1),
    SAMPLE_LANE(REP_LANE_GROUP, 3, 1, "main.main", 0, 1000, 0),
    SAMPLE_LANE(REP_LANE_GOROUTINE, 0, 1, "main.main", 0, 1000, 1),
};
static const struct rep_lane sample_procs[] = {
    SAMPLE_LANE(REP_LANE_PROC, 0, 0, "", 0, 1000, 0),
    SAMPLE_LANE(REP_LANE_PROC, 1, 1, "", 0, 1000, 0),
};

struct sample {
	struct tui tui;
	struct tui_view view;
	struct timeline s;
};

static inline bool sample_init(struct sample *x)
{
	struct tp_err err;
	struct timeline *s = &x->s;

	memset(x, 0, sizeof(*x));
	tui_select_init(&x->tui.select);
	tui_select_init(&x->view.select);
	x->view.state = s;
	x->view.tui = &x->tui;
	s->view = &x->view;
	s->anchor = INT64_MIN;
	s->duration = 1000;
	s->highlight.state = TL_NSHOWN;
	s->layout = (struct tl_layout){.cols = 10, .chart = 3};
	if (tl_roster_goroutines(&s->roster, sample_lanes, 6, &err) ||
	    tl_roster_others(&s->roster, TL_PROCS, sample_procs, 2, &err) ||
	    !tl_list_init(&s->list, &s->roster))
		return false;
	s->ready = true;
	tl_begin(s);
	return true;
}

/* Sets the details of the place under the cursor, in place of the worker: a wait in [start, end), ended by
 * `waker` (TP_NONE: unknown) at `at`. */
static inline void sample_moment(struct sample *x, int64_t start, int64_t end, uint32_t waker,
				 int64_t at)
{
	struct timeline *s = &x->s;
	const struct rep_lane *row = tl_row(s);

	tl_detail_release(&s->detail);
	s->detail = (struct tl_detail){
	    .kind = row->kind,
	    .index = row->index,
	    .ns = s->ns,
	    .there = true,
	    .goroutine = row->index,
	    .reason = "sync",
	    .outside = "",
	    .moment = {.span = {.start = start,
				.end = end,
				.state = TP_ST_WAITING,
				.goroutine = row->index},
		       .cause = {.goroutine = waker, .ns = at}},
	};
}

static inline void sample_release(struct sample *x)
{
	tl_highlight_release(&x->s);
	tl_ask_release(&x->s);
}

#endif
