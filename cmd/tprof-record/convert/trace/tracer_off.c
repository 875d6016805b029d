/* When threads were on no processor.
 *
 * A hook's record says that a thread waited; the kernel's switches say when the thread was off its processor.
 * If these are known, the steps of a thread are made from both:
 *
 *	off, preempted or by yielding		runnable
 *	off, in the time of a BLOCK or SYSCALL	that wait or call, as often as the thread slept in it
 *	off otherwise				blocked, reason "kernel", at the stack that the recorder has
 *						read from outside, else at the last one that is known
 *	from its wake on, if that is known	runnable (not in a SYSCALL)
 *	a BLOCK in which it was never off	it ran (it spun); nothing is written
 *	a SYSCALL in which it was never off	it ran; the call takes no time
 *
 * The kernel counts a switch to a thread, which takes from half a microsecond to some ten, as the thread's CPU
 * time, but tells it at its end. How long the switches of a thread took is known from its CPU time when it
 * starts and ends; each is made as long as all others, but not longer than since the switch before it on its
 * processor.
 *
 * Without switches, CPU times in the records say for how long the thread was off before each of them, but not
 * when: it is written as off ("not on a processor") for a part of the time before each record. Waits and calls are
 * those of the hooks then. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "tprof-record/convert/trace/switch.h"
#include "tprof-record/convert/trace/tracer.h"

#define NEVER UINT64_MAX

/* A shorter difference between the time and the CPU time of a stretch is the reading of the clocks. */
#define LEAST_OFF_NS 1000u
#define MOST_LOST    1024 /* times at which switches were lost; more are one with the last */

/* Switches are not made longer than that. */
#define MOST_LEAD_NS 200000u
/* A thread that is woken to be killed takes less. */
#define MOST_DYING_NS 2000000u
#define CPUS	      8192 /* whose last switch is remembered */

/* ---- switches by thread ---- */

