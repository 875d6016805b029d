/* The virtual tables and functions that a store offers in SQL beside its ordinary tables.
 *
 * tp_store_register() (store/store.h) registers them for the main database of a connection. They read the
 * tables `run`, `segment` and `block` with further statements on the same connection, and so in the read
 * transaction of the query.
 *
 *   describe.h    names, types and meanings of the tables and columns, for .schema and manuals
 *   cache.c       per connection: decoded dictionaries and packed tables of the runs in use
 *   packed.c      one module for every packed table of store/tables.h, and for `string`
 *   event.c       `event`, over the blocks of events (event_scan.c, event_row.c)
 *   span.c        `span`, derived from the events by timeline/span.h (span_scan.c, span_group.c)
 *   functions.c   fmt_ns, stack_text, regexp …
 *   percentile.c  percentile, median, p50 …
 *
 * All modules are eponymous-only: nothing is written to sqlite_schema, so a plain sqlite3 can read every table that it
 * finds in a store. */
#ifndef TP_SQL_SQL_H
#define TP_SQL_SQL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sqlite3.h>

#include "base/err.h"
#include "decode/dict.h"
#include "store/rows.h"
#include "store/tables.h"

/* ---- the cache of a connection (cache.c) ---- */

struct tp_store;
struct tp_sql;	   /* one per connection, shared by its modules and functions */
struct tp_sql_run; /* decoded data of a run; cursors hold references */

struct tp_sql *tp_sql_new(sqlite3 *db); /* with one reference; NULL when memory is out */
void tp_sql_ref(struct tp_sql *sql);
void tp_sql_unref(void *sql);			   /* void: a destructor for SQLite */
struct tp_store *tp_sql_store(struct tp_sql *sql); /* of the same connection */

/* Drops decoded data if the store has changed since the last call, and lists the runs, sorted by id. Every
 * xFilter and every function calls it first. */
int tp_sql_refresh(struct tp_sql *sql, struct tp_err *err);
size_t tp_sql_nruns(const struct tp_sql *sql);
int64_t tp_sql_run_id(const struct tp_sql *sql, size_t i);
int64_t tp_sql_run_start(const struct tp_sql *sql, size_t i);	 /* trace clock */
int64_t tp_sql_run_duration(const struct tp_sql *sql, size_t i); /* ns */
/* Returns the position of the run with this id, or tp_sql_nruns() if it does not exist. */
size_t tp_sql_run_find(const struct tp_sql *sql, int64_t id);

/* Sets *rows to the rows of a stream of blocks ('event', a packed table) in all runs, plus 1: an estimate for planning.
 * *rows is 1 if the number is unknown. Returns 0, or an SQLite code with which planning must end; it then
 * sets the table's message, because SQLite passes on no other code than that for missing memory. */
int tp_sql_stream_rows(sqlite3_vtab *vtab, const char *stream, double *rows);

/* Gives the caller a reference to a run, which tp_sql_run_put returns. Texts of its dictionary stay valid until then and
 * until the last cursor of the connection is closed, so SQLite need not copy them. */
int tp_sql_run_get(struct tp_sql *sql, int64_t id, struct tp_sql_run **run, struct tp_err *err);
void tp_sql_run_ref(struct tp_sql_run *run); /* adds a reference */
void tp_sql_run_put(struct tp_sql_run *run); /* NULL is allowed */
/* Cursors call these, so that texts live long enough. */
void tp_sql_cursor_opened(struct tp_sql *sql);
void tp_sql_cursor_closed(struct tp_sql *sql);

/* Dictionaries and tables are decoded on first use, and live as long as the run. */
int tp_sql_dict(struct tp_sql_run *run, const struct tp_dict **dict, struct tp_err *err);
/* A whole packed table. Columns whose bits are set are decoded; col[c] of others may be NULL. */
struct tp_sql_rows {
	size_t nrows;
	int64_t *col[TP_MAX_COLUMNS];
	uint32_t
	    *order[TP_MAX_COLUMNS]; /* row numbers sorted by that column, for tp_sql_rows_find */
};
int tp_sql_rows(struct tp_sql_run *run, enum tp_table_id table, uint32_t columns,
		const struct tp_sql_rows **rows, struct tp_err *err);
