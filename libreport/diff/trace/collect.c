/* From a stored run to its metrics.
 *
 * What goroutines did comes from the tables `site`, `site_hist` and `span_crossing`, whose segments
 * are the windows; of a run of few segments from its events, one span after the other, with windows
 * of equal length. Tasks, regions, ranges, samples and goroutines are rows in any case.
 *
 * An event belongs to the window it ends in, its time to those it was spent in. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/regex.h"
#include "base/sum.h"
#include "decode/dict.h"
#include "diff/trace/set.h"
#include "spans/crossing.h"
#include "spans/segment.h"
#include "spans/view.h"
#include "stack.h"
#include "task/inside.h"
#include "task/request.h"

#define EQUAL_WINDOWS 16	 /* of a run that is read event by event */
#define CACHE	      (1u << 12) /* spans of a kind often come again */

struct cached {
	uint32_t entry, state, reason, stack, cell; /* state 0: empty */
};

struct collect {
	struct rep_view *v;
	struct rep_metrics *m;
	bool canonical;
	uint32_t *entry, *plain;   /* by string of the run: its name + 1 */
	uint32_t *function;	   /* by stack: the name of its site + 1 */
	bool *sums, *scan;	   /* by segment */
	struct rep_inside *inside; /* of tasks and regions; NULL: everything */
	struct rep_inside intervals;
	struct cached *cache;
};

/* ---- names ---- */

static uint32_t name_string(struct collect *c, uint32_t id, bool code_name)
{
	uint32_t *map = code_name ? c->entry : c->plain;
	struct tp_text t;

	if (id >= tp_dict_strings(c->v->dict))
		id = 0;
	if (!map[id]) {
		t = tp_dict_text(c->v->dict, id);
		map[id] = rep_set_name(c->m, t.text, t.size, code_name && c->canonical) + 1;
	}
	return map[id] - 1;
}

static uint32_t name_site(struct collect *c, uint32_t stack, bool leaf)
{
	const struct tp_dict *d = c->v->dict;

	if (stack >= tp_dict_stacks(d))
		stack = 0;
	if (leaf)
		return name_string(c, tp_dict_frame_name(d, tp_dict_stack_at(d, stack).frame),
				   true);
	if (!c->function[stack])
		c->function[stack] =
		    name_string(c, tp_dict_frame_name(d, rep_stack_site(d, stack)), true) + 1;
	return c->function[stack] - 1;
}

/* ---- what goroutines did ---- */

static bool family_of(unsigned state, enum rep_family *family)
{
	switch (state) {
	case TP_ST_RUNNABLE:
		*family = REP_FAMILY_SCHED;
		return true;
	case TP_ST_RUNNING:
		*family = REP_FAMILY_RUN;
		return true;
	case TP_ST_WAITING:
		*family = REP_FAMILY_BLOCK;
		return true;
	case TP_ST_SYSCALL:
	case TP_ST_SYSCALL_BLOCKED:
		*family = REP_FAMILY_SYSCALL;
		return true;
	default:
		return false;
	}
}

static uint32_t make_cell(struct collect *c, uint32_t entry, unsigned state, uint32_t reason,
			  uint32_t stack)
{
	enum rep_family family = REP_FAMILY_RUN;
	uint32_t group = name_string(c, entry, true), why = 0, function = 0;

	family_of(state, &family);
	if (family == REP_FAMILY_BLOCK)
		why = name_string(c, reason, false);
	if (family == REP_FAMILY_SYSCALL)
		function = name_site(c, stack, false);
	return rep_set_cell(c->m, family, group, why, function);
}

static uint32_t find_cell(struct collect *c, uint32_t entry, unsigned state, uint32_t reason,
			  uint32_t stack)
{
	/* What does not tell cells apart must not fill the cache. */
	uint32_t why = state == TP_ST_WAITING ? reason : 0;
	uint32_t where = state == TP_ST_SYSCALL || state == TP_ST_SYSCALL_BLOCKED ? stack : 0;
	uint32_t hash = (entry * 0x9e3779b1u) ^ (why * 0x85ebca6bu) ^ (where * 0xc2b2ae35u) ^
			(state * 0x27d4eb2fu);
	struct cached *hit = &c->cache[(hash ^ hash >> 15) & (CACHE - 1)];

	if (hit->state != state || hit->entry != entry || hit->reason != why || hit->stack != where)
		*hit = (struct cached){entry, state, why, where,
				       make_cell(c, entry, state, why, where)};
	return hit->cell;
}

