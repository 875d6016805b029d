/* Checks whether the blocks of a run unpack. Merging copies them as they are and would not notice
 * damage otherwise. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "store/block.h"
#include "store/kept.h"
#include "store/merge/inside.h"
#include "store/query.h"
#include "store/rows.h"

struct check {
	struct tp_store *store;
	int64_t run;
	struct tp_block_decoder *events;
	struct tp_rows_decoder rows;
	int64_t *values; /* the values of a chunk: TP_CHUNK_ROWS for each column */
};

static const struct tp_table_desc *table_of(const char *stream)
{
	for (int i = 0; i < TP_NTABLES; i++)
		if (!strcmp(tp_tables[i].name, stream))
			return &tp_tables[i];
	return NULL;
}

static int check_events(struct check *c, const void *data, size_t size, int64_t rows,
			struct tp_err *err)
{
	if (!c->events)
		c->events = tp_block_decoder_new();
	return c->events ? tp_block_decode(c->events, data, size, rows, TP_BC_ALL, err)
			 : tp_nomem(err);
}

static int check_rows(struct check *c, const struct tp_table_desc *table, const void *data,
		      size_t size, int64_t rows, struct tp_err *err)
{
	int64_t *col[TP_MAX_COLUMNS];

	if (rows < 1 || rows > TP_CHUNK_ROWS)
		return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE,
				  "a chunk of rows is damaged: it says that it has %lld rows",
				  (long long)rows);
	if (!c->values)
		c->values = tp_many(TP_MAX_COLUMNS * TP_CHUNK_ROWS, sizeof(*c->values));
	if (!c->values)
		return tp_nomem(err);
	for (size_t i = 0; i < TP_MAX_COLUMNS; i++)
		col[i] = c->values + i * TP_CHUNK_ROWS;
	return tp_rows_decode(&c->rows, data, size, (size_t)rows, col, table->ncolumns, err);
}

static int check_block(struct check *c, sqlite3_stmt *block, struct tp_err *err)
{
	const char *stream = (const char *)sqlite3_column_text(block, 0);
	int64_t rows = sqlite3_column_int64(block, 2);
	const void *data = sqlite3_column_blob(block, 3);
	size_t size = (size_t)sqlite3_column_bytes(block, 3);
	const struct tp_table_desc *table = stream ? table_of(stream) : NULL;
	int code = 0;

	if (stream && !strcmp(stream, "event"))
		code = check_events(c, data, size, rows, err);
	else if (table)
		code = check_rows(c, table, data, size, rows, err);
	if (code)
		tp_err_prefix(err, "%s, block %lld", stream,
			      (long long)sqlite3_column_int64(block, 1));
	return code;
}

int blocks_check(struct tp_store *store, int64_t run, bool *damaged, struct tp_err *why,
		 struct tp_err *err)
{
	static const char get[] = "SELECT stream, part, rows, data FROM main.block WHERE run = ? "
				  "AND stream NOT IN " DICTIONARY " ORDER BY stream, part";
	struct check c = {.store = store, .run = run};
	struct tp_query q = tp_query(tp_store_kept(store), tp_store_db(store), get, "i", run);
	int code = 0;

	while (!code && tp_query_row(&q))
		code = check_block(&c, q.stmt, why);
	*damaged = code == TP_ESTORE || code == TP_EFORMAT || code == TP_ETRUNC;
	if (!code) {
		code = tp_query_end(&q, 0, tp_store_path(store), err);
	} else {
		tp_query_done(&q);
		if (*damaged || code == TP_EVERSION)
			code = 0; /* this program cannot judge what a newer one packed */
		else if (err)
			*err = *why;
	}
	tp_block_decoder_free(c.events);
	tp_rows_decoder_release(&c.rows);
	free(c.values);
	return code;
}
