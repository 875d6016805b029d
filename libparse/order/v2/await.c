#include "order/v2/salvage.h"

/* How far ahead salvage searches for the event that another one waits for, in ns: a long delay between
 * threads of a busy machine. */
#define SALVAGE_HORIZON 1000000

/* How long an event may wait for others that wait themselves, in ns. */
#define SALVAGE_PATIENCE 100000

/* What an event waits for: another event that names this goroutine or P with the preceding sequence number,
 * or one that reports its status. */
struct need {
	bool of_p;
	uint64_t id, have, seq;	      /* the awaited number is in (have, seq] */
	const struct tp_v2_m *holder; /* any event of this M satisfies it, too */
	bool gc;
};

static bool find_need(const struct tp_v2_order *o, const struct tp_v2_cursor *c, struct need *need)
{
	const struct tp_v2_state *s = &o->s;
	const uint8_t *p = c->at;
	const struct tp_v2_g *g;
	const struct tp_v2_p *proc;

	*need = (struct need){0};
	switch (c->type) {
	case TP_V2_GoStart:
	case TP_V2_GoUnblock:
	case TP_V2_GoSwitch:
	case TP_V2_GoSwitchDestroy:
		need->id = tp_v2_varint(&p);
		need->seq = tp_v2_varint(&p) - 1;
		g = tp_v2_g_find(s, need->id);
		if (g && g->seq_gen == o->g.number)
			need->have = g->seq;
		if (g && g->seq_gen == o->g.number && g->seq == need->seq)
			need->holder = tp_v2_holder_of_g(s, g);
		return true;
	case TP_V2_ProcStart:
	case TP_V2_ProcSteal:
		need->of_p = true;
		need->id = tp_v2_varint(&p);
		need->seq = tp_v2_varint(&p) - 1;
		proc = tp_v2_p_find(s, need->id);
		if (proc && proc->seq_gen == o->g.number)
			need->have = proc->seq;
		if (c->type == TP_V2_ProcStart && c->m->p->index != TP_NONE) {
			need->id = c->m->p->id; /* first, its own P has to be stolen */
			need->have = c->m->p->seq;
			need->seq = UINT64_MAX;
		} else if (proc && proc->seq_gen == o->g.number && proc->seq <= need->seq) {
			/* The next number may also come up in a system call of its M. */
			need->holder = tp_v2_holder_of_p(s, proc);
		}
		return true;
	case TP_V2_GoSyscallEndBlocked:
		need->of_p = true;
		need->id = c->m->p->id;
		need->have = c->m->p->seq;
		need->seq = UINT64_MAX;
		return true;
	case TP_V2_GCActive:
	case TP_V2_GCBegin:
	case TP_V2_GCEnd:
		need->gc = true;
		need->seq = tp_v2_varint(&p) - 1;
		return true;
	default:
		return false;
	}
}

static bool within(const struct need *need, uint64_t seq)
{
	return seq > need->have && seq <= need->seq;
}

/* Returns whether the event at cursor c satisfies the need. */
static bool answers(const struct need *need, const struct tp_v2_cursor *c)
{
	const uint8_t *p = c->at;
	uint64_t id;

	if (need->holder && c->m == need->holder && !c->m->lost)
		return true;
	switch (c->type) {
	case TP_V2_GoStart:
	case TP_V2_GoUnblock:
	case TP_V2_GoSwitch:
	case TP_V2_GoSwitchDestroy:
		id = tp_v2_varint(&p);
		return !need->of_p && !need->gc && id == need->id && tp_v2_varint(&p) == need->seq;
	case TP_V2_GoCreate:
	case TP_V2_GoCreateBlocked:
	case TP_V2_GoCreateSyscall:
	case TP_V2_GoStatus:
	case TP_V2_GoStatusStack:
		return !need->of_p && !need->gc && !need->have && tp_v2_varint(&p) == need->id;
	case TP_V2_ProcStart:
	case TP_V2_ProcSteal:
		id = tp_v2_varint(&p);
		return need->of_p && id == need->id && within(need, tp_v2_varint(&p));
	case TP_V2_ProcStatus:
		return need->of_p && !need->have && tp_v2_varint(&p) == need->id;
	case TP_V2_GCActive:
	case TP_V2_GCBegin:
	case TP_V2_GCEnd:
		return need->gc && tp_v2_varint(&p) == need->seq;
	default:
		return false;
	}
}

static void skip_arguments(struct tp_v2_cursor *c)
{
	for (unsigned i = 1; i < tp_v2_arity[c->type]; i++)
		tp_v2_varint(&c->at);
}

static int64_t later(int64_t ts, int64_t by)
{
	return ts > INT64_MAX - by ? INT64_MAX : ts + by;
}

/* If clocks differ, the awaited event is still near in time, so all streams are searched up to a limit that
 * grows in steps. */
bool tp_v2_awaited(struct tp_v2_order *o, const struct tp_v2_cursor *c)
{
	struct need need;
	bool more = true;

	if (o->work <= o->s.nms) { /* finding a holder costs that much */
		o->work = 0;
		return !o->salvage;
	}
	o->work -= o->s.nms;
	if (!find_need(o, c, &need))
		return true;
	for (int64_t ahead = TP_V2_PATIENCE_NS * 4; more; ahead *= 16) {
		bool last = ahead > (o->salvage ? SALVAGE_HORIZON : INT64_MAX / 32);
		int64_t until = last && !o->salvage ? INT64_MAX : later(c->ts, ahead);

		more = false;
		for (size_t i = 0; i < o->f.n; i++) {
			struct tp_v2_cursor it = *(struct tp_v2_cursor *)o->f.heap[i].of;
			struct tp_v2_frontier f = {.g = o->f.g};
			int got = 1;

			if (it.m == c->m)
				continue;
			while (got > 0 && it.ts <= until) {
				if (!o->work)
					return !o->salvage;
				o->work--;
				if (answers(&need, &it))
					return true;
				skip_arguments(&it);
				got = tp_v2_cursor_next_slow(&f, &it, NULL);
			}
			more |= got > 0;
		}
		if (last)
			break;
	}
	return false;
}

size_t tp_v2_in_vain(struct tp_v2_order *o, size_t n, int64_t ts)
{
	const struct tp_v2_entry *h = o->f.heap;
	const struct tp_v2_cursor *root = h[0].of;
	int64_t patience = o->salvage ? 0 : TP_V2_PATIENCE_NS;
	int64_t waited = root->ts < 0 && ts > INT64_MAX + root->ts ? INT64_MAX : ts - root->ts;

	if (waited <= patience || (o->waiting == root->from && ts <= o->patience))
		return n;
	if (!o->work)
		return o->salvage ? 0 : n;
	for (size_t i = 0; i < n; i++)
		if (!tp_v2_awaited(o, h[i].of))
			return i;
	if (o->salvage && waited > SALVAGE_PATIENCE)
		return 0; /* they wait for each other */
	o->waiting = root->from;
	o->patience = o->salvage ? ts : later(ts, waited);
	return n;
}
