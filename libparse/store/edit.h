/* Changes to what a store already holds: names, labels, runs that are no longer wanted.
 *
 * Each call takes the writers' lock and is one transaction: afterwards the store is as it was, or
 * the change is complete. Runs are meant by the hash of their dump (tp_run.hash), as their numbers
 * may be others by then: merging gives new ones. Errors of all of them: TP_EBUSY (another writer
 * held the lock for wait_ms; < 0 waits for ever), TP_EIO, TP_ESTORE, TP_EVERSION (the store belongs
 * to a newer tprof); of those that mean one run TP_ENOENT (it is gone). */
#ifndef TP_STORE_EDIT_H
#define TP_STORE_EDIT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

int tp_store_rename(const char *path, int wait_ms, const char *hash, const char *name,
		    struct tp_err *err);

/* As tp_store_relabel_all, but a key that the run has keeps the lesser value, byte by byte, as when
 * stores are merged (merge/merge.h): whose labels come first makes no difference. */
struct tp_labelled;
int tp_store_add_labels(const char *path, int wait_ms, const struct tp_labelled *runs, size_t nruns,
			struct tp_err *err);

/* What becomes of the labels of runs: some are set ("key=value"; another value of that key goes),
 * then those of some keys are taken away. */
struct tp_label_change {
	const char *const *set, *const *gone;
	size_t nset, ngone;
};
struct tp_label_changed {
	size_t runs;	/* that were there */
	size_t changed; /* of them: by a label that was set */
	size_t gone;	/* labels that were taken away */
};

/* Of all these runs, in one transaction. Runs that are not there are passed over unless none is:
 * TP_ENOENT. *did is all zero after an error. */
int tp_store_change_labels(const char *path, int wait_ms, const char *const *hashes, size_t nruns,
			   const struct tp_label_change *change, struct tp_label_changed *did,
			   struct tp_err *err);

/* Takes runs away, with all that belongs to them; *deleted: those of them that were there. The file
 * keeps its size: their room is used by later imports, or given back by tp_store_compact. */
int tp_store_delete(const char *path, int wait_ms, const char *const *hashes, size_t n,
		    size_t *deleted, struct tp_err *err);

/* Rewrites the store without gaps, which needs as much free space as it takes in the end. Sizes of
 * the file in bytes. */
int tp_store_compact(const char *path, int wait_ms, int64_t *before, int64_t *after,
		     struct tp_err *err);

/* Brings a store to this program's version (TP_STORE_VERSION), which every import into it does as
 * well. *from: what it was. */
int tp_store_upgrade(const char *path, int wait_ms, int *from, struct tp_err *err);

#endif
