/* The rows of a statement as a table of an output. */
#ifndef REP_QUERY_ROWS_H
#define REP_QUERY_ROWS_H

#include <sqlite3.h>
#include <stdint.h>

#include "output/output.h"

/* Steps through a prepared statement and writes its rows, which it counts in *rows. Returns 1 after
 * that, 0 where the statement has no columns or fails before its first row: then nothing is written.
 * Returns the errors of the output and TP_ENOMEM; sqlite3_finalize tells the statement's own. */
int rep_statement_write(sqlite3_stmt *st, const char *name, struct rep_output *out, uint64_t *rows,
			struct tp_err *err);

#endif
