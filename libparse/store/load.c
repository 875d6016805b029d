/* Loads runs: packed tables as columns, events block by block. */
#include <stdlib.h>
#include <string.h>

#include "base/big.h"
#include "store/block.h"
#include "store/dictfile.h"
#include "store/pool_read.h"
#include "store/rows.h"
#include "store/store.h"
#include "store/stream.h"

/* ---- packed tables ---- */

/* Allocates `total` rows for every wanted column. */
static int make_columns(struct tp_rows *rows, size_t total, uint32_t wanted)
{
	for (unsigned c = 0; c < tp_tables[rows->table].ncolumns; c++) {
		int64_t *col;

		if (!(wanted & 1u << c))
			continue;
		col = tp_big_many(total, sizeof(*col));
		if (!col)
			return TP_ENOMEM;
		rows->col[c] = col;
	}
	return 0;
}

/* Counts the rows of a table, which is damaged if it claims more than its chunks can hold. Sets *any
 * if it has chunks: most tables of most runs have none, and a query for a chunk takes as long as
 * reading a few rows. */
static int count_rows(struct tp_store *s, int64_t run, enum tp_table_id table, size_t *rows,
		      bool *any, struct tp_err *err)
{
	int64_t total, parts;
	int code = tp_stream_count(s, run, tp_tables[table].name, &total, &parts, err);

	if (!code && (total < 0 || parts < 0 || total / TP_CHUNK_ROWS > parts))
		code = tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "the table is damaged");
	*rows = code ? 0 : (size_t)total;
	*any = !code && parts > 0;
	return code;
}

/* ---- tables of a dictionary that is in a pool ---- */

/* Loads the run's dictionary from its pool if the table is one of a dictionary and the run itself
 * has no rows of it; otherwise sets *dict to NULL. */
static int load_pooled(struct tp_store *s, int64_t run, enum tp_table_id table, size_t total,
		       struct tp_dict **dict, struct tp_err *err)
{
	bool pooled;
	int code;

	*dict = NULL;
	if (total || !tp_pool_has_table(table))
		return 0;
	*dict = tp_dict_new_stored();
	if (!*dict)
		return tp_nomem(err);
	code = tp_pool_load(s, run, *dict, &pooled, err);
	if (code || !pooled) {
		tp_dict_free(*dict);
		*dict = NULL;
	}
	return code;
}

/* ---- chunks ---- */

/* A table that is read: from a stream, from a dictionary, or from neither if it has no rows. */
struct reader {
	struct tp_stream *stream;
	struct tp_rows_decoder decoder;
	struct tp_dict *dict;
	size_t left; /* rows that are still to come */
};

/* Copies n rows from `first` on of a dictionary's table to columns. */
static void copy_rows(const struct tp_dict *dict, enum tp_table_id table, size_t first, size_t n,
		      int64_t *const *col)
{
	for (size_t i = 0; i < n; i++) {
		int64_t values[TP_MAX_COLUMNS];

		tp_dictfile_row(dict, table, (uint32_t)(first + i), values);
		for (unsigned c = 0; c < tp_tables[table].ncolumns; c++)
			if (col[c])
				col[c][i] = values[c];
	}
}

/* Reads the next chunk, which begins at row `first` of the table, to rows->col[…][at]. Returns 1 if
 * there was one. */
static int next_chunk(struct reader *r, struct tp_rows *rows, size_t first, size_t at,
		      struct tp_err *err)
{
	int64_t *col[TP_MAX_COLUMNS];
	struct tp_part part = {.rows = r->left < TP_CHUNK_ROWS ? (int64_t)r->left : TP_CHUNK_ROWS};
	int code = r->stream ? tp_stream_next(r->stream, &part, err) : r->dict && r->left;

	if (code != 1)
		return code;
	if (part.rows < 1 || part.rows > TP_CHUNK_ROWS || (size_t)part.rows > r->left)
		return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE,
				  "a chunk of rows is damaged: it says that it has %lld rows",
				  (long long)part.rows);
	for (unsigned c = 0; c < TP_MAX_COLUMNS; c++)
		col[c] = rows->col[c] ? rows->col[c] + at : NULL;
	if (r->dict)
		copy_rows(r->dict, rows->table, first, (size_t)part.rows, col);
	else
		code = tp_rows_decode_table(&r->decoder, part.data, part.size, (size_t)part.rows,
					    rows->table, col, err);
	r->left -= (size_t)part.rows;
	rows->nrows = at + (size_t)part.rows;
	return code < 0 ? code : 1;
}

