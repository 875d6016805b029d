/* Adds up the hops of paths by chain, place and kind, and keeps those of a single request one by
 * one. Private to libreport/path. */
#ifndef REP_PATH_TALLY_H
#define REP_PATH_TALLY_H

#include "path/path.h"

/* Adds a hop; hops are added backwards in time. `again`: it is a part of the hop that was added last, which
 * begins where this one ends. `part`: that of a request in a band, or TP_NONE. Returns 0, TP_ENOMEM or
 * TP_ELIMIT. */
int rep_path_put(struct rep_path *p, const struct rep_path_hop *hop, uint32_t entry, uint32_t part,
		 bool keep, bool again);

/* Finds or adds the chain of a wait below `chain`. If there are too many chains, *out is `chain` itself.
 * Returns 0, TP_ENOMEM or TP_ELIMIT. */
int rep_path_deepen(struct rep_path *p, uint32_t chain, const struct rep_path_chain *wait,
		    uint32_t *out);

int rep_path_begin(struct rep_path *p);
/* Adds up the times of chains. */
void rep_path_finish(struct rep_path *p);

#endif
