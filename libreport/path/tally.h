/* Where hops of paths go: added up by chain, place and kind, and of a single request kept one by
 * one. Private to libreport/path. */
#ifndef REP_PATH_TALLY_H
#define REP_PATH_TALLY_H

#include "path/path.h"

/* A hop, found on the way back: what follows it in time has been put before. `again`: it is one
 * with that hop, which began where this one ends. 0 or TP_ENOMEM, TP_ELIMIT. */
int rep_path_put(struct rep_path *p, const struct rep_path_hop *hop, uint32_t entry, bool keep,
		 bool again);

/* The chain of a wait on `chain`, ended by `waker`: which of them, into *out. Where there are as
 * many as one can keep it is the same one. 0 or TP_ENOMEM, TP_ELIMIT. */
int rep_path_deepen(struct rep_path *p, uint32_t chain, const struct rep_path_chain *wait,
		    uint32_t *out);

int rep_path_begin(struct rep_path *p);
/* Times of chains, hops in the order of time. */
void rep_path_finish(struct rep_path *p);

#endif
