#include "store/pool_read.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/many.h"
#include "store/dictfile.h"
#include "store/pool.h"
#include "store/query.h"
#include "store/rows.h"
#include "store/stream.h"

#define COLUMNS 5 /* of the widest table */
/* Limit on the strings of a pool, uncompressed. */
#define MOST_TEXT ((size_t)64 << 20)

/* Entries [first, first + rows) of a kind, decoded on first use. */
struct chunk {
	int64_t part;
	uint32_t first, rows;
	bool decoded;
	uint8_t *raw;	      /* strings: the bytes that … */
	struct tp_text *text; /* … these point into */
	int64_t *col[COLUMNS];
};

struct kind {
	struct chunk *chunk;
	size_t n, room;
	uint32_t entries;
	/* Position of a pool's entry in the list of the current run. It is only valid if the list
	 * has the entry at that position, so it need not be cleared between runs. */
	uint32_t *place;
};

struct tp_pool_cache {
	pthread_mutex_t lock;
	int64_t pool; /* 0 if none is cached */
	struct kind kind[TP_POOL_KINDS];
	uint32_t entries; /* of all kinds */
	size_t text_size;
	struct tp_rows_decoder decoder;
	struct tp_unpacker unpacker;
};

static int damaged(struct tp_err *err, const char *what)
{
	return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "the dictionary is damaged: %s", what);
}

/* ---- what is kept ---- */

struct tp_pool_cache *tp_pool_cache_new(void)
{
	struct tp_pool_cache *c = calloc(1, sizeof(*c));

	if (c)
		pthread_mutex_init(&c->lock, NULL);
	return c;
}

static void free_chunk(struct chunk *c)
{
	free(c->raw);
	free(c->text);
	for (int i = 0; i < COLUMNS; i++)
		free(c->col[i]);
}

/* Empties the cache. */
static void forget(struct tp_pool_cache *c)
{
	for (int k = 0; k < TP_POOL_KINDS; k++) {
		struct kind *kind = &c->kind[k];

		for (size_t i = 0; i < kind->n; i++)
			free_chunk(&kind->chunk[i]);
		free(kind->chunk);
		free(kind->place);
		*kind = (struct kind){0};
	}
	c->pool = 0;
	c->entries = 0;
	c->text_size = 0;
}