/* Finds the rows in which `column` is `value`: order[*from … *to). Sorts on first use. */
int tp_sql_rows_find(struct tp_sql_run *run, enum tp_table_id table, unsigned column, int64_t value,
		     const uint32_t **order, size_t *from, size_t *to, struct tp_err *err);

/* Sets *ids to the table of goroutines, Ms or Ps (kind G, M or P), whose col[0] has their ids. */
int tp_sql_ids(struct tp_sql_run *run, enum tp_column_kind kind, const struct tp_sql_rows **ids,
	       struct tp_err *err);
/* Sets *index to the index of the goroutine, M or P with this id, or to TP_NONE if the run does not
 * have it. */
int tp_sql_index(struct tp_sql_run *run, enum tp_column_kind kind, int64_t id, uint32_t *index,
		 struct tp_err *err);

/* ---- common code of modules (module.c) ---- */

/* Returns a row id that differs between runs; for run 1 it is the row number. */
static inline sqlite3_int64 tp_sql_rowid(int64_t run, int64_t row)
{
	return (sqlite3_int64)(((uint64_t)run - 1) << 40) + row;
}

/* Sets the estimate of rows. A damaged store may claim any number of them. */
static inline void tp_sql_estimate(sqlite3_index_info *info, double rows)
{
	const double most = 1e15;

	info->estimatedRows = (sqlite3_int64)(rows < most ? rows : most) + 1;
}

struct tp_sql_vtab {
	sqlite3_vtab base;
	struct tp_sql *sql;
	unsigned table; /* its number in describe.h */
};

/* The `aux` of every module. */
struct tp_sql_module {
	struct tp_sql *sql; /* one reference */
	unsigned table;
};
int tp_sql_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **vtab,
		   char **msg);
int tp_sql_disconnect(sqlite3_vtab *vtab);
/* Sets the table's message to that of `err`, and returns the SQLite code for it. */
int tp_sql_fail(sqlite3_vtab *vtab, const struct tp_err *err);

/* Sets *n to the integer equal to `value`. Returns false if no integer is equal to it. */
bool tp_sql_want_int(sqlite3_value *value, int64_t *n);
/* Narrows [*from, *to] by `column OP value`, OP one of SQLite's EQ, GT, LE, LT, GE; returns false if nothing is left.
 * Reals are rounded towards the range. */
bool tp_sql_narrow(int op, sqlite3_value *value, int64_t *from, int64_t *to);

/* Begins idxStr, which is empty. Returns an SQLite code. */
int tp_sql_plan_begin(sqlite3_index_info *info);
/* Takes constraint i as the next argument of xFilter: appends 'a' + its column and op to idxStr. If it is exact,
 * SQLite does not compare again. */
void tp_sql_plan_add(sqlite3_index_info *info, int i, char op, bool exact);

/* Convert operators of constraints to characters of idxStr, and back: = < L(<=) > G(>=); 0 for others. */
char tp_sql_op_char(unsigned char op);
int tp_sql_op_of_char(char op);
/* Takes all values of `column IN (…)` at once if SQLite is new enough, and returns whether it does. */
bool tp_sql_take_in(sqlite3_index_info *info, int i);

/* Set a result: the text of a string, the id of an index, the name of a state. Values outside the
 * dictionary or the ids, which a damaged store may have, become NULL. */
int tp_sql_result_text(sqlite3_context *c, struct tp_sql_run *run, int64_t string,
		       struct tp_err *err);
int tp_sql_result_id(sqlite3_context *c, struct tp_sql_run *run, enum tp_column_kind kind,
		     int64_t index, struct tp_err *err);
void tp_sql_result_state(sqlite3_context *c, int64_t state);

extern const sqlite3_module tp_sql_packed_module, tp_sql_event_module, tp_sql_span_module;

/* Registers all modules on a connection. */
int tp_sql_modules_register(sqlite3 *db, struct tp_sql *sql);

/* ---- functions ---- */

int tp_sql_functions_register(sqlite3 *db, struct tp_sql *sql);
int tp_sql_percentile_register(sqlite3 *db);

#endif
