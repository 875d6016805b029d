/* Goroutine rows, with the results of Go's Summarizer (internal/trace/summary.go).
 *
 * Summaries are kept by goroutine in chunks, as in machine.h. Rows are written in the order of the
 * index, so they have to wait for the longest-lived goroutine, and most have ended by then.
 * Therefore, at the end of a segment, chunks whose goroutines have all ended are packed into
 * varints, once there are many of them. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "timeline/parts.h"

/* The packed fields of struct tp_gsum, in this order (16 numbers and two bytes). */
#define PACKED_MAX (18 * 10)

static int unpack_chunk(struct tp_gsum_chunk *c);

static int grow_chunks(struct tp_summary *s, uint32_t c)
{
	if (c >= TP_SPANS_LIMIT >> TP_CHUNK_BITS)
		return TP_ELIMIT;
	if (tp_grow(&s->chunk, &s->room, c, sizeof(*s->chunk)))
		return TP_ENOMEM;
	if (c >= s->nchunks)
		s->nchunks = c + 1;
	return 0;
}

struct tp_gsum *tp_summary_make(struct tp_timeline *t, uint32_t g)
{
	struct tp_summary *s = &t->summary;
	uint32_t c = g >> TP_CHUNK_BITS;

	if (c >= s->nchunks && grow_chunks(s, c))
		return NULL;
	if (__builtin_expect(!s->chunk[c].g, 0)) {
		/* 64-byte alignment keeps the fields that a span uses in one cache line. */
		s->chunk[c].g = aligned_alloc(64, TP_CHUNK * sizeof(struct tp_gsum));
		if (!s->chunk[c].g)
			return NULL;
		memset(s->chunk[c].g, 0, TP_CHUNK * sizeof(struct tp_gsum));
		if (s->chunk[c].packed && unpack_chunk(&s->chunk[c]))
			return NULL;
	}
	return &s->chunk[c].g[g & (TP_CHUNK - 1)];
}

struct tp_gsum *tp_summary_find(struct tp_timeline *t, uint32_t g)
{
	struct tp_summary *s = &t->summary;
	uint32_t c = g >> TP_CHUNK_BITS;
	struct tp_gsum *sum;

	if (g == TP_NONE || c >= s->nchunks || (!s->chunk[c].g && !s->chunk[c].packed))
		return NULL;
	sum = tp_summary_at(t, g);
	return sum && sum->known & TP_SUM_KNOWN ? sum : NULL;
}

int tp_summary_enter(struct tp_timeline *t, const struct tp_event *ev, struct tp_gsum *sum,
		     struct tp_err *err)
{
	int code;

	t->summary.chunk[ev->subject >> TP_CHUNK_BITS].settled = false;
	if (!(sum->known & TP_SUM_KNOWN) || ev->from == TP_ST_NOT_EXIST) {
		sum->known |= TP_SUM_KNOWN;
		if (ev->subject >= t->ng)
			t->ng = ev->subject + 1;
		sum->ended = 0;
		sum->created = t->spans->sync_ts;
		sum->parent = TP_NONE;
		if (ev->from == TP_ST_NOT_EXIST) {
			sum->created = ev->ts;
			sum->parent = ev->g;
			sum->create_stack = ev->stack;
			code = tp_annotation_inherit(t, ev, sum, err);
			if (code)
				return code;
		}
	}
	if (ev->flags & TP_EVF_INFERRED)
		sum->inferred++;
	if (ev->flags & TP_EVF_NAMED)
		sum->known |= TP_SUM_NAMED;
	if (!(sum->known & TP_SUM_NAMED)) {
		uint32_t stack = tp_event_own_stack(ev);

		/* As in Go, the first stack whose root has a name. */
		if (stack && !(ev->flags & TP_EVF_UNNAMED))
			sum->known |= TP_SUM_NAMED;
		if (sum->known & TP_SUM_NAMED || !sum->name_stack)
			sum->name_stack = stack;
	}
	if (!(sum->known & TP_SUM_STARTED) && ev->to == TP_ST_RUNNING) {
		sum->started = ev->ts;
		if (sum->started)
			sum->known |= TP_SUM_STARTED;
	}
	if (!ev->ts)
		t->summary.zero_g = ev->subject;
	return 0;
}

