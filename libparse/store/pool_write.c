#include "store/pool_write.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "store/dictfile.h"
#include "store/pool.h"
#include "store/rows.h"

/* Small chunks, so that loading a run decodes few entries that it does not use. */
#define CHUNK_ROWS    ((uint32_t)4096)
#define CHUNK_STRINGS ((uint32_t)2048)
#define CHUNK_TEXT    ((size_t)256 << 10)

struct tp_pool_writer {
	struct tp_pool_sink sink;
	int64_t pool; /* number of the current pool; 0 before the first */
	struct tp_dict *dict;
	size_t text;
	uint32_t written[TP_POOL_KINDS]; /* entries written in chunks */
	int64_t part[TP_POOL_KINDS];	 /* of the next chunk */
	/* Position of a pool's entry in the run's list; only valid if the list has the entry there. */
	uint32_t *place[TP_POOL_KINDS];
	struct tp_rows_encoder encoder;
	struct tp_packer packer;
	struct tp_buf blob;
	int64_t *values;
};

static uint32_t entries(const struct tp_dict *dict, enum tp_pool_kind k)
{
	return k == TP_POOL_STRING ? tp_dict_strings(dict)
				   : tp_dictfile_rows(dict, tp_pool_tables[k]);
}

static uint32_t all_entries(const struct tp_dict *dict)
{
	uint32_t n = 0;

	for (enum tp_pool_kind k = 0; k < TP_POOL_KINDS; k++)
		n += entries(dict, k) < TP_POOL_MOST ? entries(dict, k) : TP_POOL_MOST;
	return n;
}

int tp_pool_writer_new(struct tp_pool_writer **out, const struct tp_pool_sink *sink,
		       struct tp_err *err)
{
	struct tp_pool_writer *w = calloc(1, sizeof(*w));
	bool room = w;

	*out = w;
	if (w) {
		w->sink = *sink;
		w->packer.codec = w->encoder.packer.codec = TP_CODEC_ZSTD;
		w->values = tp_many(CHUNK_ROWS * TP_MAX_COLUMNS, sizeof(*w->values));
		room = w->values;
	}
	/* The system zeroes these pages when they are first used. */
	for (int k = 0; k < TP_POOL_KINDS && room; k++) {
		w->place[k] = calloc(TP_POOL_ENTRIES, sizeof(*w->place[k]));
		room = w->place[k];
	}
	if (room)
		return 0;
	tp_pool_writer_free(w);
	*out = NULL;
	return tp_nomem(err);
}

void tp_pool_writer_free(struct tp_pool_writer *w)
{
	if (!w)
		return;
	tp_dict_free(w->dict);
	for (int k = 0; k < TP_POOL_KINDS; k++)
		free(w->place[k]);
	tp_rows_encoder_release(&w->encoder);
	tp_packer_release(&w->packer);
	tp_buf_release(&w->blob);
	free(w->values);
	free(w);
}

/* ---- chunks ---- */

static int put_strings(struct tp_pool_writer *w, int64_t run, const struct tp_dict *dict,
		       uint32_t first, uint32_t end, int64_t part, struct tp_err *err)
{
	size_t raw_size;

	w->blob.size = 0;
	if (tp_strings_pack(&w->packer, dict, first, end, &w->blob, &raw_size))
		return tp_nomem(err);
	return w->sink.put(w->sink.ctx, run, tp_pool_streams[TP_POOL_STRING], part, end - first,
			   raw_size, &w->blob, err);
}

static int put_rows(struct tp_pool_writer *w, int64_t run, const struct tp_dict *dict,
		    enum tp_pool_kind k, uint32_t first, uint32_t end, int64_t part,
		    struct tp_err *err)
{
	unsigned columns = tp_tables[tp_pool_tables[k]].ncolumns;

	for (uint32_t i = first; i < end; i++) {
		int64_t values[TP_MAX_COLUMNS];

		tp_dictfile_row(dict, tp_pool_tables[k], i, values);
		for (unsigned c = 0; c < columns; c++)
			w->values[c * CHUNK_ROWS + (i - first)] = values[c];
	}
	w->blob.size = 0;
	if (tp_rows_encode(&w->encoder, &w->blob, w->values, CHUNK_ROWS, end - first, columns))
		return tp_nomem(err);
	return w->sink.put(w->sink.ctx, run, tp_pool_streams[k], part, end - first,
			   w->encoder.raw_size, &w->blob, err);
}

