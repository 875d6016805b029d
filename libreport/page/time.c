#include "page/time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "top/keys.h"
#include "top/part.h"
#include "top/segment.h"

const char *const page_class_names[PAGE_NCLASSES] = {
    [PAGE_RUNNING] = "running",
    [PAGE_SYSCALL] = "in system calls",
    [PAGE_RUNNABLE] = "runnable, waiting for a P",
    [PAGE_BLOCKED] = "blocked",
};

enum page_class page_class_of(unsigned state)
{
	switch (state) {
	case TP_ST_RUNNING:
		return PAGE_RUNNING;
	case TP_ST_SYSCALL:
	case TP_ST_SYSCALL_BLOCKED:
		return PAGE_SYSCALL;
	case TP_ST_RUNNABLE:
		return PAGE_RUNNABLE;
	case TP_ST_WAITING:
		return PAGE_BLOCKED;
	default:
		return PAGE_NCLASSES;
	}
}

static int no_memory(struct tp_err *err)
{
	return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
}

/* ---- bins ---- */

static int init_even(struct page_bins *b, int64_t duration, size_t n)
{
	if ((uint64_t)duration < n)
		n = duration > 0 ? (size_t)duration : 1;
	b->n = n;
	b->edge = calloc(n + 1, sizeof(*b->edge));
	if (!b->edge)
		return TP_ENOMEM;
	for (size_t i = 0; i < n; i++)
		b->edge[i] = (int64_t)((double)duration * (double)i / (double)n);
	b->edge[n] = duration;
	return 0;
}

/* One bin for each segment, or for as many in a row as leave PAGE_BINS. */
static int init_segments(struct page_bins *b, const struct rep_view *v, int64_t duration)
{
	size_t n = v->nsegments < PAGE_BINS ? v->nsegments : PAGE_BINS;

	if (!n)
		return init_even(b, duration, 1);
	b->n = n;
	b->edge = calloc(n + 1, sizeof(*b->edge));
	if (!b->edge)
		return TP_ENOMEM;
	for (size_t i = 1; i < n; i++) {
		/* The first segment of which bin_of_segment says i. */
		int64_t from = v->segments[(i * v->nsegments + n - 1) / n].from_ns;

		from = from < b->edge[i - 1] ? b->edge[i - 1] : from;
		b->edge[i] = from > duration ? duration : from;
	}
	b->edge[n] = duration;
	return 0;
}

static int init_series(struct page_series *s, const struct page_bins *b)
{
	s->ns = calloc(b->n, sizeof(*s->ns));
	s->full = calloc(b->n + 1, sizeof(*s->full));
	return s->ns && s->full ? 0 : TP_ENOMEM;
}

static void release_series(struct page_series *s)
{
	free(s->ns);
	free(s->full);
}

