/* SQL that users write, against a store: guarded, run statement by statement, its rows as output.
 *
 * What a statement may do: read everything, make temporary tables and views, and with `write`
 * change the store. Never: attach files, load extensions, make virtual tables, change settings
 * (PRAGMA but for those that only tell).
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
	bool fleeting; /* not even temporary tables: the connection has other users, who read by
			  name */
	/* What a statement that would write is refused with; NULL: as tprof-query has it. */
	const char *read_only;
	/* Where it has become true, statements end with TP_ECANCEL; NULL: nobody says so. */
	const _Atomic bool *stop;
	int64_t run; /* what :run stands for in a statement; TP_NULL: the store has no run */
};

/* The store stays the caller's, outlives the query, and is guarded as long as the query lives. */
int rep_query_new(struct rep_query **q, struct tp_store *s, const struct rep_query_options *opt,
		  struct tp_err *err);
void rep_query_free(struct rep_query *q);

/* Runs the statements of a text in order; each that has columns becomes a table of `out`, named
 * result1, result2 … over the life of the query. Stops at the first that fails: TP_ESTORE with a
 * sentence that says where, and what to do about it; TP_ECANCEL after rep_query_interrupt. Also
 * the errors of the output. */
int rep_query_run(struct rep_query *q, const char *sql, struct rep_output *out, struct tp_err *err);

/* Where in the text the last rep_query_run failed: a byte, SIZE_MAX where that is not known. */
size_t rep_query_place(const struct rep_query *q);

/* Rows that the last rep_query_run has written. */
uint64_t rep_query_rows(const struct rep_query *q);

/* Ends the statement that is running, with TP_ECANCEL. May be called from a signal handler. */
void rep_query_interrupt(struct rep_query *q);

/* Is the text a whole statement (up to a semicolon that ends it)? */
bool rep_query_complete(const char *sql);
/* Statements in a text, not counting blank ones. */
size_t rep_query_count(const char *sql);

/* ---- what there is (schema.c) ---- */

/* Every table and view, with its rows and what a row is, as a table of `out`. */
int rep_query_tables(struct rep_query *q, struct rep_output *out, struct tp_err *err);
/* Appends the definition of a table, or of all (NULL), as text for people: a line per column with
 * its meaning. Not escaped. TP_ENOENT names what there is instead. */
int rep_query_schema(struct rep_query *q, const char *table, struct tp_buf *text,
		     struct tp_err *err);

/* The names that one may type, with what they mean ("" where nobody says): tables, columns of a table
 * (NULL: of all), and functions as they are called, "median(x), p50(x)". Calls `add` for each until it
 * returns an error code; a name may come more than once. */
enum rep_words { REP_WORDS_TABLES = 1, REP_WORDS_COLUMNS = 2, REP_WORDS_FUNCTIONS = 4 };
int rep_query_words(struct rep_query *q, unsigned kinds, const char *table,
		    int (*add)(void *ctx, const char *word, const char *doc), void *ctx,
		    struct tp_err *err);
/* Takes the next call off "median(x), p50(x)", or a name that stands alone: *size is its length, *name
 * that of what stands before its parenthesis. Returns NULL at the end. */
const char *rep_query_next_call(const char **calls, size_t *size, size_t *name);
/* Writes the name of these kinds that is most like `word`, "" where no name is much like it. */
void rep_query_similar(struct rep_query *q, unsigned kinds, const char *word, char *similar,
		       size_t size);

#endif
