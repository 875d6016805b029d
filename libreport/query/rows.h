/* Writes the rows of a statement as a table. */
#ifndef REP_QUERY_ROWS_H
#define REP_QUERY_ROWS_H

#include <sqlite3.h>
#include <stdint.h>

#include "output/output.h"

/* Steps through a prepared statement, writes its rows and counts them in *rows. Returns 1 after
 * that; 0 if the statement has no columns or fails before its first row, and then writes nothing;
 * TP_ENOMEM, or an error of the output. sqlite3_finalize() returns the statement's own error. */
int rep_statement_write(sqlite3_stmt *st, const char *name, struct rep_output *out, uint64_t *rows,
			struct tp_err *err);

#endif