/* The last bin that begins at or before a moment of the run. */
static size_t bin_of(const struct page_bins *b, int64_t ns)
{
	size_t low = 0, high = b->n; /* edge[low] <= ns < edge[high], or high is the end */

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (b->edge[middle] <= ns)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Adds a time to all bins it overlaps, by its ends alone: what lies between is summed up later. */
static void add_time(const struct page_bins *b, struct page_series *s, int64_t start, int64_t end)
{
	size_t first, last;

	if (start < 0)
		start = 0;
	if (end > b->edge[b->n])
		end = b->edge[b->n];
	if (start >= end)
		return;
	first = bin_of(b, start);
	last = bin_of(b, end - 1);
	if (first == last) {
		s->ns[first] += (double)(end - start);
		return;
	}
	s->ns[first] += (double)(b->edge[first + 1] - start);
	s->ns[last] += (double)(end - b->edge[last]);
	s->full[first + 1]++;
	s->full[last]--;
}

static void finish_series(const struct page_bins *b, struct page_series *s)
{
	double cover = 0;

	for (size_t i = 0; i < b->n; i++) {
		cover += s->full[i];
		s->ns[i] += cover * (double)(b->edge[i + 1] - b->edge[i]);
	}
}

double page_mean(const struct page_bins *b, const struct page_series *s, size_t bin)
{
	int64_t width = b->edge[bin + 1] - b->edge[bin];

	return width > 0 ? s->ns[bin] / (double)width : NAN;
}

/* ---- which groups ---- */

struct totals {
	struct rep_keys keys; /* entry functions */
	int64_t *ns; /* when they were not blocked: those that do nothing are not looked for */
	size_t room;
};

static int on_part(void *ctx, const struct rep_part *part, struct tp_err *err)
{
	struct totals *t = ctx;
	uint32_t index;
	int code = rep_keys_add(&t->keys, part->entry, 0, 0, 0, &index);

	if (!code)
		code = rep_grow(&t->ns, &t->room, index, sizeof(*t->ns));
	if (code)
		return tp_err_set(err, code, TP_OFFSET_NONE, "out of memory");
	if (part->state != TP_ST_WAITING && part->state != TP_ST_SYSCALL_BLOCKED)
		tp_sum(&t->ns[index], part->total_ns);
	return 0;
}

/* Puts a group into its place among the largest so far. */
static void offer(struct page_time *t, uint32_t entry, int64_t ns)
{
	size_t at = t->ngroups;

	while (at && t->group[at - 1].active_ns < ns)
		at--;
	if (at == PAGE_GROUPS)
		return;
	if (t->ngroups < PAGE_GROUPS)
		t->ngroups++;
	memmove(&t->group[at + 1], &t->group[at], (t->ngroups - at - 1) * sizeof(t->group[0]));
	t->group[at] = (struct page_group){.entry = entry, .active_ns = ns};
}

static int pick_groups(struct page_time *t, struct rep_view *v, struct tp_err *err)
{
	struct totals totals = {0};
	int code = rep_parts_each(v, 0, on_part, &totals, err);

	for (size_t i = 0; !code && i < totals.keys.n; i++)
		offer(t, totals.keys.key[i].part[0], totals.ns[i]);
	t->nentries = totals.keys.n;
	rep_keys_release(&totals.keys);
	free(totals.ns);
	for (size_t i = 0; i < t->ngroups && !code; i++) {
		for (int c = 0; c < PAGE_NCLASSES && !code; c++) {
			if (init_series(&t->group[i].series[c], &t->bins))
				code = no_memory(err);
		}
	}
	return code;
}

/* ---- goroutines ---- */

static struct page_group *group_of(struct page_time *t, uint32_t entry)
{
	for (size_t i = 0; i < t->ngroups; i++) {
		if (t->group[i].entry == entry)
			return &t->group[i];
	}
	return NULL;
}

struct reading {
	struct page_time *t;
	struct rep_view *v;
};

static void add_span(struct reading *r, int64_t goroutine, unsigned state, int64_t start,
		     int64_t end)
{
	enum page_class c = page_class_of(state);
	struct page_group *g = group_of(r->t, rep_view_entry(r->v, goroutine));

	if (c == PAGE_NCLASSES)
		return;
	add_time(&r->t->bins, &r->t->all[c], start, end);
	if (g)
		add_time(&r->t->bins, &g->series[c], start, end);
}

static int on_span(void *ctx, const struct tp_span *span, bool crosses, uint32_t end_stack,
		   struct tp_err *err)
{
	(void)crosses;
	(void)end_stack;
	(void)err;
	add_span(ctx, span->goroutine, span->state, span->start, span->end);
	return 0;
}

static int read_events(struct reading *r, struct tp_err *err)
{
	bool *wanted = malloc(r->v->nsegments + 1);
	int code = 0;

	if (!wanted)
		return no_memory(err);
	memset(wanted, 1, r->v->nsegments + 1);
	code = rep_segments_each(r->v, wanted, on_span, r, err);
	free(wanted);
	return code;
}

static int read_sums(struct reading *r, struct tp_err *err)
{
	struct rep_view *v = r->v;
	struct page_time *t = r->t;
	int code = rep_view_load(v, TP_TABLE_SITE,
				 REP_BIT(SITE, segment) | REP_BIT(SITE, entry) |
				     REP_BIT(SITE, state) | REP_BIT(SITE, total_ns),
				 err);

	if (!code)
		code = rep_view_load(
		    v, TP_TABLE_SPAN_CROSSING,
		    REP_BIT(SPAN_CROSSING, goroutine) | REP_BIT(SPAN_CROSSING, state) |
			REP_BIT(SPAN_CROSSING, start_ns) | REP_BIT(SPAN_CROSSING, end_ns),
		    err);
	for (size_t i = 0; !code && i < v->nrows[TP_TABLE_SITE]; i++) {
		uint64_t segment = (uint64_t)REP_COL(v, SITE, segment)[i];
		enum page_class c = page_class_of((unsigned)REP_COL(v, SITE, state)[i]);
		struct page_group *g = group_of(t, (uint32_t)REP_COL(v, SITE, entry)[i]);
		double ns = (double)REP_COL(v, SITE, total_ns)[i];
		size_t bin;

		if (segment >= v->nsegments || c == PAGE_NCLASSES)
			continue;
		bin = (size_t)segment * t->bins.n / v->nsegments;
		t->all[c].ns[bin] += ns;
		if (g)
			g->series[c].ns[bin] += ns;
	}
	for (size_t i = 0; !code && i < v->nrows[TP_TABLE_SPAN_CROSSING]; i++)
		add_span(r, REP_COL(v, SPAN_CROSSING, goroutine)[i],
			 (unsigned)REP_COL(v, SPAN_CROSSING, state)[i],
			 REP_COL(v, SPAN_CROSSING, start_ns)[i],
			 REP_COL(v, SPAN_CROSSING, end_ns)[i]);
	return code;
}

static int load_goroutines(struct page_time *t, struct rep_view *v, struct tp_err *err)
{
	struct reading r = {.t = t, .v = v};
	int64_t duration = v->run->row.duration_ns > 0 ? v->run->row.duration_ns : 1;
	int code;

	t->exact = v->run->row.events <= PAGE_EVENTS;
	code = t->exact ? init_even(&t->bins, duration, PAGE_BINS)
			: init_segments(&t->bins, v, duration);
	for (int c = 0; c < PAGE_NCLASSES && !code; c++)
		code = init_series(&t->all[c], &t->bins);
	if (code)
		return no_memory(err);
	code = rep_view_load(v, TP_TABLE_GOROUTINE,
			     REP_BIT(GOROUTINE, name) | REP_BIT(GOROUTINE, created_ns) |
				 REP_BIT(GOROUTINE, ended_ns),
			     err);
	if (!code)
		code = pick_groups(t, v, err);
	if (!code)
		code = t->exact ? read_events(&r, err) : read_sums(&r, err);
	if (code)
		return code;
	for (int c = 0; c < PAGE_NCLASSES; c++) {
		finish_series(&t->bins, &t->all[c]);
		for (size_t i = 0; i < t->ngroups; i++)
			finish_series(&t->bins, &t->group[i].series[c]);
	}
	for (size_t i = 0; i < v->nrows[TP_TABLE_GOROUTINE]; i++) {
		int64_t end = REP_COL(v, GOROUTINE, ended_ns)[i];

		add_time(&t->fine, &t->alive, REP_COL(v, GOROUTINE, created_ns)[i],
			 end == TP_NULL ? duration : end);
	}
	finish_series(&t->fine, &t->alive);
	return 0;
}

/* ---- Ps and the collector ---- */

#define MOST_PROCS 4096 /* more are no machine */

struct place {
	int64_t id;
	size_t row; /* of `proc` */
};

static int by_id(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* The Ps that have spans, by their number; index[row]: the place of a row of `proc` + 1. */
static int order_procs(struct page_time *t, struct rep_view *v, uint32_t *index, struct tp_err *err)
{
	size_t rows = v->nrows[TP_TABLE_PROC], n = 0;
	struct place *place = calloc(rows + 1, sizeof(*place));

	if (!place)
		return no_memory(err);
	for (size_t i = 0; i < v->nrows[TP_TABLE_PROC_SPAN]; i++) {
		uint64_t p = (uint64_t)REP_COL(v, PROC_SPAN, p)[i];

		if (p >= rows || index[p])
			continue;
		index[p] = 1;
		place[n++] = (struct place){REP_COL(v, PROC, id)[p], p};
	}
	qsort(place, n, sizeof(*place), by_id);
	t->proc_id = calloc(n + 1, sizeof(*t->proc_id));
	for (size_t i = 0; t->proc_id && i < n; i++) {
		index[place[i].row] = i < MOST_PROCS ? (uint32_t)i + 1 : 0;
		t->proc_id[i] = place[i].id;
	}
	t->nprocs = n < MOST_PROCS ? n : MOST_PROCS;
	free(place);
	t->proc = calloc(t->nprocs + 1, sizeof(*t->proc));
	return t->proc && t->proc_id ? 0 : no_memory(err);
}

static int add_procs(struct page_time *t, struct rep_view *v, uint32_t *index, struct tp_err *err)
{
	int code = order_procs(t, v, index, err);

	for (size_t i = 0; i < t->nprocs && !code; i++) {
		if (init_series(&t->proc[i], &t->fine))
			code = no_memory(err);
	}
	for (size_t i = 0; i < v->nrows[TP_TABLE_PROC_SPAN] && !code; i++) {
		uint64_t p = (uint64_t)REP_COL(v, PROC_SPAN, p)[i];

		if (p < v->nrows[TP_TABLE_PROC] && index[p] &&
		    REP_COL(v, PROC_SPAN, state)[i] == TP_ST_RUNNING)
			add_time(&t->fine, &t->proc[index[p] - 1],
				 REP_COL(v, PROC_SPAN, start_ns)[i],
				 REP_COL(v, PROC_SPAN, end_ns)[i]);
	}
	for (size_t i = 0; i < t->nprocs && !code; i++)
		finish_series(&t->fine, &t->proc[i]);
	return code;
}

static int load_procs(struct page_time *t, struct rep_view *v, struct tp_err *err)
{
	int code = rep_view_load(v, TP_TABLE_PROC, REP_BIT(PROC, id), err);
	uint32_t *index;

	if (!code)
		code = rep_view_load(v, TP_TABLE_PROC_SPAN,
				     REP_BIT(PROC_SPAN, p) | REP_BIT(PROC_SPAN, state) |
					 REP_BIT(PROC_SPAN, start_ns) | REP_BIT(PROC_SPAN, end_ns),
				     err);
	if (code)
		return code;
	index = calloc(v->nrows[TP_TABLE_PROC] + 1, sizeof(*index));
	code = index ? add_procs(t, v, index, err) : no_memory(err);
	free(index);
	return code;
}

static bool begins(struct tp_text text, const char *with)
{
	return text.size >= strlen(with) && !memcmp(text.text, with, strlen(with));
}

static int load_collector(struct page_time *t, struct rep_view *v, struct tp_err *err)
{
	int64_t last = -1;
	bool mark = false, stw = false;
	int code = rep_view_load(
	    v, TP_TABLE_RANGE,
	    REP_BIT(RANGE, name) | REP_BIT(RANGE, start_ns) | REP_BIT(RANGE, end_ns), err);

	if (code)
		return code;
	for (size_t i = 0; i < v->nrows[TP_TABLE_RANGE]; i++) {
		int64_t name = REP_COL(v, RANGE, name)[i];

		if (name != last) {
			struct tp_text text = tp_dict_text(v->dict, (uint32_t)name);

			mark = begins(text, "GC concurrent mark phase");
			stw = begins(text, "stop-the-world");
			last = name;
		}
		if (mark || stw)
			add_time(&t->fine, mark ? &t->mark : &t->stw,
				 REP_COL(v, RANGE, start_ns)[i], REP_COL(v, RANGE, end_ns)[i]);
	}
	finish_series(&t->fine, &t->mark);
	finish_series(&t->fine, &t->stw);
	return 0;
}

int page_time_load(struct page_time *t, struct rep_view *v, struct tp_err *err)
{
	int64_t duration = v->run->row.duration_ns > 0 ? v->run->row.duration_ns : 1;
	int code;

	memset(t, 0, sizeof(*t));
	code = init_even(&t->fine, duration, PAGE_BINS);
	if (!code)
		code = init_series(&t->alive, &t->fine);
	if (!code)
		code = init_series(&t->mark, &t->fine);
	if (!code)
		code = init_series(&t->stw, &t->fine);
	if (code)
		return no_memory(err);
	code = load_goroutines(t, v, err);
	if (!code)
		code = load_procs(t, v, err);
	return code ? code : load_collector(t, v, err);
}

void page_time_release(struct page_time *t)
{
	free(t->bins.edge);
	free(t->fine.edge);
	for (int c = 0; c < PAGE_NCLASSES; c++) {
		release_series(&t->all[c]);
		for (size_t i = 0; i < t->ngroups; i++)
			release_series(&t->group[i].series[c]);
	}
	for (size_t i = 0; i < t->nprocs && t->proc; i++)
		release_series(&t->proc[i]);
	free(t->proc);
	free(t->proc_id);
	release_series(&t->mark);
	release_series(&t->stw);
	release_series(&t->alive);
}
