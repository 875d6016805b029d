#include "profile/trace_go.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "profile/trace_stack.h"
#include "spans/crossing.h"
#include "spans/prefetch.h"

const struct rep_trace_view_desc rep_trace_go[] = {
    [REP_GO_NONE] = {"", ""},
    [REP_GO_NET] = {"net", "blocked on the network"},
    [REP_GO_SYNC] = {"sync", "blocked on channels, select and locks"},
    [REP_GO_SYSCALL] = {"syscall", "in system calls"},
    [REP_GO_SCHED] = {"sched", "runnable: scheduling latency"},
    [REP_NTRACE_GO] = {NULL, NULL},
};

static const uint8_t states[REP_NTRACE_GO] = {
    [REP_GO_NET] = TP_ST_WAITING,
    [REP_GO_SYNC] = TP_ST_WAITING,
    [REP_GO_SYSCALL] = TP_ST_SYSCALL,
    [REP_GO_SCHED] = TP_ST_RUNNABLE,
};

#define MAX_FRAMES 128 /* pprofMaxStack */

enum { CONTENTIONS, DELAY, NTYPES };

/* A goroutine's current wait. */
struct wait {
	int64_t start;
	uint32_t stack;
	bool on;
};

struct sum {
	int64_t value[NTYPES];
	uint64_t last; /* when it was last counted */
};

struct scan {
	struct rep_view *v;
	enum rep_trace_go kind;
	const struct rep_inside *in;
	struct wait *wait; /* by goroutine */
	size_t ngoroutines;
	size_t pending;	 /* waits that have begun and not ended */
	uint8_t *reason; /* by string: 0 not yet known, 1 not of the kind, 2 of the kind */
	uint32_t nstrings;
	struct sum *sum; /* by stack of the run */
	uint32_t nstacks;
	uint64_t clock; /* number of waits counted so far */
};

/* ---- reasons that count ---- */

static bool holds(const struct tp_text *text, const char *part)
{
	size_t n = strlen(part);

	for (size_t i = 0; i + n <= text->size; i++)
		if (!memcmp(text->text + i, part, n))
			return true;
	return false;
}

static bool is_of_kind(const struct scan *s, uint32_t reason)
{
	struct tp_text text = tp_dict_text(s->v->dict, reason);

	switch (s->kind) {
	case REP_GO_NET: /* computePprofIO */
		return text.size == 7 && !memcmp(text.text, "network", 7);
	case REP_GO_SYNC: /* computePprofBlock */
		return holds(&text, "chan") || holds(&text, "sync") || holds(&text, "select");
	default:
		return true;
	}
}

static bool reason_counts(struct scan *s, uint32_t reason)
{
	if (!s->reason[reason])
		s->reason[reason] = is_of_kind(s, reason) ? 2 : 1;
	return s->reason[reason] == 2;
}

/* ---- the part of a wait that counts ---- */

static int64_t clip(const struct scan *s, int64_t goroutine, int64_t start, int64_t end)
{
	const struct rep_view *v = s->v;
	int64_t from = rep_view_clip_start(v, start), to = rep_view_clip_end(v, end), ns;

	if (s->in)
		return rep_inside_clip(s->in, goroutine, start, end, &ns) ? ns : 0;
	/* pprofMatchingGoroutines: Go's summary only has the last goroutine with an id, unless one
	 * was picked. */
	if (!v->filter->by_id && rep_view_goid(v, goroutine) < 0)
		return 0;
	/* The waits of a goroutine that never ran count from the beginning, as in Go, where its
	 * start time is 0. */
	if (REP_COL(v, GOROUTINE, started_ns)[goroutine] > from)
		from = REP_COL(v, GOROUTINE, started_ns)[goroutine];
	if (REP_COL(v, GOROUTINE, ended_ns)[goroutine] != TP_NULL &&
	    REP_COL(v, GOROUTINE, ended_ns)[goroutine] < to)
		to = REP_COL(v, GOROUTINE, ended_ns)[goroutine];
	return from < to ? tp_minus(to, from) : 0;
}

static void count(struct scan *s, uint32_t goroutine, const struct wait *w, int64_t end)
{
	int64_t ns = clip(s, goroutine, w->start, end);

	/* A damaged clock may overflow 64 bits, which makes this negative. */
	if (ns <= 0)
		return;
	s->sum[w->stack].value[CONTENTIONS]++;
	s->sum[w->stack].last = s->clock++;
	tp_sum(&s->sum[w->stack].value[DELAY], ns);
}

