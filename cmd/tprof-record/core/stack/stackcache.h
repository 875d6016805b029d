/* A thread's cache of the stacks that it took, which makes the next one cheap.
 *
 * A shadow is the most recently unwound stack: pc, sp and fp of each frame, and where on the stack the next
 * outer frame was found (its return address; its fp may have been saved). A frame's caller
 * depends on nothing else (unwind.h). So if those places still hold the same values, all outer frames are the
 * same, and their node in the tree is known. */
#ifndef RECORD_CORE_STACKCACHE_H
#define RECORD_CORE_STACKCACHE_H

#include "tprof-record/core/inside.h"
#include "tprof-record/core/stack/unwind.h"

enum { REC_NSHADOWS = 4, REC_SHADOW_FRAMES = 144, REC_NBUCKET_CACHE = 32 };

struct rec_shadow_frame {
	struct rec_frame at;
	uint32_t node; /* of the tree: this frame and those outside of it */
	/* The caller's fp was at sp + 8 * (rec_places_fp - 1); 0: it is the same. The return address was
	 * rec_places_ra words below the caller's sp. */
	uint32_t places;
};

struct rec_shadow {
	uint32_t n;
	uint32_t epoch;
	bool cut; /* it does not reach the outermost frame, so it can only be used as a whole */
	struct rec_shadow_frame frame[REC_SHADOW_FRAMES]; /* outermost first */
};

struct rec_bucket_cache {
	uint64_t size;
	uint32_t stack, kind, bucket, unused;
};

struct rec_stack_cache {
	struct rec_stack_cache *next; /* in the list of free ones */
	struct rec_reach reach;
	struct rec_bucket_cache bucket[REC_NBUCKET_CACHE];
	struct rec_shadow shadow[REC_NSHADOWS];
	/* The stack that is being unwound, innermost first; stacks of the program may be small. */
	struct rec_shadow_frame scratch[REC_MAX_DEPTH];
};

#endif
