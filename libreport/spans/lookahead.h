/* Indexes of segments one after the other: while the caller works with one, a thread reads the next.
 *
 *	struct rep_lookahead a = {.v = v, .options = {.crossing = true}};
 *
 *	code = rep_lookahead_get(&a, segment, &x, &err);
 *	rep_lookahead_start(&a, segment - 1);
 *	… x …
 *	rep_lookahead_release(&a);
 *
 * Between start and the next call of this header, the caller must not load tables of the view or read its
 * store. */
#ifndef REP_SPANS_LOOKAHEAD_H
#define REP_SPANS_LOOKAHEAD_H

#include <pthread.h>

#include "spans/index.h"

struct rep_lookahead {
	struct rep_view *v;
	struct rep_index_options options; /* `stop` is set here */

	/* private */
	struct rep_index index[2];
	unsigned at;	/* of the index that was returned last */
	size_t segment; /* of the other one, which the thread reads */
	bool running;
	atomic_bool stop;
	pthread_t thread;
	struct tp_err err;
	int code;
};

/* Returns the index of a segment, valid until the next call. Errors are those of rep_index_read. */
int rep_lookahead_get(struct rep_lookahead *a, size_t segment, const struct rep_index **x,
		      struct tp_err *err);
/* Begins to read a segment, after rep_lookahead_get. If another one is wanted instead, it is given up. */
void rep_lookahead_start(struct rep_lookahead *a, size_t segment);
/* Frees the indexes. */
void rep_lookahead_release(struct rep_lookahead *a);

#endif