void tp_pool_cache_free(struct tp_pool_cache *c)
{
	if (!c)
		return;
	forget(c);
	tp_rows_decoder_release(&c->decoder);
	tp_unpacker_release(&c->unpacker);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

/* ---- which chunks there are ---- */

static int add_chunk(struct tp_pool_cache *c, struct kind *kind, int64_t part, int64_t rows,
		     struct tp_err *err)
{
	if (rows < 1 || rows > TP_CHUNK_ROWS || (uint64_t)rows > TP_POOL_MOST - c->entries)
		return damaged(err, "a chunk of its pool claims too many rows");
	if (tp_grow(&kind->chunk, &kind->room, kind->n, sizeof(*kind->chunk)))
		return tp_nomem(err);
	kind->chunk[kind->n++] =
	    (struct chunk){.part = part, .first = kind->entries, .rows = (uint32_t)rows};
	kind->entries += (uint32_t)rows;
	c->entries += (uint32_t)rows;
	return 0;
}

static int list_chunks(struct tp_pool_cache *c, struct sqlite3 *db, int64_t pool,
		       enum tp_pool_kind k, struct tp_err *err)
{
	struct kind *kind = &c->kind[k];
	struct tp_query q = tp_query(NULL, db,
				     "SELECT part, rows FROM main.block WHERE run = ?1 "
				     "AND stream = ?2 ORDER BY part",
				     "is", -pool, tp_pool_streams[k]);
	int code = 0;

	while (!code && tp_query_row(&q))
		code = add_chunk(c, kind, sqlite3_column_int64(q.stmt, 0),
				 sqlite3_column_int64(q.stmt, 1), err);
	code = tp_query_end(&q, code, "the store", err);
	if (code)
		return code;
	kind->place = calloc((size_t)kind->entries + 1, sizeof(*kind->place));
	return kind->place ? 0 : tp_nomem(err);
}

/* Makes this pool the cached one. */
static int look_at(struct tp_pool_cache *c, struct sqlite3 *db, int64_t pool, struct tp_err *err)
{
	int code = 0;

	if (c->pool == pool)
		return 0;
	forget(c);
	for (enum tp_pool_kind k = 0; k < TP_POOL_KINDS && !code; k++)
		code = list_chunks(c, db, pool, k, err);
	if (code)
		forget(c);
	else
		c->pool = pool;
	return code;
}

/* ---- decoding ---- */

static int decode_strings(struct tp_pool_cache *c, struct chunk *chunk, const struct tp_part *part,
			  struct tp_err *err)
{
	struct tp_strings s;
	struct tp_cursor lengths, texts;
	int code = tp_strings_unpack(&c->unpacker, part->data, part->size, &s, err);

	if (code)
		return code;
	free(chunk->raw);
	chunk->raw = s.raw;
	if (s.rows != chunk->rows || s.size > MOST_TEXT - c->text_size)
		return damaged(err, "a chunk of its pool's strings has a wrong size");
	chunk->text = tp_many(s.rows, sizeof(*chunk->text));
	if (!chunk->text)
		return tp_nomem(err);
	lengths = texts = tp_cursor(s.raw, s.size);
	for (uint32_t i = 0; i < chunk->rows; i++)
		tp_cursor_uvarint(&texts);
	for (uint32_t i = 0; i < chunk->rows; i++) {
		struct tp_slice t = tp_cursor_bytes(&texts, tp_cursor_uvarint(&lengths));

		chunk->text[i] =
		    (struct tp_text){t.size ? (const char *)t.data : "", (uint32_t)t.size};
	}
	if (lengths.failed || texts.failed)
		return damaged(err, "a chunk of strings ends early");
	c->text_size += s.size;
	return 0;
}

static int decode_rows(struct tp_pool_cache *c, struct chunk *chunk, enum tp_table_id table,
		       const struct tp_part *part, struct tp_err *err)
{
	int64_t *col[TP_MAX_COLUMNS] = {NULL};
	unsigned n = tp_tables[table].ncolumns;

	/* The depth of a stack follows from its parent. */
	if (table == TP_TABLE_STACK)
		n = TP_COL(STACK, depth);
	for (unsigned i = 0; i < n; i++) {
		col[i] = chunk->col[i] = tp_many(chunk->rows, sizeof(int64_t));
		if (!col[i])
			return tp_nomem(err);
	}
	return tp_rows_decode(&c->decoder, part->data, part->size, chunk->rows, col, n, err);
}

static int decode(struct tp_pool_cache *c, struct tp_store *s, enum tp_pool_kind k,
		  struct chunk *chunk, struct tp_err *err)
{
	const struct tp_stream_range one = {chunk->part, 1, INT64_MIN, INT64_MAX};
	struct tp_stream *stream = NULL;
	struct tp_part part;
	int code = tp_stream_open(&stream, s, -c->pool, tp_pool_streams[k], &one, err);

	if (!code) {
		code = tp_stream_next(stream, &part, err);
		if (!code)
			code = damaged(err, "a chunk of its pool is missing");
		else if (code == 1)
			code = k == TP_POOL_STRING
				   ? decode_strings(c, chunk, &part, err)
				   : decode_rows(c, chunk, tp_pool_tables[k], &part, err);
	}
	tp_stream_close(stream);
	chunk->decoded = !code;
	if (code) {
		free_chunk(chunk);
		chunk->raw = NULL;
		chunk->text = NULL;
		memset(chunk->col, 0, sizeof(chunk->col));
	}
	return code;
}

/* Sets *last to the decoded chunk of an entry. It is the previous result on entry, as entries that a
 * run lists one after the other are mostly in the same chunk. */
static int find_chunk(struct tp_pool_cache *c, struct tp_store *s, enum tp_pool_kind k, uint32_t id,
		      const struct chunk **last, struct tp_err *err)
{
	struct kind *kind = &c->kind[k];
	size_t lo = 0, hi = kind->n;
	int code = 0;

	if (*last && id - (*last)->first < (*last)->rows)
		return 0;
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (kind->chunk[mid].first <= id)
			lo = mid;
		else
			hi = mid;
	}
	if (!kind->chunk[lo].decoded)
		code = decode(c, s, k, &kind->chunk[lo], err);
	*last = &kind->chunk[lo];
	return code;
}

/* ---- a run's dictionary ---- */

struct loading {
	struct tp_pool_cache *c;
	struct tp_store *store;
	const struct tp_pool_list *list;
	struct tp_dict *dict;
	struct tp_err *err;
};

/* Sets *number to the run's own number of a pool's entry; returns false if the run does not list it
 * among the first `n`. */