/* Gives time to the windows it was spent in. `from` and `to` are clipped to the range. */
static void spread(struct collect *c, uint32_t cell, int64_t from, int64_t to)
{
	struct rep_metrics *m = c->m;
	size_t first = rep_set_window(m, from), last = rep_set_window(m, to);

	if (first >= last || to <= from) {
		rep_set_time(m, cell, last, tp_minus(to, from));
		return;
	}
	for (size_t w = first; w <= last; w++) {
		int64_t a = w == first ? from : m->edge[w];
		int64_t b = w == last ? to : m->edge[w + 1];

		rep_set_time(m, cell, w, tp_minus(b, a));
	}
}

/* The same for what of [from, to) is inside of the tasks and regions that are looked at. */
static void spread_inside(struct collect *c, uint32_t cell, int64_t goroutine, int64_t from,
			  int64_t to)
{
	const struct rep_inside *in = c->inside;

	if (!in) {
		spread(c, cell, from, to);
		return;
	}
	for (size_t i = rep_inside_first(in, goroutine, from); i < in->first[goroutine + 1]; i++) {
		int64_t a = in->interval[i].from, b = in->interval[i].to;

		if (a >= to)
			break;
		spread(c, cell, a > from ? a : from, b < to ? b : to);
	}
}

/* Is any of it inside? *ns becomes how much of it is. */
static bool is_inside(const struct collect *c, int64_t goroutine, int64_t start, int64_t end,
		      int64_t *ns)
{
	*ns = tp_minus(end, start);
	return !c->inside || rep_inside_clip(c->inside, goroutine, start, end, ns);
}

/* Are both ends inside? What was there before the run began starts with it. */
static bool is_whole(const struct collect *c, int64_t start, int64_t end, bool open)
{
	return start > 0 && start >= c->v->from && end <= c->v->to && !open;
}

static void put_span(struct collect *c, const struct tp_span *s)
{
	enum rep_family family;
	int64_t ns;
	size_t window;
	uint32_t cell;

	if (!family_of(s->state, &family) || !rep_view_overlaps(c->v, s->start, s->end) ||
	    !rep_view_match_goroutine(c->v, s->goroutine) ||
	    !is_inside(c, s->goroutine, s->start, s->end, &ns))
		return;
	cell = find_cell(c, rep_view_entry(c->v, s->goroutine), s->state, s->reason, s->stack);
	spread_inside(c, cell, s->goroutine, rep_view_clip_start(c->v, s->start),
		      rep_view_clip_end(c->v, s->end));
	if (!is_whole(c, s->start, s->end, s->open))
		return;
	window = rep_set_window(c->m, s->end);
	rep_set_events(c->m, cell, window, 1, ns, ns);
	rep_set_duration(c->m, cell, window, ns);
}

static int on_span(void *ctx, const struct tp_span *span, bool crosses, uint32_t end_stack,
		   struct tp_err *err)
{
	(void)end_stack;
	(void)err;
	if (!crosses)
		put_span(ctx, span);
	return 0;
}

static int put_crossing(struct collect *c, struct tp_err *err)
{
	struct rep_view *v = c->v;
	int code = rep_crossings_load(v, err);

	for (size_t i = 0; !code && i < rep_crossings(v); i++) {
		struct rep_crossing x;

		if (rep_crossing_at(v, i, &x))
			put_span(c, &x.span);
	}
	return code;
}

struct placed {
	struct collect *c;
	/* By row of `site`: cell + 1 and window; 0 where it does not count or its one duration is
	 * known. */
	uint64_t *place;
	size_t n, room;
};

