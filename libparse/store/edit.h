/* Changes runs of a store: names, labels; deletes runs.
 *
 * Each call takes the writers' lock and is one transaction: it changes all or nothing. Runs are identified by the
 * hash of their dump (tp_run.hash), as merging changes their numbers. wait_ms limits the wait for the lock; less
 * than 0 waits for ever. Errors: TP_EBUSY (another writer held the lock), TP_EIO, TP_ESTORE, TP_EVERSION (a newer
 * tprof wrote the store), and TP_ENOENT if the store has none of the runs. */
#ifndef TP_STORE_EDIT_H
#define TP_STORE_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

int tp_store_rename(const char *path, int wait_ms, const char *hash, const char *name,
		    struct tp_err *err);

/* What happened to the labels of a run. The texts are lists such as "rev=a, os=b", cut if they are long. */
struct tp_relabelled {
	int64_t run;	  /* its number; 0 if the store does not have it */
	char now[200];	  /* labels that it did not have */
	char before[200]; /* labels that those replaced */
	size_t removed;	  /* labels */
};
/* Changes to the labels of a run: some are set, then others removed. */
struct tp_labelled {
	const char *hash;
	const char *const *set, *const *remove; /* labels "key=value"; keys */
	size_t nset, nremove;
	struct tp_relabelled result; /* filled in */
};
/* Makes these changes, all or none of them. Runs that are gone are left out. A label that is set replaces one of
 * the same key; with `least`, only if its value is less, byte by byte, as when stores are merged
 * (merge/merge.h): then the order in which labels come makes no difference. */
int tp_store_label(const char *path, int wait_ms, struct tp_labelled *runs, size_t n, bool least,
		   struct tp_err *err);

/* Deletes runs, and sets *deleted to how many the store had; none is not an error. The file keeps its size: later
 * imports use the room, and tp_store_compact gives it back. */
int tp_store_delete(const char *path, int wait_ms, const char *const *hashes, size_t n,
		    size_t *deleted, struct tp_err *err);

/* Rewrites the store without gaps, which needs as much free disk space as the result. Sets the sizes of the file
 * in bytes. */
int tp_store_compact(const char *path, int wait_ms, int64_t *before, int64_t *after,
		     struct tp_err *err);

/* Brings a store to this program's version (TP_STORE_VERSION), as every import into it does. Sets *from to its
 * version before. */
int tp_store_upgrade(const char *path, int wait_ms, int *from, struct tp_err *err);

#endif