static int by_tid_and_start(const void *a, const void *b)
{
	const struct rec_thread_of *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

/* Lists the threads by the kernel's number, which several can have, one after the other. */
static struct rec_thread_of *list_threads(struct rec_tracer *s, size_t *n)
{
	struct rec_thread_of *of = calloc(s->nms + (size_t)1, sizeof(*of));

	*n = 0;
	for (uint32_t i = 0; of && i < s->nms; i++) {
		struct rec_machine *m = &s->ms[i];
		const struct rec_event *first = m->first ? &s->p->events[m->first - 1] : NULL;

		if (!m->id || !m->tid)
			continue;
		m->off = (struct rec_off){.exact = true, .out = NEVER, .nests = m->off.nests};
		of[(*n)++] = (struct rec_thread_of){
		    .tid = m->tid,
		    .m = i,
		    .start = first && first->kind == REC_THREAD_START ? first->end : 0};
	}
	if (of && *n)
		qsort(of, *n, sizeof(*of), by_tid_and_start);
	return of;
}

/* Returns the thread, from place `at` of the list on, that had its number at that time. */
static uint32_t whose(const struct rec_tracer *s, const struct rec_thread_of *of, size_t n,
		      uint32_t at, uint64_t time)
{
	while (at + 1 < n && of[at + 1].tid == of[at].tid &&
	       (s->ms[of[at].m].off.ended || of[at + 1].start <= time))
		at++;
	return at;
}

static void add_lost(struct rec_tracer *s, uint64_t start, uint64_t end, uint32_t cpu)
{
	struct rec_lost *last = s->nlost ? &s->lost[s->nlost - 1] : NULL;

	if (end <= start)
		return;
	if (last && end < last->end)
		end = last->end;
	if (s->nlost == MOST_LOST) {
		*last = (struct rec_lost){.start = start < last->start ? start : last->start,
					  .end = end,
					  .cpu = UINT32_MAX};
		return;
	}
	if (rec_tracer_failed(s, tp_grow_raw(&s->lost, &s->room_lost, s->nlost, sizeof(*s->lost))))
		return;
	s->lost[s->nlost++] = (struct rec_lost){.start = start, .end = end, .cpu = cpu};
}

/* Makes the list of losses ready to be searched. */
static void end_lost(struct rec_tracer *s)
{
	uint64_t first = NEVER;

	if (s->p->switches_end_ns)
		add_lost(s, s->p->switches_end_ns, s->p->end_ns, UINT32_MAX);
	for (size_t i = s->nlost; i--;) {
		if (s->lost[i].start < first)
			first = s->lost[i].start;
		s->lost[i].first = first;
	}
}

/* Returns how long the switch to a thread may have taken. */
static uint32_t lead_since(uint64_t left, uint64_t now)
{
	return left < now && now - left < MOST_LEAD_NS ? (uint32_t)(now - left) : MOST_LEAD_NS;
}

/* Limits it as the kernel has woken the thread before. */
static void limit_lead(const struct rec_tracer *s, uint32_t i, uint64_t woken)
{
	const struct rec_event *e = &s->p->switches[i];

	if (e->kind == REC_SWITCH_IN && e->end > woken && e->end - woken <= s->switch_lead[i])
		s->switch_lead[i] = (uint32_t)(e->end - woken) - 1;
}

static void add_switch(struct rec_tracer *s, struct rec_machine *m, uint32_t i)
{
	struct rec_off *o = &m->off;

	if (o->last)
		s->switch_next[o->last - 1] = i + 1;
	else
		o->first = i + 1;
	o->last = i + 1;
	o->ended = s->p->switches[i].flags & REC_SWITCH_EXIT;
	if (s->switch_wake)
		s->switch_wake[i] = o->wake;
	if (o->wake)
		limit_lead(s, i, s->p->switches[o->wake - 1].end);
	o->wake = 0;
}

/* Adds a wake to what is known of a thread. */
static void add_wake(struct rec_tracer *s, const struct rec_thread_of *of, size_t n,
		     const struct tp_ids *at, uint32_t i)
{
	const struct rec_event *e = &s->p->switches[i];
	uint32_t k = tp_ids_get(at, rec_switch_tid(e));
	uint32_t by = e->object ? tp_ids_get(at, e->object) : TP_NO_ID;
	struct rec_off *o;

	if (k == TP_NO_ID || e->end < s->earliest)
		return;
	if (!s->switch_wake)
		s->switch_wake = calloc(s->p->nswitches + 1, sizeof(*s->switch_wake));
	if (rec_tracer_failed(s, s->switch_wake ? 0 : TP_ENOMEM))
		return;
	o = &s->ms[of[whose(s, of, n, k, e->end)].m].off;
	if (o->last && s->p->switches[o->last - 1].kind == REC_SWITCH_OUT && !o->wake)
		o->wake = i + 1;
	s->switch_lead[i] = by == TP_NO_ID ? 0 : of[whose(s, of, n, by, e->end)].m + 1;
}

/* ---- how long switches take ---- */

/* What the switches of a thread say of its time between two records with CPU times. */
struct sum {
	uint64_t from, to;
	uint64_t on;	/* on a processor */
	uint64_t leads; /* of switches to it, if none is longer than … */
	uint32_t most;
	size_t n;
};

static void sum_up(const struct rec_tracer *s, const struct rec_off *o, struct sum *sum)
{
	uint64_t in = sum->from;
	bool on = true;

	sum->on = sum->leads = 0;
	sum->n = 0;
	for (uint32_t i = o->first; i; i = s->switch_next[i - 1]) {
		const struct rec_event *e = &s->p->switches[i - 1];
		uint32_t lead = s->switch_lead[i - 1];

		if (e->end <= sum->from || e->end >= sum->to)
			continue;
		if (e->kind == REC_SWITCH_IN) {
			sum->n++;
			sum->leads += lead < sum->most ? lead : sum->most;
			in = e->end;
		} else if (on) {
			sum->on += e->end - in;
		}
		on = e->kind == REC_SWITCH_IN;
	}
	if (on)
		sum->on += sum->to - in;
}

/* Finds the records with the first and the last CPU time of a thread. Returns whether both are there; *cpu is
 * the time between them. */
static bool cpu_of(const struct rec_tracer *s, const struct rec_machine *m, struct sum *sum,
		   uint64_t *cpu)
{
	const struct rec_event *a = m->first ? &s->p->events[m->first - 1] : NULL;
	const struct rec_event *b = m->usage;

	if (!a || !b || !a->cpu || !b->cpu || a->kind != REC_THREAD_START || b->end <= a->end)
		return false;
	sum->from = a->end;
	sum->to = b->end;
	*cpu = (uint64_t)(b->cpu - a->cpu) << REC_CPU_SHIFT;
	return true;
}

static void find_lead(const struct rec_tracer *s, struct rec_machine *m)
{
	struct sum sum = {.most = MOST_LEAD_NS};
	uint64_t cpu, more;

	if (!m->off.first || !cpu_of(s, m, &sum, &cpu))
		return;
	sum_up(s, &m->off, &sum);
	while (cpu + ((uint64_t)1 << (31 + REC_CPU_SHIFT)) < sum.on)
		cpu += (uint64_t)1 << (32 + REC_CPU_SHIFT);
	if (cpu <= sum.on || !sum.n)
		return;
	more = cpu - sum.on;
	if (sum.leads <= more) {
		m->off.lead = MOST_LEAD_NS;
		return;
	}
	/* Some switches are shorter than the mean, so the others are longer. */
	sum.most = (uint32_t)(more / sum.n);
	for (int i = 0; i < 8; i++) {
		sum_up(s, &m->off, &sum);
		if (sum.leads >= more || !sum.leads)
			break;
		sum.most = (uint32_t)((double)sum.most * (double)more / (double)sum.leads) + 1;
	}
	m->off.lead = sum.most;
}

static void find_leads(struct rec_tracer *s)
{
	for (uint32_t i = 0; i < s->nms; i++)
		find_lead(s, &s->ms[i]);
}

static void list_switches(struct rec_tracer *s, const struct rec_thread_of *of, size_t n)
{
	const struct rec_process *p = s->p;
	struct tp_ids at = {0};
	uint64_t *left = NULL; /* when a thread left the processor, by processor */
	size_t room = 0;

	for (size_t i = n; i-- && !s->code;)
		rec_tracer_failed(s, tp_ids_put(&at, of[i].tid, (uint32_t)i));
	for (uint32_t i = 0; i < p->nswitches && !s->code; i++) {
		const struct rec_event *e = &p->switches[i];
		uint32_t cpu = rec_switch_cpu(e) % CPUS, k, now;

		if (e->kind == REC_SWITCH_WAKE) {
			add_wake(s, of, n, &at, i);
			continue;
		}
		if (rec_tracer_failed(s, tp_grow(&left, &room, cpu, sizeof(*left))))
			break;
		if (e->kind == REC_SWITCH_IN)
			s->switch_lead[i] = lead_since(left[cpu], e->end);
		else
			left[cpu] = e->end;
		if (e->kind == REC_SWITCH_LOST)
			add_lost(s, e->start, e->end < p->end_ns ? e->end : p->end_ns,
				 rec_switch_cpu(e));
		if (e->kind == REC_SWITCH_LOST || e->end < s->earliest ||
		    rec_switch_pid(e) != p->pid)
			continue;
		k = tp_ids_get(&at, rec_switch_tid(e));
		if (k == TP_NO_ID)
			continue;
		now = whose(s, of, n, k, e->end);
		if (now != k)
			rec_tracer_failed(s, tp_ids_put(&at, of[k].tid, now));
		s->ms[of[now].m].off.told = true;
		if (e->end <= p->end_ns)
			add_switch(s, &s->ms[of[now].m], i);
	}
	/* Of a thread without a switch, not even its end, nothing is known: the kernel stops telling them when
	 * a program that may not be read is executed. */
	for (size_t i = 0; i < n; i++) {
		struct rec_off *o = &s->ms[of[i].m].off;

		o->exact = o->told;
		s->result.exact = s->result.exact || o->exact;
	}
	free(left);
	tp_ids_release(&at);
}

/* ---- waits within waits ---- */

/* A thread that waits may run a signal handler that waits as well: the record of the inner wait comes first, as it
 * ends first. */

#define SLEPT                                                                                      \
	(1u << 31) /* beside the number of the record around: the thread was off in this one */

static uint64_t start_of(const struct rec_event *e)
{
	return rec_takes_time(e) ? e->start : e->end;
}

bool rec_off_nests(const struct rec_tracer *s, const struct rec_machine *m,
		   const struct rec_event *e)
{
	return m->last && rec_takes_time(e) && start_of(&s->p->events[m->last - 1]) > e->start;
}

/* The records that none is around yet are a stack, linked by `outer`. */
static void find_outer(struct rec_tracer *s, const struct rec_machine *m)
{
	uint32_t top = 0, next;

	for (uint32_t i = m->first; i; i = s->links[i - 1].next) {
		const struct rec_event *e = &s->p->events[i - 1];

		for (; top && rec_takes_time(e) && start_of(&s->p->events[top - 1]) > e->start;
		     top = next) {
			next = s->outer[top - 1];
			s->outer[top - 1] = i;
		}
		s->outer[i - 1] = top;
		top = i;
	}
	for (; top; top = next) {
		next = s->outer[top - 1];
		s->outer[top - 1] = 0;
	}
}

static void find_nests(struct rec_tracer *s)
{
	for (uint32_t i = 0; i < s->nms; i++) {
		if (!s->ms[i].off.nests || !s->ms[i].off.exact || s->nlinks >= SLEPT)
			continue;
		if (!s->outer)
			s->outer = calloc(s->nlinks, sizeof(*s->outer));
		if (rec_tracer_failed(s, s->outer ? 0 : TP_ENOMEM))
			return;
		find_outer(s, &s->ms[i]);
	}
}

/* Returns the wait or call around the next record that the thread was in at `time`, and its number in *record; NULL:
 * none. */
static const struct rec_event *outer_at(const struct rec_tracer *s, const struct rec_machine *m,
					uint64_t time, uint32_t *record)
{
	uint32_t at = m->at;

	*record = REC_NO_RECORD;
	while (at && s->outer && (at = s->outer[at - 1] & ~SLEPT)) {
		if (s->p->events[at - 1].start <= time) {
			*record = at - 1;
			return &s->p->events[at - 1];
		}
	}
	return m->at && m->present && m->present->start <= time ? m->present : NULL;
}

/* ---- stacks of waits that no hook sees ---- */

/* Lists looks and CPU samples by thread. `of` is sorted. */
static void list_stacks(struct rec_tracer *s, const struct rec_thread_of *of, size_t n)
{
	const struct rec_process *p = s->p;
	uint32_t *last = calloc(s->nms + (size_t)1, sizeof(*last)), i, k;
	struct tp_ids at = {0};

	s->look_next = calloc(p->nlooks + 1, sizeof(*s->look_next));
	if (!last || !s->look_next || p->nlooks >= UINT32_MAX)
		s->code = TP_ENOMEM;
	for (size_t t = n; t-- && !s->code;)
		rec_tracer_failed(s, tp_ids_put(&at, of[t].tid, (uint32_t)t));
	for (i = 0; i < p->nlooks && !s->code; i++) {
		if ((k = tp_ids_get(&at, p->looks[i].tid)) == TP_NO_ID)
			continue;
		while (k + 1 < n && of[k + 1].tid == of[k].tid &&
		       of[k + 1].start <= p->looks[i].start)
			k++;
		k = of[k].m;
		*(last[k] ? &s->look_next[last[k] - 1] : &s->ms[k].off.looks) = i + 1;
		last[k] = i + 1;
	}
	tp_ids_release(&at);
	if (!s->code)
		memset(last, 0, s->nms * sizeof(*last));
	/* Samples are all in one list (tracer_stream.c). */
	i = s->code ? 0 : rec_tracer_m(s, 0)->first;
	for (; i; i = s->links[i - 1].next) {
		if (p->events[i - 1].kind != REC_CPU || !p->events[i - 1].stack ||
		    (k = rec_tracer_known_m(s, p->events[i - 1].m)) == TP_NO_ID)
			continue;
		*(last[k] ? &s->links[last[k] - 1].other : &s->ms[k].off.samples) = i;
		last[k] = i;
	}
	free(last);
}

/* Returns the stack of the time off that a thread is in. */
static uint32_t stack_of(const struct rec_tracer *s, struct rec_off *o)
{
	const struct rec_look *l = NULL;
	const struct rec_event *e;
	uint32_t next;

	for (; o->look; o->look = s->look_next[o->look - 1]) {
		l = &s->p->looks[o->look - 1];
		if (l->start >= o->from)
			break;
		l = NULL;
	}
	if (l && l->end <= o->in && l->stack)
		return l->stack;
	while ((next = o->sample ? s->links[o->sample - 1].other : o->samples) &&
	       s->p->events[next - 1].end <= o->from)
		o->sample = next;
	e = o->sample ? &s->p->events[o->sample - 1] : NULL;
	next = e && e->end >= o->stack_ns ? e->stack : o->stack;
	return next ? next | REC_LAST_STACK : 0;
}

void rec_off_find(struct rec_tracer *s)
{
	const struct rec_process *p = s->p;
	struct rec_thread_of *of;
	size_t n;

	if (!p->switches || p->nswitches >= UINT32_MAX)
		return;
	s->switch_next = calloc(p->nswitches + 1, sizeof(*s->switch_next));
	s->switch_lead = calloc(p->nswitches + 1, sizeof(*s->switch_lead));
	of = list_threads(s, &n);
	if (!s->switch_next || !s->switch_lead || !of)
		s->code = TP_ENOMEM;
	if (!s->code)
		list_switches(s, of, n);
	if (!s->code)
		end_lost(s);
	if (!s->code)
		find_leads(s);
	if (!s->code)
		find_nests(s);
	if (!s->code)
		list_stacks(s, of, n);
	free(of);
}

/* ---- the next time off ---- */

/* Returns when switches were lost on a processor between two moments: from the first to the last. */
static bool lost_between(const struct rec_tracer *s, uint32_t cpu, uint64_t from, uint64_t to,
			 struct rec_lost *lost)
{
	size_t low = 0, high = s->nlost;
	bool any = false;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->lost[middle].end <= from)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < s->nlost && s->lost[low].first < to; low++) {
		const struct rec_lost *l = &s->lost[low];

		if ((cpu != UINT32_MAX && l->cpu != UINT32_MAX && l->cpu != cpu) || l->start >= to)
			continue;
		if (!any)
			*lost = *l;
		lost->end = l->end;
		any = true;
	}
	if (any && lost->start < from)
		lost->start = from;
	if (any && lost->end > to)
		lost->end = to;
	return any;
}

