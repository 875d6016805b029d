/* Chooses the windows, and reads what was done in them. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/search.h"
#include "base/sum.h"
#include "incident/incident.h"
#include "spans/crossing.h"
#include "spans/segment.h"
#include "stack.h"
#include "sums/part.h"

#define CACHE (1u << 12) /* spans of a kind often come again */

struct cached {
	uint32_t entry, state, reason, stack, row; /* state + 1; 0: empty */
};

struct reading {
	struct rep_incident *x;
	struct rep_view *v;
	bool *wanted;  /* by segment: its spans are read one by one */
	size_t before; /* windows before the incident, and their length */
	int64_t length;
	uint32_t *of;	 /* by segment: the window whose sums have its own + 1; 0: none */
	uint32_t *site;	 /* by stack: function of its site + 1 */
	uint8_t *system; /* by string: 0 not known yet, 1 no, 2 of the runtime or runtime/… */
	struct cached *cache;
	size_t at; /* window of the last span */
};

/* ---- windows ---- */

static int add_window(struct rep_incident *x, size_t *room, int64_t from, int64_t to)
{
	if (tp_grow(&x->window, room, x->n, sizeof(*x->window)))
		return TP_ENOMEM;
	x->window[x->n++] = (struct rep_incident_window){from, to};
	return 0;
}

static bool apart(const struct rep_incident *x, int64_t from, int64_t to)
{
	return to <= x->from || from >= x->to;
}

static size_t step_of(size_t n)
{
	return (n + REP_INCIDENT_WINDOWS - 1) / REP_INCIDENT_WINDOWS;
}

/* Takes segments in the range, `some` in a row, that do not touch the incident. */
static int choose_segments(struct reading *r, size_t some)
{
	struct rep_incident *x = r->x;
	const struct tp_segment *s = r->v->segments;
	size_t room = 0, n = r->v->nsegments;
	int code = 0;

	/* The first round counts. */
	for (int round = 0; round < 2 && !code; round++) {
		size_t seen = 0, step = step_of(x->all);

		for (size_t i = 0, next; i + some <= n && !code; i = next) {
			int64_t from = s[i].from_ns, to = s[i + some - 1].to_ns;

			next = i + 1;
			if (from < x->begin || to > x->end || to <= from || !apart(x, from, to))
				continue;
			next = i + some;
			if (round && seen % step == 0) {
				code = add_window(x, &room, from, to);
				for (size_t k = i; k < next; k++)
					r->of[k] = (uint32_t)x->n;
			}
			seen++;
		}
		x->all = seen;
	}
	x->segments = true;
	return code;
}

/* Returns where window i of those that lie one after the other from both ends of the incident begins. */
static int64_t window_at(const struct reading *r, size_t i)
{
	const struct rep_incident *x = r->x;

	return i < r->before ? tp_minus(x->from, (int64_t)(r->before - i) * r->length)
			     : tp_plus(x->to, (int64_t)(i - r->before) * r->length);
}

static uint64_t events_of(const struct tp_segment *s)
{
	return s->events > 0 ? (uint64_t)s->events : 0;
}

/* Marks the segments of n evenly spread windows. Returns whether they have at most x->most events; if
 * not, some are marked. */
static bool mark_windows(struct reading *r, size_t n)
{
	const struct tp_segment *s = r->v->segments;
	uint64_t left = (uint64_t)r->x->most;

	memset(r->wanted, 0, r->v->nsegments * sizeof(*r->wanted));
	for (size_t k = 0; k < n; k++) {
		int64_t from =
		    window_at(r, (size_t)(((double)k + 0.5) * (double)r->x->all / (double)n));
		size_t i = 0;

		TP_SEARCH(i, r->v->nsegments, at, s[at].to_ns <= from);
		for (; i < r->v->nsegments && s[i].from_ns < tp_plus(from, r->length); i++) {
			if (r->wanted[i])
				continue;
			if (events_of(&s[i]) > left)
				return false;
			left -= events_of(&s[i]);
			r->wanted[i] = true;
		}
	}
	return true;
}