static bool own(const struct loading *l, enum tp_pool_kind k, int64_t id, uint32_t n,
		uint32_t *number)
{
	const struct kind *kind = &l->c->kind[k];

	*number = 0;
	if (!id)
		return true;
	if (id < 0 || id >= (int64_t)kind->entries)
		return false;
	*number = kind->place[id];
	return *number && *number < n && l->list->id[k][*number] == (uint32_t)id;
}

/* Lets `own` find entry `i` of the list; returns false if the entry was listed before. */
static bool enter(const struct loading *l, enum tp_pool_kind k, uint32_t i)
{
	uint32_t id = l->list->id[k][i], had;

	if (own(l, k, id, i, &had))
		return false;
	l->c->kind[k].place[id] = i;
	return true;
}

static int checked(const struct loading *l, int code)
{
	return code == TP_ENOMEM ? tp_nomem(l->err) : code ? damaged(l->err, "an entry refers to one that it does not list") : 0;
}

static int load_strings(const struct loading *l)
{
	const struct chunk *chunk = NULL;
	const uint32_t *id = l->list->id[TP_POOL_STRING];
	int code = 0;

	for (uint32_t i = 0; i < l->list->n[TP_POOL_STRING] && !code; i++) {
		struct tp_text t, is;
		uint32_t number;

		code = find_chunk(l->c, l->store, TP_POOL_STRING, id[i], &chunk, l->err);
		if (code)
			break;
		t = chunk->text[id[i] - chunk->first];
		if (i && !enter(l, TP_POOL_STRING, i))
			return damaged(l->err, "it lists a string twice");
		/* The first strings are those that every dictionary begins with. */
		is = tp_dict_text(l->dict, i);
		if (i >= tp_dict_strings(l->dict))
			code = checked(l, tp_dict_append_string(l->dict, t.text, t.size, &number));
		else if (is.size != t.size || memcmp(is.text, t.text, t.size) != 0)
			code = damaged(l->err, "its first strings are wrong");
	}
	return code;
}

/* Appends the entry in row `row` of its chunk. TP_EFORMAT: it refers to an entry that the run does
 * not list. */
static int append(const struct loading *l, enum tp_pool_kind k, int64_t *const *c, uint32_t row)
{
	uint32_t strings = l->list->n[TP_POOL_STRING], id;
	struct tp_function f;
	struct tp_frame frame;

	switch (k) {
	case TP_POOL_FUNCTION:
		f.start_line = c[TP_COL(FUNCTION, start_line)][row];
		if (!own(l, TP_POOL_STRING, c[TP_COL(FUNCTION, name)][row], strings, &f.name) ||
		    !own(l, TP_POOL_STRING, c[TP_COL(FUNCTION, system_name)][row], strings,
			 &f.system_name) ||
		    !own(l, TP_POOL_STRING, c[TP_COL(FUNCTION, file)][row], strings, &f.file))
			return TP_EFORMAT;
		return tp_dict_append_function(l->dict, &f, &id);
	case TP_POOL_LOCATION:
		return tp_dict_append_location(
		    l->dict,
		    &(struct tp_location){
			.address = (uint64_t)c[TP_COL(LOCATION, address)][row],
			.mapping = (uint32_t)c[TP_COL(LOCATION, mapping)][row],
			.flags = (uint32_t)c[TP_COL(LOCATION, flags)][row],
		    },
		    &id);
	default:
		frame.line = c[TP_COL(FRAME, line)][row];
		frame.column = c[TP_COL(FRAME, column)][row];
		frame.inlined = (uint8_t)c[TP_COL(FRAME, inlined)][row];
		if (!own(l, TP_POOL_FUNCTION, c[TP_COL(FRAME, function)][row],
			 l->list->n[TP_POOL_FUNCTION], &frame.function) ||
		    !own(l, TP_POOL_LOCATION, c[TP_COL(FRAME, location)][row],
			 l->list->n[TP_POOL_LOCATION], &frame.location))
			return TP_EFORMAT;
		return tp_dict_append_frame(l->dict, &frame, &id);
	}
}

static int load_entries(const struct loading *l, enum tp_pool_kind k)
{
	const uint32_t *id = l->list->id[k];
	const struct chunk *chunk = NULL;
	int code = 0;

	for (uint32_t i = 1; i < l->list->n[k] && !code; i++) {
		code = find_chunk(l->c, l->store, k, id[i], &chunk, l->err);
		if (code)
			break;
		if (!enter(l, k, i))
			return damaged(l->err, "it lists an entry twice");
		code = checked(l, append(l, k, chunk->col, id[i] - chunk->first));
	}
	return code;
}

#define BATCH 1024

