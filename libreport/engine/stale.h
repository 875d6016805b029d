/* Inside libreport/engine: loads that do not count, and when their rows are removed.
 *
 * Times are fixed, and far apart: a loader gives up after REP_ENGINE_LOAD_S, by a clock that nobody
 * sets, and what does not count is removed when nobody has begun to load its run for
 * REP_ENGINE_STALE_S, by the clocks of the servers. So nothing is removed that a loader is at, nor
 * what a report was told of shortly before another load took its place. */
#ifndef REP_ENGINE_STALE_H
#define REP_ENGINE_STALE_H

#include <stddef.h>
#include <stdint.h>

#include "engine/inside.h"

#define REP_ENGINE_LOAD_S  (12 * 3600)
#define REP_ENGINE_STALE_S (24 * 3600)

/* TP_EBUSY with a sentence unless each of n loads was begun exactly once. Numbers are chance, so this
 * is asked before there is anything else of a load: of two with one number at most one goes on, and
 * none beside what another has left. And it is asked before a load counts. */
int rep_engine_begun_once(const struct rep_engine_link *link, const struct rep_engine_place *at,
			  const uint64_t *load, size_t n, struct tp_err *err);

#define REP_ENGINE_REMOVED_MOST 4000
extern size_t rep_engine_removed_at_once; /* that, but in tests */

/* Removes from all servers the next loads after *after (0: from the first on) that do not count and
 * whose time is over: *removed of them, 0 when there are no more. *after is the last of them. */
int rep_engine_remove_stale(const struct rep_engine_link *servers, size_t nservers,
			    const struct rep_engine_place *at, uint64_t *after, uint64_t *removed,
			    struct tp_err *err);

#endif