/* Rows of `site` become cells in windows. */
static int put_site_rows(void *ctx, struct rep_view *v, size_t first, struct tp_err *err)
{
	struct placed *to = ctx;
	struct collect *c = to->c;
	size_t n = v->nrows[TP_TABLE_SITE];

	if (n && tp_grow(&to->place, &to->room, first + n - 1, sizeof(*to->place)))
		return tp_nomem(err);
	to->n = first + n;
	for (size_t i = 0; i < n; i++) {
		int64_t segment = REP_COL(v, SITE, segment)[i];
		unsigned state = (unsigned)REP_COL(v, SITE, state)[i];
		int64_t count = REP_COL(v, SITE, count)[i], total = REP_COL(v, SITE, total_ns)[i];
		uint32_t entry = (uint32_t)REP_COL(v, SITE, entry)[i];
		enum rep_family family;
		uint32_t cell;
		size_t window;

		if (!family_of(state, &family) || segment < 0 ||
		    (uint64_t)segment >= v->nsegments || !c->sums[segment] ||
		    !rep_match_goroutine(&v->match, entry))
			continue;
		window = rep_set_window(c->m, v->segments[segment].from_ns);
		cell = find_cell(c, entry, state, (uint32_t)REP_COL(v, SITE, reason)[i],
				 (uint32_t)REP_COL(v, SITE, stack)[i]);
		rep_set_time(c->m, cell, window, total);
		rep_set_events(c->m, cell, window, count, total, REP_COL(v, SITE, max_ns)[i]);
		if (count == 1)
			rep_set_duration(c->m, cell, window, total);
		else
			to->place[first + i] = ((uint64_t)cell + 1) << 16 | window;
	}
	return 0;
}

static int put_hist_rows(void *ctx, struct rep_view *v, size_t first, struct tp_err *err)
{
	const struct placed *to = ctx;
	const int64_t *site = REP_COL(v, SITE_HIST, site);
	const int64_t *bucket = REP_COL(v, SITE_HIST, bucket);
	const int64_t *count = REP_COL(v, SITE_HIST, count);

	(void)first;
	(void)err;
	for (size_t i = 0; i < v->nrows[TP_TABLE_SITE_HIST]; i++) {
		uint64_t place;

		if (site[i] < 0 || (uint64_t)site[i] >= to->n || !(place = to->place[site[i]]))
			continue;
		rep_set_bucket(to->c->m, (uint32_t)(place >> 16) - 1, place & 0xffff, bucket[i],
			       count[i]);
	}
	return 0;
}

static int put_sites(struct collect *c, struct tp_err *err)
{
	struct placed to = {.c = c};
	int code =
	    rep_view_visit(c->v, TP_TABLE_SITE,
			   REP_BIT(SITE, segment) | REP_BIT(SITE, entry) | REP_BIT(SITE, state) |
			       REP_BIT(SITE, reason) | REP_BIT(SITE, stack) | REP_BIT(SITE, count) |
			       REP_BIT(SITE, total_ns) | REP_BIT(SITE, max_ns),
			   put_site_rows, &to, err);

	if (!code)
		code = rep_view_visit(c->v, TP_TABLE_SITE_HIST,
				      REP_BIT(SITE_HIST, site) | REP_BIT(SITE_HIST, bucket) |
					  REP_BIT(SITE_HIST, count),
				      put_hist_rows, &to, err);
	free(to.place);
	return code;
}

static int put_states(struct collect *c, bool every, struct tp_err *err)
{
	struct rep_view *v = c->v;
	int code;

	c->sums = calloc(v->nsegments + 1, sizeof(*c->sums));
	c->scan = calloc(v->nsegments + 1, sizeof(*c->scan));
	if (!c->sums || !c->scan)
		return tp_nomem(err);
	for (size_t i = 0; i < v->nsegments; i++) {
		bool inside = rep_segment_inside(v, &v->segments[i]);

		c->sums[i] = inside && !every;
		c->scan[i] = (inside && every) || rep_segment_cut(v, &v->segments[i]);
	}
	if (c->inside && rep_inside_segments(c->inside, v, c->scan))
		return tp_nomem(err);
	code = every ? 0 : put_sites(c, err);
	if (!code)
		code = put_crossing(c, err);
	return code ? code : rep_segments_each(v, c->scan, on_span, c, err);
}

/* ---- what has rows of its own ---- */

/* A goroutine that is inside of tasks or regions counts for the time it is there: where these do not
 * end, up to the end of the run. */