/* Returns the end of the chunk that begins with `first`; 0 if it is not full. */
static uint32_t chunk_end(const struct tp_dict *dict, enum tp_pool_kind k, uint32_t first,
			  uint32_t n)
{
	size_t bytes = 0;

	if (k != TP_POOL_STRING)
		return n - first >= CHUNK_ROWS ? first + CHUNK_ROWS : 0;
	for (uint32_t i = first; i < n; i++) {
		bytes += tp_dict_text(dict, i).size;
		if (i - first + 1 == CHUNK_STRINGS || bytes >= CHUNK_TEXT)
			return i + 1;
	}
	return 0;
}

/* Writes chunks of entries from *first on; the last one only if it is full, or with `all`. */
static int put_chunks(struct tp_pool_writer *w, int64_t run, const struct tp_dict *dict,
		      enum tp_pool_kind k, uint32_t *first, int64_t *part, bool all,
		      struct tp_err *err)
{
	uint32_t n = entries(dict, k);
	int code = 0;

	while (*first < n && !code) {
		uint32_t end = chunk_end(dict, k, *first, n);

		if (!end && !all)
			break;
		end = end ? end : n;
		code = k == TP_POOL_STRING ? put_strings(w, run, dict, *first, end, *part, err)
					   : put_rows(w, run, dict, k, *first, end, *part, err);
		*first = end;
		(*part)++;
	}
	return code;
}

int tp_pool_writer_own(struct tp_pool_writer *w, int64_t run, const struct tp_dict *dict,
		       struct tp_err *err)
{
	int code = 0;

	for (enum tp_pool_kind k = 0; k < TP_POOL_KINDS && !code; k++) {
		uint32_t first = 0;
		int64_t part = 0;

		code = put_chunks(w, run, dict, k, &first, &part, true, err);
	}
	return code;
}

/* ---- pools ---- */

static int put_pool(struct tp_pool_writer *w, bool all, struct tp_err *err)
{
	int code = 0;

	for (enum tp_pool_kind k = 0; k < TP_POOL_KINDS && w->dict && !code; k++)
		code = put_chunks(w, -w->pool, w->dict, k, &w->written[k], &w->part[k], all, err);
	return code;
}

static int begin_pool(struct tp_pool_writer *w, struct tp_err *err)
{
	int code = put_pool(w, true, err);

	if (code)
		return code;
	tp_dict_free(w->dict);
	w->dict = tp_dict_new();
	if (!w->dict)
		return tp_nomem(err);
	w->pool++;
	w->text = 0;
	memset(w->written, 0, sizeof(w->written));
	memset(w->part, 0, sizeof(w->part));
	return 0;
}

/* Makes entry i of the list the pool's `id`; returns false if the list has that already. */
static bool enter(const struct tp_pool_writer *w, struct tp_pool_list *l, enum tp_pool_kind k,
		  uint32_t i, uint32_t id)
{
	uint32_t *place = &w->place[k][id];
	bool twice = !id || (*place && *place < i && l->id[k][*place] == id);

	l->id[k][i] = id;
	*place = i;
	return !twice;
}

static int list_strings(struct tp_pool_writer *w, const struct tp_dict *dict,
			struct tp_pool_list *l, bool *unlike)
{
	uint32_t id, had;

	for (uint32_t i = 1; i < l->n[TP_POOL_STRING]; i++) {
		struct tp_text t = tp_dict_text(dict, i);
		int code;

		had = tp_dict_strings(w->dict);
		code = tp_dict_string(w->dict, t.text, t.size, &id);
		if (code)
			return code;
		if (id >= had)
			w->text += t.size;
		*unlike &= enter(w, l, TP_POOL_STRING, i, id);
	}
	return 0;
}