int tp_summary_leave(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err)
{
	struct tp_gsum *sum = tp_summary_at(t, ev->subject);
	int code;

	if (!sum)
		return tp_nomem(err);
	sum->ended = ev->ts;
	sum->last_state = ev->to == TP_ST_WAITING ? TP_ST_WAITING : ev->from;
	sum->total = tp_since(sum->created, ev->ts);
	code = tp_range_close(t, ev->subject, &sum->ranges, ev->ts, err);
	if (!code && sum->regions)
		code = tp_annotation_close(t, sum, ev->ts, true, err);
	return code;
}

int tp_summary_block(struct tp_timeline *t, struct tp_gsum *sum, uint32_t reason, uint32_t count,
		     int64_t total, struct tp_err *err)
{
	struct tp_pool *pool = &t->summary.blocks;
	struct tp_block *b;

	for (uint32_t id = sum->blocks; id; id = b->node.next) {
		b = tp_pool_at(pool, id);
		if (b->reason == reason)
			goto add;
	}
	b = tp_pool_push(pool, &sum->blocks);
	if (!b)
		return tp_nomem(err);
	b->reason = reason;
add:
	b->count += count;
	tp_grow_by(&b->total, total);
	return 0;
}

/* Go takes the time 0 for "not set": a span that began then counts only if it is running, and not
 * if it lasts until the end of the trace. */
static int discount_zero(struct tp_timeline *t, struct tp_gsum *sum, const struct tp_span *sp,
			 struct tp_err *err)
{
	if (sp->goroutine != t->summary.zero_g || sp->start > 0 || sp->end <= 0)
		return 0;
	t->summary.zero_g = TP_NONE;
	if (sp->state == TP_ST_LOST || (sp->state == TP_ST_RUNNING && !sp->open))
		return 0;
	tp_grow_by(&sum->ns[tp_stat_of_state[sp->state]], -sp->end);
	if (sp->state == TP_ST_WAITING)
		return tp_summary_block(t, sum, sp->reason, 0, -sp->end, err);
	return 0;
}

int tp_summary_span(struct tp_timeline *t, const struct tp_span *sp, struct tp_err *err)
{
	struct tp_gsum *sum = tp_summary_at(t, sp->goroutine);
	int64_t dur = tp_since(sp->start, sp->end);
	int code;

	if (!sum)
		return tp_nomem(err);
	if (sp->state == TP_ST_LOST)
		tp_grow_by(&sum->lost_ns, dur);
	else
		tp_grow_by(&sum->ns[tp_stat_of_state[sp->state]], dur);
	if (__builtin_expect(sp->start <= 0, 0)) {
		code = discount_zero(t, sum, sp, err);
		if (code)
			return code;
	}
	return tp_aggregate_span(t, sum, sp, err);
}

void tp_summary_snapshot(struct tp_timeline *t, uint32_t g, int64_t at, int64_t ns[TP_NSTATS])
{
	const struct tp_gstate *st = tp_gstate_find(t->spans, g);
	struct tp_gsum *sum = tp_summary_find(t, g);

	memset(ns, 0, TP_NSTATS * sizeof(*ns));
	if (sum)
		memcpy(ns, sum->ns, sizeof(sum->ns));
	if (st && st->state && st->state != TP_ST_LOST)
		tp_grow_by(&ns[tp_stat_of_state[st->state]], tp_since(st->start, at));
}

uint32_t tp_summary_name(const struct tp_timeline *t, uint32_t g)
{
	return g < t->summary.nnames ? t->summary.names[g] : 0;
}

/* ---- packing ---- */

