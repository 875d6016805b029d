#include "base/many.h"
#include "sql/sql.h"

#include <stdlib.h>
#include <string.h>

#include "decode/event.h"
#include "store/query.h"
#include "store/sqlerr.h"
#include "store/store.h"

/* Runs that are kept without a cursor; more are dropped, least recently used first. */
#define IDLE_RUNS 4

struct tp_sql_run {
	struct tp_sql *sql;
	struct tp_sql_run *next;
	int64_t id;
	uint64_t used; /* number of the last use */
	int refs;
	bool stale; /* the store has changed since; freed once unreferenced */
	struct tp_dict *dict;
	struct tp_sql_rows tables[TP_NTABLES];
};

struct run_row {
	int64_t id, start, duration;
};

struct stream {
	char name[32];
	int64_t rows;
};

struct tp_sql {
	sqlite3 *db;
	struct tp_store *store; /* the same connection, borrowed */
	int refs;
	int cursors;
	uint64_t uses;
	unsigned version;     /* of the main database, as SQLite counts */
	bool fresh;	      /* rows and version are valid */
	struct run_row *rows; /* by id */
	size_t nrows;
	struct stream *streams;
	size_t nstreams;
	bool counted; /* streams are valid */
	struct tp_sql_run *runs;
	struct tp_sql_run *graveyard; /* a running statement may still use texts of these */
};

struct tp_sql *tp_sql_new(sqlite3 *db)
{
	struct tp_sql *sql = calloc(1, sizeof(*sql));

	if (!sql)
		return NULL;
	sql->db = db;
	sql->refs = 1;
	sql->store = tp_store_borrow(db);
	if (!sql->store) {
		free(sql);
		return NULL;
	}
	return sql;
}

void tp_sql_ref(struct tp_sql *sql)
{
	sql->refs++;
}

static void free_run(struct tp_sql_run *run)
{
	tp_dict_free(run->dict);
	for (size_t t = 0; t < TP_NTABLES; t++)
		for (size_t c = 0; c < TP_MAX_COLUMNS; c++) {
			free(run->tables[t].col[c]);
			free(run->tables[t].order[c]);
		}
	free(run);
}

static void free_runs(struct tp_sql_run **list)
{
	while (*list) {
		struct tp_sql_run *run = *list;

		*list = run->next;
		free_run(run);
	}
}

void tp_sql_unref(void *p)
{
	struct tp_sql *sql = p;

	if (--sql->refs)
		return;
	free_runs(&sql->runs);
	free_runs(&sql->graveyard);
	free(sql->rows);
	free(sql->streams);
	tp_store_close(sql->store);
	free(sql);
}

struct tp_store *tp_sql_store(struct tp_sql *sql)
{
	return sql->store;
}

/* Removes idle runs from the list: all stale ones, and others except the `keep` most recently used.
 * Frees them when no statement can use them. */
static void retire(struct tp_sql *sql, size_t keep)
{
	for (;;) {
		struct tp_sql_run **oldest = NULL;
		size_t idle = 0;

		for (struct tp_sql_run **p = &sql->runs; *p; p = &(*p)->next) {
			if ((*p)->refs)
				continue;
			if ((*p)->stale) {
				oldest = p;
				idle = SIZE_MAX;
				break;
			}
			idle++;
			if (!oldest || (*p)->used < (*oldest)->used)
				oldest = p;
		}
		if (!oldest || idle <= keep)
			break;
		struct tp_sql_run *run = *oldest;

		*oldest = run->next;
		run->next = sql->graveyard;
		sql->graveyard = run;
	}
	if (!sql->cursors)
		free_runs(&sql->graveyard);
}

void tp_sql_cursor_opened(struct tp_sql *sql)
{
	if (!sql->cursors)
		free_runs(&sql->graveyard);
	sql->cursors++;
}

void tp_sql_cursor_closed(struct tp_sql *sql)
{
	/* The statement may still be running, so the graveyard is kept until the next one begins. */
	sql->cursors--;
}

static int load_runs(struct tp_sql *sql, struct tp_err *err)
{
	struct tp_query q = tp_query(
	    NULL, sql->db, "SELECT id, start_ns, duration_ns FROM main.run ORDER BY id", "");
	size_t room = 0;
	int code = 0;

	sql->nrows = 0;
	if (q.rc && (q.rc & 0xff) != SQLITE_ERROR)
		return tp_sql_cause(err, sql->db, "cannot read the list of runs");
	if (q.rc)
		return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE,
				  "the main database is not a tprof store (%s)",
				  sqlite3_errmsg(sql->db));
	while (!code && tp_query_row(&q)) {
		if (tp_grow(&sql->rows, &room, sql->nrows, sizeof(*sql->rows)))
			code = tp_nomem(err);
		else
			sql->rows[sql->nrows++] = (struct run_row){
			    .id = sqlite3_column_int64(q.stmt, 0),
			    .start = sqlite3_column_int64(q.stmt, 1),
			    .duration = sqlite3_column_int64(q.stmt, 2),
			};
	}
	if (tp_query_done(&q) && !code)
		code = tp_sql_err(err, sql->db, "store", "cannot read the list of runs");
	return code;
}

