#include "time/time.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "keys.h"
#include "spans/crossing.h"
#include "spans/segment.h"
#include "sums/part.h"

const char *const rep_time_class_names[REP_TIME_NCLASSES] = {
    [REP_TIME_RUNNING] = "running",
    [REP_TIME_SYSCALL] = "in system calls",
    [REP_TIME_RUNNABLE] = "runnable, waiting for a P",
    [REP_TIME_BLOCKED] = "blocked",
};

enum rep_time_class rep_time_class_of(unsigned state)
{
	switch (state) {
	case TP_ST_RUNNING:
		return REP_TIME_RUNNING;
	case TP_ST_SYSCALL:
	case TP_ST_SYSCALL_BLOCKED:
		return REP_TIME_SYSCALL;
	case TP_ST_RUNNABLE:
		return REP_TIME_RUNNABLE;
	case TP_ST_WAITING:
		return REP_TIME_BLOCKED;
	default:
		return REP_TIME_NCLASSES;
	}
}

/* ---- bins ---- */

/* The time range of the view, clipped to the run. */
static int64_t range_from(const struct rep_view *v)
{
	return rep_view_clip_start(v, 0);
}

static int64_t range_to(const struct rep_view *v)
{
	int64_t duration = v->run->row.duration_ns > 0 ? v->run->row.duration_ns : 1;

	return rep_view_clip_end(v, duration);
}

/* Finds the segments that overlap the range: [*first, *last). */
static void segments_of(const struct rep_view *v, size_t *first, size_t *last)
{
	size_t from = 0, to = v->nsegments;

	while (from < to && v->segments[from].to_ns < v->from)
		from++;
	while (to > from && v->segments[to - 1].from_ns >= v->to)
		to--;
	*first = from;
	*last = to;
}

static size_t bin_of_segment(const struct rep_time *t, size_t first, size_t last, size_t segment)
{
	return (segment - first) * t->bins.n / (last - first);
}

/* Makes one bin for each segment, or for several in a row if there are more than REP_TIME_BINS. */
static int init_segments(struct rep_bins *b, const struct rep_view *v)
{
	size_t first, last, n, all;

	segments_of(v, &first, &last);
	all = last - first;
	n = all < REP_TIME_BINS ? all : REP_TIME_BINS;
	if (!n)
		return rep_bins_even(b, range_from(v), range_to(v), 1);
	if (rep_bins_room(b, n))
		return TP_ENOMEM;
	b->edge[0] = range_from(v);
	b->edge[n] = range_to(v);
	for (size_t i = 1; i < n; i++) {
		/* The first segment whose bin_of_segment is i. */
		int64_t from = v->segments[first + (i * all + n - 1) / n].from_ns;

		from = from < b->edge[i - 1] ? b->edge[i - 1] : from;
		b->edge[i] = from > b->edge[n] ? b->edge[n] : from;
	}
	return 0;
}

/* ---- the most active groups ---- */

struct totals {
	struct rep_keys keys; /* entry functions */
	int64_t *ns; /* time in which they were not blocked; the idle groups are of no interest */
	size_t room;
};

static int on_part(void *ctx, const struct rep_part *part, struct tp_err *err)
{
	struct totals *t = ctx;
	uint32_t index;
	int code = rep_keys_add(&t->keys, part->entry, 0, 0, 0, &index);

	if (!code)
		code = tp_grow(&t->ns, &t->room, index, sizeof(*t->ns));
	if (code)
		return tp_nomem(err);
	if (part->state != TP_ST_WAITING && part->state != TP_ST_SYSCALL_BLOCKED)
		tp_sum(&t->ns[index], part->total_ns);
	return 0;
}

/* Inserts a group among the most active ones so far. */
static void offer(struct rep_time *t, uint32_t entry, int64_t ns)
{
	size_t at = t->ngroups;

	while (at && t->group[at - 1].active_ns < ns)
		at--;
	if (at == REP_TIME_GROUPS)
		return;
	if (t->ngroups < REP_TIME_GROUPS)
		t->ngroups++;
	memmove(&t->group[at + 1], &t->group[at], (t->ngroups - at - 1) * sizeof(t->group[0]));
	t->group[at] = (struct rep_time_group){.entry = entry, .active_ns = ns};
}

