/* Runs users' SQL on a store, with guards, statement by statement; rows become output.
 *
 * A statement may read everything, make temporary tables and views, and with `write` change the
 * store. It may not attach files, load extensions, make virtual tables, or change settings (only
 * PRAGMAs that read are allowed).
 *
 *	struct rep_query_options opt = {.run = 1};
 *	code = rep_query_new(&q, store, &opt, err);
 *	code = rep_query_run(q, "select count(*) from event where run = :run", out, err);
 *	rep_query_free(q); */
#ifndef REP_QUERY_H
#define REP_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "output/output.h"
#include "store/store.h"

struct rep_query;

struct rep_query_options {
	bool write;
	bool fleeting; /* forbids temporary tables, too: other users of the connection refer to
			  tables by name */
	/* Message for a statement that would write; NULL: the message of tprof-query. */
	const char *read_only;
	/* Once it is true, statements end with TP_ECANCEL; may be NULL. */
	const _Atomic bool *stop;
	int64_t run; /* value of :run in statements; TP_NULL: the store has no run */
};

/* Creates a query. The store is borrowed, must outlive the query, and is guarded until the query is
 * freed. */
int rep_query_new(struct rep_query **q, struct tp_store *s, const struct rep_query_options *opt,
		  struct tp_err *err);
void rep_query_free(struct rep_query *q);

/* Runs the statements of a text in order; each one with columns becomes a table of `out`, named
 * result1, result2 … over the life of the query. Stops at the first one that fails. Returns 0,
 * TP_ESTORE with a sentence that says where it failed and what to do, TP_ECANCEL after
 * rep_query_interrupt(), or an error of the output. */
int rep_query_run(struct rep_query *q, const char *sql, struct rep_output *out, struct tp_err *err);

/* Returns the byte offset in the text at which the last rep_query_run() failed, SIZE_MAX if
 * unknown. */
size_t rep_query_place(const struct rep_query *q);

/* Returns the number of rows that the last rep_query_run() wrote. */
uint64_t rep_query_rows(const struct rep_query *q);

/* Ends the running statement with TP_ECANCEL. May be called from a signal handler. */
void rep_query_interrupt(struct rep_query *q);

/* Returns whether the text ends with a complete statement (and its semicolon). */
bool rep_query_complete(const char *sql);
/* Returns the number of statements in a text, without blank ones. */
size_t rep_query_count(const char *sql);

/* ---- tables, columns and functions (schema.c) ---- */

/* Writes all tables and views, with their numbers of rows and the meaning of a row. */
int rep_query_tables(struct rep_query *q, struct rep_output *out, struct tp_err *err);
/* Appends the definition of a table, or of all (NULL), as text: a line per column with its meaning.
 * Not escaped. Returns TP_ENOENT with the existing names if there is no such table. */
int rep_query_schema(struct rep_query *q, const char *table, struct tp_buf *text,
		     struct tp_err *err);

/* Kinds of names in SQL, for completion: tables, columns of a table (NULL: of all), and functions
 * with their calls, "median(x), p50(x)". rep_query_words() calls `add` for each name and its
 * meaning ("" if unknown) until that returns an error code; a name may come more than once. */
enum rep_words { REP_WORDS_TABLES = 1, REP_WORDS_COLUMNS = 2, REP_WORDS_FUNCTIONS = 4 };
int rep_query_words(struct rep_query *q, unsigned kinds, const char *table,
		    int (*add)(void *ctx, const char *word, const char *doc), void *ctx,
		    struct tp_err *err);
/* Takes the next call, or single name, off "median(x), p50(x)". Sets *size to its length and *name
 * to the length before its parenthesis. Returns NULL at the end. */
const char *rep_query_next_call(const char **calls, size_t *size, size_t *name);
/* Writes the name of these kinds that is most similar to `word`, "" if none is similar enough. */
void rep_query_similar(struct rep_query *q, unsigned kinds, const char *word, char *similar,
		       size_t size);

#endif
