/* Collections, one by one: what the mark phase, the stops of the world around it, and the sweep
 * after it took, and what became of the heap. */
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
	int64_t background_ns;	 /* of dedicated and fractional workers, on all Ps */
	int64_t idle_ns;	 /* of workers on Ps that had nothing else to do */
	int64_t assist_ns;	 /* of assists, while their goroutines ran */
	int64_t sweep_ns;	 /* of sweeps, up to the next cycle */
	int64_t procs;		 /* GOMAXPROCS */
	int64_t goal_bytes;	 /* for the heap, as it was when the mark phase began */
	int64_t heap_bytes;	 /* the heap at its largest, before the cycle took from it */
	int64_t live_bytes;	 /* what was left */
	int64_t growth_bytes;	 /* heap_bytes less what the cycle before had left */
	double bytes_per_second; /* NaN unknown: the growth, by the time since then */
};

/* `f` was loaded with REP_UTIL_ALL. *out is to be freed; in order of time. Returns 0 or
 * TP_ENOMEM. */
int rep_gc_cycles(const struct rep_gc_facts *f, struct rep_gc_cycle **out, size_t *n,
		  struct tp_err *err);

#endif
