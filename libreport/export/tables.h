/* Exports whole tables of a run as SQL shows them, for other databases and data frames: the
 * ordinary ones about runs, the packed ones, events, spans and strings. */
#ifndef REP_EXPORT_TABLES_H
#define REP_EXPORT_TABLES_H

#include <stdint.h>

#include "base/err.h"
#include "output/output.h"
#include "store/store.h"

/* Returns the i-th table's name, NULL after the last. */
const char *rep_export_table_name(unsigned i);

/* Writes the rows of one run as a table of `out` (begin to end), in the order of the store, and
 * sets *rows to their number. Returns TP_ENOENT with a sentence for any other table. */
int rep_export_table(struct tp_store *store, int64_t run, const char *table, struct rep_output *out,
		     uint64_t *rows, struct tp_err *err);
/* Returns 1 if the run has rows in the table, 0 if not, or an error code. */
int rep_export_table_any(struct tp_store *store, int64_t run, const char *table,
			 struct tp_err *err);

#endif
