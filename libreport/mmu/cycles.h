/* Single collections: the time of the mark phase, of the stops of the world around it, and of the
 * sweep after it, and the size of the heap. */
#ifndef REP_MMU_CYCLES_H
#define REP_MMU_CYCLES_H

#include "mmu/utilisation.h"

/* Times in ns since the run began; TP_NULL is unknown. A cycle's rows are those from its mark
 * phase up to the next one's. */
struct rep_gc_cycle {
	int64_t start_ns, mark_ns;
	bool complete;		 /* both ends of the mark phase are in the trace */
	int64_t since_ns;	 /* from the end of the mark phase before */
	int64_t stw_ns;		 /* its stops of the world */
	int64_t background_ns;	 /* dedicated and fractional workers, on all Ps */
	int64_t idle_ns;	 /* workers on Ps that were otherwise idle */
	int64_t assist_ns;	 /* assists, while their goroutines ran */
	int64_t sweep_ns;	 /* sweeps, up to the next cycle */
	int64_t procs;		 /* GOMAXPROCS */
	int64_t goal_bytes;	 /* of the heap, as known when the mark phase began */
	int64_t heap_bytes;	 /* the largest heap before the cycle reduced it */
	int64_t live_bytes;	 /* remaining heap */
	int64_t growth_bytes;	 /* heap_bytes less live_bytes of the cycle before */
	double bytes_per_second; /* NaN: unknown; the growth divided by the time since then */
};

/* Lists the cycles in order of time. `f` must have been loaded with REP_UTIL_ALL. The caller frees
 * *out. Returns 0 or TP_ENOMEM. */
int rep_gc_cycles(const struct rep_gc_facts *f, struct rep_gc_cycle **out, size_t *n,
		  struct tp_err *err);

#endif
