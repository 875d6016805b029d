/* Ranks the content that a store has of a dump. The rank does not depend on whether the dictionary
 * is the run's own or in a pool. */
#include <string.h>
#include <xxhash.h>

#include "store/dictfile.h"
#include "store/kept.h"
#include "store/merge/inside.h"
#include "store/pool.h"
#include "store/query.h"

/* Returns whether the error is due to the store's content, so that it would occur every time. */
static bool is_content(int code)
{
	return code == TP_ESTORE || code == TP_EFORMAT || code == TP_ETRUNC || code == TP_ELIMIT ||
	       code == TP_EVERSION;
}

/* ---- facts ---- */

static int read_facts(struct tp_store *store, int64_t run, struct facts *f, struct tp_err *err)
{
	static const char sql[] =
	    "SELECT kind || ' ' || format, events, duration_ns, goroutines, "
	    "lost_bytes OR lost_events OR inferred FROM main.run WHERE id = ?";
	struct tp_query q = tp_query(tp_store_kept(store), tp_store_db(store), sql, "i", run);

	/* source_begin has found the row. */
	if (tp_query_row(&q)) {
		const void *kind = sqlite3_column_blob(q.stmt, 0);

		f->kind = XXH3_64bits(kind, (size_t)sqlite3_column_bytes(q.stmt, 0));
		f->events = sqlite3_column_int64(q.stmt, 1);
		f->duration_ns = sqlite3_column_int64(q.stmt, 2);
		f->goroutines = sqlite3_column_int64(q.stmt, 3);
		f->salvaged = sqlite3_column_int(q.stmt, 4);
	}
	return tp_query_end(&q, 0, tp_store_path(store), err);
}

/* ---- ranks ---- */

static int rank_lives(struct tp_store *store, int64_t run, struct content *c, struct tp_err *err)
{
	int code = tp_rows_have(store, run, TP_TABLE_GOROUTINE, TP_COL(GOROUTINE, life), err);

	c->lives = c->facts.lives = code == 1;
	return code < 0 && !is_content(code) ? code : 0;
}

int content_rank(struct tp_store *store, int64_t run, struct content *c, struct tp_err *err)
{
	/* The list of pool entries has as many rows as the streams that it replaces. */
	static const char sql[] =
	    "SELECT count(DISTINCT stream) FILTER (WHERE stream NOT IN " DICTIONARY
	    "), CAST(total(rows) AS INT), max(codec) FILTER (WHERE stream NOT IN " DICTIONARY
	    ") FROM main.block WHERE run = ?";
	struct tp_query q = tp_query(tp_store_kept(store), tp_store_db(store), sql, "i", run);
	struct tp_dict *dict = NULL;
	struct tp_err why;
	bool damaged = false;
	int code;

	*c = (struct content){0};
	if (tp_query_row(&q)) {
		c->kinds = sqlite3_column_int64(q.stmt, 0);
		c->rows = sqlite3_column_int64(q.stmt, 1);
		c->codec = sqlite3_column_int64(q.stmt, 2);
	}
	code = tp_query_end(&q, 0, tp_store_path(store), err);
	if (!code)
		code = read_facts(store, run, &c->facts, err);
	if (!code)
		code = rank_lives(store, run, c, err);
	if (!code)
		code = blocks_check(store, run, &damaged, &why, err);
	if (code)
		return code;
	code = tp_dict_load(store, run, &dict, err);
	c->no_dict = code;
	c->damaged |= damaged || c->no_dict;
	tp_dict_free(dict);
	return is_content(code) ? 0 : code;
}

/* ---- hashing ---- */

static void hash_int(XXH3_state_t *h, int64_t v)
{
	uint8_t bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)((uint64_t)v >> 8 * i);
	XXH3_128bits_update(h, bytes, sizeof(bytes));
}

static void hash_value(XXH3_state_t *h, sqlite3_stmt *stmt, int column)
{
	int type = sqlite3_column_type(stmt, column);

	hash_int(h, type);
	if (type == SQLITE_INTEGER) {
		hash_int(h, sqlite3_column_int64(stmt, column));
	} else if (type != SQLITE_NULL) {
		const void *data = sqlite3_column_blob(stmt, column);
		int size = sqlite3_column_bytes(stmt, column);

		hash_int(h, size);
		if (data)
			XXH3_128bits_update(h, data, (size_t)size);
	}
}