/* Returns when the switch to a thread began that ended at `in`. */
static uint64_t began(const struct rec_tracer *s, const struct rec_off *o, uint64_t in)
{
	uint32_t most = s->switch_lead[o->at - 1], lead = o->lead < most ? o->lead : most;

	return in - lead > o->out ? in - lead : o->out;
}

/* Where the switches of a thread do not alternate, some between them were lost. */
static void next_off(const struct rec_tracer *s, struct rec_off *o)
{
	struct rec_lost lost;

	while (o->at) {
		const struct rec_event *e = &s->p->switches[o->at - 1], *next;
		uint64_t until;

		o->at = s->switch_next[o->at - 1];
		next = o->at ? &s->p->switches[o->at - 1] : NULL;
		until = next ? next->end : NEVER;
		if (e->kind == REC_SWITCH_OUT) {
			o->out = o->from = e->end;
			o->woken = false;
			o->wake = s->switch_wake && o->at ? s->switch_wake[o->at - 1] : 0;
			o->in = next && next->kind == REC_SWITCH_IN ? began(s, o, until) : until;
			o->over = e->flags & REC_SWITCH_EXIT;
			o->reason = e->flags & REC_SWITCH_RUNNABLE ? REC_ON_PREEMPTED
				    : s->p->events_end_ns && until > s->p->events_end_ns
					? REC_ON_UNKNOWN
					: REC_ON_KERNEL;
			if (s->nlost && lost_between(s, UINT32_MAX, e->end, until, &lost)) {
				o->reason = REC_ON_UNKNOWN;
				if (next && next->kind == REC_SWITCH_OUT)
					o->in = lost.end;
			}
			return;
		}
		if (s->nlost && lost_between(s, rec_switch_cpu(e), e->end, until, &lost)) {
			o->out = o->from = lost.start;
			o->woken = false;
			o->wake = 0;
			o->in = next && next->kind == REC_SWITCH_IN ? until : lost.end;
			o->over = false;
			o->reason = REC_ON_UNKNOWN;
			return;
		}
	}
	o->out = NEVER;
}

