/* Merges stores.
 *
 * The result has every dump of every store, once: dumps are the same if their hashes are. The result depends only on
 * the runs that are merged. So merging in any order and in any grouping gives the same file, byte for byte, and merging
 * a store with itself, or a second time, changes nothing. For that, whatever two stores may say differently about a
 * dump is decided by a total order, whose least element is kept:
 *
 *   name, source, size   of the earliest import (imported_ns; then name, source, size)
 *   content              undamaged before damaged; not salvaged before salvaged; more kinds of
 *                        packed tables, then more rows (such as functions that were named), then
 *                        smaller blocks (--compress=high), then the content's hash
 *   labels               all; of two values of one key the least, byte by byte
 *   written-out rows     if any of them has them (tprof-import --materialize)
 *   number               by time (wall_ns, unknown ones last), name, hash: from 1 on
 *
 * Facts about a dump do not depend on who imported it: kind and format, and, unless it was salvaged, the numbers of
 * events and goroutines and its length. If they differ, one of the stores was changed, and nothing is merged
 * (TP_ESTORE).
 *
 * A part of a trace, which an earlier version could import, is a run like any other: its hash is made of the trace's
 * and of its generations.
 *
 * Blocks are copied as they are. They are unpacked to find damage: if several stores have a dump, in each of them, and
 * what is taken is unpacked again when it is copied.
 *
 * Dictionaries become shared ones (store/pool.h), which are made anew each time, without entries that are no longer
 * used. Tables and views that are not tprof's are left out.
 *
 * Memory is bounded by a pool (TP_POOL_ENTRIES, TP_POOL_TEXT), the dictionary of one run, the largest block, and
 * SQLite's caches, whatever the number of runs; the list of runs is in a temporary file. */
#ifndef TP_STORE_MERGE_MERGE_H
#define TP_STORE_MERGE_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct tp_merge_options {
	int wait_ms; /* how long to wait for another writer; < 0: for ever */
	/* May be NULL. A result other than 0 stops (TP_ECANCEL). Stages are "list" (stores) and "merge" (runs). */
	int (*progress)(void *ctx, const char *stage, uint64_t done, uint64_t total);
	void *progress_ctx;
	/* Is called if two stores label a dump differently; `kept` is the value in the result. May be NULL. */
	void (*conflict)(void *ctx, const char *run, const char *key, const char *kept,
			 const char *other);
	void *conflict_ctx;
	/* Is called if a dump is damaged in all stores that have it, and so in the result. May be NULL. */
	void (*damaged)(void *ctx, const char *store, int64_t run, const char *why);
	void *damaged_ctx;
};

struct tp_merge_result {
	int64_t stores;		   /* different ones that were merged, with the existing target */
	int64_t runs;		   /* in the result */
	int64_t repeated;	   /* runs that several stores had */
	int64_t pools;		   /* shared dictionaries */
	int64_t conflicts;	   /* keys of labels with several values */
	int64_t damaged;	   /* runs that do not unpack entirely */
	int64_t size_in, size_out; /* bytes of the files */
};

/* Makes path the merged store; if it exists, it is merged, too. The result is made beside it and takes its place when
 * it is complete; until then, and after an error, path is as it was. Errors are those of tp_store_begin; also TP_EBUSY
 * if a store changes while it is read. */
int tp_store_merge(const char *path, const char *const *stores, size_t n,
		   const struct tp_merge_options *opt, struct tp_merge_result *result,
		   struct tp_err *err);

#endif