static bool wanted(struct scan *s, uint32_t goroutine, uint32_t reason, uint32_t stack)
{
	struct rep_view *v = s->v;

	return reason_counts(s, reason) && rep_view_match_goroutine(v, goroutine) &&
	       rep_match_span(&v->match, rep_view_entry(v, goroutine), states[s->kind], reason,
			      stack);
}

/* ---- event by event ---- */

static void begin(struct scan *s, uint32_t goroutine, int64_t start, uint32_t reason,
		  uint32_t stack)
{
	if (stack >= s->nstacks)
		stack = 0;
	if (reason >= s->nstrings)
		reason = 0;
	if (!wanted(s, goroutine, reason, stack))
		return;
	s->wait[goroutine] = (struct wait){.start = start, .stack = stack, .on = true};
	s->pending++;
}

static void on_transition(struct scan *s, const struct tp_event *ev)
{
	uint8_t state = states[s->kind];
	struct wait *w;

	if (ev->subject >= s->ngoroutines)
		return;
	w = &s->wait[ev->subject];
	if (!w->on) {
		if (ev->to == state && ev->ts < s->v->to)
			begin(s, ev->subject, ev->ts, ev->str, ev->stack);
		return;
	}
	if (ev->to == state)
		return;
	/* In a damaged trace it is unknown whether the wait lasted until now. */
	if (!(ev->flags & TP_EVF_LOST))
		count(s, ev->subject, w, ev->ts);
	w->on = false;
	s->pending--;
}

/* Restores the waits that were open when a segment began. */
static int restore(struct scan *s, int64_t segment, struct tp_err *err)
{
	struct rep_view *v = s->v;
	int code = rep_crossings_load(v, err);

	for (size_t i = 0; !code && i < rep_crossings(v); i++) {
		struct rep_crossing c;
		const struct tp_span *span = &c.span;

		if (!rep_crossing_at(v, i, &c))
			continue;
		if (span->state == TP_ST_SYSCALL_BLOCKED)
			c.span.state = TP_ST_SYSCALL;
		if (span->state != states[s->kind] || span->goroutine >= s->ngoroutines ||
		    s->wait[span->goroutine].on || c.first >= segment || c.last < segment)
			continue;
		begin(s, span->goroutine, span->start,
		      span->reason < s->nstrings ? span->reason : 0,
		      span->stack < s->nstacks ? span->stack : 0);
	}
	return code;
}

static int read_events(struct scan *s, struct tp_err *err)
{
	struct rep_view *v = s->v;
	struct tp_event_range range = {INT64_MIN, INT64_MAX, 0, INT64_MAX};
	const struct tp_event_choice choice = {.spans = true};
	struct rep_prefetch *r = NULL;
	struct tp_event *ev;
	size_t n, first = 0;
	int code = 0;

	/* Skip segments before the range. After its end, read on until its waits have ended. */
	while (first + 1 < v->nsegments && v->segments[first + 1].from_ns <= v->from)
		first++;
	if (first) {
		range.first_block = v->segments[first].first_block;
		code = restore(s, (int64_t)first, err);
	}
	if (!code)
		code = rep_prefetch_open(&r, v->store, v->run->row.id, &range, &choice, err);
	while (!code && (code = rep_prefetch_next(r, &ev, &n, err)) > 0) {
		code = 0;
		for (size_t i = 0; i < n; i++)
			if (ev[i].to != TP_ST_NONE && ev[i].type < TP_NEVENT_TYPES &&
			    tp_event_descs[ev[i].type].subject == 'G')
				on_transition(s, &ev[i]);
		if (n && ev[n - 1].ts >= v->to && !s->pending)
			break;
	}
	rep_prefetch_close(r);
	return code;
}

/* ---- the profile ---- */

static int text(struct tp_profile *p, const char *s, uint32_t *id)
{
	return tp_dict_string(p->dict, s, strlen(s), id);
}

/* Sets types and period as traceviewer.BuildProfile does. */
static int describe(const struct scan *s, struct tp_profile *p)
{
	uint32_t count_unit = 0, contentions = 0, delay = 0, unit = 0, period = 0;
	int code = text(p, "count", &count_unit);

	if (!code)
		code = text(p, "contentions", &contentions);
	if (!code)
		code = text(p, "delay", &delay);
	if (!code)
		code = text(p, s->v->run->row.ticks ? "ticks" : "nanoseconds", &unit);
	if (!code)
		code = text(p, "trace", &period);
	if (!code)
		code = tp_profile_add_type(p, contentions, count_unit);
	if (!code)
		code = tp_profile_add_type(p, delay, unit);
	p->period_type = (struct tp_value_type){period, count_unit};
	p->period = 1;
	snprintf(p->format, sizeof(p->format), "%s", "trace");
	return code;
}

