/* Caches objects made from the segments of a run, at most one per segment, within a limit of bytes;
 * drops the least recently used ones. An item begins with a struct rep_cached. Not for use by
 * several threads. */
#ifndef REP_SPANS_CACHE_H
#define REP_SPANS_CACHE_H

#include <stddef.h>
#include <stdint.h>

struct rep_cached {
	size_t segment, bytes; /* set by the maker of the item */
	uint64_t used;	       /* private */
};

struct rep_cache {
	struct rep_cached **item; /* by segment; NULL: not cached */
	size_t nsegments, bytes, most;
	/* The time that items get when they are used. A caller that walks over many segments
	 * advances it once for the whole walk: among items of the same age, the one of the last
	 * segment is dropped first, so the beginning of a walk that does not fit stays cached for
	 * the next walk. */
	uint64_t now;
	void (*drop)(void *item);
};

/* Prepares a cache of `most` bytes, whose items are freed by `drop`. Returns 0 or TP_ENOMEM; *c
 * must be released in every case. */
int rep_cache_init(struct rep_cache *c, size_t nsegments, size_t most, void (*drop)(void *item));
void rep_cache_release(struct rep_cache *c);

/* Returns the item of a segment and marks it as used; NULL if it is not cached. */
void *rep_cache_find(struct rep_cache *c, size_t segment);
/* Takes ownership of an item for a segment that has none, and drops others until all fit. The new
 * item stays, whatever its size. */
void rep_cache_put(struct rep_cache *c, void *item);
/* Drops the item of a segment, if it has one. */
void rep_cache_forget(struct rep_cache *c, size_t segment);
/* Sets the limit, and drops what exceeds it. */
void rep_cache_limit(struct rep_cache *c, size_t most);

#endif
