/* Inside libreport/engine: when rows of loads that do not count are removed.
 *
 * A loader gives up after REP_ENGINE_LOAD_S, by a clock that nobody sets. Loads that do not count
 * are removed once nobody has begun to load their run for REP_ENGINE_STALE_S, by the clocks of the
 * servers. The two are far enough apart that clocks need not agree: nothing is removed that somebody
 * is still loading, or that a report was told of just before another load took its place. */
#ifndef REP_ENGINE_STALE_H
#define REP_ENGINE_STALE_H

#include <stddef.h>
#include <stdint.h>

#include "engine/inside.h"

#define REP_ENGINE_LOAD_S  (12 * 3600)
#define REP_ENGINE_STALE_S (24 * 3600)

/* TP_EBUSY with a sentence unless each of n loads was begun exactly once. Numbers are random, so this
 * is asked before anything else of a load is sent: of two loads with one number at most one goes
 * on. It is asked again before a load counts. */
int rep_engine_begun_once(const struct rep_engine_link *link, const struct rep_engine_place *at,
			  const uint64_t *load, size_t n, struct tp_err *err);

#define REP_ENGINE_REMOVED_MOST 4000
extern size_t rep_engine_removed_at_once; /* that, but in tests */

/* Removes the next stale loads after *after (0: from the first on) from all servers. *removed is how
 * many, 0 when there are no more; *after becomes the last of them. */
int rep_engine_remove_stale(const struct rep_engine_link *servers, size_t nservers,
			    const struct rep_engine_place *at, uint64_t *after, uint64_t *removed,
			    struct tp_err *err);

#endif
