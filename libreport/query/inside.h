/* Shared by the files of query/; private to them. */
#ifndef REP_QUERY_INSIDE_H
#define REP_QUERY_INSIDE_H

#include <sqlite3.h>

#include "query/query.h"

#define REP_QUERY_LIMITS 9

struct rep_query {
	sqlite3 *db;
	struct rep_query_options opt;
	unsigned results;    /* tables written so far */
	uint64_t rows;	     /* by the last run */
	size_t place;	     /* where the last run failed */
	int before[REP_QUERY_LIMITS], attached; /* the connection's limits before the query */
	const char *refused; /* why the guard refused the last statement, NULL if it did not */
};

#define REP_QUERY_READ_ONLY "the store is open for reading; --write allows changes to it"
static inline const char *rep_query_read_only(const struct rep_query *q)
{
	return q->opt.read_only ? q->opt.read_only : REP_QUERY_READ_ONLY;
}

/* The guard: an authoriser of SQLite (guard.c). ctx is the query. */
int rep_query_guard(void *ctx, int action, const char *a, const char *b, const char *database,
		    const char *trigger);

/* Sets limits on statements, for the lifetime of the query. */
void rep_query_limit(struct rep_query *q);
void rep_query_unlimit(struct rep_query *q);

/* Sets err to a sentence for SQLite's last error: where in the text `sql` it is (`statement` is the
 * part that failed), and what to do (explain.c). Returns TP_ESTORE or TP_ECANCEL. */
int rep_query_explain(struct rep_query *q, const char *sql, const char *statement, int rc,
		      struct tp_err *err);

#endif
