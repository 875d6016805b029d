/* Inside sql/: what SQL sees of a store beside its ordinary tables.
 *
 * tp_store_register() (store/store.h) gives a connection the virtual tables and functions below,
 * always for its main database. They read the `run`, `segment` and `block` tables with statements
 * of their own on the same connection, hence in the same read transaction as the query.
 *
 *   describe.h    names, types and meanings of the tables and columns, for .schema and manuals
 *   cache.c       per connection: decoded dictionaries and packed tables of the runs in use
 *   packed.c      one module for every packed table of store/tables.h
 *   event.c       `event`, over the blocks of events (event_scan.c, event_row.c)
 *   span.c        `span`, derived from the events by timeline/span.h (span_scan.c)
 *   string.c      `string`, the texts of a run's dictionary
 *   functions.c   fmt_ns, stack_text, regexp …
 *   percentile.c  percentile, median, p50 …
 *
 * All modules are eponymous-only, so nothing is written to sqlite_schema and a store that a plain
 * sqlite3 opens has no table it cannot read. */
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

/* ---- what is kept per connection (cache.c) ---- */

struct tp_sql;	   /* one per connection, shared by its modules and functions */
struct tp_sql_run; /* what is decoded of a run; cursors hold references */

struct tp_sql *tp_sql_new(sqlite3 *db); /* one reference; NULL when memory is out */
void tp_sql_ref(struct tp_sql *sql);
void tp_sql_unref(void *sql); /* void: a destructor for SQLite */
sqlite3 *tp_sql_db(struct tp_sql *sql);

/* Notices that the store has changed since the last call: then nothing decoded before is handed
 * out again. Every xFilter and every function begins with it. The runs are sorted by id. */
int tp_sql_refresh(struct tp_sql *sql, struct tp_err *err);
size_t tp_sql_nruns(const struct tp_sql *sql);
int64_t tp_sql_run_id(const struct tp_sql *sql, size_t i);
int64_t tp_sql_run_start(const struct tp_sql *sql, size_t i);	 /* trace clock */
int64_t tp_sql_run_duration(const struct tp_sql *sql, size_t i); /* ns */
/* Position of the run with this id, or tp_sql_nruns() when there is none. */
size_t tp_sql_run_find(const struct tp_sql *sql, int64_t id);

/* Rows of a stream of blocks ('event', a packed table) over all runs and one more; an estimate for
 * planning, 1 where it cannot be told. 0, or an SQLite code with which planning has to end; the
 * table's message is set then, as SQLite passes on no code but that for want of memory. */
int tp_sql_stream_rows(sqlite3_vtab *vtab, const char *stream, double *rows);

/* A run as of now, with a reference for the caller, until tp_sql_run_put. Texts of its dictionary
 * stay where they are until then and until the last cursor of the connection is closed, so that
 * they can be handed to SQLite without a copy. */
int tp_sql_run_get(struct tp_sql *sql, int64_t id, struct tp_sql_run **run, struct tp_err *err);
void tp_sql_run_put(struct tp_sql_run *run); /* NULL is allowed */
/* Cursors announce themselves, so that texts live long enough. */
void tp_sql_cursor_opened(struct tp_sql *sql);
void tp_sql_cursor_closed(struct tp_sql *sql);

/* Decoded on first use; they live as long as the run. */
int tp_sql_dict(struct tp_sql_run *run, const struct tp_dict **dict, struct tp_err *err);
/* A whole packed table, at least the columns whose bits are set; col[c] of others may be NULL. */
struct tp_sql_rows {
	size_t nrows;
	int64_t *col[TP_MAX_COLUMNS];
	uint32_t *order[TP_MAX_COLUMNS]; /* row numbers sorted by that column, see tp_sql_order */
};
int tp_sql_rows(struct tp_sql_run *run, enum tp_table_id table, uint32_t columns,
		const struct tp_sql_rows **rows, struct tp_err *err);
/* The rows in which `column` is `value`: order[*from … *to). Sorts on first use. */
int tp_sql_rows_find(struct tp_sql_run *run, enum tp_table_id table, unsigned column, int64_t value,
		     const uint32_t **order, size_t *from, size_t *to, struct tp_err *err);

/* Ids by index: of goroutines, Ms, Ps. */
struct tp_sql_ids {
	const int64_t *id;
	size_t n;
};
int tp_sql_ids(struct tp_sql_run *run, enum tp_column_kind kind, struct tp_sql_ids *ids,
	       struct tp_err *err);

/* ---- what modules have in common (module.c) ---- */

/* Rows of several runs need row ids that differ; those of the first run are plain row numbers. */
static inline sqlite3_int64 tp_sql_rowid(int64_t run, int64_t row)
{
	return (sqlite3_int64)(((uint64_t)run - 1) << 40) + row;
}

/* A count that a store claims may be as large as its type holds, and one more is larger. */
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

/* xConnect and xDisconnect of every module; aux is a struct tp_sql_module. */
struct tp_sql_module {
	struct tp_sql *sql; /* one reference */
	unsigned table;
};
int tp_sql_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **vtab,
		   char **msg);
int tp_sql_disconnect(sqlite3_vtab *vtab);
/* Turns an error of ours into SQLite's code and the table's message. */
int tp_sql_fail(sqlite3_vtab *vtab, const struct tp_err *err);

/* The integer that `column = value` asks for: false when no integer is equal to it. */
bool tp_sql_want_int(sqlite3_value *value, int64_t *n);
/* Narrows [*from, *to] by `column OP value`, OP one of SQLite's EQ, GT, LE, LT, GE; false when
 * nothing is left. Reals are rounded towards the range. */
bool tp_sql_narrow(int op, sqlite3_value *value, int64_t *from, int64_t *to);

/* Operators of constraints as characters of idxStr: = < L(<=) > G(>=), 0 for others; and back. */
char tp_sql_op_char(unsigned char op);
int tp_sql_op_of_char(char op);
/* Takes all values of `column IN (…)` at once where SQLite is new enough. */
bool tp_sql_take_in(sqlite3_index_info *info, int i);

/* Results. Values outside the dictionary or the ids (a damaged store) are NULL. */
void tp_sql_result_text(sqlite3_context *c, const struct tp_dict *dict, int64_t string);
void tp_sql_result_id(sqlite3_context *c, const struct tp_sql_ids *ids, int64_t index);
void tp_sql_result_state(sqlite3_context *c, int64_t state);

extern const sqlite3_module tp_sql_packed_module, tp_sql_event_module, tp_sql_span_module,
    tp_sql_string_module;

/* Everything of the above on a connection. */
int tp_sql_modules_register(sqlite3 *db, struct tp_sql *sql);

/* ---- functions ---- */

int tp_sql_functions_register(sqlite3 *db, struct tp_sql *sql);
int tp_sql_percentile_register(sqlite3 *db);

#endif
