/* Marks by start, merged from the chunks of the tables that have them. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "lanes/inside.h"

#define HIGH	    64		       /* marks whose latest end is kept */
#define CHUNK_BYTES ((size_t)12 << 20) /* of cached chunks */

const char *const rep_mark_kinds[REP_NMARK_KINDS] = {"stw",    "gc",  "sweep", "assist",
						     "region", "log", "task",  "sample"};

static bool is_time(int64_t t)
{
	return t != TP_NULL;
}

static enum rep_mark_kind kind_of_range(const struct rep_lanes *l, int64_t name)
{
	switch (name) {
	case TP_STR_GC_MARK:
		return REP_MARK_GC;
	case TP_STR_GC_SWEEP:
		return REP_MARK_SWEEP;
	case TP_STR_MARK_ASSIST:
		return REP_MARK_ASSIST;
	default:
		break;
	}
	name = name < 0 || name > UINT32_MAX ? 0 : name;
	return tp_text_begins(tp_dict_text(l->v.dict, (uint32_t)name), "stop-the-world")
		   ? REP_MARK_STW
		   : REP_NMARK_KINDS;
}

/* Tables of marks. A sample has a stack in place of a text. */
static const struct source {
	enum tp_table_id table;
	unsigned from, to, goroutine, text; /* columns */
	uint32_t kinds;
} sources[REP_MARK_TABLES] = {
    {TP_TABLE_RANGE, TP_COL(RANGE, start_ns), TP_COL(RANGE, end_ns), TP_COL(RANGE, goroutine),
     TP_COL(RANGE, name),
     1u << REP_MARK_STW | 1u << REP_MARK_GC | 1u << REP_MARK_SWEEP | 1u << REP_MARK_ASSIST},
    {TP_TABLE_REGION, TP_COL(REGION, start_ns), TP_COL(REGION, end_ns), TP_COL(REGION, goroutine),
     TP_COL(REGION, name), 1u << REP_MARK_REGION},
    {TP_TABLE_LOG, TP_COL(LOG, ts_ns), TP_COL(LOG, ts_ns), TP_COL(LOG, goroutine),
     TP_COL(LOG, message), 1u << REP_MARK_LOG},
    {TP_TABLE_TASK, TP_COL(TASK, start_ns), TP_COL(TASK, end_ns), TP_COL(TASK, goroutine),
     TP_COL(TASK, name), 1u << REP_MARK_TASK},
    {TP_TABLE_CPU_SAMPLE, TP_COL(CPU_SAMPLE, ts_ns), TP_COL(CPU_SAMPLE, ts_ns),
     TP_COL(CPU_SAMPLE, goroutine), TP_COL(CPU_SAMPLE, stack), 1u << REP_MARK_SAMPLE},
};
static const uint32_t kept_kinds = 1u << REP_MARK_STW | 1u << REP_MARK_GC;

/* ---- rows ---- */

static struct rep_lane_mark mark_of(const struct rep_lanes *l, const struct source *s,
				    const struct tp_rows *rows, size_t i)
{
	int64_t from = rows->col[s->from][i], to = rows->col[s->to][i];
	int64_t goroutine = rows->col[s->goroutine][i], text = rows->col[s->text][i];

	from = is_time(from) ? from : 0;
	to = is_time(to) ? to : l->duration;
	return (struct rep_lane_mark){
	    .from = from,
	    .to = to > from ? to : from,
	    .goroutine = goroutine < 0 || goroutine >= l->ng ? TP_NONE : (uint32_t)goroutine,
	    .text = text < 0 || text > UINT32_MAX ? 0 : (uint32_t)text,
	    .kind = s->table == TP_TABLE_RANGE ? kind_of_range(l, text)
					       : (enum rep_mark_kind)__builtin_ctz(s->kinds),
	};
}

static int by_start(const void *a, const void *b)
{
	const struct rep_lane_mark *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->to != y->to) /* enclosing marks come before those inside */
		return x->to > y->to ? -1 : 1;
	return x->goroutine < y->goroutine ? -1 : x->goroutine > y->goroutine;
}

static int put(struct rep_lane_marks *m, const struct rep_lane_mark *mark)
{
	if (tp_grow(&m->mark, &m->room, m->n, sizeof(*m->mark)))
		return TP_ENOMEM;
	m->mark[m->n++] = *mark;
	return 0;
}

