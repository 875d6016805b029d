/* Records by kernel thread, and all of them merged by time.
 *
 * A thread writes a record when the thing is over, so its records are in the order of their ends, and
 * each starts after the one before it. Times that contradict this (a torn clock, a signal handler
 * inside a wait) are moved to where they fit. */
#include <stdlib.h>
#include <string.h>

#include "tprof-record/convert/trace/tracer.h"

/* The recorder's time of the end may be a little earlier than the last records. */
#define SLACK_NS       1000000000u
#define OTHER_CLOCK_NS ((uint64_t)30 * 86400 * 1000000000)

static bool can_be(const struct rec_tracer *s, const struct rec_event *e)
{
	uint16_t kind = e->kind;

	return kind > REC_NOTHING && kind < REC_NKINDS && e->end >= s->earliest &&
	       e->end <= s->latest;
}

/* Puts the wait that a thread is in at the end after its last record. */
static void note_present(struct rec_tracer *s)
{
	const struct rec_arena *a = &s->p->arena;

	for (uint32_t i = 0; i < a->header->gs.used; i++) {
		const struct rec_g *g = &a->gs[i];
		const struct rec_event *w = &g->wait;

		if (!g->id)
			continue;
		/* Goroutines of the program's own have a record of their wait (G_STOP). */
		if (rec_takes_time(w) && w->start >= s->earliest && w->start <= s->latest && g->m)
			rec_tracer_m(s, g->m)->present = w;
		if (g->tid && g->m == g->id)
			rec_tracer_m(s, g->m)->tid = g->tid;
	}
}

/* Notes when the trace is on: from the beginning, unless a record switches it on later. */
static void note_switch(struct rec_tracer *s, const struct rec_event *e)
{
	if (e->kind == REC_TRACE_START) {
		if (!s->on || e->end < s->on)
			s->on = e->end;
		if (e->end > s->last_on)
			s->last_on = e->end;
	}
	if (e->kind == REC_TRACE_STOP) {
		if (!s->first_off || e->end < s->first_off)
			s->first_off = e->end;
		if (e->end > s->off)
			s->off = e->end;
	}
}

/* Adds a record to the list of its M. */
static void add(struct rec_tracer *s, uint32_t i)
{
	const struct rec_event *e = &s->p->events[i];
	struct rec_machine *m;

	if (!can_be(s, e) || (i < s->again && e->end < s->from)) {
		/* (It was written with the part before.) */
		s->result.contradictions += i >= s->again;
		return;
	}
	note_switch(s, e);
	m = rec_tracer_m(s, e->m);
	/* It comes before the wait that the thread may still be in. */
	if (e->kind == REC_THREAD_USAGE) {
		/* A thread that goes on while the process ends is asked once more when it ends. */
		if (m->usage && m->usage->object != REC_DELAY_UNKNOWN)
			s->result.delay_ns -= m->usage->object;
		m->usage = e;
		if (e->object == REC_DELAY_UNKNOWN)
			s->result.more_delay = true;
		else
			s->result.delay_ns += e->object;
		return;
	}
	/* A CPU sample may be taken during a wait, whose record follows it: samples have their own list. */
	if (e->kind == REC_CPU)
		m = rec_tracer_m(s, 0);
	m->off.nests = m->off.nests || rec_off_nests(s, m, e);
	if (m->last)
		s->links[m->last - 1].next = i + 1;
	else
		m->first = i + 1;
	m->last = i + 1;
	if (e->kind == REC_THREAD_START && e->object && e->object <= INT32_MAX)
		m->tid = (uint32_t)e->object;
}

void rec_streams_new(struct rec_tracer *s)
{
	const struct rec_process *p = s->p;
	uint64_t slack;

	if (p->nevents >= REC_NO_RECORD) {
		s->code = tp_err_set(s->err, TP_ELIMIT, TP_OFFSET_NONE,
				     "the trace has too many records (%zu)", p->nevents);
		return;
	}
	s->earliest = p->arena.header->start_ns;
	if (s->earliest < p->begin_ns)
		s->earliest = p->begin_ns;
	for (uint32_t i = 0; i < s->nms; i++) {
		s->ms[i].first = s->ms[i].last = 0;
		s->ms[i].present = s->ms[i].usage = NULL;
	}
	if (s->off == UINT64_MAX)
		s->off = 0;
	/* If the process had a clock of its own, its end is not known. */
	slack = p->end_ns > s->earliest ? SLACK_NS : OTHER_CLOCK_NS;
	s->latest = p->end_ns + slack < p->end_ns ? UINT64_MAX : p->end_ns + slack;
	s->nlinks = (uint32_t)p->nevents;
	free(s->links);
	s->links = calloc(s->nlinks + (size_t)1, sizeof(*s->links));
	if (!s->links)
		s->code = TP_ENOMEM;
	for (uint32_t i = 0; i < s->nlinks && !s->code; i++)
		add(s, i);
	if (!s->from) {
		s->in_middle = s->on && (!s->first_off || s->on < s->first_off);
		if (!s->in_middle)
			s->on = 0;
	}
	if (!s->off || s->off < s->last_on)
		s->off = UINT64_MAX;
	note_present(s);
	free(s->heap);
	s->heap = calloc(s->nms + (size_t)1, sizeof(*s->heap));
	if (!s->heap)
		s->code = TP_ENOMEM;
}

