#include "top/worst.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/sum.h"
#include "spans/crossing.h"
#include "spans/segment.h"
#include "stack.h"
#include "task/inside.h"

struct search {
	struct rep_view *v;
	const struct rep_worst_options *opt;
	struct rep_worst *out; /* the longest so far, the longest first */
	size_t n;
	bool by_id;			 /* of goroutines that the filter names by their id */
	const struct rep_inside *inside; /* NULL: everywhere */
	uint8_t *rests; /* by string: 0 not known yet, 1 no, 2 yes; NULL: not needed */
	size_t nstrings;
	/* The lengths of the n longest spans that the run surely has, likewise. */
	struct rep_worst *least;
	size_t nleast;
};

bool rep_reason_rests(struct tp_text reason)
{
	static const char *const rest[] = {"sleep",
					   "system goroutine wait",
					   "GC background sweeper wait",
					   "GC worker (idle)",
					   "GC scavenge wait",
					   "finalizer wait",
					   "force gc (idle)",
					   "forever",
					   "trace reader (blocked)",
					   "debug call",
					   "cleanup wait",
					   "preempted",
					   "update GOMAXPROCS"};

	for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++) {
		if (reason.size == strlen(rest[i]) && !memcmp(reason.text, rest[i], reason.size))
			return true;
	}
	return false;
}

/* ---- what counts ---- */

static bool is_rest(struct search *s, uint32_t entry, uint32_t reason)
{
	if (!s->rests)
		return false;
	if (!s->by_id && rep_entry_is_system(tp_dict_text(s->v->dict, entry)))
		return true;
	if (reason >= s->nstrings)
		reason = 0;
	if (!s->rests[reason])
		s->rests[reason] = rep_reason_rests(tp_dict_text(s->v->dict, reason)) ? 2 : 1;
	return s->rests[reason] == 2;
}

static bool counts(struct search *s, uint32_t entry, unsigned state, uint32_t reason,
		   uint32_t stack)
{
	return state < TP_NSTATES && s->opt->states >> state & 1 &&
	       rep_match_span(&s->v->match, entry, state, reason, stack) &&
	       !is_rest(s, entry, reason);
}

/* ---- the longest ---- */

/* Is a shorter than b, or as long and later? */
static bool below(const struct rep_worst *a, const struct rep_worst *b)
{
	if (a->dur_ns != b->dur_ns)
		return a->dur_ns < b->dur_ns;
	if (a->at_ns != b->at_ns)
		return a->at_ns > b->at_ns;
	return a->span.goroutine > b->span.goroutine;
}

/* Puts an item into its place among the `most` longest, the longest of which is the first. */
static void keep(struct rep_worst *longest, size_t *n, size_t most, const struct rep_worst *w)
{
	size_t at = 0;

	TP_SEARCH(at, *n, i, !below(&longest[i], w));
	if (at == most)
		return;
	*n += *n < most;
	memmove(&longest[at + 1], &longest[at], (*n - at - 1) * sizeof(*longest));
	longest[at] = *w;
}

/* Returns whether it is of a goroutine of the selection, and overlaps the range, tasks and regions. */
static bool is_selected(const struct search *s, const struct tp_span *span)
{
	int64_t ns;

	return (!s->by_id || rep_view_match_goroutine(s->v, span->goroutine)) &&
	       rep_view_overlaps(s->v, span->start, span->end) &&
	       (!s->inside ||
		rep_inside_clip(s->inside, span->goroutine, span->start, span->end, &ns));
}

static void offer(struct search *s, const struct tp_span *span)
{
	struct rep_worst w = {.span = *span, .at_ns = rep_view_clip_start(s->v, span->start)};

	w.dur_ns = (int64_t)((uint64_t)rep_view_clip_end(s->v, span->end) - (uint64_t)w.at_ns);
	keep(s->out, &s->n, s->opt->n, &w);
}

/* ---- how long they must be ---- */

/* Notes that the run has a span of this length. */
static void there_is(struct search *s, int64_t ns)
{
	keep(s->least, &s->nleast, s->opt->n, &(struct rep_worst){.dur_ns = ns});
}

static int64_t threshold(const struct search *s)
{
	return s->nleast == s->opt->n ? s->least[s->nleast - 1].dur_ns : INT64_MIN;
}

/* ---- reading ---- */

static int read_crossing(struct search *s, struct tp_err *err)
{
	struct rep_view *v = s->v;
	struct rep_crossing c;
	const struct tp_span *span = &c.span;
	int code = rep_crossings_load(v, err);

	for (size_t i = 0; !code && rep_crossing_next(v, &i, &c);) {
		if (!is_selected(s, span) || !counts(s, rep_view_entry(v, span->goroutine),
						     span->state, span->reason, span->stack))
			continue;
		offer(s, span);
		there_is(s, (int64_t)((uint64_t)rep_view_clip_end(v, span->end) -
				      (uint64_t)rep_view_clip_start(v, span->start)));
	}
	return code;
}