static uint8_t *pack(uint8_t *p, const struct tp_gsum *g)
{
	for (int i = 0; i < TP_NSTATS; i++)
		p = tp_put_uvarint(p, tp_zigzag(g->ns[i]));
	p = tp_put_uvarint(p, g->spans);
	p = tp_put_uvarint(p, g->name_stack);
	p = tp_put_uvarint(p, tp_zigzag(g->lost_ns));
	p = tp_put_uvarint(p, tp_zigzag(g->created));
	p = tp_put_uvarint(p, tp_zigzag(g->started));
	p = tp_put_uvarint(p, tp_zigzag(g->ended));
	p = tp_put_uvarint(p, tp_zigzag(g->total));
	p = tp_put_uvarint(p, (uint64_t)g->parent + 1);
	p = tp_put_uvarint(p, g->create_stack);
	p = tp_put_uvarint(p, g->inferred);
	*p++ = g->known;
	*p++ = g->last_state;
	return p;
}

static struct tp_gsum unpack(struct tp_cursor *c)
{
	struct tp_gsum g = {0};

	for (int i = 0; i < TP_NSTATS; i++)
		g.ns[i] = tp_unzigzag(tp_cursor_uvarint(c));
	g.spans = (uint32_t)tp_cursor_uvarint(c);
	g.name_stack = (uint32_t)tp_cursor_uvarint(c);
	g.lost_ns = tp_unzigzag(tp_cursor_uvarint(c));
	g.created = tp_unzigzag(tp_cursor_uvarint(c));
	g.started = tp_unzigzag(tp_cursor_uvarint(c));
	g.ended = tp_unzigzag(tp_cursor_uvarint(c));
	g.total = tp_unzigzag(tp_cursor_uvarint(c));
	g.parent = (uint32_t)(tp_cursor_uvarint(c) - 1);
	g.create_stack = (uint32_t)tp_cursor_uvarint(c);
	g.inferred = (uint32_t)tp_cursor_uvarint(c);
	g.known = tp_cursor_u8(c);
	g.last_state = tp_cursor_u8(c);
	return g;
}

/* Unpacks into c->g, which must be allocated. */
static int unpack_chunk(struct tp_gsum_chunk *c)
{
	struct tp_cursor in = tp_cursor(c->packed, c->size);

	for (uint32_t i = 0; i < TP_CHUNK; i++)
		c->g[i] = unpack(&in);
	free(c->packed);
	c->packed = NULL;
	c->size = 0;
	return 0;
}

/* Writes the rows of goroutine_block and goroutine_range of a goroutine without further events. */
static int put_lists(struct tp_timeline *t, uint32_t g, struct tp_gsum *sum, struct tp_err *err)
{
	int64_t v[TP_MAX_COLUMNS];
	int code;

	while (sum->blocks) {
		struct tp_block *b = tp_pool_pop(&t->summary.blocks, &sum->blocks);

		v[TP_COL(GOROUTINE_BLOCK, goroutine)] = g;
		v[TP_COL(GOROUTINE_BLOCK, reason)] = b->reason;
		v[TP_COL(GOROUTINE_BLOCK, count)] = b->count;
		v[TP_COL(GOROUTINE_BLOCK, total_ns)] = b->total;
		code = tp_timeline_put(t, TP_TABLE_GOROUTINE_BLOCK, v, err);
		if (code)
			return code;
	}
	return sum->ranges ? tp_range_sums(t, g, &sum->ranges, err) : 0;
}

static int pack_chunk(struct tp_timeline *t, struct tp_gsum_chunk *chunk, struct tp_err *err)
{
	struct tp_buf *b = &t->summary.scratch;
	uint8_t *p;

	if (tp_buf_reserve(b, TP_CHUNK * PACKED_MAX))
		return tp_nomem(err);
	p = b->data;
	for (uint32_t i = 0; i < TP_CHUNK; i++)
		p = pack(p, &chunk->g[i]);
	chunk->size = (uint32_t)(p - b->data);
	chunk->packed = malloc(chunk->size);
	if (!chunk->packed)
		return tp_nomem(err);
	memcpy(chunk->packed, b->data, chunk->size);
	free(chunk->g);
	chunk->g = NULL;
	return 0;
}