/* ---- steps ---- */

/* Ends a piece of a wait when the thread was made runnable. */
static void end_at_wake(const struct rec_tracer *s, const struct rec_off *o,
			struct rec_event *piece)
{
	uint64_t at = s->p->switches[o->wake - 1].end;

	if (at <= piece->start || at >= piece->end)
		return;
	piece->end = at;
	piece->flags |= REC_WOKEN;
	piece->cpu = s->switch_lead[o->wake - 1];
}

/* A switch whose length is a guess does not begin before what has woken the thread. */
static void end_after_post(const struct rec_tracer *s, const struct rec_off *o, uint32_t record,
			   struct rec_event *piece)
{
	uint32_t post = record == REC_NO_RECORD ? 0 : s->links[record].other;
	uint64_t at = post ? s->p->events[post - 1].end : 0;

	if (at >= piece->end && o->at && at < s->p->switches[o->at - 1].end)
		piece->end = at + 1;
}

/* Makes a piece of the time off the next step: as part of a wait or call, or by itself. */
static void take_piece(const struct rec_tracer *s, struct rec_machine *m,
		       const struct rec_event *of, uint32_t record, uint64_t until)
{
	struct rec_off *o = &m->off;
	struct rec_event *piece = &o->piece[o->turn ^= 1];

	*piece = (struct rec_event){.kind = REC_BLOCK, .arg = o->reason};
	/* A wait that is known by switches alone (--pid) is not known where they are lost. */
	if (of &&
	    !(of->kind == REC_BLOCK && of->arg == REC_ON_KERNEL && o->reason == REC_ON_UNKNOWN)) {
		*piece = *of;
		piece->flags &= REC_TIMED_OUT;
	} else if (o->reason == REC_ON_KERNEL) {
		piece->stack = stack_of(s, o);
	}
	if (piece->kind == REC_SYSCALL)
		piece->flags |= REC_SYSCALL_BLOCKED;
	piece->m = m->id;
	piece->start = o->out;
	piece->end = o->in < until ? o->in : until;
	if (of && piece->kind == REC_BLOCK)
		end_after_post(s, o, record, piece);
	if (o->woken)
		piece->flags |= REC_RUNNABLE;
	else if (o->wake && piece->kind == REC_BLOCK && !rec_is_runnable(piece->arg))
		end_at_wake(s, o, piece);
	o->step = piece;
	o->record = record;
	o->what = REC_OFF_PIECE;
}

