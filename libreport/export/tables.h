/* The tables of a run as SQL shows them, whole: what is exported for other databases and data
 * frames. The ordinary ones about runs, the packed ones, events, spans and strings. */
#ifndef REP_EXPORT_TABLES_H
#define REP_EXPORT_TABLES_H

#include <stdint.h>

#include "base/err.h"
#include "output/output.h"
#include "store/store.h"

/* The i-th table's name, NULL behind the last. */
const char *rep_export_table_name(unsigned i);

/* Writes the rows of one run as a table of `out` (begin to end), in the order of the store; how
 * many there were to *rows. TP_ENOENT for a table that is none of these, with a sentence. */
int rep_export_table(struct tp_store *store, int64_t run, const char *table, struct rep_output *out,
		     uint64_t *rows, struct tp_err *err);
/* Whether the run has any row in it: 0 or 1, or an error code. */
int rep_export_table_any(struct tp_store *store, int64_t run, const char *table,
			 struct tp_err *err);

#endif