static void put_member(struct collect *c, int64_t goroutine, uint32_t entry)
{
	const struct rep_inside *in = c->inside;
	bool any = (uint64_t)goroutine < in->ngoroutines;
	size_t first = any ? in->first[goroutine] : 0, end = any ? in->first[goroutine + 1] : 0;
	int64_t over = c->v->run->row.duration_ns, ns = 0;
	size_t window;
	uint32_t name, cell;

	if (first == end)
		return;
	name = name_string(c, entry, true);
	cell = rep_set_cell(c->m, REP_FAMILY_GROUP, name, 0, 0);
	for (size_t i = first; i < end; i++) {
		int64_t from = in->interval[i].from, to = in->interval[i].to;

		to = to < over ? to : over;
		if (to <= from)
			continue;
		tp_sum(&ns, tp_minus(to, from));
		spread(c, cell, from, to);
	}
	window = rep_set_window(c->m, in->interval[first].from);
	rep_set_events(c->m, cell, window, 1, ns, ns);
	rep_set_duration(c->m, cell, window, ns);
}

static int put_goroutine_rows(void *ctx, struct rep_view *v, size_t first, struct tp_err *err)
{
	struct collect *c = ctx;
	int64_t end = v->run->row.duration_ns;

	(void)err;
	for (size_t i = 0; i < v->nrows[TP_TABLE_GOROUTINE]; i++) {
		int64_t created = REP_COL(v, GOROUTINE, created_ns)[i];
		int64_t ended = REP_COL(v, GOROUTINE, ended_ns)[i], life;
		uint32_t entry = (uint32_t)REP_COL(v, GOROUTINE, name)[i];
		bool whole = ended != TP_NULL && ended < v->to;
		uint32_t name, cell;
		size_t window;

		if (created == TP_NULL || !rep_view_match_goroutine(v, (int64_t)i))
			continue;
		if (c->inside) {
			put_member(c, (int64_t)(first + i), entry);
			continue;
		}
		if (ended == TP_NULL)
			ended = end;
		if (!rep_view_overlaps(v, created, ended))
			continue;
		name = name_string(c, entry, true);
		cell = rep_set_cell(c->m, REP_FAMILY_GROUP, name, 0, 0);
		spread(c, cell, rep_view_clip_start(v, created), rep_view_clip_end(v, ended));
		if (created <= 0 || created < v->from)
			continue;
		/* Of those that outlive the run the lifetime is not known; that they came is. */
		life = whole ? tp_minus(ended, created) : 0;
		window = rep_set_window(c->m, created);
		rep_set_events(c->m, cell, window, 1, life, life);
		if (whole)
			rep_set_duration(c->m, cell, window, life);
	}
	return 0;
}

/* The columns of goroutines that spans need. */
static uint32_t owner_columns(const struct collect *c)
{
	return REP_BIT(GOROUTINE, name) | (c->v->filter->by_id ? REP_BIT(GOROUTINE, id) : 0);
}

static int put_goroutines(struct collect *c, struct tp_err *err)
{
	return rep_view_visit(c->v, TP_TABLE_GOROUTINE,
			      owner_columns(c) | REP_BIT(GOROUTINE, created_ns) |
				  REP_BIT(GOROUTINE, ended_ns),
			      put_goroutine_rows, c, err);
}

/* Complete ones that lie in the range as a whole: half a latency is none. */
static void put_latencies(struct collect *c, enum rep_family family, const int64_t *name,
			  const int64_t *goroutine, const int64_t *start, const int64_t *end,
			  const bool *picked, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t type, cell;

		if ((picked && !picked[i]) || start[i] == TP_NULL || end[i] == TP_NULL ||
		    start[i] < c->v->from || end[i] > c->v->to ||
		    !rep_view_match_goroutine(c->v, goroutine[i]))
			continue;
		type = name_string(c, (uint32_t)name[i], false);
		cell = rep_set_cell(c->m, family, 0, type, 0);
		rep_set_put(c->m, cell, rep_set_window(c->m, end[i]), tp_minus(end[i], start[i]));
	}
}

/* Picks those rows of tasks or regions whose type, or id if they are tasks, matches what was typed;
 * NULL for the text: all. */
static int pick_types(struct collect *c, const char *text, bool tasks, bool *picked,
		      struct tp_err *err)
{
	const struct rep_view *v = c->v;
	size_t n = v->nrows[tasks ? TP_TABLE_TASK : TP_TABLE_REGION];
	bool id = tasks && text && *text && !text[strspn(text, "0123456789")];
	struct tp_regex re;
	int code;

