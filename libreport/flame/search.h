/* Searches a tree for frames by name, and sums them up. */
#ifndef REP_FLAME_SEARCH_H
#define REP_FLAME_SEARCH_H

#include <stdint.h>

#include "base/err.h"
#include "flame/cells.h"
#include "flame/tree.h"

enum rep_flame_mark {
	REP_FLAME_MATCHES = 1, /* the frame itself */
	REP_FLAME_HOLDS = 2,   /* a frame below it */
};

struct rep_flame_found {
	uint8_t *mark; /* by node */
	/* Sums of the stacks with a match, each counted once, and the number of matching frames
	 * that are not below another match. */
	int64_t value[REP_FLAME_SIDES], weight;
	uint32_t frames;
};

/* Finds the frames whose name matches a regular expression (RE2's syntax; case matters if it has
 * capitals), or contains the text if it is not a valid expression. Sums are of the stacks inside
 * `zoom`. Returns 0 or TP_ENOMEM. Release the result in every case. */
int rep_flame_search(const struct rep_flame_tree *t, const struct rep_flame_order *o,
		     struct rep_flame_zoom zoom, const char *text, struct rep_flame_found *f,
		     struct tp_err *err);
void rep_flame_found_release(struct rep_flame_found *f);

/* Returns the marks of a bar; a merged one only has REP_FLAME_HOLDS. */
unsigned rep_flame_found_mark(const struct rep_flame_found *f, const struct rep_flame_order *o,
			      const struct rep_flame_bar *bar);

#endif