static int name_table(struct tp_err *err, int64_t run, enum tp_table_id table, int code)
{
	if (code)
		tp_err_prefix(err, "run %lld, table %s", (long long)run, tp_tables[table].name);
	return code;
}

/* Reads a table into *rows: all of it, or with a visitor chunk by chunk. */
static int read_table(struct tp_store *s, int64_t run, uint32_t columns, struct tp_rows *rows,
		      const struct tp_rows_visitor *visitor, struct tp_err *err)
{
	struct reader r = {.stream = NULL};
	size_t total, room, first = 0;
	bool any;
	int code = count_rows(s, run, rows->table, &total, &any, err);

	if (!code)
		code = load_pooled(s, run, rows->table, total, &r.dict, err);
	if (r.dict)
		total = tp_dictfile_rows(r.dict, rows->table);
	room = visitor && total > TP_CHUNK_ROWS ? TP_CHUNK_ROWS : total;
	if (!code && make_columns(rows, room, columns ? columns : UINT32_MAX))
		code = tp_nomem(err);
	if (!code && visitor && visitor->begin)
		code = visitor->begin(visitor->ctx, total, err);
	if (!code && any && !r.dict)
		code = tp_stream_open(&r.stream, s, run, tp_tables[rows->table].name, NULL, err);
	r.left = total;
	while (!code && (code = next_chunk(&r, rows, first, visitor ? 0 : first, err)) == 1) {
		code = visitor ? visitor->rows(visitor->ctx, rows, first, err) : 0;
		first = total - r.left;
	}
	tp_rows_decoder_release(&r.decoder);
	tp_stream_close(r.stream);
	tp_dict_free(r.dict);
	return name_table(err, run, rows->table, code);
}

int tp_rows_load(struct tp_store *s, int64_t run, enum tp_table_id table, uint32_t columns,
		 struct tp_rows *rows, struct tp_err *err)
{
	int code;

	*rows = (struct tp_rows){.table = table};
	code = read_table(s, run, columns, rows, NULL, err);
	if (code)
		tp_rows_release(rows);
	return code;
}

int tp_rows_visit(struct tp_store *s, int64_t run, enum tp_table_id table, uint32_t columns,
		  const struct tp_rows_visitor *visitor, struct tp_err *err)
{
	struct tp_rows rows = {.table = table};
	int code = read_table(s, run, columns, &rows, visitor, err);

	tp_rows_release(&rows);
	return code;
}

int tp_rows_part(struct tp_store *s, int64_t run, enum tp_table_id table, int64_t part,
		 uint32_t columns, struct tp_rows *rows, struct tp_err *err)
{
	const struct tp_stream_range range = {part, 1, INT64_MIN, INT64_MAX};
	struct reader r = {.left = TP_CHUNK_ROWS};
	int code;

	*rows = (struct tp_rows){.table = table};
	code =
	    make_columns(rows, TP_CHUNK_ROWS, columns ? columns : UINT32_MAX) ? tp_nomem(err) : 0;
	if (!code)
		code = tp_stream_open(&r.stream, s, run, tp_tables[table].name, &range, err);
	if (!code)
		code = next_chunk(&r, rows, 0, 0, err);
	if (!code)
		code = tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "chunk %lld is missing",
				  (long long)part);
	tp_rows_decoder_release(&r.decoder);
	tp_stream_close(r.stream);
	if (code < 0)
		tp_rows_release(rows);
	return code < 0 ? name_table(err, run, table, code) : 0;
}

int tp_rows_parts(struct tp_store *s, int64_t run, enum tp_table_id table, size_t *parts,
		  struct tp_err *err)
{
	size_t rows;
	int64_t n = 0;
	bool any;
	int code = count_rows(s, run, table, &rows, &any, err);

	if (!code && any)
		code = tp_stream_count(s, run, tp_tables[table].name, &(int64_t){0}, &n, err);
	*parts = code ? 0 : (size_t)n;
	return name_table(err, run, table, code);
}

int tp_rows_have(struct tp_store *s, int64_t run, enum tp_table_id table, unsigned column,
		 struct tp_err *err)
{
	struct tp_stream *stream = NULL;
	struct tp_part part = {0};
	int code = tp_stream_open(&stream, s, run, tp_tables[table].name, NULL, err);

