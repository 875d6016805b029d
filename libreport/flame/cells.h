/* Part of a flame graph as bars in the cells of a terminal, and moving the cursor over them.
 *
 * A bar is a frame that is at least a cell wide. The narrower children of a frame become one merged
 * bar after the others, which shows their number and can be zoomed into like a frame. If there is
 * only one narrower child, it is shown as itself, provided that there is a cell for it. So every
 * frame is a bar, is counted in a merged bar, or is below one.
 *
 * The bars of children stay within their parent's and do not overlap; the gap after them is the
 * parent's own value. Edges of bars are rounded for the whole picture at once, so errors do not add
 * up from level to level. A merged bar for which rounding leaves no cell has 0 cells: the cursor
 * can still move to it, at the end of the bar before it. */
#ifndef REP_FLAME_CELLS_H
#define REP_FLAME_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "flame/order.h"
#include "flame/tree.h"

/* The part that takes the whole width: a frame if `from` is 0, else its children from `from` on, in
 * order. */
struct rep_flame_zoom {
	uint32_t node, from;
};

struct rep_flame_bar {
	struct rep_flame_zoom what;
	uint32_t count;		   /* frames in a merged bar, else 0 */
	uint32_t level;		   /* 0: the whole width */
	uint32_t first, cells;	   /* its first cell, and the number of cells */
	uint32_t parent;	   /* a bar; the first one is its own parent */
	uint32_t child, nchildren; /* bars from left to right, stored one after the other */
	int64_t start;		   /* weight to its left */
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

/* Lays out the bars, in time proportional to what is shown. Returns 0 or TP_ENOMEM. Release
 * them in every case. */
int rep_flame_cells(const struct rep_flame_tree *t, const struct rep_flame_order *o,
		    const struct rep_flame_cells_options *opt, struct rep_flame_cells *c,
		    struct tp_err *err);
void rep_flame_cells_release(struct rep_flame_cells *c);

/* ---- moving ---- */

enum rep_flame_step { REP_FLAME_PARENT, REP_FLAME_CHILD, REP_FLAME_BEFORE, REP_FLAME_BEHIND };

/* Returns the bar that a step leads to, or the same bar if there is none. A step to the children
 * leads to the one at *cell, or the nearest, so that a step up and one down lead back. Steps to the
 * side continue across parents, and set *cell. */
uint32_t rep_flame_cells_step(const struct rep_flame_cells *c, uint32_t bar,
			      enum rep_flame_step step, uint32_t *cell);
/* Returns the bar at a cell of a level, or UINT32_MAX. */
uint32_t rep_flame_cells_at(const struct rep_flame_cells *c, uint32_t level, uint32_t cell);
/* Returns the bar that is or contains the given part, else the nearest bar above it. */
uint32_t rep_flame_cells_find(const struct rep_flame_cells *c, const struct rep_flame_tree *t,
			      struct rep_flame_zoom what);

#endif