	if (!text || id) {
		for (size_t i = 0; i < n; i++)
			picked[i] = !id || REP_AT(v, TASK, id, i) == strtoll(text, NULL, 10);
		return 0;
	}
	code = tp_regex_init(&re, text, tasks ? "--task" : "--region", err);
	for (size_t i = 0; i < n && !code; i++) {
		int64_t name = tasks ? REP_AT(v, TASK, name, i) : REP_AT(v, REGION, name, i);
		struct tp_text t = tp_dict_text(v->dict, (uint32_t)name);

		picked[i] = tp_regex_match(&re, t.text, t.size);
	}
	if (!code)
		code = tp_regex_settle(&re, err);
	tp_regex_release(&re);
	return code;
}

/* Tasks that were asked for: of a region alone, none. Regions that are inside. */
static int pick_latencies(struct collect *c, bool *task, bool *region, struct tp_err *err)
{
	const struct rep_filter_text *text = &c->v->filter->text;
	struct rep_view *v = c->v;
	size_t nregions = v->nrows[TP_TABLE_REGION];
	int code = 0;

	if (rep_is_request(text->task)) {
		struct rep_request r;

		code = rep_request_find(&r, v, text->task, err);
		for (size_t i = 0; i < v->nrows[TP_TABLE_TASK] && !code; i++)
			task[i] = r.task[i];
		rep_request_release(&r);
	} else if (text->task) {
		code = pick_types(c, text->task, true, task, err);
	}
	if (!code)
		code = pick_types(c, text->region, false, region, err);
	for (size_t i = 0; i < nregions && !code; i++) {
		int64_t start = REP_AT(v, REGION, start_ns, i), end = REP_AT(v, REGION, end_ns, i);
		int64_t ns;

		region[i] = region[i] && start != TP_NULL && end != TP_NULL &&
			    is_inside(c, REP_AT(v, REGION, goroutine, i), start, end, &ns) &&
			    ns == tp_minus(end, start);
	}
	return code;
}

struct latencies {
	struct collect *c;
	const bool *chosen; /* by row; NULL: all are */
};

static int put_task_rows(void *ctx, struct rep_view *v, size_t first, struct tp_err *err)
{
	const struct latencies *l = ctx;

	(void)err;
	put_latencies(l->c, REP_FAMILY_TASK, REP_COL(v, TASK, name), REP_COL(v, TASK, goroutine),
		      REP_COL(v, TASK, start_ns), REP_COL(v, TASK, end_ns),
		      l->chosen ? l->chosen + first : NULL, v->nrows[TP_TABLE_TASK]);
	return 0;
}

static int put_region_rows(void *ctx, struct rep_view *v, size_t first, struct tp_err *err)
{
	const struct latencies *l = ctx;

	(void)err;
	put_latencies(l->c, REP_FAMILY_REGION, REP_COL(v, REGION, name),
		      REP_COL(v, REGION, goroutine), REP_COL(v, REGION, start_ns),
		      REP_COL(v, REGION, end_ns), l->chosen ? l->chosen + first : NULL,
		      v->nrows[TP_TABLE_REGION]);
	return 0;
}

static int put_tasks(struct collect *c, struct tp_err *err)
{
	const uint32_t tasks = REP_BIT(TASK, name) | REP_BIT(TASK, goroutine) |
			       REP_BIT(TASK, start_ns) | REP_BIT(TASK, end_ns);
	const uint32_t regions = REP_BIT(REGION, name) | REP_BIT(REGION, goroutine) |
				 REP_BIT(REGION, start_ns) | REP_BIT(REGION, end_ns);
	struct rep_view *v = c->v;
	bool *task = NULL, *region = NULL;
	int code = 0;

	if (c->inside) {
		code = rep_view_load(v, TP_TABLE_TASK, tasks | REP_BIT(TASK, id), err);
		if (!code)
			code = rep_view_load(v, TP_TABLE_REGION, regions, err);
		if (code)
			return code;
		task = calloc(v->nrows[TP_TABLE_TASK] + 1, sizeof(*task));
		region = calloc(v->nrows[TP_TABLE_REGION] + 1, sizeof(*region));
		code = task && region ? pick_latencies(c, task, region, err) : tp_nomem(err);
	}
	if (!code)
		code = rep_view_visit(v, TP_TABLE_TASK, tasks, put_task_rows,
				      &(struct latencies){c, task}, err);
	if (!code)
		code = rep_view_visit(v, TP_TABLE_REGION, regions, put_region_rows,
				      &(struct latencies){c, region}, err);
	free(task);
	free(region);
	return code;
}