/* Rows of the table site, or of goroutine_time if the filter names a goroutine by its id. */
struct places {
	size_t n;
	const int64_t *segment, *state, *reason, *stack, *max_ns, *who;
	bool goroutines;
};

static int load_places(struct search *s, struct places *p, struct tp_err *err)
{
	struct rep_view *v = s->v;
	int code;

	p->goroutines = s->by_id;
	if (p->goroutines) {
		code = rep_view_load(
		    v, TP_TABLE_GOROUTINE_TIME,
		    REP_BIT(GOROUTINE_TIME, segment) | REP_BIT(GOROUTINE_TIME, goroutine) |
			REP_BIT(GOROUTINE_TIME, state) | REP_BIT(GOROUTINE_TIME, reason) |
			REP_BIT(GOROUTINE_TIME, stack) | REP_BIT(GOROUTINE_TIME, max_ns),
		    err);
		*p = (struct places){
		    v->nrows[TP_TABLE_GOROUTINE_TIME],	   REP_COL(v, GOROUTINE_TIME, segment),
		    REP_COL(v, GOROUTINE_TIME, state),	   REP_COL(v, GOROUTINE_TIME, reason),
		    REP_COL(v, GOROUTINE_TIME, stack),	   REP_COL(v, GOROUTINE_TIME, max_ns),
		    REP_COL(v, GOROUTINE_TIME, goroutine), true};
		return code;
	}
	code =
	    rep_view_load(v, TP_TABLE_SITE,
			  REP_BIT(SITE, segment) | REP_BIT(SITE, entry) | REP_BIT(SITE, state) |
			      REP_BIT(SITE, reason) | REP_BIT(SITE, stack) | REP_BIT(SITE, max_ns),
			  err);
	*p = (struct places){v->nrows[TP_TABLE_SITE], REP_COL(v, SITE, segment),
			     REP_COL(v, SITE, state), REP_COL(v, SITE, reason),
			     REP_COL(v, SITE, stack), REP_COL(v, SITE, max_ns),
			     REP_COL(v, SITE, entry), false};
	return code;
}

/* Chooses segments with a site whose longest span is long enough, and those that the range cuts. */
static void choose(struct search *s, const struct places *p, bool *wanted)
{
	struct rep_view *v = s->v;

	for (int pass = 0; pass < 2; pass++) {
		int64_t least = threshold(s);

		for (size_t i = 0; i < p->n; i++) {
			uint64_t segment = (uint64_t)p->segment[i];

			if (segment >= v->nsegments || (pass && p->max_ns[i] < least) ||
			    (pass && wanted[segment]) ||
			    (p->goroutines && !rep_view_match_goroutine(v, p->who[i])))
				continue;
			if (!rep_segment_inside(v, &v->segments[segment]) ||
			    !counts(s,
				    p->goroutines ? rep_view_entry(v, p->who[i])
						  : (uint32_t)p->who[i],
				    (unsigned)p->state[i], (uint32_t)p->reason[i],
				    (uint32_t)p->stack[i]))
				continue;
			if (pass)
				wanted[segment] = true;
			else
				there_is(s, p->max_ns[i]);
		}
	}
	for (size_t i = 0; i < v->nsegments; i++)
		wanted[i] = wanted[i] || rep_segment_cut(v, &v->segments[i]);
}

/* Sites do not say what is inside of tasks and regions, so every segment with some of it is read. */
static int choose_inside(struct search *s, struct rep_inside *in, bool *wanted, struct tp_err *err)
{
	const struct rep_filter_text *text = &s->v->filter->text;
	int code = rep_inside_init(in, s->v, text->task, text->region, err);

	s->inside = in;
	return !code && rep_inside_segments(in, s->v, wanted) ? tp_nomem(err) : code;
}

static int on_span(void *ctx, const struct tp_span *span, bool crosses, uint32_t end_stack,
		   struct tp_err *err)
{
	struct search *s = ctx;

	(void)end_stack;
	if (s->opt->stop && atomic_load_explicit(s->opt->stop, memory_order_relaxed))
		return tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "interrupted");
	if (crosses || !(s->opt->states >> span->state & 1) ||
	    (s->n == s->opt->n && tp_minus(span->end, span->start) < s->out[s->n - 1].dur_ns) ||
	    !is_selected(s, span) ||
	    !counts(s, rep_view_entry(s->v, span->goroutine), span->state, span->reason,
		    span->stack))
		return 0;
	offer(s, span);
	return 0;
}

