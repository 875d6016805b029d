/* Quotes texts in ClickHouse's SQL. Statements are built in a buffer, which keeps a failure until
 * rep_sql_text(). */
#ifndef REP_ENGINE_QUOTE_H
#define REP_ENGINE_QUOTE_H

#include <stddef.h>

#include "base/buf.h"

/* Appends a string literal of any bytes, with its quotes. */
void rep_sql_string(struct tp_buf *sql, const void *data, size_t size);
/* Appends the quoted name of a database, table, column or cluster. */
void rep_sql_name(struct tp_buf *sql, const char *name);
/* Returns the statement with a NUL, owned by the buffer; NULL if memory was out. */
const char *rep_sql_text(struct tp_buf *sql);

#endif