static void take_record(struct rec_off *o, const struct rec_event *e, uint32_t record)
{
	o->step = e;
	o->record = record;
	o->what = REC_OFF_RECORD;
}

/* The thread is over, which only the kernel has seen. */
static void take_end(struct rec_machine *m)
{
	struct rec_off *o = &m->off;
	struct rec_event *end = &o->piece[o->turn ^= 1];

	*end = (struct rec_event){.kind = REC_THREAD_END, .m = m->id, .end = o->out};
	take_record(o, end, REC_NO_RECORD);
	o->what = REC_OFF_PIECE;
}

/* A system call in which the thread was never off: it takes no time. */
static void take_call(struct rec_machine *m, const struct rec_event *e, uint32_t record)
{
	struct rec_off *o = &m->off;
	struct rec_event *call = &o->piece[o->turn ^= 1];

	*call = *e;
	call->flags = 0;
	call->end = e->start;
	take_record(o, call, record);
}

/* Returns whether the thread, which still waits when the trace ends, is woken at `in` only to be killed: it ends soon,
 * though it may be preempted before. */
static bool dies(const struct rec_tracer *s, const struct rec_off *o)
{
	uint64_t in = 0, ran = 0;

	for (uint32_t at = o->at; at; at = s->switch_next[at - 1]) {
		const struct rec_event *e = &s->p->switches[at - 1];

		if (e->kind == REC_SWITCH_IN)
			in = e->end;
		if (e->kind != REC_SWITCH_OUT)
			continue;
		ran += in ? e->end - in : 0;
		in = 0;
		if (!e->flags || ran > MOST_DYING_NS)
			return false;
		if (e->flags & REC_SWITCH_EXIT)
			return true;
	}
	return false;
}