/* Takes all windows that lie in marked segments. */
static int take_marked(struct reading *r)
{
	struct rep_incident *x = r->x;
	const struct tp_segment *s = r->v->segments;
	size_t room = 0, n = r->v->nsegments, all = 0;
	int code = 0;

	/* The first round counts. */
	for (int round = 0; round < 2; round++) {
		size_t seen = 0, step = all ? step_of(all) : 1, first = 0, end;

		for (size_t i = 0, next; i < n; i = next + 1) {
			for (next = i; next < n && r->wanted[next];)
				next++;
			if (next == i)
				continue;
			if (i) {
				TP_SEARCH(first, x->all, at, window_at(r, at) < s[i - 1].to_ns);
			}
			end = next < n ? first : x->all;
			TP_SEARCH(end, x->all, at,
				  tp_plus(window_at(r, at), r->length) <= s[next].from_ns);
			for (size_t k = first + (step - seen % step) % step;
			     round && k < end && !code; k += step)
				code = add_window(x, &room, window_at(r, k),
						  tp_plus(window_at(r, k), r->length));
			seen += end - first;
			first = end;
		}
		all = seen;
	}
	return code;
}

/* Takes windows as long as the incident, one after the other from both its ends, in as many evenly
 * spread segments as may be read. */
static int choose_grid(struct reading *r)
{
	struct rep_incident *x = r->x;
	size_t n;

	r->length = tp_minus(x->to, x->from);
	r->before = (size_t)(tp_minus(x->from, x->begin) / r->length);
	x->all = r->before + (size_t)(tp_minus(x->end, x->to) / r->length);
	n = x->all < REP_INCIDENT_WINDOWS ? x->all : REP_INCIDENT_WINDOWS;
	while (!mark_windows(r, n))
		n -= 1 + n / 16;
	return take_marked(r);
}

static int choose(struct reading *r)
{
	struct rep_incident *x = r->x;
	uint64_t events = 0;
	size_t n = 0;
	double some; /* segments that are as long as the incident */
	int code = 0;

	for (size_t i = 0; i < r->v->nsegments; i++)
		if (r->v->segments[i].from_ns < x->end && r->v->segments[i].to_ns >= x->begin) {
			n++;
			events += events_of(&r->v->segments[i]);
		}
	some = (double)n * (double)tp_minus(x->to, x->from) / (double)tp_minus(x->end, x->begin);
	if (events <= (uint64_t)x->most || r->v->filter->by_id)
		return choose_grid(r);
	if (some < 2. / 3)
		code = choose_grid(r);
	if (code || x->n >= REP_INCIDENT_LEAST)
		return code;
	free(x->window);
	x->window = NULL;
	x->n = x->all = 0;
	return choose_segments(r, some < 1 ? 1 : (size_t)(some + 0.5));
}

/* Counts the windows that are compared at most: see rep_incident_judge. */
static void count_apart(struct rep_incident *x)
{
	bool before = x->n && x->window[0].from < x->from;
	bool after = x->n && x->window[x->n - 1].from >= x->to;

	x->apart = x->n - before - after;
}

/* ---- rows ---- */

static int new_cells(struct rep_incident *x)
{
	size_t width = x->n + 1;

	/* Cells of one row after the other. */
	if (tp_grow(&x->row, &x->row_room, x->nrows, sizeof(*x->row)) ||
	    tp_grow(&x->cell, &x->cell_room, (x->nrows + 1) * width - 1, sizeof(*x->cell)))
		return TP_ENOMEM;
	x->nrows++;
	return 0;
}

/* Finds or adds a row; sets *row to TP_NONE if there are too many. */
static int find_row(struct rep_incident *x, enum rep_incident_kind kind, uint32_t a, uint32_t b,
		    uint32_t *row)
{
	int code = 0;

	if (rep_keys_find(&x->keys, kind, a, b, 0, row))
		return 0;
	*row = TP_NONE;
	if (x->nrows == REP_INCIDENT_ROWS) {
		x->left_out++;
		return 0;
	}
	code = rep_keys_add(&x->keys, kind, a, b, 0, row);
	if (!code)
		code = new_cells(x);
	if (!code)
		x->row[*row] = (struct rep_incident_row){
		    .kind = kind, .name = kind == REP_INCIDENT_SYSCALL ? 0 : a};
	return code;
}

static bool is_system(struct reading *r, uint32_t entry)
{
	if (entry >= tp_dict_strings(r->v->dict))
		entry = 0;
	if (!r->system[entry]) {
		struct tp_text name = tp_dict_text(r->v->dict, entry);

		r->system[entry] =
		    rep_entry_is_system(name) || tp_text_begins(name, "runtime/") ? 2 : 1;
	}
	return r->system[entry] == 2;
}

static uint32_t site_of(struct reading *r, uint32_t stack)
{
	const struct tp_dict *dict = r->v->dict;

	if (stack >= tp_dict_stacks(dict))
		stack = 0;
	if (!r->site[stack])
		r->site[stack] = tp_dict_frame_name(dict, rep_stack_site(dict, stack)) + 1;
	return r->site[stack] - 1;
}