/* "stop-the-world (GC mark termination)" is stw[GC mark termination]. */
static uint32_t range_cell(struct collect *c, uint32_t id)
{
	static const char stw[] = "stop-the-world";
	struct tp_text t = tp_dict_text(c->v->dict, id);
	enum rep_family family = REP_FAMILY_GC;
	const char *text = t.text;
	size_t n = t.size;

	if (id == TP_STR_GC_MARK) {
		n = 0;
	} else if (id == TP_STR_GC_SWEEP || id == TP_STR_MARK_ASSIST) {
		text = id == TP_STR_GC_SWEEP ? "sweep" : "assist";
		n = strlen(text);
	} else if (n >= sizeof(stw) - 1 && !memcmp(text, stw, sizeof(stw) - 1)) {
		family = REP_FAMILY_STW;
		if (n > sizeof(stw) + 2 && !memcmp(text + sizeof(stw) - 1, " (", 2) &&
		    text[n - 1] == ')') {
			text += sizeof(stw) + 1;
			n -= sizeof(stw) + 2;
		}
	}
	return rep_set_cell(c->m, family, 0, rep_set_name(c->m, text, n, false), 0);
}

static bool has_owner(const struct collect *c)
{
	const struct rep_filter *f = c->v->filter;

	return f->by_id || f->given[REP_FILTER_GOROUTINE] || c->inside;
}

static int put_range_rows(void *ctx, struct rep_view *v, size_t first, struct tp_err *err)
{
	struct collect *c = ctx;
	bool whose = has_owner(c), known = false;
	uint32_t last = 0, cell = 0;

	(void)first;
	(void)err;
	for (size_t i = 0; i < v->nrows[TP_TABLE_RANGE]; i++) {
		uint32_t name = (uint32_t)REP_COL(v, RANGE, name)[i];
		int64_t start = REP_COL(v, RANGE, start_ns)[i], end = REP_COL(v, RANGE, end_ns)[i];
		int64_t ns;

		if (!rep_view_overlaps(v, start, end) ||
		    (whose && (!rep_view_match_goroutine(v, REP_COL(v, RANGE, goroutine)[i]) ||
			       !is_inside(c, REP_COL(v, RANGE, goroutine)[i], start, end, &ns))))
			continue;
		if (!known || last != name) {
			cell = range_cell(c, name);
			last = name;
			known = true;
		}
		if (REP_COL(v, RANGE, complete)[i] == 1 && start >= v->from && end <= v->to)
			rep_set_put(c->m, cell, rep_set_window(c->m, end), tp_minus(end, start));
		else
			rep_set_time(
			    c->m, cell, rep_set_window(c->m, end),
			    tp_minus(rep_view_clip_end(v, end), rep_view_clip_start(v, start)));
	}
	return 0;
}

static int put_ranges(struct collect *c, struct tp_err *err)
{
	return rep_view_visit(c->v, TP_TABLE_RANGE,
			      REP_BIT(RANGE, name) | REP_BIT(RANGE, start_ns) |
				  REP_BIT(RANGE, end_ns) | REP_BIT(RANGE, complete) |
				  (has_owner(c) ? REP_BIT(RANGE, goroutine) : 0),
			      put_range_rows, c, err);
}

static int put_samples(struct collect *c, struct tp_err *err)
{
	struct rep_view *v = c->v;
	int code = rep_view_load(v, TP_TABLE_CPU_SAMPLE,
				 REP_BIT(CPU_SAMPLE, ts_ns) | REP_BIT(CPU_SAMPLE, goroutine) |
				     REP_BIT(CPU_SAMPLE, stack),
				 err);

	for (size_t i = 0; !code && i < v->nrows[TP_TABLE_CPU_SAMPLE]; i++) {
		int64_t ts = REP_COL(v, CPU_SAMPLE, ts_ns)[i], ns;
		uint32_t name, cell;

		if (!rep_view_overlaps(v, ts, ts) ||
		    !rep_view_match_goroutine(v, REP_COL(v, CPU_SAMPLE, goroutine)[i]) ||
		    !is_inside(c, REP_COL(v, CPU_SAMPLE, goroutine)[i], ts, ts, &ns))
			continue;
		name = name_site(c, (uint32_t)REP_COL(v, CPU_SAMPLE, stack)[i], true);
		cell = rep_set_cell(c->m, REP_FAMILY_CPU, 0, 0, name);
		rep_set_events(c->m, cell, rep_set_window(c->m, ts), 1, 0, 0);
	}
	return code;
}