/* Goes to the record after this one. */
static void leave_record(const struct rec_tracer *s, struct rec_machine *m)
{
	struct rec_off *o = &m->off;

	if (m->at && s->p->events[m->at - 1].stack) {
		o->stack = s->p->events[m->at - 1].stack;
		o->stack_ns = s->p->events[m->at - 1].end;
	}
	if (m->at)
		m->at = s->links[m->at - 1].next;
	else
		o->done = true;
	o->slept = m->at && s->outer && s->outer[m->at - 1] & SLEPT;
}

/* Goes to the next step of a thread whose switches are known. Returns whether it has one. */
static bool find_exactly(const struct rec_tracer *s, struct rec_machine *m)
{
	struct rec_off *o = &m->off;

	for (;;) {
		const struct rec_event *e = m->at ? &s->p->events[m->at - 1] : m->present;
		uint32_t record = m->at ? m->at - 1 : REC_NO_RECORD;
		bool takes_time, inside;
		uint64_t from, end;

		if (!m->at && o->done)
			e = NULL;
		if (!e && o->out == NEVER)
			return false;
		takes_time = e && rec_takes_time(e);
		from = !e ? NEVER : takes_time ? e->start : e->end;
		end = m->at && e ? e->end : NEVER;
		/* The kernel has seen more of a thread's beginning and end than its hooks. */
		if (e && e->kind == REC_THREAD_START && o->first && o->begun < e->end)
			from = o->begun;
		if (e && e->kind == REC_THREAD_END && o->ended && o->exit > e->end)
			from = o->exit;
		inside = takes_time && o->out >= from && o->out < end;
		if (o->out < from && !inside) {
			const struct rec_event *outer = NULL;

			if (o->reason == REC_ON_KERNEL || o->reason == REC_ON_UNKNOWN)
				outer = outer_at(s, m, o->out, &record);
			if (outer && record != REC_NO_RECORD)
				s->outer[record] |= SLEPT;
			if (o->over && !e)
				take_end(m);
			else
				take_piece(s, m, outer, outer ? record : REC_NO_RECORD, from);
			return true;
		}
		if (inside) {
			bool part = o->reason == REC_ON_KERNEL || o->reason == REC_ON_UNKNOWN ||
				    (o->reason == REC_ON_PREEMPTED && e->arg == REC_ON_YIELD &&
				     e->kind == REC_BLOCK);

			if (!m->at && part && dies(s, o)) {
				o->in = NEVER;
				o->at = o->wake = 0;
			}
			o->slept = o->slept || (part && !o->over);
			if (o->over)
				take_end(m);
			else
				take_piece(s, m, part ? e : NULL, record, end);
			return true;
		}
		if (!takes_time) {
			take_record(o, e, record);
			o->time = from;
			return true;
		}
		if (m->at && e->kind == REC_SYSCALL && !o->slept) {
			take_call(m, e, record);
			return true;
		}
		leave_record(s, m);
	}
}