static int pick_groups(struct rep_time *t, struct rep_view *v, struct tp_err *err)
{
	struct totals totals = {0};
	int code = rep_parts_each(v, 0, on_part, &totals, err);

	for (size_t i = 0; !code && i < totals.keys.n; i++)
		offer(t, totals.keys.key[i].part[0], totals.ns[i]);
	t->nentries = totals.keys.n;
	rep_keys_release(&totals.keys);
	free(totals.ns);
	for (size_t i = 0; i < t->ngroups && !code; i++) {
		for (int c = 0; c < REP_TIME_NCLASSES && !code; c++) {
			if (rep_binned_init(&t->group[i].series[c], &t->bins))
				code = tp_nomem(err);
		}
	}
	return code;
}

/* ---- goroutines ---- */

static struct rep_time_group *group_of(struct rep_time *t, uint32_t entry)
{
	for (size_t i = 0; i < t->ngroups; i++) {
		if (t->group[i].entry == entry)
			return &t->group[i];
	}
	return NULL;
}

struct reading {
	struct rep_time *t;
	struct rep_view *v;
	bool crossing; /* crossing spans come from span_crossing */
};

static void add_span(struct reading *r, const struct tp_span *span)
{
	enum rep_time_class c = rep_time_class_of(span->state);
	struct rep_time_group *g = group_of(r->t, rep_view_entry(r->v, span->goroutine));

	if (c == REP_TIME_NCLASSES)
		return;
	rep_binned_add(&r->t->bins, &r->t->all[c], span->start, span->end);
	if (g)
		rep_binned_add(&r->t->bins, &g->series[c], span->start, span->end);
}

static int on_span(void *ctx, const struct tp_span *span, bool crosses, uint32_t end_stack,
		   struct tp_err *err)
{
	struct reading *r = ctx;

	(void)end_stack;
	(void)err;
	if (!crosses || !r->crossing)
		add_span(r, span);
	return 0;
}

static int read_crossing(struct reading *r, struct tp_err *err)
{
	struct rep_crossing c;
	int code = rep_crossings_load(r->v, err);

	for (size_t i = 0; !code && rep_crossing_next(r->v, &i, &c);)
		add_span(r, &c.span);
	r->crossing = true;
	return code;
}

/* Adds the stored sums of the segments that lie inside the range. */
static int read_sums(struct reading *r, size_t first, size_t last, struct tp_err *err)
{
	struct rep_view *v = r->v;
	struct rep_time *t = r->t;
	int code = rep_view_load(v, TP_TABLE_SITE,
				 REP_BIT(SITE, segment) | REP_BIT(SITE, entry) |
				     REP_BIT(SITE, state) | REP_BIT(SITE, total_ns),
				 err);

	for (size_t i = 0; !code && i < v->nrows[TP_TABLE_SITE]; i++) {
		uint64_t segment = (uint64_t)REP_COL(v, SITE, segment)[i];
		enum rep_time_class c = rep_time_class_of((unsigned)REP_COL(v, SITE, state)[i]);
		struct rep_time_group *g = group_of(t, (uint32_t)REP_COL(v, SITE, entry)[i]);
		double ns = (double)REP_COL(v, SITE, total_ns)[i];
		size_t bin;

		if (segment < first || segment >= last || c == REP_TIME_NCLASSES ||
		    !rep_segment_inside(v, &v->segments[segment]))
			continue;
		bin = bin_of_segment(t, first, last, (size_t)segment);
		t->all[c].ns[bin] += ns;
		if (g)
			g->series[c].ns[bin] += ns;
	}
	return code;
}

/* Adds span by span: all segments of the range, or only those that it cuts. */
static int read_events(struct reading *r, size_t first, size_t last, bool all, struct tp_err *err)
{
	struct rep_view *v = r->v;
	bool *wanted = calloc(v->nsegments + 1, sizeof(*wanted));
	int code;

	if (!wanted)
		return tp_nomem(err);
	for (size_t i = first; i < last; i++)
		wanted[i] = all || rep_segment_cut(v, &v->segments[i]);
	code = rep_segments_each(v, wanted, on_span, r, err);
	free(wanted);
	return code;
}