/* Returns whether the run has the goroutine that the filter names by its id, if it names one. */
static bool find_goroutine(struct search *s)
{
	struct rep_view *v = s->v;

	s->by_id = v->filter->by_id;
	for (size_t i = 0; s->by_id && i < v->nrows[TP_TABLE_GOROUTINE]; i++)
		if (rep_view_match_goroutine(v, (int64_t)i))
			return true;
	return !s->by_id;
}

static int search(struct search *s, struct tp_err *err)
{
	struct rep_view *v = s->v;
	struct rep_inside in = {0};
	struct places places;
	bool *wanted = calloc(v->nsegments + 1, sizeof(*wanted)), inside;
	int code = 0;

	if (!wanted)
		return tp_nomem(err);
	inside = rep_filter_inside(v->filter);
	if (inside)
		code = choose_inside(s, &in, wanted, err);
	if (!code)
		code = read_crossing(s, err);
	if (!code && !inside)
		code = load_places(s, &places, err);
	if (!code && !inside)
		choose(s, &places, wanted);
	if (!code)
		code = rep_segments_each(v, wanted, on_span, s, err);
	rep_inside_release(&in);
	free(wanted);
	return code;
}

/* ---- what was before them ---- */

struct look_back {
	const struct rep_worst *worst;
	struct tp_span *before;
	size_t n;
	const atomic_bool *stop;
};

static void look_at(struct look_back *l, const struct tp_span *span)
{
	for (size_t i = 0; span->state == TP_ST_WAITING && i < l->n; i++)
		if (l->worst[i].span.goroutine == span->goroutine &&
		    l->worst[i].span.start == span->end && l->worst[i].span.state != TP_ST_WAITING)
			l->before[i] = *span;
}

static int on_earlier(void *ctx, const struct tp_span *span, bool crosses, uint32_t end_stack,
		      struct tp_err *err)
{
	struct look_back *l = ctx;

	(void)end_stack;
	if (l->stop && atomic_load_explicit(l->stop, memory_order_relaxed))
		return tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "interrupted");
	if (!crosses)
		look_at(l, span);
	return 0;
}

int rep_worst_before(struct rep_view *v, const struct rep_worst *worst, size_t n,
		     struct tp_span *before, const atomic_bool *stop, struct tp_err *err)
{
	struct look_back l = {worst, before, n, stop};
	struct rep_crossing c;
	bool *wanted, any = false;
	int code;

	for (size_t i = 0; i < n; i++) {
		before[i] = (struct tp_span){.state = TP_ST_UNDETERMINED, .waker = TP_NONE};
		any |= worst[i].span.state != TP_ST_WAITING && worst[i].span.waker != TP_NONE;
	}
	if (!any)
		return 0;
	code = rep_crossings_load(v, err);
	if (code)
		return code;
	for (size_t i = 0; rep_crossing_next(v, &i, &c);)
		look_at(&l, &c.span);
	wanted = calloc(v->nsegments + 1, sizeof(*wanted));
	if (!wanted)
		return tp_nomem(err);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < v->nsegments; k++)
			wanted[k] |= worst[i].span.state != TP_ST_WAITING &&
				     worst[i].span.waker != TP_NONE &&
				     worst[i].span.start >= v->segments[k].from_ns &&
				     worst[i].span.start <= v->segments[k].to_ns;
	code = rep_segments_each(v, wanted, on_earlier, &l, err);
	free(wanted);
	return code;
}

int rep_worst(struct rep_view *v, const struct rep_worst_options *opt, struct rep_worst *out,
	      size_t *found, struct tp_err *err)
{
	struct search s = {.v = v, .opt = opt, .out = out};
	int code;

	*found = 0;
	if (!opt->n)
		return 0;
	code = rep_view_load(v, TP_TABLE_GOROUTINE,
			     REP_BIT(GOROUTINE, id) | REP_BIT(GOROUTINE, name), err);
	if (code)
		return code;
	if (!find_goroutine(&s))
		return rep_matcher_settle(&v->match, err);
	s.nstrings = tp_dict_strings(v->dict);
	s.least = calloc(opt->n, sizeof(*s.least));
	if (opt->no_rest)
		s.rests = calloc(s.nstrings + 1, 1);
	code = s.least && (s.rests || !opt->no_rest) ? search(&s, err) : tp_nomem(err);
	free(s.least);
	free(s.rests);
	if (!code)
		code = rep_matcher_settle(&v->match, err);
	if (code)
		return code;
	*found = s.n;
	return 0;
}
