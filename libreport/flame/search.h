/* Search in a tree: which frames a text is about, and what share of everything they have. */
#ifndef REP_FLAME_SEARCH_H
#define REP_FLAME_SEARCH_H

#include <stdint.h>

#include "base/err.h"
#include "flame/cells.h"
#include "flame/tree.h"

enum rep_flame_mark {
	REP_FLAME_MATCHES = 1, /* the frame itself */
	REP_FLAME_HOLDS = 2,   /* one below it */
};

struct rep_flame_found {
	uint8_t *mark; /* by node */
	/* Of stacks with a match inside what was asked about, each counted once, and the frames
	 * that they were counted for: matches that are not below another. */
	int64_t value[REP_FLAME_SIDES], weight;
	uint32_t frames;
};

/* Frames whose name matches a regular expression (RE2's syntax; upper and lower case differ when
 * there are capitals in it), or where it is none, holds it as it is; of the stacks inside `zoom`.
 * TP_ENOMEM. To be released in every case, and only once filled in. */
int rep_flame_search(const struct rep_flame_tree *t, const struct rep_flame_order *o,
		     struct rep_flame_zoom zoom, const char *text, struct rep_flame_found *f,
		     struct tp_err *err);
void rep_flame_found_release(struct rep_flame_found *f);

/* Marks of what a bar stands for; of a merged one only REP_FLAME_HOLDS. */
unsigned rep_flame_found_mark(const struct rep_flame_found *f, const struct rep_flame_order *o,
			      const struct rep_flame_bar *bar);

#endif
