/* Moves an event cursor from run to run, block to block, and pass to pass. */
#include "base/many.h"
#include "sql/event.h"

#include <stdlib.h>
#include <string.h>

void tp_event_leave_run(struct tp_event_cursor *c)
{
	tp_stream_close(c->stream);
	c->stream = NULL;
	tp_sql_run_put(c->run);
	c->run = NULL;
	c->at = c->n = 0;
}

/* Opens the run at run_pos or the next one that matches; c->run stays NULL if no run is left. */
static int enter_run(struct tp_event_cursor *c, struct tp_err *err)
{
	static const enum tp_column_kind kinds[3] = {TP_COL_G, TP_COL_M, TP_COL_P};

	for (; c->run_pos < tp_sql_nruns(c->sql); c->run_pos++) {
		struct tp_stream_range range = {0, INT64_MAX, c->ts_from, INT64_MAX};
		bool nothing = false;
		int code;

		c->run_id = tp_sql_run_id(c->sql, c->run_pos);
		if (c->run_id < c->run_from || c->run_id > c->run_to)
			continue;
		code = tp_sql_run_get(c->sql, c->run_id, &c->run, err);
		for (int i = 0; i < 3 && !code; i++)
			if (c->want[i]) {
				code = tp_sql_index(c->run, kinds[i], c->want_id[i],
						    &c->want_index[i], err);
				nothing |= c->want_index[i] == TP_NONE;
			}
		if (code)
			return code;
		if (nothing) {
			tp_event_leave_run(c);
			continue;
		}
		range.first_part = c->seq_from / TP_BLOCK_EVENTS;
		range.parts = c->seq_to / TP_BLOCK_EVENTS - range.first_part + 1;
		if (c->ts_to < INT64_MAX)
			range.to_ns = c->ts_to + 1; /* the range of a stream is half open */
		return tp_stream_open(&c->stream, tp_sql_store(c->sql), c->run_id, "event", &range,
				      err);
	}
	return 0;
}

/* Fills sel with the positions of matching events in the block. */
static void select_rows(struct tp_event_cursor *c, const struct tp_type_set *types)
{
	const struct tp_block_decoder *b = c->block;
	int64_t base = c->part * TP_BLOCK_EVENTS;
	int64_t from = c->seq_from > base ? c->seq_from - base : 0;
	int64_t to = c->seq_to - base < (int64_t)b->n ? c->seq_to - base + 1 : (int64_t)b->n;
	uint32_t n = 0;

	c->at = 0;
	if (c->filter & TP_BC_TYPE) {
		uint8_t wanted[256];

		for (unsigned t = 0; t < 256; t++)
			wanted[t] = tp_has_type(types, (uint8_t)t);
		for (int64_t i = from; i < to; i++) {
			c->sel[n] = (uint16_t)i;
			n += wanted[b->type[i]];
		}
	} else {
		for (int64_t i = from; i < to; i++)
			c->sel[n++] = (uint16_t)i;
	}
	if (c->filter & TP_BC_TS) {
		uint32_t kept = 0;

		for (uint32_t k = 0; k < n; k++) {
			int64_t ts = b->ts[c->sel[k]];

			c->sel[kept] = c->sel[k];
			kept += ts >= c->ts_from && ts <= c->ts_to;
		}
		n = kept;
	}
	for (int w = 0; w < 3; w++) {
		const uint32_t *col = w == 0 ? b->g : w == 1 ? b->m : b->p;
		uint32_t kept = 0;

		if (!c->want[w])
			continue;
		for (uint32_t k = 0; k < n; k++) {
			c->sel[kept] = c->sel[k];
			kept += col[c->sel[k]] == c->want_index[w];
		}
		n = kept;
	}
	c->n = n;
}

static bool types_meet(const struct tp_type_set *a, const struct tp_type_set *b)
{
	uint64_t both = 0;

	for (size_t i = 0; i < MASK_WORDS; i++)
		both |= a->bits[i] & b->bits[i];
	return both;
}

