/* The cells of some rows in a window, with marks and their texts; the picture owns them all. Until
 * another picture is made, this one is shown, stretched to the window. */
#ifndef TUI_TIMELINE_PICTURE_H
#define TUI_TIMELINE_PICTURE_H

#include <stdatomic.h>

#include "base/arena.h"
#include "lanes/lanes.h"
#include "tprof-tui/view/timeline/window.h"

#define TL_MOST_MARKS 4000 /* limit on marks in the list; cells and bands include all marks */

struct tl_reason {
	uint32_t id;
	const char *text;
	size_t size;
	bool lit; /* it is highlighted */
};

/* The marks in a column: their length by kind, added up over goroutines, and which kinds occur. */
struct tl_band {
	int64_t ns[REP_MARK_ASSIST + 1]; /* by kind */
	uint16_t any;			 /* a bit per kind */
};

struct tl_picture {
	struct tl_window window; /* cols 0: there is no picture yet */
	struct rep_lane *row;	 /* without names */
	size_t nrows;
	struct rep_cell *cell; /* nrows * cols */
	/* For each cell: a bit for each enum rep_mark_kind of which a mark covers at least half of
	 * the column. */
	uint16_t *on;
	struct tl_band *band; /* by column */
	struct rep_mark *mark;
	size_t nmarks, room;
	bool more_marks; /* marks beyond TL_MOST_MARKS were left out */
	struct tl_reason *reason;
	size_t nreasons;
	bool exact;
	struct tp_arena texts;
};

/* Makes a picture, on the worker's thread. Returns errors of rep_lanes_draw. The caller releases the
 * picture in every case. */
int tl_picture_make(struct tl_picture *p, struct rep_lanes *lanes, const struct tl_window *w,
		    const struct rep_lane *row, size_t nrows, bool coarse, const atomic_bool *stop,
		    struct tp_err *err);
void tl_picture_release(struct tl_picture *p);

/* Returns whether the picture has exactly these rows. */
bool tl_picture_of(const struct tl_picture *p, const struct rep_lane *const *row, size_t nrows);
/* Returns the row of a lane in the picture, or -1. */
long tl_picture_row(const struct tl_picture *p, const struct rep_lane *lane);
/* Returns the column of a time in the picture, or -1. */
int tl_picture_col(const struct tl_picture *p, int64_t ns);
/* Adds a mark to the bits of cells and to the bands. */
void tl_picture_add_mark(struct tl_picture *p, const struct rep_mark *mark);
/* Returns the reason with this id, or NULL. */
struct tl_reason *tl_picture_reason(const struct tl_picture *p, uint32_t id);

#endif
