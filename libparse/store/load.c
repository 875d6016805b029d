/* Reading runs back: packed tables as columns, events block by block. */
#include <stdlib.h>
#include <string.h>

#include "base/big.h"
#include "store/block.h"
#include "store/rows.h"
#include "store/store.h"
#include "store/stream.h"

static int out_of_memory(struct tp_err *err)
{
	return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
}

/* ---- packed tables ---- */

/* Room for `total` rows in every wanted column, kept as rows are found and not as promised: the
 * number of rows is only believed as far as there are chunks to hold them. */
static int make_columns(struct tp_rows *rows, size_t total, uint32_t wanted)
{
	for (unsigned c = 0; c < tp_tables[rows->table].ncolumns; c++) {
		int64_t *col;

		if (!(wanted & 1u << c))
			continue;
		col = tp_big_alloc(total * sizeof(*col));
		if (!col)
			return TP_ENOMEM;
		rows->col[c] = col;
	}
	return 0;
}

static int load_parts(struct tp_stream *stream, struct tp_rows *rows, size_t total,
		      struct tp_err *err)
{
	unsigned ncolumns = tp_tables[rows->table].ncolumns;
	struct tp_rows_decoder decoder = {0};
	struct tp_part part;
	int code;

	while ((code = tp_stream_next(stream, &part, err)) == 1) {
		int64_t *col[TP_MAX_COLUMNS] = {NULL};

		if (part.rows < 1 || part.rows > TP_CHUNK_ROWS ||
		    (size_t)part.rows > total - rows->nrows) {
			code = tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE,
					  "a chunk of rows is damaged");
			break;
		}
		for (unsigned c = 0; c < ncolumns; c++)
			col[c] = rows->col[c] ? rows->col[c] + rows->nrows : NULL;
		code = tp_rows_decode(&decoder, part.data, part.size, (size_t)part.rows, col,
				      ncolumns, err);
		if (code)
			break;
		rows->nrows += (size_t)part.rows;
	}
	tp_rows_decoder_release(&decoder);
	return code;
}

int tp_rows_load(struct tp_store *s, int64_t run, enum tp_table_id table, uint32_t columns,
		 struct tp_rows *rows, struct tp_err *err)
{
	const char *name = tp_tables[table].name;
	struct tp_stream *stream = NULL;
	int64_t total, parts;
	int code;

	memset(rows, 0, sizeof(*rows));
	rows->table = table;
	code = tp_stream_count(tp_store_db(s), run, name, &total, &parts, err);
	if (code)
		return code;
	if (total < 0 || parts < 0 || total / TP_CHUNK_ROWS > parts)
		return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "table %s is damaged", name);
	code = make_columns(rows, (size_t)total, columns ? columns : UINT32_MAX)
		   ? out_of_memory(err)
		   : tp_stream_open(&stream, tp_store_db(s), run, name, NULL, err);
	if (!code)
		code = load_parts(stream, rows, (size_t)total, err);
	tp_stream_close(stream);
	if (code) {
		tp_err_prefix(err, "run %lld, table %s", (long long)run, name);
		tp_rows_release(rows);
	}
	return code;
}

void tp_rows_release(struct tp_rows *rows)
{
	for (int c = 0; c < TP_MAX_COLUMNS; c++)
		free(rows->col[c]);
	memset(rows, 0, sizeof(*rows));
}

/* ---- events ---- */

struct tp_event_reader {
	struct tp_stream *stream;
	struct tp_block_decoder *decoder;
	struct tp_event events[TP_BLOCK_EVENTS];
};

int tp_events_open(struct tp_event_reader **r, struct tp_store *s, int64_t run,
		   const struct tp_event_range *range, struct tp_err *err)
{
	struct tp_stream_range parts = {0, INT64_MAX, INT64_MIN, INT64_MAX};
	int code;

	if (range)
		parts = (struct tp_stream_range){range->first_block, range->nblocks, range->from_ns,
						 range->to_ns};
	*r = malloc(sizeof(**r));
	if (!*r)
		return out_of_memory(err);
	(*r)->stream = NULL;
	(*r)->decoder = tp_block_decoder_new();
	code = (*r)->decoder
		   ? tp_stream_open(&(*r)->stream, tp_store_db(s), run, "event", &parts, err)
		   : out_of_memory(err);
	if (code) {
		tp_events_close(*r);
		*r = NULL;
	}
	return code;
}

int tp_events_next(struct tp_event_reader *r, const struct tp_event **ev, size_t *n,
		   struct tp_err *err)
{
	struct tp_part part;
	int code = tp_stream_next(r->stream, &part, err);

	*ev = r->events;
	*n = 0;
	if (code != 1)
		return code;
	code = tp_block_decode(r->decoder, part.data, part.size, part.rows, TP_BC_ALL, err);
	if (code) {
		tp_err_prefix(err, "block %lld", (long long)part.part);
		return code;
	}
	tp_block_events(r->decoder, r->events);
	*n = r->decoder->n;
	return 1;
}

void tp_events_close(struct tp_event_reader *r)
{
	if (!r)
		return;
	tp_stream_close(r->stream);
	tp_block_decoder_free(r->decoder);
	free(r);
}
