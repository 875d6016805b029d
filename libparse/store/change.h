/* One change to a store that is there: the writers' lock, a connection, a transaction. */
#ifndef TP_STORE_CHANGE_H
#define TP_STORE_CHANGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct sqlite3;

/* What happens inside the transaction: an SQLite result code, or one of these. */
enum tp_change_result {
	TP_CHANGE_REFUSED = -1, /* what it has put into err says why */
	TP_CHANGE_GONE = -2,	/* the run that is meant is not there (TP_ENOENT) */
};
typedef int tp_change_fn(struct sqlite3 *db, void *ctx, struct tp_err *err);

/* Does all of it or, on an error, nothing. `doing` ("cannot rename a run of") begins the sentence.
 * Errors as in edit.h. */
int tp_change(const char *path, int wait_ms, tp_change_fn *fn, void *ctx, const char *doing,
	      struct tp_err *err);

/* The number that the run of this dump has at the moment, 0 where it is not there (any more). A
 * number is good for no longer than a transaction, as merging gives new ones. An SQLite code. */
int tp_find_run(struct sqlite3 *db, const char *hash, int64_t *run);
/* Runs one statement with a number and a text (may be NULL) bound to ?1 and ?2. An SQLite code. */
int tp_change_step(struct sqlite3 *db, const char *sql, int64_t number, const char *text);

#endif