static int make_row(struct reading *r, uint32_t entry, unsigned state, uint32_t reason,
		    uint32_t stack, uint32_t *row)
{
	*row = TP_NONE;
	switch (state) {
	case TP_ST_RUNNING:
		return find_row(r->x, REP_INCIDENT_RUNNING, entry, 0, row);
	case TP_ST_RUNNABLE:
		return find_row(r->x, REP_INCIDENT_RUNNABLE, entry, 0, row);
	case TP_ST_SYSCALL:
	case TP_ST_SYSCALL_BLOCKED:
		return find_row(r->x, REP_INCIDENT_SYSCALL, site_of(r, stack), 0, row);
	case TP_ST_WAITING:
		/* The runtime's own goroutines rest, as do those of the tracer and the profiler. */
		if (is_system(r, entry))
			return 0;
		return find_row(r->x,
				rep_stack_waits_for_lock(r->v->dict, reason, stack)
				    ? REP_INCIDENT_LOCK
				    : REP_INCIDENT_BLOCK,
				reason, site_of(r, stack), row);
	default:
		return 0;
	}
}

static int row_of(struct reading *r, uint32_t entry, unsigned state, uint32_t reason,
		  uint32_t stack, uint32_t *row)
{
	/* What does not tell rows apart must not fill the cache. */
	bool ran = state == TP_ST_RUNNING || state == TP_ST_RUNNABLE;
	uint32_t why = state == TP_ST_WAITING ? reason : 0, where = ran ? 0 : stack;
	uint32_t hash = (entry * 0x9e3779b1u) ^ (why * 0x85ebca6bu) ^ (where * 0xc2b2ae35u) ^
			(state * 0x27d4eb2fu);
	struct cached *hit = &r->cache[(hash ^ hash >> 15) & (CACHE - 1)];
	int code = 0;

	if (hit->state != state + 1 || hit->entry != entry || hit->reason != why ||
	    hit->stack != where) {
		code = make_row(r, entry, state, reason, stack, row);
		*hit = (struct cached){entry, code || *row == TP_NONE ? 0 : state + 1, why, where,
				       *row};
	}
	*row = hit->row;
	return code;
}

/* ---- cells ---- */

/* Gives a row the time of [from, to) in each window. */
static int spread(struct reading *r, uint32_t row, int64_t from, int64_t to, struct tp_err *err)
{
	struct rep_incident *x = r->x;
	int64_t *cell = x->cell + row * (x->n + 1);
	size_t i = r->at, steps = 1;

	if (i >= x->n || x->window[i].to <= from || (i && x->window[i - 1].to > from)) {
		i = 0;
		TP_SEARCH(i, x->n, k, x->window[k].to <= from);
	}
	r->at = i;
	for (; i < x->n && x->window[i].from < to; i++, steps++) {
		int64_t a = from > x->window[i].from ? from : x->window[i].from;
		int64_t b = to < x->window[i].to ? to : x->window[i].to;

		tp_sum(&cell[i], tp_minus(b, a));
	}
	return rep_view_spend(r->v, steps, err);
}

static bool matches(struct reading *r, const struct tp_span *s)
{
	struct rep_view *v = r->v;

	return (!v->filter->by_id || rep_view_match_goroutine(v, s->goroutine)) &&
	       rep_match_span(&v->match, rep_view_entry(v, s->goroutine), s->state, s->reason,
			      s->stack);
}

static int put_span(struct reading *r, const struct tp_span *s, struct tp_err *err)
{
	uint32_t row;
	int code;

	if (s->state >= TP_NSTATES || s->end <= s->start || !matches(r, s))
		return 0;
	code = row_of(r, rep_view_entry(r->v, s->goroutine), s->state, s->reason, s->stack, &row);
	if (code)
		return tp_err_full(err, code, "the run has too many different stacks");
	return row == TP_NONE ? 0 : spread(r, row, s->start, s->end, err);
}

/* Crossing spans come from their table. */
static int on_span(void *ctx, const struct tp_span *span, bool crosses, uint32_t end_stack,
		   struct tp_err *err)
{
	(void)end_stack;
	return crosses ? 0 : put_span(ctx, span, err);
}

static int read_crossing(struct reading *r, struct tp_err *err)
{
	struct rep_crossing c;
	int code = rep_crossings_load(r->v, err);

	for (size_t i = 0; !code && rep_crossing_next(r->v, &i, &c);)
		code = put_span(r, &c.span, err);
	return code;
}