/* Returns the next record with a CPU time after that of number `at` (+ 1), or NULL. The last is THREAD_USAGE, unless
 * the thread was in a wait then. */
static const struct rec_event *next_cpu(const struct rec_tracer *s, const struct rec_machine *m,
					uint32_t at)
{
	while (at && (at = s->links[at - 1].next))
		if (s->p->events[at - 1].cpu)
			return &s->p->events[at - 1];
	if (m->present)
		return m->present->cpu ? m->present : NULL;
	return m->usage;
}

/* Returns the share of the time since the last record with a CPU time, until the next (NULL: none), for which the
 * thread was off. (The CPU time of a SYSCALL includes the call.) */
static double share_off(const struct rec_off *o, const struct rec_event *b)
{
	uint64_t wall, cpu;

	if (!b || !o->clock.cpu)
		return 0;
	wall = (rec_takes_time(b) ? b->start : b->end) - o->clock.at;
	cpu = (uint64_t)(b->cpu - o->clock.cpu) << REC_CPU_SHIFT;

	if (wall > INT64_MAX || cpu + LEAST_OFF_NS >= wall)
		return 0;
	/* It wraps. */
	cpu += (wall - cpu) >> (32 + REC_CPU_SHIFT) << (32 + REC_CPU_SHIFT);
	return (double)(wall - cpu) / (double)wall;
}

/* Notes the CPU time of a record, and for which share of the time after it the thread is off. */
static void leave_clock(const struct rec_tracer *s, struct rec_machine *m,
			const struct rec_event *e)
{
	struct rec_off *o = &m->off;

	o->clock.free = e->end;
	if (!e->cpu || e == m->usage)
		return;
	o->clock.cpu = e->cpu;
	o->clock.at = e->end;
	o->share = share_off(o, next_cpu(s, m, m->at));
}

/* Notes how long the thread was off before a record: the time off is spread evenly over the time between records
 * with CPU times. */
static void note_cpu(const struct rec_tracer *s, struct rec_machine *m, const struct rec_event *e)
{
	struct rec_off *o = &m->off;
	uint64_t until = rec_takes_time(e) ? e->start : e->end, wall = until - o->clock.free;

	o->clock_before = o->clock;
	o->out = NEVER;
	if (o->share > 0 && wall <= INT64_MAX && (double)wall * o->share > LEAST_OFF_NS) {
		o->out = until - (uint64_t)((double)wall * o->share);
		o->in = until;
		o->over = false;
		o->reason = REC_ON_NO_CPU;
	}
	leave_clock(s, m, e);
}