/* Writes the lists of a chunk whose goroutines have all ended, and packs it if worthwhile. */
static int settle_chunk(struct tp_timeline *t, uint32_t c, struct tp_err *err)
{
	struct tp_gsum_chunk *chunk = &t->summary.chunk[c];

	for (uint32_t i = 0; i < TP_CHUNK; i++) {
		int code = put_lists(t, c << TP_CHUNK_BITS | i, &chunk->g[i], err);

		if (code)
			return code;
	}
	if (t->summary.unpacked == TP_UNPACKED)
		return pack_chunk(t, chunk, err);
	t->summary.unpacked++;
	chunk->settled = true;
	return 0;
}

/* Settles chunks at the end of a segment, when nothing refers to goroutines that have ended. */
int tp_summary_settle(struct tp_timeline *t, struct tp_err *err)
{
	const struct tp_spans *spans = t->spans;

	for (uint32_t c = 0; c < t->summary.nchunks && c < spans->newest; c++) {
		int code;

		if (!t->summary.chunk[c].g || t->summary.chunk[c].settled ||
		    (c < spans->nchunks && spans->chunk[c]))
			continue;
		code = settle_chunk(t, c, err);
		if (code)
			return code;
	}
	return 0;
}

/* ---- the end ---- */

uint32_t tp_name_of_stack(const struct tp_dict *dict, uint32_t stack)
{
	return stack ? tp_dict_frame_name(dict, tp_dict_stack_root(dict, stack)) : 0;
}

/* life: NULL if the goroutine's id is unique. */
static int put_row(struct tp_timeline *t, const struct tp_trace *trace, uint32_t g,
		   const struct tp_gsum *sum, const struct tp_life *life, struct tp_err *err)
{
	int64_t v[TP_MAX_COLUMNS];

	v[TP_COL(GOROUTINE, id)] = life ? life->id : (int64_t)trace->g_id[g];
	v[TP_COL(GOROUTINE, name)] = tp_summary_name(t, g);
	v[TP_COL(GOROUTINE, parent)] =
	    sum->known & TP_SUM_KNOWN ? tp_index_value(sum->parent) : TP_NULL;
	v[TP_COL(GOROUTINE, create_stack)] = sum->create_stack;
	v[TP_COL(GOROUTINE, created_ns)] =
	    sum->known & TP_SUM_KNOWN ? tp_time_value(t, sum->created) : TP_NULL;
	v[TP_COL(GOROUTINE, started_ns)] = sum->started ? tp_time_value(t, sum->started) : TP_NULL;
	v[TP_COL(GOROUTINE, ended_ns)] = sum->ended ? tp_time_value(t, sum->ended) : TP_NULL;
	v[TP_COL(GOROUTINE, total_ns)] = sum->total;
	v[TP_COL(GOROUTINE, running_ns)] = sum->ns[TP_STAT_RUNNING];
	v[TP_COL(GOROUTINE, runnable_ns)] = sum->ns[TP_STAT_RUNNABLE];
	v[TP_COL(GOROUTINE, blocked_ns)] = sum->ns[TP_STAT_BLOCKED];
	v[TP_COL(GOROUTINE, syscall_ns)] = sum->ns[TP_STAT_SYSCALL];
	v[TP_COL(GOROUTINE, syscall_blocked_ns)] = sum->ns[TP_STAT_SYSCALL_BLOCKED];
	v[TP_COL(GOROUTINE, lost_ns)] = sum->lost_ns;
	v[TP_COL(GOROUTINE, spans)] = sum->spans;
	v[TP_COL(GOROUTINE, last_state)] = sum->last_state;
	v[TP_COL(GOROUTINE, inferred)] = sum->inferred;
	v[TP_COL(GOROUTINE, goid)] = life ? (int64_t)trace->g_id[g] : TP_NULL;
	v[TP_COL(GOROUTINE, life)] = life ? life->life : TP_NULL;
	return tp_timeline_put(t, TP_TABLE_GOROUTINE, v, err);
}

/* Does Go's finalize for a goroutine that is alive at the end of the trace, after its open span has
 * been counted. */