static int put_in_order(struct rep_lane_marks *m)
{
	bool sorted = true;

	for (size_t i = 1; i < m->n && sorted; i++)
		sorted = by_start(&m->mark[i - 1], &m->mark[i]) <= 0;
	if (!sorted)
		qsort(m->mark, m->n, sizeof(*m->mark), by_start);
	m->high = tp_many(m->n / HIGH + 1, sizeof(*m->high));
	if (!m->high)
		return TP_ENOMEM;
	for (size_t i = 0; i < m->n; i++) {
		if (i % HIGH == 0 || m->mark[i].to > m->high[i / HIGH])
			m->high[i / HIGH] = m->mark[i].to;
	}
	return 0;
}

/* ---- chunks ---- */

static void drop(void *item)
{
	struct rep_lane_marks *m = item;

	if (--m->users)
		return;
	free(m->mark);
	free(m->high);
	free(m);
}

static int read_chunk(const struct rep_lanes *l, size_t number, struct tp_rows *rows,
		      const struct source **source, struct tp_err *err)
{
	const size_t *first = l->marks.first;
	size_t s = 0;

	while (number >= first[s + 1])
		s++;
	*source = &sources[s];
	return tp_rows_part(l->v.store, l->v.run->row.id, sources[s].table,
			    (int64_t)(number - first[s]),
			    1u << sources[s].from | 1u << sources[s].to |
				1u << sources[s].goroutine | 1u << sources[s].text,
			    rows, err);
}

/* Finds the times of a chunk, and keeps its marks of some kinds. */
static int look_at(struct rep_lanes *l, size_t number, struct tp_err *err)
{
	struct rep_lane_chunk chunk = {.from = INT64_MAX, .to = INT64_MIN};
	struct rep_lane_marks *kept = &l->marks.kept;
	size_t before = kept->n;
	const struct source *s;
	struct tp_rows rows;
	int code = read_chunk(l, number, &rows, &s, err);

	if (code)
		return code;
	for (size_t i = 0; i < rows.nrows && !code; i++) {
		struct rep_lane_mark mark = mark_of(l, s, &rows, i);

		if (mark.kind == REP_NMARK_KINDS)
			continue;
		if (kept_kinds >> mark.kind & 1) {
			code = put(kept, &mark);
			continue;
		}
		chunk.n[mark.kind]++;
		chunk.from = mark.from < chunk.from ? mark.from : chunk.from;
		chunk.to = mark.to > chunk.to ? mark.to : chunk.to;
	}
	tp_rows_release(&rows);
	l->marks.chunk[number] = chunk;
	if (code)
		kept->n = before;
	return code ? tp_nomem(err) : 0;
}

/* Returns a chunk's marks of these kinds at least, for the caller to drop. */
static int get_chunk(struct rep_lanes *l, size_t number, uint32_t kinds, struct rep_lane_marks **m,
		     struct tp_err *err)
{
	struct rep_cache *cache = &l->marks.chunks;
	const struct source *s;
	struct tp_rows rows;
	int code;

	*m = rep_cache_find(cache, number);
	if (*m && !(kinds & ~(*m)->kinds)) {
		(*m)->users++;
		return 0;
	}
	if (*m) {
		kinds |= (*m)->kinds;
		rep_cache_forget(cache, number);
	}
	*m = calloc(1, sizeof(**m));
	if (!*m)
		return tp_nomem(err);
	(*m)->users = 1;
	(*m)->kinds = kinds;
	code = read_chunk(l, number, &rows, &s, err);
	for (size_t i = 0; !code && i < rows.nrows; i++) {
		struct rep_lane_mark mark = mark_of(l, s, &rows, i);

		if (kinds & ~kept_kinds & 1u << mark.kind && put(*m, &mark))
			code = tp_nomem(err);
	}
	if (!code && put_in_order(*m))
		code = tp_nomem(err);
	tp_rows_release(&rows);
	if (code) {
		drop(*m);
		*m = NULL;
		return code;
	}
	(*m)->cached = (struct rep_cached){
	    .segment = number,
	    .bytes = sizeof(**m) + (*m)->room * sizeof(*(*m)->mark),
	};
	(*m)->users++;
	rep_cache_put(cache, *m);
	return 0;
}