	if (!code)
		code = tp_stream_next(stream, &part, err);
	if (code == 1)
		code = tp_rows_width(part.data, part.size) > column;
	tp_stream_close(stream);
	return code < 0 ? name_table(err, run, table, code) : code;
}

void tp_rows_release(struct tp_rows *rows)
{
	for (int c = 0; c < TP_MAX_COLUMNS; c++)
		free(rows->col[c]);
	memset(rows, 0, sizeof(*rows));
}

/* ---- events ---- */

struct tp_event_block {
	struct tp_block_decoder *decoder;
	struct tp_buf data;
	int64_t part, rows;
};

struct tp_event_reader {
	struct tp_stream *stream;
	struct tp_event_choice choice;
	struct tp_event_block *block; /* of tp_events_read */
	struct tp_event *events;      /* of tp_events_next */
};

struct tp_event_block *tp_event_block_new(void)
{
	struct tp_event_block *b = calloc(1, sizeof(*b));

	if (b)
		b->decoder = tp_block_decoder_new();
	if (b && !b->decoder) {
		free(b);
		b = NULL;
	}
	return b;
}

void tp_event_block_free(struct tp_event_block *b)
{
	if (!b)
		return;
	tp_block_decoder_free(b->decoder);
	tp_buf_release(&b->data);
	free(b);
}

int tp_events_open(struct tp_event_reader **r, struct tp_store *s, int64_t run,
		   const struct tp_event_range *range, struct tp_err *err)
{
	struct tp_stream_range parts = {0, INT64_MAX, INT64_MIN, INT64_MAX};
	int code;

	if (range)
		parts = (struct tp_stream_range){range->first_block, range->nblocks, range->from_ns,
						 range->to_ns};
	*r = calloc(1, sizeof(**r));
	if (!*r)
		return tp_nomem(err);
	code = tp_stream_open(&(*r)->stream, s, run, "event", &parts, err);
	if (code) {
		tp_events_close(*r);
		*r = NULL;
	}
	return code;
}

void tp_events_choose(struct tp_event_reader *r, const struct tp_event_choice *choice)
{
	r->choice = *choice;
}

int tp_events_fetch(struct tp_event_reader *r, struct tp_event_block *b, struct tp_err *err)
{
	struct tp_part part = {0};
	int code = tp_stream_next(r->stream, &part, err);

	b->data.size = 0;
	b->part = part.part;
	b->rows = part.rows;
	if (code == 1 && tp_buf_put(&b->data, part.data, part.size))
		return tp_nomem(err);
	return code;
}

int tp_events_decode(const struct tp_event_reader *r, struct tp_event_block *b, struct tp_event *ev,
		     size_t *n, struct tp_err *err)
{
	const uint32_t unused = TP_BC_STR2 | TP_BC_ARG0 | TP_BC_ARG1 | TP_BC_ARG2;
	int code = tp_block_decode(b->decoder, b->data.data, b->data.size, b->rows,
				   r->choice.spans ? TP_BC_ALL & ~unused : TP_BC_ALL, err);

	*n = 0;
	if (code) {
		tp_err_prefix(err, "block %lld", (long long)b->part);
		return code;
	}
	if (r->choice.changes) {
		*n = tp_block_changes(b->decoder, r->choice.goroutine, r->choice.ngoroutines, ev);
	} else {
		tp_block_events(b->decoder, ev);
		*n = b->decoder->n;
	}
	return 1;
}

int tp_events_read(struct tp_event_reader *r, struct tp_event *ev, size_t *n, struct tp_err *err)
{
	int code;

	*n = 0;
	if (!r->block)
		r->block = tp_event_block_new();
	if (!r->block)
		return tp_nomem(err);
	code = tp_events_fetch(r, r->block, err);
	return code == 1 ? tp_events_decode(r, r->block, ev, n, err) : code;
}

int tp_events_next(struct tp_event_reader *r, const struct tp_event **ev, size_t *n,
		   struct tp_err *err)
{
	if (!r->events)
		r->events = malloc(TP_BLOCK_EVENTS * sizeof(*r->events));
	*ev = r->events;
	*n = 0;
	return r->events ? tp_events_read(r, r->events, n, err) : tp_nomem(err);
}

void tp_events_close(struct tp_event_reader *r)
{
	if (!r)
		return;
	tp_stream_close(r->stream);
	tp_event_block_free(r->block);
	free(r->events);
	free(r);
}
