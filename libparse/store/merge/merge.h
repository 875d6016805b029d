/* Stores into one.
 *
 * The result holds every dump that one of the stores has, once: what is the same dump is known by
 * the hash of its content. It depends on nothing but the runs that went in. So merging in any order
 * and by any tree of merges gives the same file, byte for byte, and merging a store with itself, or
 * once more, changes nothing. To that end everything that two stores may say differently of a dump
 * is decided by a total order, whose least is kept; the least of all does not depend on the order
 * in which the others fall out:
 *
 *   name, source, size   of whoever imported it first (imported_ns; then name, source, size)
 *   content              undamaged before damaged; not salvaged before salvaged; more kinds of
 *                        packed tables, then more rows (functions that were named, say), then
 *                        smaller blocks (--compress=high), then the content's hash
 *   labels               all; of two values of one key the least, byte by byte
 *   written-out rows     made where one of them has them (tprof-import --materialize)
 *   number               by time (wall_ns, unknown ones last), name, hash: from 1 on
 *
 * What is true of a dump, whoever imported it, has to be the same in all (kind and format; of what
 * was not salvaged its events, length and goroutines): else nothing is merged (TP_ESTORE), as one
 * of them was made to say so.
 *
 * A part of a trace, which an earlier version could import, is a run like any other: its hash is
 * made of the trace's and of its generations, so parts of one trace are several runs, and none of
 * them is the trace's.
 *
 * Blocks are copied as they are, and unpacked to see whether they can be: of a dump that several
 * stores have, in each of them, and what is taken once more when it is copied.
 *
 * Dictionaries become common ones (store/pool.h), made anew each time, so what nobody uses any
 * more is gone. Tables and views that others put into a store are left out.
 *
 * Memory: a pool (TP_POOL_ENTRIES, TP_POOL_TEXT), the dictionary of one run, the largest block, and
 * SQLite's caches, however many runs there are; the list of runs is in a temporary file. */
#ifndef TP_STORE_MERGE_MERGE_H
#define TP_STORE_MERGE_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct tp_merge_options {
	int wait_ms; /* how long to wait for another writer; < 0: for ever */
	/* May be NULL. Nonzero: stop (TP_ECANCEL). Stages "list" (stores) and "merge"
	 * (runs). */
	int (*progress)(void *ctx, const char *stage, uint64_t done, uint64_t total);
	void *progress_ctx;
	/* Two stores label a dump differently: `kept` is the value it has now. May be NULL. */
	void (*conflict)(void *ctx, const char *run, const char *key, const char *kept,
			 const char *other);
	void *conflict_ctx;
	/* What is taken of a dump is damaged in all stores that have it, and stays so in the
	 * result. May be NULL. */
	void (*damaged)(void *ctx, const char *store, int64_t run, const char *why);
	void *damaged_ctx;
};

struct tp_merge_result {
	int64_t stores;		   /* that went in, each once, with the one that was there */
	int64_t runs;		   /* of the result */
	int64_t repeated;	   /* of them, those that several stores had */
	int64_t pools;		   /* common dictionaries */
	int64_t conflicts;	   /* keys of labels with several values */
	int64_t damaged;	   /* runs of which something does not unpack */
	int64_t size_in, size_out; /* bytes of the files */
};

/* Makes path the merged store; one that is there already goes in, too. It is made beside it and
 * takes its place when it is whole; until then, and after an error, path is as it was. Errors of
 * tp_store_begin; TP_EBUSY also where a store changes while it is read. */
int tp_store_merge(const char *path, const char *const *stores, size_t n,
		   const struct tp_merge_options *opt, struct tp_merge_result *result,
		   struct tp_err *err);

#endif