static int count_chunks(struct rep_lanes *l, struct tp_err *err)
{
	struct rep_lane_mark_index *x = &l->marks;
	int code = 0;

	for (size_t s = 0; s < REP_MARK_TABLES && !code; s++) {
		size_t parts;

		code = tp_rows_parts(l->v.store, l->v.run->row.id, sources[s].table, &parts, err);
		x->first[s + 1] = x->first[s] + parts;
	}
	if (code)
		return code;
	x->chunk = calloc(x->first[REP_MARK_TABLES] + 1, sizeof(*x->chunk));
	if (!x->chunk || rep_cache_init(&x->chunks, x->first[REP_MARK_TABLES], CHUNK_BYTES, drop)) {
		free(x->chunk);
		x->chunk = NULL;
		return tp_nomem(err);
	}
	x->counted = true;
	return 0;
}

int rep_lanes_marks_ready(struct rep_lanes *l, const atomic_bool *stop, struct tp_err *err)
{
	struct rep_lane_mark_index *x = &l->marks;
	int code = x->counted ? 0 : count_chunks(l, err);

	if (code || x->ready)
		return code;
	for (; x->known < x->first[REP_MARK_TABLES]; x->known++) {
		if (stop && atomic_load(stop))
			return tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "stopped");
		code = look_at(l, x->known, err);
		if (code)
			return code;
	}
	if (put_in_order(&x->kept))
		return tp_nomem(err);
	x->ready = true;
	return 0;
}

bool rep_lanes_marks_are_ready(const struct rep_lanes *l)
{
	return l->marks.ready;
}

void rep_lane_marks_release(struct rep_lane_mark_index *x)
{
	rep_cache_release(&x->chunks);
	free(x->chunk);
	free(x->kept.mark);
	free(x->kept.high);
}

uint64_t rep_lanes_marks_least(const struct rep_lanes *l, uint32_t kinds, int64_t from, int64_t to)
{
	const struct rep_lane_mark_index *x = &l->marks;
	uint64_t n = 0;

	/* Which of them belong to goroutines without a lane is not known. */
	for (size_t i = 0; i < x->known && !l->hidden; i++) {
		for (unsigned k = 0;
		     x->chunk[i].from >= from && x->chunk[i].to < to && k < REP_NMARK_KINDS; k++)
			n += kinds >> k & 1 ? x->chunk[i].n[k] : 0;
	}
	return n;
}

/* ---- a walk ---- */

/* A place in sorted marks. */
struct cursor {
	struct rep_lane_marks *marks;
	size_t at;
};

struct walk {
	struct rep_lanes *l;
	uint32_t kinds;
	int64_t from, to;
	size_t *waiting, nwaiting, next; /* chunks that overlap the range, by their first start */
	struct cursor *cursor;		 /* those that have begun, the next mark last */
	size_t n, room;
};

/* Moves a cursor to its next mark in the range, or to the end. */
static void settle(const struct walk *w, struct cursor *c)
{
	const struct rep_lane_marks *m = c->marks;

	while (c->at < m->n) {
		const struct rep_lane_mark *mark = &m->mark[c->at];

		if (mark->from >= w->to) {
			c->at = m->n;
		} else if ((mark->to > w->from || mark->from >= w->from) &&
			   w->kinds >> mark->kind & 1) {
			return;
		} else if (c->at % HIGH == 0 && m->high[c->at / HIGH] <= w->from &&
			   c->at + HIGH <= m->n && m->mark[c->at + HIGH - 1].from < w->from) {
			c->at += HIGH;
		} else {
			c->at++;
		}
	}
}

static const struct rep_lane_mark *mark_at(const struct cursor *c)
{
	return &c->marks->mark[c->at];
}

/* Puts a cursor, which is counted as a user of its marks, where its next mark belongs. */
static int add_cursor(struct walk *w, struct cursor c)
{
	size_t i;

	settle(w, &c);
	if (c.at == c.marks->n || tp_grow(&w->cursor, &w->room, w->n, sizeof(*w->cursor))) {
		bool failed = c.at < c.marks->n;

		drop(c.marks);
		return failed ? TP_ENOMEM : 0;
	}
	for (i = w->n++; i > 0 && by_start(mark_at(&w->cursor[i - 1]), mark_at(&c)) < 0; i--)
		w->cursor[i] = w->cursor[i - 1];
	w->cursor[i] = c;
	return 0;
}

