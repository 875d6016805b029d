/* What was drawn last: cells of some rows in a window, with the marks over them and the texts that
 * they name, all its own. It is shown, stretched, until another comes. */
#ifndef TUI_TIMELINE_PICTURE_H
#define TUI_TIMELINE_PICTURE_H

#include <stdatomic.h>

#include "base/arena.h"
#include "lanes/lanes.h"
#include "tprof-tui/view/timeline/window.h"

#define TL_MOST_MARKS 4000 /* whose texts are kept; cells know of all of them */

struct tl_reason {
	uint32_t id;
	const char *text;
	size_t size;
	bool lit; /* by what is highlighted */
};

/* Ranges in a column: how long there were some of a kind (those of several goroutines at once add
 * up), and whether there were any. */
struct tl_band {
	int64_t ns[REP_MARK_ASSIST + 1]; /* by kind */
	uint16_t any;
};

struct tl_picture {
	struct tl_window window; /* cols 0: there is none yet */
	struct rep_lane *row;	 /* names are not kept */
	size_t nrows;
	struct rep_cell *cell; /* nrows * cols */
	/* Of each cell: a bit per enum rep_mark_kind that its goroutine is in for at least half of
	 * the column. */
	uint16_t *on;
	struct tl_band *band; /* of each column */
	struct rep_mark *mark;
	size_t nmarks, room;
	bool more_marks; /* than are kept */
	struct tl_reason *reason;
	size_t nreasons;
	bool exact;
	struct tp_arena texts;
};

/* On the worker's thread. Errors as rep_lanes_draw; to be released in every case. */
int tl_picture_make(struct tl_picture *p, struct rep_lanes *lanes, const struct tl_window *w,
		    const struct rep_lane *row, size_t nrows, bool coarse, const atomic_bool *stop,
		    struct tp_err *err);
void tl_picture_release(struct tl_picture *p);

/* Is it of these rows? */
bool tl_picture_of(const struct tl_picture *p, const struct rep_lane *const *row, size_t nrows);
/* Its row of a lane, -1 for none. */
long tl_picture_row(const struct tl_picture *p, const struct rep_lane *lane);
/* Its column that stands for a time, -1 for none. */
int tl_picture_col(const struct tl_picture *p, int64_t ns);
/* Adds one to the cells' bits and the bands; private, for tests. */
void tl_picture_add_mark(struct tl_picture *p, const struct rep_mark *mark);
/* NULL for none. */
struct tl_reason *tl_picture_reason(const struct tl_picture *p, uint32_t id);

#endif