static int hash_query(XXH3_state_t *h, struct tp_store *store, int64_t run, const char *sql,
		      struct tp_err *err)
{
	struct tp_query q = tp_query(tp_store_kept(store), tp_store_db(store), sql, "i", run);

	while (tp_query_row(&q))
		for (int i = 0; i < sqlite3_column_count(q.stmt); i++)
			hash_value(h, q.stmt, i);
	return tp_query_end(&q, 0, tp_store_path(store), err);
}

static void hash_dict(XXH3_state_t *h, const struct tp_dict *dict)
{
	for (uint32_t i = 0; i < tp_dict_strings(dict); i++) {
		struct tp_text t = tp_dict_text(dict, i);

		hash_int(h, t.size);
		XXH3_128bits_update(h, t.text, t.size);
	}
	for (enum tp_pool_kind k = TP_POOL_FUNCTION; k < TP_POOL_KINDS; k++) {
		enum tp_table_id table = tp_pool_tables[k];
		uint32_t n = tp_dictfile_rows(dict, table);

		hash_int(h, n);
		for (uint32_t i = 0; i < n; i++) {
			int64_t values[TP_MAX_COLUMNS];

			tp_dictfile_row(dict, table, i, values);
			for (unsigned c = 0; c < tp_tables[table].ncolumns; c++)
				hash_int(h, values[c]);
		}
	}
}

int content_hash(struct tp_store *store, int64_t run, struct content *c, struct tp_err *err)
{
	static const char row[] =
	    "SELECT kind, format, start_ns, duration_ns, ticks, wall_ns, events, inferred, "
	    "generations, goroutines, lost_bytes, lost_events FROM main.run WHERE id = ?";
	static const char blocks[] =
	    "SELECT stream, part, rows, first_ts, last_ts, codec, raw_size, data FROM main.block "
	    "WHERE run = ? AND stream NOT IN " DICTIONARY " ORDER BY stream, part";
	struct tp_dict *dict = NULL;
	XXH3_state_t *h = XXH3_createState();
	XXH128_hash_t hash;
	int code;

	if (!h)
		return tp_nomem(err);
	XXH3_128bits_reset(h);
	code = hash_query(h, store, run, row, err);
	for (size_t i = 0; i < MERGE_TABLES && !code; i++)
		code = hash_query(h, store, run, merge_tables[i].get, err);
	if (!code)
		code = hash_query(h, store, run, blocks, err);
	if (!code && c->no_dict)
		code = hash_query(h, store, run,
				  "SELECT stream, part, rows, data FROM main.block WHERE run = ? "
				  "AND stream IN " DICTIONARY " ORDER BY stream, part",
				  err);
	else if (!code)
		code = tp_dict_load(store, run, &dict, err);
	if (dict)
		hash_dict(h, dict);
	hash = XXH3_128bits_digest(h);
	c->hash[0] = hash.high64;
	c->hash[1] = hash.low64;
	XXH3_freeState(h);
	tp_dict_free(dict);
	return code;
}

/* ---- exactness ---- */

struct comparing {
	const struct tp_dict *dict;
	bool exact;
};

static int compare_rows(void *ctx, const struct tp_rows *rows, size_t first, struct tp_err *err)
{
	struct comparing *c = ctx;
	unsigned columns = tp_tables[rows->table].ncolumns;

	(void)err;
	if (first + rows->nrows > tp_dictfile_rows(c->dict, rows->table))
		c->exact = false;
	for (size_t i = 0; i < rows->nrows && c->exact; i++) {
		int64_t values[TP_MAX_COLUMNS];

		tp_dictfile_row(c->dict, rows->table, (uint32_t)(first + i), values);
		for (unsigned k = 0; k < columns; k++)
			c->exact &= rows->col[k][i] == values[k];
	}
	return 0;
}

int dict_is_exact(struct tp_store *store, int64_t run, const struct tp_dict *dict, bool *exact,
		  struct tp_err *err)
{
	struct comparing c = {dict, true};
	struct tp_rows_visitor visitor = {.rows = compare_rows, .ctx = &c};
	int code = 0;

	for (enum tp_pool_kind k = TP_POOL_FUNCTION; k < TP_POOL_KINDS && !code && c.exact; k++)
		code = tp_rows_visit(store, run, tp_pool_tables[k], 0, &visitor, err);
	*exact = c.exact;
	return code;
}
