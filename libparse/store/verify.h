/* Verifies a store: first SQLite's own check of the file, then the rules for its content. Reads all of it. */
#ifndef TP_STORE_VERIFY_H
#define TP_STORE_VERIFY_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct tp_verify {
	/* Is called for each finding, a sentence; run is 0 if it is about the file. */
	void (*found)(void *ctx, int64_t run, const char *what);
	/* Is called before each run; may be NULL. A result other than 0 stops (TP_ECANCEL). */
	int (*progress)(void *ctx, uint64_t done, uint64_t total);
	void *ctx;
};

/* Sets *wrong to the number of findings; they are not an error. Returns 0, TP_ESTORE if the file is not a store, or
 * TP_EIO, TP_ENOMEM and the like if it could not be verified. */
int tp_store_verify(const char *path, const struct tp_verify *v, size_t *wrong, struct tp_err *err);

#endif
