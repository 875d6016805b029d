/* Inside libreport/engine: until when a load is its loader's, and what goes when it is not. */
#ifndef REP_ENGINE_STALE_H
#define REP_ENGINE_STALE_H

#include <stddef.h>
#include <stdint.h>

#include "engine/inside.h"

/* CLOCK_BOOTTIME, in seconds: it goes on while the machine sleeps, and nobody sets it. */
int64_t rep_engine_uptime_s(void);

struct rep_engine_clocks {
	int64_t (*uptime_s)(void); /* to be set; rep_engine_uptime_s but in tests */
	int64_t fast, slow;	   /* of the servers, less uptime_s: seconds */
};
/* Asks all servers. */
int rep_engine_find_clocks(struct rep_engine_clocks *clocks, const struct rep_engine_link *servers,
			   size_t nservers, struct tp_err *err);

/* TP_EBUSY with a sentence where any of n loads that were begun was begun by another, too. Numbers
 * are chance, so this is asked before there is anything else of a load: of two with one number at
 * most one goes on, and none beside what another has left. */
int rep_engine_begun_once(const struct rep_engine_link *link, const struct rep_engine_place *at,
			  const uint64_t *load, size_t n, struct tp_err *err);

/* TP_EBUSY with a sentence unless all n loads are there and live for more than left_s seconds by
 * the engine's own clock. */
int rep_engine_still_own(const struct rep_engine_link *link, const struct rep_engine_place *at,
			 const uint64_t *load, size_t n, int64_t left_s, struct tp_err *err);

/* Rows of these loads in a table of one server. */
int rep_engine_remove_loads(const struct rep_engine_link *link, const struct rep_engine_place *at,
			    enum rep_engine_table_id table, const uint64_t *load, size_t n,
			    struct tp_err *err);
#define REP_ENGINE_REMOVED_MOST 4000
extern size_t rep_engine_removed_at_once; /* that, but in tests */

/* Removes from all servers the next loads after *after (0: from the first on) that do not count and
 * whose time is over: *removed of them, 0 when there are no more. *after is the last of them. */
int rep_engine_remove_stale(const struct rep_engine_link *servers, size_t nservers,
			    const struct rep_engine_place *at, struct rep_engine_clocks *clocks,
			    uint64_t *after, uint64_t *removed, struct tp_err *err);

/* TP_EBUSY with a sentence where rows of any of n loads, which counted once, may be gone. */
int rep_engine_still_there(const struct rep_engine_link *link, const struct rep_engine_place *at,
			   const uint64_t *load, size_t n, struct tp_err *err);

#endif
