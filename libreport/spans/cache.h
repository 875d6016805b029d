/* What was made of the segments of a run, at most one item for each, within a number of bytes: the
 * items that were used longest ago are dropped. An item begins with a struct rep_cached. Not for
 * several threads. */
#ifndef REP_SPANS_CACHE_H
#define REP_SPANS_CACHE_H

#include <stddef.h>
#include <stdint.h>

struct rep_cached {
	size_t segment, bytes; /* set by whoever makes the item */
	uint64_t used;	       /* private */
};

struct rep_cache {
	struct rep_cached **item; /* by segment; NULL: not there */
	size_t nsegments, bytes, most;
	/* The time that items are marked with when they are used. Whoever walks over many segments
	 * at a time lets it go on once for all of them: of items of the same age the one of the
	 * last segment is dropped, so that a part of what does not fit is there when it is walked
	 * over again. */
	uint64_t now;
	void (*drop)(void *item);
};

/* Prepares a cache of `most` bytes whose items `drop` frees. 0 or TP_ENOMEM; to be released in
 * every case. */
int rep_cache_init(struct rep_cache *c, size_t nsegments, size_t most, void (*drop)(void *item));
void rep_cache_release(struct rep_cache *c);

/* Returns the item of a segment and marks it as used; NULL where there is none. */
void *rep_cache_find(struct rep_cache *c, size_t segment);
/* Takes over an item, whose segment has none yet, and drops others until the rest fits; the new one
 * stays, whatever its size. */
void rep_cache_put(struct rep_cache *c, void *item);

#endif
