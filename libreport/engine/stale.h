/* Removes rows of loads that do not count. Private to libreport/engine.
 *
 * A loader gives up after REP_ENGINE_LOAD_S, by a clock that is never set. Loads that do not count
 * are removed once no load of their run has begun for REP_ENGINE_STALE_S, by the clocks of the
 * servers. The two periods differ so much that clocks need not agree: no load is removed while it
 * is in progress, or while a report uses it just after another load has replaced it. */
#ifndef REP_ENGINE_STALE_H
#define REP_ENGINE_STALE_H

#include <stddef.h>
#include <stdint.h>

#include "engine/inside.h"

#define REP_ENGINE_LOAD_S  (12 * 3600)
#define REP_ENGINE_STALE_S (24 * 3600)

/* Returns TP_EBUSY with a sentence unless each of n loads was begun exactly once. Load numbers are
 * random, so this is checked before any other row of a load is sent: of two loads with the same
 * number at most one continues. It is checked again before a load counts. */
int rep_engine_begun_once(const struct rep_engine_link *link, const struct rep_engine_place *at,
			  const uint64_t *load, size_t n, struct tp_err *err);

#define REP_ENGINE_REMOVED_MOST 4000
extern size_t rep_engine_removed_at_once; /* that, but in tests */

/* Removes the next stale loads after *after (0: from the first on) from all servers. Sets *removed
 * to their number, 0 if there are no more, and *after to the last one. */
int rep_engine_remove_stale(const struct rep_engine_link *servers, size_t nservers,
			    const struct rep_engine_place *at, uint64_t *after, uint64_t *removed,
			    struct tp_err *err);

#endif
