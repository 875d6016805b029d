/* Writes the rows of virtual tables as ordinary ones, for programs without the extension. */
#ifndef TP_STORE_MATERIALIZE_H
#define TP_STORE_MATERIALIZE_H

#include <stdint.h>

#include "base/err.h"

struct sqlite3;

/* Writes the run's rows of every virtual table NAME into the table NAME_rows, which it creates if it does not
 * exist; within the caller's transaction, if there is one. path is for messages. */
int tp_materialize(struct sqlite3 *db, const char *path, int64_t run, struct tp_err *err);
/* The same for all runs of a store that nobody else has open. */
int tp_materialize_file(const char *path, struct tp_err *err);

#endif