/* Adds the stored sums of the segments that are windows. */
static int read_sums(struct reading *r, struct tp_err *err)
{
	struct rep_view *v = r->v;
	struct rep_incident *x = r->x;
	int code = rep_view_load(v, TP_TABLE_SITE,
				 REP_BIT(SITE, segment) | REP_BIT(SITE, entry) |
				     REP_BIT(SITE, state) | REP_BIT(SITE, reason) |
				     REP_BIT(SITE, stack) | REP_BIT(SITE, total_ns),
				 err);

	for (size_t i = 0; !code && i < v->nrows[TP_TABLE_SITE]; i++) {
		uint64_t segment = (uint64_t)REP_COL(v, SITE, segment)[i];
		uint32_t entry = (uint32_t)REP_COL(v, SITE, entry)[i];
		unsigned state = (unsigned)REP_COL(v, SITE, state)[i];
		uint32_t reason = (uint32_t)REP_COL(v, SITE, reason)[i];
		uint32_t stack = (uint32_t)REP_COL(v, SITE, stack)[i], row;

		if (segment >= v->nsegments || !r->of[segment] || state >= TP_NSTATES ||
		    !rep_match_span(&v->match, entry, state, reason, stack))
			continue;
		code = row_of(r, entry, state, reason, stack, &row);
		if (code)
			return tp_err_full(err, code, "the run has too many different stacks");
		if (row != TP_NONE)
			tp_sum(&x->cell[row * (x->n + 1) + r->of[segment] - 1],
			       REP_COL(v, SITE, total_ns)[i]);
	}
	return code;
}

/* ---- the incident ---- */

/* The longest of some spans, with its time outside of the incident, and its start. */
struct longest {
	int64_t ns, at;
};

static struct longest longest_of(int64_t start, int64_t end)
{
	return (struct longest){tp_minus(end, start), start};
}

static void count_then(struct reading *r, uint32_t row, int64_t count, int64_t ns,
		       const struct longest *longest)
{
	struct rep_incident *x = r->x;
	struct rep_incident_row *to = &x->row[row];

	tp_sum(&x->cell[row * (x->n + 1) + x->n], ns);
	tp_sum(&to->count, count);
	if (longest->ns > to->max_ns) {
		to->max_ns = longest->ns;
		to->max_at = longest->at;
	}
}

static int on_part(void *ctx, const struct rep_part *part, struct tp_err *err)
{
	struct reading *r = ctx;
	struct rep_incident_row *to;
	struct longest longest;
	uint32_t row;
	int code;

	tp_sum(&r->x->total_ns, part->total_ns);
	if (part->state == TP_ST_LOST)
		tp_sum(&r->x->lost_ns, part->total_ns);
	else if (r->v->run->losses && !part->entry && !part->reason && !part->stack)
		tp_sum(&r->x->nameless_ns, part->total_ns);
	code = row_of(r, part->entry, part->state, part->reason, part->stack, &row);
	if (code)
		return tp_err_full(err, code, "the run has too many different stacks");
	if (row == TP_NONE)
		return 0;
	to = &r->x->row[row];
	if (!to->count || part->max_ns > to->most_ns) {
		to->most_ns = part->max_ns;
		if (to->kind != REP_INCIDENT_RUNNING && to->kind != REP_INCIDENT_RUNNABLE)
			to->stack = part->stack;
	}
	/* A sum is of spans within the incident. */
	longest = part->span ? longest_of(part->span->start, part->span->end)
			     : (struct longest){part->max_ns, r->x->from};
	count_then(r, row, part->count, part->total_ns, &longest);
	return 0;
}

/* ---- ranges and tasks ---- */

static int put_range(struct reading *r, enum rep_incident_kind kind, int64_t name, int64_t start,
		     int64_t end, struct tp_err *err)
{
	const struct rep_incident *x = r->x;
	const struct longest longest = longest_of(start, end);
	int64_t a, b;
	uint32_t row;
	int code;

	if (end <= start || end <= x->begin || start >= x->end)
		return 0;
	code = find_row(r->x, kind, (uint32_t)name, 0, &row);
	if (code)
		return tp_err_full(err, code, "the run has too many different names");
	if (row == TP_NONE)
		return 0;
	a = start > x->from ? start : x->from;
	b = end < x->to ? end : x->to;
	if (a < b)
		count_then(r, row, 1, tp_minus(b, a), &longest);
	return spread(r, row, start, end, err);
}

static int on_ranges(void *ctx, struct rep_view *v, size_t first, struct tp_err *err)
{
	struct reading *r = ctx;
	int code = 0;

	(void)first;
	for (size_t i = 0; i < v->nrows[TP_TABLE_RANGE] && !code; i++)
		if (rep_view_matches(v, REP_COL(v, RANGE, goroutine)[i],
				     REP_COL(v, RANGE, stack)[i]))
			code = put_range(r, REP_INCIDENT_GC, REP_COL(v, RANGE, name)[i],
					 REP_COL(v, RANGE, start_ns)[i],
					 REP_COL(v, RANGE, end_ns)[i], err);
	return code;
}