/* Identifies a stack as Go does, which compares arrays of MAX_FRAMES addresses with 0 in unused
 * places (stackMap): frames without an address at the root do not count. Of equal stacks, Go keeps
 * the last one. */
static int identify(const struct scan *s, struct rep_keys *keys, uint32_t stack, uint32_t *id)
{
	uint64_t path[MAX_FRAMES];
	uint32_t at = 0;
	size_t n = 0;
	int code = 0;

	for (; stack && n < MAX_FRAMES; n++) {
		struct tp_stack_node node = tp_dict_stack_at(s->v->dict, stack);
		struct tp_frame frame = tp_dict_frame_at(s->v->dict, node.frame);

		path[n] = tp_dict_location_at(s->v->dict, frame.location).address;
		stack = node.parent < stack ? node.parent : 0;
	}
	while (n && !path[n - 1])
		n--;
	while (!code && n) {
		uint64_t pc = path[--n];

		code = rep_keys_add(keys, at, (uint32_t)pc, (uint32_t)(pc >> 32), 0, id);
		at = *id + 1;
	}
	*id = at;
	return code;
}

static void join(struct sum *into, struct sum *from)
{
	into->value[CONTENTIONS] += from->value[CONTENTIONS];
	tp_sum(&into->value[DELAY], from->value[DELAY]);
	*from = (struct sum){0};
}

static int merge(struct scan *s)
{
	struct rep_keys keys = {0};
	uint32_t *known = NULL; /* by id: stack that stands for it, + 1 */
	size_t room = 0;
	int code = 0;

	for (uint32_t i = 0; !code && i < s->nstacks; i++) {
		struct sum *sum = &s->sum[i], *other;
		uint32_t id;

		if (!sum->value[CONTENTIONS])
			continue;
		code = identify(s, &keys, i, &id);
		if (!code)
			code = tp_grow(&known, &room, id, sizeof(*known));
		if (code)
			break;
		other = known[id] ? &s->sum[known[id] - 1] : sum;
		if (other->last <= sum->last)
			known[id] = i + 1;
		if (other != sum)
			join(sum->last > other->last ? sum : other,
			     sum->last > other->last ? other : sum);
	}
	rep_keys_release(&keys);
	free(known);
	return code;
}

static int add_samples(const struct scan *s, struct tp_profile *p)
{
	struct rep_trace_stacks stacks = {.from = s->v->dict, .to = p};
	int code = 0;

	for (uint32_t i = 0; !code && i < s->nstacks; i++) {
		uint32_t stack;

		if (!s->sum[i].value[CONTENTIONS])
			continue;
		stack = rep_trace_stack_top(&stacks, i, MAX_FRAMES);
		code = stacks.code;
		if (!code)
			code = tp_profile_add_sample(p, stack, 0, s->sum[i].value);
	}
	rep_trace_stacks_release(&stacks);
	return code;
}

#define LAST_LIFE                                                                                  \
	"of goroutine ids that were used again, only the last life counts, as in go tool trace; "  \
	"--view counts all"

int rep_trace_go_profile(struct rep_view *v, enum rep_trace_go kind, const struct rep_inside *in,
			 struct tp_profile *p, struct tp_err *err)
{
	struct scan s = {.v = v,
			 .kind = kind,
			 .in = in,
			 .nstrings = tp_dict_strings(v->dict),
			 .nstacks = tp_dict_stacks(v->dict)};
	int code = rep_view_load(v, TP_TABLE_GOROUTINE,
				 REP_BIT(GOROUTINE, name) | REP_BIT(GOROUTINE, id) |
				     REP_BIT(GOROUTINE, started_ns) | REP_BIT(GOROUTINE, ended_ns),
				 err);

	if (code)
		return code;
	s.ngoroutines = v->nrows[TP_TABLE_GOROUTINE];
	s.wait = calloc(s.ngoroutines + 1, sizeof(*s.wait));
	s.reason = calloc(s.nstrings + (size_t)1, 1);
	s.sum = calloc(s.nstacks + (size_t)1, sizeof(*s.sum));
	code = s.wait && s.reason && s.sum ? read_events(&s, err) : tp_nomem(err);
	if (!code) {
		code = describe(&s, p);
		if (!code)
			code = merge(&s);
		if (!code)
			code = add_samples(&s, p);
		if (!code && v->goids.n && !in && !v->filter->by_id)
			code = tp_profile_add_notice(p, TP_WARNING, TP_OFFSET_NONE, LAST_LIFE);
		if (code)
			tp_err_full(err, code,
				    "the run has more than 2^30 stacks; select a part of it with "
				    "--from and --to");
	}
	free(s.wait);
	free(s.reason);
	free(s.sum);
	return code;
}