static int read_goroutines(struct rep_time *t, struct rep_view *v, struct tp_err *err)
{
	struct reading r = {.t = t, .v = v};
	size_t first, last;
	int code = 0;

	segments_of(v, &first, &last);
	/* Spans that cross the range's ends may lie outside of the segments that are read. */
	if (!t->exact || !v->whole)
		code = read_crossing(&r, err);
	if (!code && !t->exact)
		code = read_sums(&r, first, last, err);
	return code ? code : read_events(&r, first, last, t->exact, err);
}

int rep_time_goroutines(struct rep_time *t, struct rep_view *v, struct tp_err *err)
{
	int64_t events = 0;
	size_t first, last;
	int code;

	segments_of(v, &first, &last);
	for (size_t i = first; i < last && events <= REP_TIME_EVENTS; i++)
		events += v->segments[i].events;
	if (v->whole)
		events = v->run->row.events;
	t->exact = events <= REP_TIME_EVENTS;
	code = t->exact ? rep_bins_even(&t->bins, range_from(v), range_to(v), t->fine.n)
			: init_segments(&t->bins, v);
	for (int c = 0; c < REP_TIME_NCLASSES && !code; c++)
		code = rep_binned_init(&t->all[c], &t->bins);
	if (code)
		return tp_nomem(err);
	code = rep_view_load(v, TP_TABLE_GOROUTINE, REP_BIT(GOROUTINE, name), err);
	if (!code)
		code = pick_groups(t, v, err);
	if (!code)
		code = read_goroutines(t, v, err);
	for (int c = 0; c < REP_TIME_NCLASSES && !code; c++) {
		rep_binned_finish(&t->bins, &t->all[c]);
		for (size_t i = 0; i < t->ngroups; i++)
			rep_binned_finish(&t->bins, &t->group[i].series[c]);
	}
	return code;
}

static int add_alive(void *ctx, struct rep_view *v, size_t first, struct tp_err *err)
{
	struct rep_time *t = ctx;
	int64_t duration = v->run->row.duration_ns > 0 ? v->run->row.duration_ns : 1;

	(void)first;
	(void)err;
	for (size_t i = 0; i < v->nrows[TP_TABLE_GOROUTINE]; i++) {
		int64_t end = REP_COL(v, GOROUTINE, ended_ns)[i];

		rep_binned_add(&t->fine, &t->alive, REP_COL(v, GOROUTINE, created_ns)[i],
			       end == TP_NULL ? duration : end);
	}
	return 0;
}

int rep_time_alive(struct rep_time *t, struct rep_view *v, struct tp_err *err)
{
	int code = rep_binned_init(&t->alive, &t->fine) ? tp_nomem(err) : 0;

	if (!code)
		code = rep_view_visit(v, TP_TABLE_GOROUTINE,
				      REP_BIT(GOROUTINE, created_ns) | REP_BIT(GOROUTINE, ended_ns),
				      add_alive, t, err);
	if (!code)
		rep_binned_finish(&t->fine, &t->alive);
	return code;
}

int rep_time_begin(struct rep_time *t, struct rep_view *v, size_t bins, struct tp_err *err)
{
	memset(t, 0, sizeof(*t));
	if (rep_bins_even(&t->fine, range_from(v), range_to(v), bins))
		return tp_nomem(err);
	return 0;
}

int rep_time_load(struct rep_time *t, struct rep_view *v, struct tp_err *err)
{
	int code = rep_time_begin(t, v, REP_TIME_BINS, err);

	if (!code)
		code = rep_time_goroutines(t, v, err);
	if (!code)
		code = rep_time_alive(t, v, err);
	if (!code)
		code = rep_time_procs(t, v, err);
	return code ? code : rep_time_collector(t, v, err);
}

void rep_time_release(struct rep_time *t)
{
	rep_bins_release(&t->bins);
	rep_bins_release(&t->fine);
	for (int c = 0; c < REP_TIME_NCLASSES; c++) {
		rep_binned_release(&t->all[c]);
		for (size_t i = 0; i < t->ngroups; i++)
			rep_binned_release(&t->group[i].series[c]);
	}
	for (size_t i = 0; i < t->nprocs && t->proc; i++)
		rep_binned_release(&t->proc[i]);
	free(t->proc);
	free(t->proc_id);
	rep_binned_release(&t->mark);
	rep_binned_release(&t->stw);
	rep_binned_release(&t->alive);
	memset(t, 0, sizeof(*t));
}