static int on_tasks(void *ctx, struct rep_view *v, size_t first, struct tp_err *err)
{
	struct reading *r = ctx;
	int code = 0;

	(void)first;
	for (size_t i = 0; i < v->nrows[TP_TABLE_TASK] && !code; i++) {
		int64_t start = REP_AT(v, TASK, start_ns, i), end = REP_AT(v, TASK, end_ns, i);

		code = put_range(r, REP_INCIDENT_TASK, REP_AT(v, TASK, name, i),
				 start == TP_NULL ? 0 : start,
				 end == TP_NULL ? v->run->row.duration_ns : end, err);
	}
	return code;
}

/* What a filter cannot select is left out: tasks have no goroutine, ranges no state. */
static int read_ranges(struct reading *r, struct tp_err *err)
{
	struct rep_view *v = r->v;
	const struct rep_filter *f = v->filter;
	bool of_spans = f->states || f->given[REP_FILTER_REASON];
	bool of_goroutines = of_spans || f->text.goroutine || f->given[REP_FILTER_FOCUS] ||
			     f->given[REP_FILTER_IGNORE];
	int code = 0;

	if (!of_spans)
		code = rep_view_visit(v, TP_TABLE_RANGE,
				      REP_BIT(RANGE, name) | REP_BIT(RANGE, start_ns) |
					  REP_BIT(RANGE, end_ns) | REP_BIT(RANGE, goroutine) |
					  REP_BIT(RANGE, stack),
				      on_ranges, r, err);
	if (!code && !of_goroutines)
		code = rep_view_visit(v, TP_TABLE_TASK,
				      REP_BIT(TASK, name) | REP_BIT(TASK, start_ns) |
					  REP_BIT(TASK, end_ns),
				      on_tasks, r, err);
	return code;
}

/* ---- all of it ---- */

/* Windows that are segments are not as long as the incident. */
static void scale(struct rep_incident *x)
{
	double length = (double)tp_minus(x->to, x->from);

	for (size_t row = 0; row < x->nrows; row++)
		for (size_t i = 0; i < x->n; i++) {
			double own = (double)tp_minus(x->window[i].to, x->window[i].from);
			int64_t *cell = &x->cell[row * (x->n + 1) + i];

			*cell = tp_whole((double)*cell * length / own);
		}
}

static int read_all(struct reading *r, struct tp_err *err)
{
	struct rep_view *v = r->v;
	struct rep_incident_range before;
	int code = rep_view_load(
	    v, TP_TABLE_GOROUTINE,
	    REP_BIT(GOROUTINE, name) | (v->filter->by_id ? REP_BIT(GOROUTINE, id) : 0), err);

	if (!code)
		code = read_crossing(r, err);
	if (!code && r->x->segments)
		code = read_sums(r, err);
	else if (!code)
		code = rep_segments_each(v, r->wanted, on_span, r, err);
	if (!code)
		code = read_ranges(r, err);
	if (!code && r->x->segments)
		scale(r->x);
	if (code)
		return code;
	before = rep_incident_enter(r->x, v);
	code = rep_parts_each(v, 0, on_part, r, err);
	rep_incident_leave(v, &before);
	return code;
}

int rep_incident_read(struct rep_incident *x, struct rep_view *v, struct tp_err *err)
{
	struct reading r = {
	    .x = x,
	    .v = v,
	    .wanted = calloc(v->nsegments + 1, sizeof(*r.wanted)),
	    .of = calloc(v->nsegments + 1, sizeof(*r.of)),
	    .site = calloc(tp_dict_stacks(v->dict) + (size_t)1, sizeof(*r.site)),
	    .system = calloc(tp_dict_strings(v->dict) + (size_t)1, sizeof(*r.system)),
	    .cache = calloc(CACHE, sizeof(*r.cache)),
	};
	bool room = r.wanted && r.of && r.site && r.system && r.cache;
	int code = room && !choose(&r) ? 0 : tp_nomem(err);

	count_apart(x);
	if (!code && !(x->scratch = calloc(x->n + 1, sizeof(*x->scratch))))
		code = tp_nomem(err);
	if (!code)
		code = read_all(&r, err);
	free(r.wanted);
	free(r.of);
	free(r.site);
	free(r.system);
	free(r.cache);
	return code;
}