/* Records the types in the part, during the first pass. */
static int note_types(struct tp_event_cursor *c, struct tp_err *err)
{
	struct tp_type_set *set;

	if (tp_grow(&c->seen, &c->seen_room, c->nseen, sizeof(*c->seen)))
		return tp_nomem(err);
	set = &c->seen[c->nseen++];
	memset(set, 0, sizeof(*set));
	for (uint32_t i = 0; i < c->block->n; i++)
		tp_add_type(set, c->block->type[i]);
	return 0;
}

/* Returns whether no part has a type of this pass. */
static bool pass_is_empty(const struct tp_event_cursor *c)
{
	for (size_t i = 0; i < c->nseen; i++)
		if (types_meet(&c->seen[i], &c->passes[c->pass]))
			return false;
	return true;
}

/* Decodes the part and selects rows; c->n is 0 if no row matches. */
static int take_part(struct tp_event_cursor *c, const struct tp_part *part, struct tp_err *err)
{
	int code = 0;

	c->part = part->part;
	c->n = 0;
	if (part->rows < 1 || part->rows > TP_BLOCK_EVENTS || part->part < 0 ||
	    part->part > INT64_MAX / TP_BLOCK_EVENTS - 1)
		return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE,
				  "run %lld: block %lld of events is damaged", (long long)c->run_id,
				  (long long)part->part);
	c->block->n = (uint32_t)part->rows;
	/* Later passes skip parts without their types. */
	if (c->pass > 0 && !types_meet(&c->seen[c->nth++], &c->passes[c->pass]))
		return 0;
	if (c->filter)
		code = tp_block_decode(c->block, part->data, part->size, part->rows,
				       c->pass > 0 ? c->filter | c->columns : c->filter, err);
	if (!code && c->pass == 0 && c->npasses > 1)
		code = note_types(c, err);
	if (!code)
		select_rows(c, &c->passes[c->pass]);
	if (!code && c->n && c->pass == 0 && c->columns & ~c->filter)
		code =
		    tp_block_decode(c->block, part->data, part->size, part->rows, c->columns, err);
	if (code)
		tp_err_prefix(err, "run %lld: block %lld of events", (long long)c->run_id,
			      (long long)part->part);
	return code;
}

int tp_event_next_rows(struct tp_event_cursor *c, struct tp_err *err)
{
	for (;;) {
		struct tp_part part;
		int code;

		if (!c->run) {
			code = enter_run(c, err);
			if (code)
				return code;
		}
		if (!c->run) { /* this pass is over */
			do
				c->pass++;
			while (c->pass < c->npasses && pass_is_empty(c));
			c->nth = 0;
			c->run_pos = 0;
			if (c->pass < c->npasses)
				continue;
			c->eof = true;
			return 0;
		}
		code = tp_stream_next(c->stream, &part, err);
		if (code < 0)
			return code;
		if (code == 0) {
			tp_event_leave_run(c);
			c->run_pos++;
			continue;
		}
		code = take_part(c, &part, err);
		if (code || c->n)
			return code;
	}
}

int tp_event_count_types(struct tp_event_cursor *c, struct tp_err *err)
{
	size_t nruns = tp_sql_nruns(c->sql);

	c->counts = calloc(nruns ? nruns : 1, sizeof(*c->counts));
	if (!c->counts)
		return tp_nomem(err);
	while (!c->eof && !c->pass) {
		int code;

		for (; c->at < c->n; c->at++)
			c->counts[c->run_pos][c->block->type[c->sel[c->at]]]++;
		code = tp_event_next_rows(c, err);
		if (code)
			return code;
	}
	return 0;
}

void tp_event_next_count(struct tp_event_cursor *c)
{
	unsigned type = c->counted_type;

	for (; c->pass < c->npasses; c->pass++, c->run_pos = 0)
		for (; c->run_pos < tp_sql_nruns(c->sql); c->run_pos++, type = 0)
			for (; type < 256; type++) {
				uint64_t *n = &c->counts[c->run_pos][type];

				if (!*n || !tp_has_type(&c->passes[c->pass], (uint8_t)type))
					continue;
				c->left = *n;
				*n = 0;
				c->counted_type = (uint8_t)type;
				c->run_id = tp_sql_run_id(c->sql, c->run_pos);
				return;
			}
	c->eof = true;
}