static int by_first(const void *a, const void *b, void *lanes)
{
	const struct rep_lane_chunk *chunk = ((const struct rep_lanes *)lanes)->marks.chunk;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	if (chunk[x].from != chunk[y].from)
		return chunk[x].from < chunk[y].from ? -1 : 1;
	return x < y ? -1 : x > y;
}

static bool chunk_has(const struct rep_lane_chunk *c, uint32_t kinds)
{
	bool has = false;

	for (unsigned k = 0; k < REP_NMARK_KINDS; k++)
		has |= kinds >> k & 1 && c->n[k];
	return has;
}

static int begin(struct walk *w)
{
	struct rep_lane_mark_index *x = &w->l->marks;
	int code = 0;

	w->waiting = tp_many(x->known + 1, sizeof(*w->waiting));
	if (!w->waiting)
		return TP_ENOMEM;
	for (size_t i = 0; i < x->known; i++) {
		if (x->chunk[i].from < w->to &&
		    (x->chunk[i].to > w->from || x->chunk[i].from >= w->from ||
		     x->chunk[i].to == w->from) &&
		    chunk_has(&x->chunk[i], w->kinds))
			w->waiting[w->nwaiting++] = i;
	}
	if (w->nwaiting)
		qsort_r(w->waiting, w->nwaiting, sizeof(*w->waiting), by_first, w->l);
	if (w->kinds & kept_kinds) {
		x->kept.users += x->kept.users ? 1 : 2; /* never freed by a walk */
		code = add_cursor(w, (struct cursor){&x->kept, 0});
	}
	return code;
}

/* Begins chunks until none that waits has a mark before the next one. */
static int begin_chunks(struct walk *w, struct tp_err *err)
{
	int code = 0;

	while (!code && w->next < w->nwaiting &&
	       (!w->n || w->l->marks.chunk[w->waiting[w->next]].from <=
			     mark_at(&w->cursor[w->n - 1])->from)) {
		struct rep_lane_marks *m;

		code = get_chunk(w->l, w->waiting[w->next++], w->kinds, &m, err);
		if (!code && add_cursor(w, (struct cursor){m, 0}))
			code = tp_nomem(err);
	}
	return code;
}

static int tell(const struct rep_lanes *l, const struct rep_lane_mark *m,
		int (*fn)(void *ctx, const struct rep_mark *mark), void *ctx)
{
	bool sample = m->kind == REP_MARK_SAMPLE;
	struct tp_text text = tp_dict_text(l->v.dict, sample ? 0 : m->text);
	const struct rep_mark mark = {
	    .kind = m->kind,
	    .from = m->from,
	    .to = m->to,
	    .goroutine = m->goroutine,
	    .text = text.text,
	    .size = text.size,
	    .stack = sample ? m->text : 0,
	};

	/* Stops and ranges of the GC concern all goroutines. */
	if (m->kind >= REP_MARK_REGION && m->goroutine != TP_NONE &&
	    !rep_lanes_shows(l, m->goroutine))
		return 0;
	return fn(ctx, &mark);
}

int rep_lanes_marks(struct rep_lanes *l, uint32_t kinds, int64_t from, int64_t to,
		    int (*fn)(void *ctx, const struct rep_mark *mark), void *ctx,
		    const atomic_bool *stop, struct tp_err *err)
{
	struct walk w = {.l = l, .kinds = kinds, .from = from, .to = to};
	int code = rep_lanes_marks_ready(l, stop, err);

	if (code)
		return code;
	l->marks.chunks.now++;
	if (begin(&w))
		code = tp_nomem(err);
	while (!code && !(code = begin_chunks(&w, err)) && w.n) {
		struct cursor c = w.cursor[--w.n];
		int done = tell(l, mark_at(&c), fn, ctx);

		if (!done && stop && atomic_load(stop))
			code = tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "stopped");
		done |= code;
		c.at++;
		if (done)
			c.at = c.marks->n;
		if (add_cursor(&w, c))
			code = tp_nomem(err);
		if (done)
			break;
	}
	while (w.n)
		drop(w.cursor[--w.n].marks);
	free(w.cursor);
	free(w.waiting);
	return code;
}
