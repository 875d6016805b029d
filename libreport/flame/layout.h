/* Lays out a flame graph: selects the nodes of a tree that are shown as frames, their order and
 * their widths.
 *
 * Frames narrower than a limit are folded: the narrower children of a frame become one frame
 * together, or disappear if that is too narrow as well. The limit is given, or chosen so that the
 * frames take at most a number of bytes. Only values and names decide: the same profile gives the
 * same layout, whatever the order of its samples. */
#ifndef REP_FLAME_LAYOUT_H
#define REP_FLAME_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "flame/tree.h"

struct rep_flame_frame {
	uint32_t node;			/* of a fold: its parent's */
	uint32_t depth;			/* 0: the root */
	bool fold;			/* stands for narrower children of `node` */
	int64_t value[REP_FLAME_SIDES]; /* totals */
	/* Weight and values without those of the frames below: of the frame itself and of children
	 * that are folded and not shown. Of a fold, all its values. */
	int64_t own, rest[REP_FLAME_SIDES];
	double x, width; /* shares of the whole picture, 0 … 1 */
	int step;	 /* of a difference: change.h */
};

struct rep_flame_layout_options {
	bool by_name;	  /* order of siblings; else widest first, equal ones by name */
	double min_width; /* share of the whole that a frame must have */
	bool everything;  /* fold nothing; nodes without width are shown as well */
	bool every_fold;  /* show folds however narrow they are: sums of frames are exact */
	double noise;	  /* standard errors that a change must exceed (change.h) */
	/* Bytes that the frames may take, 0 for no limit: `per_frame`, and those of its name, which
	 * count once, or with every frame if `repeated`. */
	size_t budget, per_frame;
	bool repeated;
};

struct rep_flame_layout {
	struct rep_flame_frame *frame; /* depth first, the root is the first */
	size_t n;
	uint32_t levels; /* of the deepest frame + 1 */
	double limit;	 /* share below which frames are folded */
	size_t folded;	 /* nodes that are not shown */
	int64_t hidden;	 /* weight in them */
	double hidden_share;
};

/* Lays out the tree. Returns 0 or TP_ENOMEM. Release it in every case. */
int rep_flame_layout(const struct rep_flame_tree *t, const struct rep_flame_layout_options *opt,
		     struct rep_flame_layout *out, struct tp_err *err);
void rep_flame_layout_release(struct rep_flame_layout *l);

#endif
