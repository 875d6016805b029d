/* Texts in ClickHouse's SQL. */
#ifndef REP_ENGINE_QUOTE_H
#define REP_ENGINE_QUOTE_H

#include <stddef.h>

#include "base/buf.h"

/* Statements are put together in a buffer; the first failure is kept until rep_sql_text. */
struct rep_sql {
	struct tp_buf text;
	int failed;
};

void rep_sql_put(struct rep_sql *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A literal of any bytes, quotes and all. */
void rep_sql_string(struct rep_sql *s, const void *data, size_t size);
/* A name of a database, table, column or cluster. */
void rep_sql_name(struct rep_sql *s, const char *name);
/* NUL-terminated, owned by s; NULL when memory was out. */
const char *rep_sql_text(struct rep_sql *s);
void rep_sql_release(struct rep_sql *s);

#endif