int tp_sql_refresh(struct tp_sql *sql, struct tp_err *err)
{
	unsigned version = 0;
	int code;

	/* The data version counts our commits, and those of other connections that the current read
	 * transaction sees. */
	if (sqlite3_file_control(sql->db, "main", SQLITE_FCNTL_DATA_VERSION, &version))
		sql->fresh = false;
	if (sql->fresh && version == sql->version)
		return 0;
	for (struct tp_sql_run *run = sql->runs; run; run = run->next)
		run->stale = true;
	retire(sql, 0);
	sql->fresh = sql->counted = false;
	code = load_runs(sql, err);
	if (code)
		return code;
	/* Ask again, because only reading has brought the transaction up to date. */
	if (!sqlite3_file_control(sql->db, "main", SQLITE_FCNTL_DATA_VERSION, &sql->version))
		sql->fresh = true;
	return 0;
}

size_t tp_sql_nruns(const struct tp_sql *sql)
{
	return sql->nrows;
}

int64_t tp_sql_run_id(const struct tp_sql *sql, size_t i)
{
	return sql->rows[i].id;
}

int64_t tp_sql_run_start(const struct tp_sql *sql, size_t i)
{
	return sql->rows[i].start;
}

int64_t tp_sql_run_duration(const struct tp_sql *sql, size_t i)
{
	return sql->rows[i].duration;
}

