#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/binary.h"
#include "engine/inside.h"
#include "store/pool.h"
#include "store/pool_read.h"
#include "store/pool_write.h"

int rep_load_stack(struct rep_loading *l, uint32_t node, struct tp_err *err)
{
	int is_new = rep_stack_set_add(l->sent, l->hashes.of[node]), code;

	l->row_at = l->table[REP_ENGINE_STACK].size;
	if (is_new < 0)
		return tp_nomem(err);
	if (is_new)
		rep_stack_put(&l->table[REP_ENGINE_STACK], &l->hashes, node);
	code = rep_load_end_row(l, REP_ENGINE_STACK, err);
	/* This stack will not be sent, so another run that has it must be refused, too. */
	if (code)
		rep_stack_set_release(l->sent);
	return code;
}

/* ---- samples of a profile ---- */

static void put_labels(const struct tp_profile *p, struct tp_label_set set, struct tp_buf *b)
{
	for (int column = 0; column < 4; column++) {
		tp_buf_put_uvarint(b, set.n);
		for (uint32_t i = 0; i < set.n; i++) {
			const struct tp_label *l = &p->labels[set.first + i];
			struct tp_text t =
			    tp_dict_text(p->dict, column == 0	? l->key
						  : column == 2 ? (l->numeric ? l->unit : 0)
								: l->text);
			char digits[24];

			if (column == 3)
				rep_row_put(b, l->numeric, 1);
			else if (column == 1 && l->numeric)
				rep_row_put_text(b, digits,
						 (size_t)snprintf(digits, sizeof(digits), "%lld",
								  (long long)l->number));
			else
				rep_row_put_text(b, t.text, t.size);
		}
	}
}

static int load_samples(struct rep_loading *l, const struct tp_profile *p, struct tp_err *err)
{
	struct tp_buf *b = &l->table[REP_ENGINE_BUCKET];
	int code = 0;

	for (size_t i = 0; i < p->nsamples && !code; i++) {
		rep_load_begin_row(l, REP_ENGINE_BUCKET);
		tp_buf_put(b, l->hashes.of[p->stack[i]], REP_STACK_HASH);
		rep_row_put(b, p->stack[i], 4);
		put_labels(p, p->sets[p->label_set[i]], b);
		tp_buf_put_uvarint(b, p->ntypes);
		for (size_t t = 0; t < p->ntypes; t++)
			rep_row_put(b, (uint64_t)p->value[i * p->ntypes + t], 8);
		code = rep_load_end_row(l, REP_ENGINE_BUCKET, err);
		if (!code && p->stack[i])
			code = rep_load_stack(l, p->stack[i], err);
		if (!code)
			code = l->spill(l->spill_ctx, err);
	}
	return code;
}

int rep_load_profile(struct rep_loading *l, const struct tp_profile *p, struct tp_err *err)
{
	struct rep_mapping_place *place = rep_mapping_places(p->dict, p->mappings, p->nmappings);
	int code;

	l->dict = p->dict;
	l->hashes =
	    (struct rep_stack_hashes){.dict = p->dict, .place = place, .nplaces = p->nmappings + 1};
	code = place ? rep_stack_hashes_make(&l->hashes, err) : tp_nomem(err);
	for (int t = REP_ENGINE_PROFILE; t <= REP_ENGINE_COUNTER && !code; t++)
		code = rep_load_rows(l, (enum rep_engine_table_id)t, err);
	if (!code)
		code = load_samples(l, p, err);
	rep_stack_hashes_release(&l->hashes);
	l->dict = NULL;
	free(place);
	return code;
}

/* ---- traces ---- */

/* Writes a block of a dictionary, which has no times (struct tp_pool_sink). */
static int put_block(void *ctx, int64_t run, const char *stream, int64_t part, size_t rows,
		     size_t raw_size, const struct tp_buf *data, struct tp_err *err)
{
	struct rep_loading *l = ctx;
	struct tp_buf *b = &l->table[REP_ENGINE_BLOCK];
	int code;

	(void)run;
	rep_load_begin_row(l, REP_ENGINE_BLOCK);
	rep_row_put_text_or_null(b, stream, strlen(stream));
	rep_row_put_int(b, part);
	rep_row_put_int(b, (int64_t)rows);
	rep_row_put_int(b, TP_NULL);
	rep_row_put_int(b, TP_NULL);
	rep_row_put_int(b, data->data[0]);
	rep_row_put_int(b, (int64_t)raw_size);
	rep_row_put_text(b, data->data, data->size);
	code = rep_load_end_row(l, REP_ENGINE_BLOCK, err);
	return code ? code : l->spill(l->spill_ctx, err);
}

/* Writes the dictionary of a run that shares one with others, as a dictionary of the run alone. */
static int load_shared_dictionary(struct rep_loading *l, struct tp_err *err)
{
	const struct tp_pool_sink sink = {.put = put_block, .ctx = l};
	struct tp_pool_writer *w = NULL;
	struct tp_dict *dict = NULL;
	int64_t pool;
	int code = tp_pool_of(l->store, l->run->row.id, &pool, err);

	if (code || !pool)
		return code;
	code = tp_dict_load(l->store, l->run->row.id, &dict, err);
	if (!code)
		code = tp_pool_writer_new(&w, &sink, err);
	if (!code)
		code = tp_pool_writer_own(w, l->run->row.id, dict, err);
	tp_pool_writer_free(w);
	tp_dict_free(dict);
	return code;
}

/* Writes rows for SQL; queries find the names of their stacks by hash. */
static int load_spans(struct rep_loading *l, struct tp_err *err)
{
	static const struct rep_mapping_place none;
	int code = tp_dict_load(l->store, l->run->row.id, &l->dict, err);

	if (code)
		return code;
	l->hashes = (struct rep_stack_hashes){.dict = l->dict, .place = &none, .nplaces = 1};
	code = rep_stack_hashes_make(&l->hashes, err);
	for (int t = REP_ENGINE_SPAN; t <= REP_ENGINE_LOG && !code; t++)
		code = rep_load_rows(l, (enum rep_engine_table_id)t, err);
	rep_stack_hashes_release(&l->hashes);
	tp_dict_free(l->dict);
	l->dict = NULL;
	return code;
}

int rep_load_trace(struct rep_loading *l, bool spans, struct tp_err *err)
{
	int code = load_shared_dictionary(l, err);

	if (!code)
		code = rep_load_rows(l, REP_ENGINE_BLOCK, err);
	return code || !spans ? code : load_spans(l, err);
}
