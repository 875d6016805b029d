/* Whether a store is what it should be: SQLite's own check of the file, then what we promise about
 * the content. Reads everything. */
#ifndef TP_STORE_VERIFY_H
#define TP_STORE_VERIFY_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct tp_verify {
	/* One thing that is wrong, as a sentence; run 0 where it is about the file. */
	void (*found)(void *ctx, int64_t run, const char *what);
	/* Before each run is looked at; may be NULL. Nonzero: stop (TP_ECANCEL). */
	int (*progress)(void *ctx, uint64_t done, uint64_t total);
	void *ctx;
};

/* *wrong: how many things were found, which is no error. TP_EIO, TP_ENOMEM and the like where it
 * could not be checked; TP_ESTORE: it is no store at all. */
int tp_store_verify(const char *path, const struct tp_verify *v, size_t *wrong, struct tp_err *err);

#endif