static int load_stacks(const struct loading *l)
{
	const uint32_t *id = l->list->id[TP_POOL_STACK], n = l->list->n[TP_POOL_STACK];
	int64_t parent[BATCH], frame[BATCH];
	const struct chunk *chunk = NULL;
	size_t have = 0;
	int code = 0;

	for (uint32_t i = 1; i < n && !code; i++) {
		uint32_t up, at, row;

		code = find_chunk(l->c, l->store, TP_POOL_STACK, id[i], &chunk, l->err);
		if (code)
			break;
		row = id[i] - chunk->first;
		if (!own(l, TP_POOL_STACK, chunk->col[TP_COL(STACK, parent)][row], i, &up) ||
		    !own(l, TP_POOL_FRAME, chunk->col[TP_COL(STACK, frame)][row],
			 l->list->n[TP_POOL_FRAME], &at) ||
		    !enter(l, TP_POOL_STACK, i))
			return damaged(l->err, "a stack refers to one that it does not list before");
		parent[have] = up;
		frame[have++] = at;
		if (have == BATCH || i + 1 == n) {
			code = checked(l, tp_dict_append_stacks(l->dict, parent, frame, have));
			have = 0;
		}
	}
	return code;
}

static int load_all(const struct loading *l)
{
	struct tp_dict_sizes sizes = {l->list->n[0], l->list->n[1], l->list->n[2], l->list->n[3],
				      l->list->n[4]};
	int code = 0;

	for (int k = 0; k < TP_POOL_KINDS; k++) {
		/* A list without duplicates is at most as long as its pool. Longer ones are refused
		 * before memory is allocated. */
		if (l->list->n[k] > l->c->kind[k].entries)
			return damaged(l->err, "its pool has fewer entries than it lists");
		for (uint32_t i = 1; i < l->list->n[k]; i++)
			if (l->list->id[k][i] >= l->c->kind[k].entries)
				return damaged(l->err, "it lists an entry that its pool does not have");
	}
	code = checked(l, tp_dict_reserve(l->dict, &sizes));
	if (!code)
		code = load_strings(l);
	for (enum tp_pool_kind k = TP_POOL_FUNCTION; k <= TP_POOL_FRAME && !code; k++)
		code = load_entries(l, k);
	return code ? code : load_stacks(l);
}

/* Reads the run's list and the number of its pool, 0 if it has none. */
static int read_list(struct tp_store *s, int64_t run, struct tp_pool_list *list, int64_t *pool,
		     struct tp_err *err)
{
	struct tp_stream *stream = NULL;
	struct tp_part part;
	int code = tp_stream_open(&stream, s, run, TP_POOL_STREAM, NULL, err);

	*pool = 0;
	if (!code) {
		code = tp_stream_next(stream, &part, err);
		if (code == 1) {
			*pool = part.part;
			code = *pool < 1 ? damaged(err, "its pool has no number")
					 : tp_pool_list_unpack(list, part.data, part.size, err);
		}
	}
	tp_stream_close(stream);
	return code;
}

int tp_pool_load(struct tp_store *s, int64_t run, struct tp_dict *dict, bool *pooled,
		 struct tp_err *err)
{
	struct loading l = {.store = s, .dict = dict, .err = err};
	struct tp_pool_list list = {0};
	int64_t pool;
	int code = read_list(s, run, &list, &pool, err);

	*pooled = false;
	if (code || !pool)
		return code;
	*pooled = true;
	l.list = &list;
	l.c = tp_store_pool_cache(s);
	if (!l.c) {
		code = tp_nomem(err);
	} else {
		pthread_mutex_lock(&l.c->lock);
		code = look_at(l.c, tp_store_db(s), pool, err);
		if (!code)
			code = load_all(&l);
		pthread_mutex_unlock(&l.c->lock);
	}
	tp_pool_list_release(&list);
	return code;
}

int tp_pool_of(struct tp_store *s, int64_t run, int64_t *pool, struct tp_err *err)
{
	struct tp_query q = tp_query(NULL, tp_store_db(s),
				     "SELECT part FROM main.block WHERE run = ?1 "
				     "AND stream = '" TP_POOL_STREAM "' ORDER BY part",
				     "i", run);

	*pool = tp_query_number(&q);
	return tp_query_end(&q, 0, "the store", err);
}

bool tp_pool_has_table(enum tp_table_id table)
{
	return table == TP_TABLE_FUNCTION || table == TP_TABLE_LOCATION ||
	       table == TP_TABLE_FRAME || table == TP_TABLE_STACK;
}
