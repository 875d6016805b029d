/* Texts in ClickHouse's SQL. Statements are put together in a buffer, which keeps a failure until
 * rep_sql_text. */
#ifndef REP_ENGINE_QUOTE_H
#define REP_ENGINE_QUOTE_H

#include <stddef.h>

#include "base/buf.h"

/* A literal of any bytes, quotes and all. */
void rep_sql_string(struct tp_buf *sql, const void *data, size_t size);
/* A name of a database, table, column or cluster. */
void rep_sql_name(struct tp_buf *sql, const char *name);
/* NUL-terminated, owned by the buffer; NULL when memory was out. */
const char *rep_sql_text(struct tp_buf *sql);

#endif