static int finish_live(struct tp_timeline *t, uint32_t g, struct tp_gsum *sum, struct tp_err *err)
{
	int code;

	if (!(sum->known & TP_SUM_KNOWN))
		return 0;
	if (!sum->total)
		sum->total = tp_since(sum->created, t->last);
	code = tp_range_close(t, g, &sum->ranges, t->last, err);
	if (!code && sum->regions)
		code = tp_annotation_close(t, sum, t->last, false, err);
	return code;
}

/* Returns the summary of the chunk's i-th goroutine; must be called with i from 0 upwards. */
static struct tp_gsum summary_of(const struct tp_gsum_chunk *chunk, struct tp_cursor *in,
				 uint32_t i)
{
	static const struct tp_gsum none;

	return chunk->g ? chunk->g[i] : chunk->packed ? unpack(in) : none;
}

/* Returns a bitmap of the n goroutines that have events (with further bits unused). */
static uint8_t *known_goroutines(struct tp_timeline *t, uint32_t n)
{
	const struct tp_summary *s = &t->summary;
	uint8_t *known = calloc(n / 8 + 1 + ((size_t)s->nchunks << TP_CHUNK_BITS) / 8, 1);

	for (uint32_t c = 0; known && c < s->nchunks; c++) {
		struct tp_cursor in = tp_cursor(s->chunk[c].packed, s->chunk[c].size);

		for (uint32_t i = 0; i < TP_CHUNK; i++) {
			struct tp_gsum sum = summary_of(&s->chunk[c], &in, i);
			uint32_t g = c << TP_CHUNK_BITS | i;

			if (sum.known & TP_SUM_KNOWN)
				known[g / 8] |= (uint8_t)(1 << g % 8);
		}
	}
	return known;
}

int tp_summary_finish(struct tp_timeline *t, const struct tp_trace *trace, struct tp_err *err)
{
	struct tp_summary *s = &t->summary;
	struct tp_lives lives = {0};
	uint32_t n = trace->ng, life = 0;
	int code = 0;

	s->names = tp_many(n + 1ul, sizeof(*s->names));
	if (!s->names)
		return tp_nomem(err);
	for (uint32_t c = 0; !code && c < s->nchunks; c++) {
		struct tp_gsum_chunk *chunk = &s->chunk[c];

		for (uint32_t i = 0; !code && chunk->g && i < TP_CHUNK; i++) {
			uint32_t g = c << TP_CHUNK_BITS | i;
			struct tp_gsum *sum = &chunk->g[i];

			/* A settled goroutine only has lists of events that came after its end. */
			if (chunk->settled && !sum->blocks && !sum->ranges && !sum->regions)
				continue;
			code = finish_live(t, g, sum, err);
			if (!code)
				code = put_lists(t, g, sum, err);
		}
	}
	if (!code)
		code = tp_lives_find(&lives, trace->g_id, n, known_goroutines, t, err);
	for (uint32_t c = 0; !code && c << TP_CHUNK_BITS < n; c++) {
		struct tp_gsum_chunk none_chunk = {0};
		struct tp_gsum_chunk *chunk = c < s->nchunks ? &s->chunk[c] : &none_chunk;
		struct tp_cursor in = tp_cursor(chunk->packed, chunk->size);

		for (uint32_t i = 0; !code && i < TP_CHUNK && (c << TP_CHUNK_BITS | i) < n; i++) {
			struct tp_gsum sum = summary_of(chunk, &in, i);
			uint32_t g = c << TP_CHUNK_BITS | i;
			bool again = life < lives.n && lives.of[life].g == g;

			s->names[s->nnames++] = trace->g_name
						    ? trace->g_name[g]
						    : tp_name_of_stack(trace->dict, sum.name_stack);
			code = put_row(t, trace, g, &sum, again ? &lives.of[life++] : NULL, err);
		}
	}
	tp_lives_release(&lives);
	return code;
}

void tp_summary_release(struct tp_summary *s)
{
	for (uint32_t c = 0; c < s->nchunks; c++) {
		free(s->chunk[c].g);
		free(s->chunk[c].packed);
	}
	free(s->chunk);
	free(s->names);
	tp_pool_release(&s->blocks);
	tp_buf_release(&s->scratch);
}