/* ---- all of it ---- */

static int make_windows(struct collect *c, bool every, struct tp_err *err)
{
	struct rep_view *v = c->v;
	int64_t edge[REP_METRICS_WINDOWS + 1];
	int64_t from = v->from > 0 ? v->from : 0;
	int64_t to = v->to < v->run->row.duration_ns ? v->to : v->run->row.duration_ns;
	size_t n = 0;

	if (to < from)
		to = from;
	edge[0] = from;
	if (every || v->nsegments < REP_METRICS_SEGMENTS) {
		for (int i = 1; i < EQUAL_WINDOWS; i++)
			edge[i] = from + (int64_t)((double)(to - from) * i / EQUAL_WINDOWS);
		n = EQUAL_WINDOWS - 1;
	} else {
		size_t each = (v->nsegments + REP_METRICS_WINDOWS - 1) / REP_METRICS_WINDOWS;

		for (size_t i = each; i < v->nsegments && n + 1 < REP_METRICS_WINDOWS; i += each)
			if (v->segments[i].from_ns > edge[n] && v->segments[i].from_ns < to)
				edge[++n] = v->segments[i].from_ns;
	}
	edge[n + 1] = to;
	return rep_set_new(&c->m, edge, n + 1, err);
}

static int collect(struct collect *c, bool every, struct tp_err *err)
{
	size_t strings = tp_dict_strings(c->v->dict), stacks = tp_dict_stacks(c->v->dict);
	int code;

	c->entry = calloc(strings + 1, sizeof(*c->entry));
	c->plain = calloc(strings + 1, sizeof(*c->plain));
	c->function = calloc(stacks + 1, sizeof(*c->function));
	c->cache = calloc(CACHE, sizeof(*c->cache));
	if (!c->entry || !c->plain || !c->function || !c->cache)
		return tp_nomem(err);
	code = make_windows(c, every, err);
	if (!code)
		code = rep_view_load(c->v, TP_TABLE_GOROUTINE, owner_columns(c), err);
	if (!code)
		code = put_states(c, every, err);
	if (!code)
		code = put_goroutines(c, err);
	if (!code)
		code = put_tasks(c, err);
	if (!code)
		code = put_ranges(c, err);
	if (!code)
		code = put_samples(c, err);
	if (!code)
		code = rep_set_solve(c->m, err);
	return code;
}

int rep_metrics_new(struct rep_metrics **m, struct tp_store *store, const struct rep_run *run,
		    const struct rep_metrics_options *opt, struct tp_err *err)
{
	struct rep_filter_text text = opt->filter ? *opt->filter : (struct rep_filter_text){0};
	struct rep_filter filter;
	struct rep_view view = {0};
	struct collect c = {.v = &view, .canonical = !opt->exact_names};
	int code;

	*m = NULL;
	text.focus = text.ignore = text.state = text.reason = NULL;
	code = rep_filter_init(&filter, &text, err);
	if (!code)
		code = rep_view_init(&view, store, run, &filter, NULL, err);
	if (!code && (text.task || text.region)) {
		code = rep_inside_init(&c.intervals, &view, text.task, text.region, err);
		c.inside = &c.intervals;
		/* Another run of the comparison may have them: here nothing is inside. */
		if (code == TP_ENOENT)
			code = 0;
	}
	if (!code)
		code = collect(&c,
			       opt->exact || filter.by_id || c.inside ||
				   (view.nsegments < REP_METRICS_SEGMENTS && !opt->tables),
			       err);
	if (!code)
		code = rep_matcher_settle(&view.match, err);
	if (!code) {
		c.m->base.ticks = run->row.ticks;
		*m = c.m;
	} else {
		rep_metrics_free(c.m);
	}
	free(c.entry);
	free(c.plain);
	free(c.function);
	free(c.cache);
	free(c.sums);
	free(c.scan);
	rep_inside_release(&c.intervals);
	rep_view_release(&view);
	rep_filter_release(&filter);
	return code;
}