size_t tp_sql_run_find(const struct tp_sql *sql, int64_t id)
{
	size_t lo = 0, hi = sql->nrows;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (sql->rows[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < sql->nrows && sql->rows[lo].id == id ? lo : sql->nrows;
}

/* Returns whether SQLite may have rolled back the transaction of the statement that is being
 * planned. If the statement went on, its writes would be committed at once. */
static bool ends_transaction(int rc)
{
	rc &= 0xff;
	return rc == SQLITE_NOMEM || rc == SQLITE_IOERR || rc == SQLITE_FULL ||
	       rc == SQLITE_INTERRUPT;
}

static int count_streams(struct tp_sql *sql)
{
	struct tp_query q;
	size_t room = 0;
	int rc;

	if (sql->counted)
		return SQLITE_OK;
	sql->nstreams = 0;
	q = tp_query(NULL, sql->db,
		     "SELECT stream, sum(rows) FROM main.block GROUP BY stream LIMIT 256", "");
	while (tp_query_row(&q)) {
		const char *name = (const char *)sqlite3_column_text(q.stmt, 0);

		if (!name)
			continue;
		if (tp_grow(&sql->streams, &room, sql->nstreams, sizeof(*sql->streams))) {
			q.rc = SQLITE_NOMEM;
			break;
		}
		sqlite3_snprintf(sizeof(sql->streams->name), sql->streams[sql->nstreams].name, "%s",
				 name);
		sql->streams[sql->nstreams++].rows = sqlite3_column_int64(q.stmt, 1);
	}
	rc = tp_query_done(&q);
	if (ends_transaction(rc))
		return rc;
	sql->counted = true;
	return SQLITE_OK;
}

int tp_sql_stream_rows(sqlite3_vtab *vtab, const char *stream, double *rows)
{
	struct tp_sql *sql = ((struct tp_sql_vtab *)vtab)->sql;
	int rc = count_streams(sql);
	struct tp_err err;

	if (rc && rc != SQLITE_NOMEM) {
		tp_sql_cause(&err, sql->db, "cannot read the store");
		tp_sql_fail(vtab, &err);
	}
	*rows = 1;
	for (size_t i = 0; i < sql->nstreams; i++)
		if (!strcmp(sql->streams[i].name, stream) && sql->streams[i].rows > 0)
			*rows = (double)sql->streams[i].rows + 1;
	return rc;
}

int tp_sql_run_get(struct tp_sql *sql, int64_t id, struct tp_sql_run **out, struct tp_err *err)
{
	struct tp_sql_run *run = sql->runs;

	while (run && (run->id != id || run->stale))
		run = run->next;
	if (!run) {
		retire(sql, IDLE_RUNS - 1);
		run = calloc(1, sizeof(*run));
		if (!run)
			return tp_nomem(err);
		run->sql = sql;
		run->id = id;
		run->next = sql->runs;
		sql->runs = run;
	}
	run->refs++;
	run->used = ++sql->uses;
	*out = run;
	return 0;
}

void tp_sql_run_ref(struct tp_sql_run *run)
{
	run->refs++;
}

void tp_sql_run_put(struct tp_sql_run *run)
{
	if (run)
		run->refs--;
}

int tp_sql_dict(struct tp_sql_run *run, const struct tp_dict **dict, struct tp_err *err)
{
	int code = 0;

	if (!run->dict)
		code = tp_dict_load(run->sql->store, run->id, &run->dict, err);
	*dict = run->dict;
	return code;
}

int tp_sql_rows(struct tp_sql_run *run, enum tp_table_id table, uint32_t columns,
		const struct tp_sql_rows **out, struct tp_err *err)
{
	struct tp_sql_rows *have = &run->tables[table];
	uint32_t missing = 0;
	struct tp_rows rows;
	int code;

	for (unsigned c = 0; c < tp_tables[table].ncolumns; c++)
		if (columns & 1u << c && !have->col[c])
			missing |= 1u << c;
	*out = have;
	if (!missing)
		return 0;
	code = tp_rows_load(run->sql->store, run->id, table, missing, &rows, err);
	if (code)
		return code;
	have->nrows = rows.nrows;
	for (unsigned c = 0; c < tp_tables[table].ncolumns; c++)
		if (missing & 1u << c) {
			have->col[c] = rows.col[c];
			rows.col[c] = NULL;
		}
	tp_rows_release(&rows);
	return 0;
}

struct entry {
	int64_t value;
	uint32_t row;
};

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* Sets rows->order[column] to the row numbers sorted by the column's value. */
static int sort_rows(struct tp_sql_rows *rows, unsigned column, struct tp_err *err)
{
	struct entry *entries = tp_many(rows->nrows + 1, sizeof(*entries));
	uint32_t *order = tp_many(rows->nrows + 1, sizeof(*order));
	bool sorted = true;

	if (!entries || !order || rows->nrows > UINT32_MAX) {
		free(entries);
		free(order);
		return tp_nomem(err);
	}
	for (size_t i = 0; i < rows->nrows; i++) {
		entries[i] = (struct entry){rows->col[column][i], (uint32_t)i};
		sorted = sorted && (!i || entries[i - 1].value <= entries[i].value);
	}
	if (!sorted)
		qsort(entries, rows->nrows, sizeof(*entries), compare_entries);
	for (size_t i = 0; i < rows->nrows; i++)
		order[i] = entries[i].row;
	free(entries);
	rows->order[column] = order;
	return 0;
}

/* Returns the first position in `order` whose value is not below `value`. */
static size_t lower_bound(const int64_t *col, const uint32_t *order, size_t n, int64_t value)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (col[order[mid]] < value)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

int tp_sql_rows_find(struct tp_sql_run *run, enum tp_table_id table, unsigned column, int64_t value,
		     const uint32_t **order, size_t *from, size_t *to, struct tp_err *err)
{
	struct tp_sql_rows *rows = &run->tables[table];
	const struct tp_sql_rows *loaded;
	int code = tp_sql_rows(run, table, 1u << column, &loaded, err);

	if (!code && !rows->order[column])
		code = sort_rows(rows, column, err);
	if (code)
		return code;
	*order = rows->order[column];
	*from = lower_bound(rows->col[column], *order, rows->nrows, value);
	*to = value == INT64_MAX ? rows->nrows
				 : lower_bound(rows->col[column], *order, rows->nrows, value + 1);
	return 0;
}

static enum tp_table_id table_of_ids(enum tp_column_kind kind)
{
	return kind == TP_COL_G	  ? TP_TABLE_GOROUTINE
	       : kind == TP_COL_M ? TP_TABLE_THREAD
				  : TP_TABLE_PROC;
}

_Static_assert(TP_COL(GOROUTINE, id) == 0 && TP_COL(THREAD, id) == 0 && TP_COL(PROC, id) == 0,
	       "ids are in column 0");

int tp_sql_ids(struct tp_sql_run *run, enum tp_column_kind kind, const struct tp_sql_rows **ids,
	       struct tp_err *err)
{
	enum tp_table_id table = table_of_ids(kind);

	*ids = &run->tables[table];
	return (*ids)->col[0] ? 0 : tp_sql_rows(run, table, 1, ids, err);
}

int tp_sql_index(struct tp_sql_run *run, enum tp_column_kind kind, int64_t id, uint32_t *index,
		 struct tp_err *err)
{
	const uint32_t *order;
	size_t from, to;
	int code = tp_sql_rows_find(run, table_of_ids(kind), 0, id, &order, &from, &to, err);

	*index = !code && from < to ? order[from] : TP_NONE;
	return code;
}