/* Adds entry i of the run's dictionary to the pool, translating the numbers of what it refers to. */
static int pool_entry(struct tp_pool_writer *w, const struct tp_dict *dict,
		      const struct tp_pool_list *l, enum tp_pool_kind k, uint32_t i, uint32_t *id)
{
	struct tp_function f;
	struct tp_location location;
	struct tp_frame frame;
	struct tp_stack_node node;

	switch (k) {
	case TP_POOL_FUNCTION:
		f = tp_dict_function_at(dict, i);
		f.name = l->id[TP_POOL_STRING][f.name];
		f.system_name = l->id[TP_POOL_STRING][f.system_name];
		f.file = l->id[TP_POOL_STRING][f.file];
		return tp_dict_function(w->dict, &f, id);
	case TP_POOL_LOCATION:
		location = tp_dict_location_at(dict, i);
		return tp_dict_location(w->dict, &location, id);
	case TP_POOL_FRAME:
		frame = tp_dict_frame_at(dict, i);
		frame.function = l->id[TP_POOL_FUNCTION][frame.function];
		frame.location = l->id[TP_POOL_LOCATION][frame.location];
		return tp_dict_frame(w->dict, &frame, id);
	default:
		node = tp_dict_stack_at(dict, i);
		return tp_dict_stack(w->dict, l->id[TP_POOL_STACK][node.parent],
				     l->id[TP_POOL_FRAME][node.frame], id);
	}
}

/* Adds every entry of the run to the pool, and its number there to the list. Clears *unlike if two
 * of them are equal. */
static int list_entries(struct tp_pool_writer *w, const struct tp_dict *dict,
			struct tp_pool_list *l, bool *unlike)
{
	int code = list_strings(w, dict, l, unlike);

	for (enum tp_pool_kind k = TP_POOL_FUNCTION; k < TP_POOL_KINDS && !code; k++)
		for (uint32_t i = 1; i < l->n[k] && !code; i++) {
			uint32_t id;

			code = pool_entry(w, dict, l, k, i, &id);
			if (!code)
				*unlike &= enter(w, l, k, i, id);
		}
	return code;
}

static int put_list(struct tp_pool_writer *w, int64_t run, const struct tp_pool_list *l,
		    struct tp_err *err)
{
	size_t raw_size, rows = 0;

	w->blob.size = 0;
	if (tp_pool_list_pack(l, &w->packer, &w->blob, &raw_size))
		return tp_nomem(err);
	for (int k = 0; k < TP_POOL_KINDS; k++)
		rows += l->n[k];
	return w->sink.put(w->sink.ctx, run, TP_POOL_STREAM, w->pool, rows, raw_size, &w->blob,
			   err);
}

int tp_pool_writer_add(struct tp_pool_writer *w, int64_t run, const struct tp_dict *dict,
		       struct tp_err *err)
{
	uint32_t n[TP_POOL_KINDS], all = all_entries(dict);
	struct tp_pool_list list;
	bool unlike = true;
	size_t text = 0;
	int code = 0;

	for (uint32_t i = 0; i < tp_dict_strings(dict) && text <= TP_POOL_RUN_TEXT; i++)
		text += tp_dict_text(dict, i).size;
	if (all > TP_POOL_RUN_ENTRIES || text > TP_POOL_RUN_TEXT)
		return 0;
	if (!w->dict || all_entries(w->dict) + all > TP_POOL_ENTRIES ||
	    w->text + text > TP_POOL_TEXT)
		code = begin_pool(w, err);
	if (code)
		return code;
	for (enum tp_pool_kind k = 0; k < TP_POOL_KINDS; k++)
		n[k] = entries(dict, k);
	if (tp_pool_list_alloc(&list, n))
		return tp_nomem(err);
	code = list_entries(w, dict, &list, &unlike);
	if (code)
		code = code == TP_ENOMEM
			   ? tp_nomem(err)
			   : tp_err_set(err, code, TP_OFFSET_NONE, "too many entries for a pool");
	if (!code && unlike)
		code = put_list(w, run, &list, err);
	if (!code)
		code = put_pool(w, false, err);
	tp_pool_list_release(&list);
	return code ? code : unlike;
}

int tp_pool_writer_finish(struct tp_pool_writer *w, int64_t *pools, struct tp_err *err)
{
	*pools = w->pool;
	return put_pool(w, true, err);
}
