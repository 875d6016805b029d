/* A change to an existing store: takes the writers' lock, opens a connection, and begins a transaction. */
#ifndef TP_STORE_CHANGE_H
#define TP_STORE_CHANGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct sqlite3;

/* What a function returns that runs inside the transaction: an SQLite code, or one of these. */
enum tp_change_result {
	TP_CHANGE_REFUSED = -1, /* it has filled in err */
	TP_CHANGE_GONE = -2,	/* the store does not have the run: TP_ENOENT */
};
typedef int tp_change_fn(struct sqlite3 *db, void *ctx, struct tp_err *err);

/* Calls fn, and commits what it did unless it fails. `doing` ("cannot rename a run of") begins the sentence of an
 * error; errors are those of edit.h. */
int tp_change(const char *path, int wait_ms, tp_change_fn *fn, void *ctx, const char *doing,
	      struct tp_err *err);

/* Sets *run to the number of the run with this hash, 0 if the store does not have it. The number is valid for the
 * current transaction, as merging gives runs new numbers. Returns an SQLite code. */
int tp_find_run(struct sqlite3 *db, const char *hash, int64_t *run);
/* Runs a statement with a number and a text (may be NULL) bound to ?1 and ?2. Returns an SQLite code. */
int tp_change_step(struct sqlite3 *db, const char *sql, int64_t number, const char *text);

#endif
