/* A part of a flame graph as bars over the cells of a terminal, and how one moves over them.
 *
 * A bar is a frame that takes a cell or more. The narrower ones among the children of a frame are
 * merged: one bar, behind the others, that says how many they are, and into which one can zoom like
 * into a frame. A child of which there is only one such is shown as what it is, if there is a cell
 * for it. So every frame is a bar, or counted in a merged one, or below one.
 *
 * The bars of children never reach beyond that of their parent, and do not overlap; what a frame
 * has by itself is the gap behind them. Where bars begin and end is rounded for the whole picture
 * at once, so errors do not add up from level to level. Where rounding has left no cell for a
 * merged bar, it has none: it is there to be moved to, at the end of the bar before it. */
#ifndef REP_FLAME_CELLS_H
#define REP_FLAME_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "flame/order.h"
#include "flame/tree.h"

/* What is as wide as the picture: a frame, or some of its children, those from `from` on in order
 * (0: it is the frame). */
struct rep_flame_zoom {
	uint32_t node, from;
};

struct rep_flame_bar {
	struct rep_flame_zoom what;
	uint32_t count;		   /* of a merged bar: how many frames side by side; else 0 */
	uint32_t level;		   /* 0: the whole width */
	uint32_t first, cells;	   /* cells from the left, and how many */
	uint32_t parent;	   /* bars; the first's is itself */
	uint32_t child, nchildren; /* bars, from left to right: one after the other */
	int64_t start;		   /* weight to the left of it */
	int64_t weight, value[REP_FLAME_SIDES];
	int step; /* of a difference: change.h */
};

struct rep_flame_cells {
	struct rep_flame_bar *bar; /* level by level, from left to right */
	uint32_t n;
	uint32_t *level; /* level i has the bars level[i] … level[i + 1] - 1 */
	uint32_t nlevels, width;
};

struct rep_flame_cells_options {
	struct rep_flame_zoom zoom;
	uint32_t width; /* at least 1 */
	double noise;	/* of a difference: standard errors that a change must exceed */
};

/* TP_ENOMEM. Takes time for what is shown, not for the tree. To be released in every case. */
int rep_flame_cells(const struct rep_flame_tree *t, const struct rep_flame_order *o,
		    const struct rep_flame_cells_options *opt, struct rep_flame_cells *c,
		    struct tp_err *err);
void rep_flame_cells_release(struct rep_flame_cells *c);

/* ---- moving ---- */

enum rep_flame_step { REP_FLAME_PARENT, REP_FLAME_CHILD, REP_FLAME_BEFORE, REP_FLAME_BEHIND };

/* Where a step leads from a bar; the bar itself where it leads nowhere. Of the children it is the
 * one over *cell, else the nearest, so that up and down again is where one was; steps to the side
 * go on in the next family, and set *cell. */
uint32_t rep_flame_cells_step(const struct rep_flame_cells *c, uint32_t bar,
			      enum rep_flame_step step, uint32_t *cell);
/* The bar at a cell of a level, or UINT32_MAX. */
uint32_t rep_flame_cells_at(const struct rep_flame_cells *c, uint32_t level, uint32_t cell);
/* The bar that is, or holds, what is given; where it is not in the picture, the nearest above it,
 * which may be the first. */
uint32_t rep_flame_cells_find(const struct rep_flame_cells *c, const struct rep_flame_tree *t,
			      struct rep_flame_zoom what);

#endif