/* Finds the next step of a thread by its CPU times: each record is whole. */
static bool find_by_cpu(const struct rec_tracer *s, struct rec_machine *m)
{
	struct rec_off *o = &m->off;
	const struct rec_event *e = m->at ? &s->p->events[m->at - 1] : m->present;

	if (o->done)
		return false;
	if (!e) {
		/* The rest, until it was killed. */
		o->done = true;
		o->clock_before = o->clock;
		if (!m->usage || m->usage->end <= o->clock.free || o->share <= 0)
			return false;
		note_cpu(s, m, m->usage);
		o->in = NEVER;
		if (o->out != NEVER)
			take_piece(s, m, NULL, REC_NO_RECORD, NEVER);
		return o->out != NEVER;
	}
	if (!o->slept) {
		note_cpu(s, m, e);
		o->slept = true;
	}
	if (o->out != NEVER) {
		take_piece(s, m, NULL, REC_NO_RECORD, NEVER);
	} else {
		take_record(o, e, m->at ? m->at - 1 : REC_NO_RECORD);
		o->time = rec_takes_time(e) ? e->start : e->end;
	}
	return true;
}

/* Finds the next step, and its time. */
static bool find(const struct rec_tracer *s, struct rec_machine *m)
{
	struct rec_off *o = &m->off;

	if (!(o->exact ? find_exactly(s, m) : find_by_cpu(s, m)))
		return false;
	if (rec_takes_time(o->step))
		o->time = o->step->start;
	else if (o->what == REC_OFF_PIECE)
		o->time = o->step->end;
	m->time = o->time > m->before ? o->time : m->before;
	return true;
}

/* Goes on where the part before has ended, maybe in the middle of a time off or of the first record. */
static bool go_on_by_cpu(const struct rec_tracer *s, struct rec_machine *m)
{
	struct rec_off *o = &m->off;
	const struct rec_event *e = m->at ? &s->p->events[m->at - 1] : m->present;
	bool off = m->kept_ending && o->what == REC_OFF_PIECE;

	o->clock = o->clock_before;
	o->share = share_off(o, e && e->cpu ? e : next_cpu(s, m, m->at));
	if (off)
		m->ending = false;
	if (m->ending && e) {
		leave_clock(s, m, e);
		o->slept = true;
	}
	if (!find(s, m))
		return false;
	if (off && o->what == REC_OFF_PIECE)
		m->ending = true;
	if (m->ending)
		m->time = o->step->end > m->before ? o->step->end : m->before;
	return true;
}

bool rec_off_rewind(const struct rec_tracer *s, struct rec_machine *m)
{
	struct rec_off *o = &m->off;
	const struct rec_event *first = o->first ? &s->p->switches[o->first - 1] : NULL;

	o->at = o->first;
	o->out = NEVER;
	o->begun = first && first->kind == REC_SWITCH_IN ? first->end : NEVER;
	o->exit = o->ended ? s->p->switches[o->last - 1].end : 0;
	o->done = o->slept = false;
	o->look = o->looks;
	o->sample = 0;
	if (!o->exact && s->from)
		return go_on_by_cpu(s, m);
	o->share = 0;
	o->clock = (struct rec_clock){0};
	if (o->exact)
		next_off(s, o);
	return find(s, m);
}

/* Goes to the rest of a time off. */
static void go_on_off(struct rec_off *o)
{
	o->out = o->step->end;
	if (!(o->step->flags & REC_WOKEN))
		return;
	o->woken = true;
	o->reason = REC_ON_PREEMPTED;
}

bool rec_off_advance(const struct rec_tracer *s, struct rec_machine *m)
{
	struct rec_off *o = &m->off;

	if (rec_takes_time(o->step) && !m->ending) {
		uint64_t end = o->step->end;

		m->ending = true;
		/* Not over when the trace ends. */
		if (end == NEVER || (o->what == REC_OFF_RECORD && o->record == REC_NO_RECORD))
			return false;
		m->time = end > m->before ? end : m->before;
		return true;
	}
	m->ending = false;
	if (o->what == REC_OFF_RECORD)
		leave_record(s, m);
	else if (o->exact && o->step->kind != REC_THREAD_END && o->step->end < o->in)
		go_on_off(o);
	else if (o->exact)
		next_off(s, o);
	else
		o->out = NEVER;
	return find(s, m);
}
