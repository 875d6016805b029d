/* Marks by kind, sorted by start, loaded when they are first needed. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "lanes/inside.h"

#define HIGH 64 /* marks whose latest end is kept */

const char *const rep_mark_kinds[REP_NMARK_KINDS] = {"stw",    "gc",  "sweep", "assist",
						     "region", "log", "task",  "sample"};

static bool is_time(int64_t t)
{
	return t != TP_NULL;
}

static int put(struct rep_lanes *l, enum rep_mark_kind kind, int64_t from, int64_t to,
	       int64_t goroutine, int64_t text)
{
	struct rep_lane_marks *m = &l->marks[kind];

	if (tp_grow(&m->mark, &m->room, m->n, sizeof(*m->mark)))
		return TP_ENOMEM;
	from = is_time(from) ? from : 0;
	to = is_time(to) ? to : l->duration;
	m->mark[m->n++] = (struct rep_lane_mark){
	    .from = from,
	    .to = to > from ? to : from,
	    .goroutine = goroutine < 0 || goroutine >= l->ng ? TP_NONE : (uint32_t)goroutine,
	    .text = text < 0 || text > UINT32_MAX ? 0 : (uint32_t)text,
	};
	return 0;
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

static int by_start(const void *a, const void *b)
{
	const struct rep_lane_mark *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to) /* enclosing marks come before those inside */
		return x->to > y->to ? -1 : 1;
	return x->goroutine < y->goroutine ? -1 : x->goroutine > y->goroutine;
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
	m->loaded = true;
	return 0;
}

static void forget(struct rep_lane_marks *m)
{
	free(m->mark);
	free(m->high);
	memset(m, 0, sizeof(*m));
}

/* Sources of marks; of a table only the kinds that are asked for are loaded, as there may be millions of others. A sample has a stack in place of a text. */
static const struct source {
	enum tp_table_id table;
	unsigned from, to, goroutine, text; /* columns */
	uint32_t kinds;
} sources[] = {
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

struct loading {
	struct rep_lanes *l;
	const struct source *source;
	uint32_t kinds;
};

static int on_rows(void *ctx, const struct tp_rows *rows, size_t first, struct tp_err *err)
{
	const struct loading *load = ctx;
	const struct source *s = load->source;
	int code = 0;

	(void)first;
	for (size_t i = 0; i < rows->nrows && !code; i++) {
		int64_t text = rows->col[s->text][i];
		enum rep_mark_kind kind = s->table == TP_TABLE_RANGE
					      ? kind_of_range(load->l, text)
					      : (enum rep_mark_kind)__builtin_ctz(s->kinds);

		if (load->kinds >> kind & 1)
			code = put(load->l, kind, rows->col[s->from][i], rows->col[s->to][i],
				   rows->col[s->goroutine][i], text);
	}
	return code ? tp_nomem(err) : 0;
}

static int load(struct rep_lanes *l, const struct source *s, uint32_t kinds, struct tp_err *err)
{
	struct loading loading = {.l = l, .source = s};
	const struct tp_rows_visitor visitor = {.rows = on_rows, .ctx = &loading};
	uint32_t columns = 1u << s->from | 1u << s->to | 1u << s->goroutine | 1u << s->text;
	int code;

	kinds &= s->kinds;
	for (unsigned k = 0; k < REP_NMARK_KINDS; k++) {
		if (l->marks[k].loaded)
			kinds &= ~(1u << k);
		else if (kinds >> k & 1)
			forget(&l->marks[k]);
	}
	if (!kinds)
		return 0;
	loading.kinds = kinds;
	code = tp_rows_visit(l->v.store, l->v.run->row.id, s->table, columns, &visitor, err);
	for (unsigned k = 0; k < REP_NMARK_KINDS && !code; k++) {
		if (kinds >> k & 1 && put_in_order(&l->marks[k]))
			code = tp_nomem(err);
	}
	return code;
}

/* Returns the next mark of a kind in the range, from mark i on. */
static size_t next_in(const struct rep_lane_marks *m, size_t i, int64_t from, int64_t to)
{
	while (i < m->n) {
		const struct rep_lane_mark *mark = &m->mark[i];

		if (mark->from >= to)
			return m->n;
		if (mark->to > from || mark->from >= from)
			return i;
		if (i % HIGH == 0 && m->high[i / HIGH] <= from && i + HIGH <= m->n &&
		    m->mark[i + HIGH - 1].from < from)
			i += HIGH;
		else
			i++;
	}
	return m->n;
}

int rep_lanes_marks(struct rep_lanes *l, uint32_t kinds, int64_t from, int64_t to,
		    int (*fn)(void *ctx, const struct rep_mark *mark), void *ctx,
		    struct tp_err *err)
{
	size_t at[REP_NMARK_KINDS];
	int code = 0;

	for (size_t s = 0; s < sizeof(sources) / sizeof(*sources) && !code; s++) {
		if (sources[s].kinds & kinds)
			code = load(l, &sources[s], kinds, err);
	}
	if (code)
		return code;
	for (unsigned k = 0; k < REP_NMARK_KINDS; k++)
		at[k] = kinds >> k & 1 ? next_in(&l->marks[k], 0, from, to) : l->marks[k].n;
	for (;;) {
		const struct rep_lane_mark *next = NULL;
		unsigned kind = 0;
		struct rep_mark mark;
		struct tp_text text;

		for (unsigned k = 0; k < REP_NMARK_KINDS; k++) {
			if (at[k] < l->marks[k].n &&
			    (!next || l->marks[k].mark[at[k]].from < next->from)) {
				next = &l->marks[k].mark[at[k]];
				kind = k;
			}
		}
		if (!next)
			return 0;
		at[kind] = next_in(&l->marks[kind], at[kind] + 1, from, to);
		/* Stops and ranges of the GC concern all goroutines. */
		if (kind >= REP_MARK_REGION && next->goroutine != TP_NONE &&
		    !rep_lanes_shows(l, next->goroutine))
			continue;
		text = tp_dict_text(l->v.dict, kind == REP_MARK_SAMPLE ? 0 : next->text);
		mark = (struct rep_mark){
		    .kind = (enum rep_mark_kind)kind,
		    .from = next->from,
		    .to = next->to,
		    .goroutine = next->goroutine,
		    .text = text.text,
		    .size = text.size,
		    .stack = kind == REP_MARK_SAMPLE ? next->text : 0,
		};
		if (fn(ctx, &mark))
			return 0;
	}
}
