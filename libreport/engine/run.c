#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/binary.h"
#include "engine/inside.h"

int rep_load_stack(struct rep_loading *l, uint32_t node, struct tp_err *err)
{
	int is_new = rep_stack_set_add(l->sent, l->hashes.of[node]), code;

	l->row_at = l->table[REP_ENGINE_STACK].size;
	if (is_new < 0 || (is_new && rep_stack_put(&l->table[REP_ENGINE_STACK], &l->hashes, node)))
		return rep_engine_no_memory(err);
	code = rep_load_end_row(l, REP_ENGINE_STACK, err);
	/* It will not be sent, so another run that has it has to be refused, too. */
	if (code)
		rep_stack_set_release(l->sent);
	return code;
}

/* ---- samples of a profile ---- */

static int put_labels(const struct tp_profile *p, struct tp_label_set set, struct tp_buf *b)
{
	int failed = 0;

	for (int column = 0; column < 4 && !failed; column++) {
		failed = tp_buf_put_uvarint(b, set.n);
		for (uint32_t i = 0; i < set.n && !failed; i++) {
			const struct tp_label *l = &p->labels[set.first + i];
			struct tp_text t =
			    tp_dict_text(p->dict, column == 0	? l->key
						  : column == 2 ? (l->numeric ? l->unit : 0)
								: l->text);
			char digits[24];

			if (column == 3)
				failed = rep_row_put(b, l->numeric, 1);
			else if (column == 1 && l->numeric)
				failed = rep_row_put_text(b, digits,
							  (size_t)snprintf(digits, sizeof(digits),
									   "%lld",
									   (long long)l->number));
			else
				failed = rep_row_put_text(b, t.text, t.size);
		}
	}
	return failed;
}

static int load_samples(struct rep_loading *l, const struct tp_profile *p, struct tp_err *err)
{
	struct tp_buf *b = &l->table[REP_ENGINE_BUCKET];
	int code = 0;

	for (size_t i = 0; i < p->nsamples && !code; i++) {
		int failed = rep_load_begin_row(l, REP_ENGINE_BUCKET);

		if (!failed)
			failed = tp_buf_put(b, l->hashes.of[p->stack[i]], REP_STACK_HASH);
		if (!failed)
			failed = rep_row_put(b, p->stack[i], 4);
		if (!failed)
			failed = put_labels(p, p->sets[p->label_set[i]], b);
		if (!failed)
			failed = tp_buf_put_uvarint(b, p->ntypes);
		for (size_t t = 0; t < p->ntypes && !failed; t++)
			failed = rep_row_put(b, (uint64_t)p->value[i * p->ntypes + t], 8);
		code = failed ? rep_engine_no_memory(err)
			      : rep_load_end_row(l, REP_ENGINE_BUCKET, err);
		if (!code && p->stack[i])
			code = rep_load_stack(l, p->stack[i], err);
		if (!code)
			code = l->spill(l->spill_ctx, err);
	}
	return code;
}

static int load_profile(struct rep_loading *l, struct tp_err *err)
{
	struct rep_mapping_place *place = NULL;
	struct tp_profile *p = NULL;
	int code = tp_profile_load(l->store, l->run->row.id, &p, err);

	if (code)
		return code;
	place = rep_mapping_places(p->dict, p->mappings, p->nmappings);
	l->dict = p->dict;
	l->hashes =
	    (struct rep_stack_hashes){.dict = p->dict, .place = place, .nplaces = p->nmappings + 1};
	code = place ? rep_stack_hashes_make(&l->hashes, err) : rep_engine_no_memory(err);
	for (int t = 0; t < TP_NTABLES && !code; t++)
		if (rep_engine_of_profile((enum tp_table_id)t))
			code = rep_load_packed(l, (enum tp_table_id)t, err);
	if (!code)
		code = load_samples(l, p, err);
	rep_stack_hashes_release(&l->hashes);
	l->dict = NULL;
	free(place);
	tp_profile_free(p);
	return code;
}

/* ---- traces ---- */

static int load_trace(struct rep_loading *l, bool events, bool spans, struct tp_err *err)
{
	static const struct rep_mapping_place none;
	static const enum tp_table_id who[] = {TP_TABLE_GOROUTINE, TP_TABLE_THREAD, TP_TABLE_PROC};
	int code = tp_dict_load(l->store, l->run->row.id, &l->dict, err);

	if (code)
		return code;
	l->hashes = (struct rep_stack_hashes){.dict = l->dict, .place = &none, .nplaces = 1};
	code = rep_stack_hashes_make(&l->hashes, err);
	/* The id is the first column of each. */
	for (size_t i = 0; i < 3 && !code; i++)
		code = tp_rows_load(l->store, l->run->row.id, who[i], 1, &l->ids[i], err);
	for (int t = 0; t < TP_NTABLES && !code; t++) {
		enum rep_engine_table_id table = (enum rep_engine_table_id)(REP_ENGINE_PACKED + t);

		if (rep_engine_has(table) && !rep_engine_of_profile((enum tp_table_id)t))
			code = rep_load_packed(l, (enum tp_table_id)t, err);
	}
	if (!code)
		code = rep_load_strings(l, err);
	if (!code && events)
		code = rep_load_events(l, err);
	if (!code && spans)
		code = rep_load_spans(l, err);
	for (size_t i = 0; i < 3; i++)
		tp_rows_release(&l->ids[i]);
	rep_stack_hashes_release(&l->hashes);
	tp_dict_free(l->dict);
	l->dict = NULL;
	return code;
}

int rep_load_run(struct rep_loading *l, bool events, bool spans, struct tp_err *err)
{
	int code = 0;

	for (int t = REP_ENGINE_LABEL; t <= REP_ENGINE_SEGMENT && !code; t++)
		code = rep_load_ordinary(l, (enum rep_engine_table_id)t, err);
	if (code)
		return code;
	return l->run->row.kind[0] == 'p' ? load_profile(l, err)
					  : load_trace(l, events, spans, err);
}