/* ---- the merge ---- */

static const struct rec_event *event_of(const struct rec_tracer *s, const struct rec_machine *m)
{
	return m->at ? &s->p->events[m->at - 1] : m->present;
}

/* Records of one M lie far apart in memory: the next one is fetched while those of other Ms are
 * written. (Inlined, because gcc drops calls of a function that only prefetches.) */
static inline __attribute__((always_inline)) void fetch_next(const struct rec_tracer *s,
							     const struct rec_machine *m)
{
	uint32_t next = m->at ? s->links[m->at - 1].next : 0;

	if (next) {
		const char *e = (const char *)&s->p->events[next - 1];

		__builtin_prefetch(e);
		__builtin_prefetch(e + sizeof(struct rec_event) - 1);
		__builtin_prefetch(&s->links[next - 1]);
	}
}

/* Sets the time of M's next step. Returns false if M has no more steps. */
static bool set_time(const struct rec_tracer *s, struct rec_machine *m)
{
	const struct rec_event *e = event_of(s, m);
	uint64_t t;

	if (!e || (!m->at && m->ending))
		return false;
	t = m->ending || !rec_takes_time(e) ? e->end : e->start;
	/* A start may be any number; it is not after the end, unless the end is not known. */
	if (rec_takes_time(e) && !m->ending && m->at && t > e->end)
		t = e->end;
	m->time = t > m->before ? t : m->before;
	return true;
}

/* Of two steps at the same time, the end of a wait comes later, because something caused it. */
static bool sooner(const struct rec_tracer *s, uint32_t a, uint32_t b)
{
	const struct rec_machine *x = &s->ms[a], *y = &s->ms[b];

	if (x->time != y->time)
		return x->time < y->time;
	if (x->ending != y->ending)
		return y->ending;
	return a < b;
}

static void sift_down(struct rec_tracer *s, uint32_t at)
{
	uint32_t m = s->heap[at];

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= s->nheap)
			break;
		if (child + 1 < s->nheap && sooner(s, s->heap[child + 1], s->heap[child]))
			child++;
		if (!sooner(s, s->heap[child], m))
			break;
		s->heap[at] = s->heap[child];
		at = child;
	}
	s->heap[at] = m;
}

void rec_streams_rewind(struct rec_tracer *s, bool split)
{
	s->split = split;
	s->nheap = 0;
	for (uint32_t i = 0; i < s->nms; i++) {
		struct rec_machine *m = &s->ms[i];

		m->at = m->first;
		m->before = m->kept > s->earliest ? m->kept : s->earliest;
		/* The wait that the part before has begun. */
		m->ending = m->kept_ending && (!m->at || rec_takes_time(&s->p->events[m->at - 1]));
		if (split ? rec_off_rewind(s, m) : set_time(s, m))
			s->heap[s->nheap++] = i;
	}
	for (uint32_t i = s->nheap / 2; i--;)
		sift_down(s, i);
}

/* Goes to the next step of an M. Returns whether it has one. */
static bool go_on(const struct rec_tracer *s, struct rec_machine *m)
{
	const struct rec_event *e = event_of(s, m);
	uint32_t at = m->at;

	m->before = m->time;
	if (s->split) {
		bool more = rec_off_advance(s, m);

		if (at != m->at)
			fetch_next(s, m);
		return more;
	}
	if (rec_takes_time(e) && !m->ending) {
		m->ending = true;
	} else if (m->at) {
		m->ending = false;
		m->at = s->links[m->at - 1].next;
		fetch_next(s, m);
	}
	return set_time(s, m);
}

static void advance(struct rec_tracer *s, struct rec_machine *m)
{
	if (!go_on(s, m)) {
		s->heap[0] = s->heap[--s->nheap];
		if (!s->nheap)
			return;
	}
	sift_down(s, 0);
}

void rec_streams_keep(struct rec_tracer *s)
{
	for (uint32_t i = 0; i < s->nms; i++) {
		s->ms[i].kept = s->ms[i].before;
		s->ms[i].kept_ending = s->ms[i].ending;
	}
	/* The process is another copy then. */
	for (uint32_t i = 0; i < s->ngs; i++) {
		struct rec_goroutine *g = &s->gs[i];

		if (g->name == g->kept_name)
			continue;
		free(g->kept_name);
		g->kept_name = g->name ? strdup(g->name) : NULL;
		g->name = g->kept_name;
	}
}

bool rec_streams_next(struct rec_tracer *s, uint64_t until, struct rec_step *step)
{
	struct rec_machine *m;
	const struct rec_event *e;

	if (!s->nheap || s->ms[s->heap[0]].time >= until)
		return false;
	m = &s->ms[s->heap[0]];
	e = s->split ? m->off.step : event_of(s, m);
	*step = (struct rec_step){.event = e,
				  .record = s->split ? m->off.record
					    : m->at  ? m->at - 1
						     : REC_NO_RECORD,
				  .began = rec_takes_time(e) && !m->ending,
				  .time = m->time,
				  .m = m};
	advance(s, m);
	return true;
}

const struct rec_event *rec_streams_peek(const struct rec_tracer *s, const struct rec_machine *m)
{
	return event_of(s, m);
}
