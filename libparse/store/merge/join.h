/* One part of a trace behind another: do they belong together, and what are its goroutines, Ms, Ps,
 * strings and stacks in the whole? What may differ, and why that is all, is in order/cut.h. */
#ifndef TP_STORE_MERGE_JOIN_H
#define TP_STORE_MERGE_JOIN_H

#include "order/cut.h"
#include "order/trace.h"

/* The whole, as far as it is joined. */
struct join {
	struct tp_trace trace; /* dictionary, indices, ledger: to be released by the owner */
	struct tp_seam known;  /* where it ends; indices and names are those of the whole */
	bool begun, broken;
};

/* From the numbers of a part to those of the whole. */
struct join_maps {
	uint32_t *g, *m, *p, *str, *stack;
	uint32_t ng, nm, np, nstr, nstack;
};

/* Makes *maps (to be released in every case) of the next part, whose dictionary is `dict`, and
 * gives the whole what is new. TP_EFORMAT: it does not go on where the part before it ends;
 * TP_ESTORE: it is damaged; TP_ENOMEM, TP_ELIMIT. */
int join_begin(struct join *j, const struct tp_trace *part, const struct tp_dict *dict,
	       struct join_maps *maps, struct tp_err *err);
/* When its events are done with, the last one at last_ts in the whole: its ledger, and what is
 * known behind it, which it loses. */
int join_end(struct join *j, struct tp_trace *part, const struct join_maps *maps, int64_t last_ts,
	     struct tp_err *err);

void join_maps_release(struct join_maps *maps);
void join_release(struct join *j);

#endif
