/* Finds the part of each batch that makes sense by itself. Damaged bytes mostly decode as some event,
 * so events must also have known stacks and strings, plausible ids and a time within the generation,
 * and must follow each other on their M (what runs must have been started, what blocks must be
 * running). The batch is cut before the first event that does not. */
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "order/v2/salvage.h"

#define MAX_NEW_GS  (1u << 20) /* goroutine ids beyond the largest known */
#define MAX_NEW_PS  256	       /* likewise */
#define MAX_SEQ	    ((uint64_t)1 << 40)
#define MAX_THREAD  ((uint64_t)1 << 32)
#define TIME_MARGIN 1000000 /* ns, and an eighth of the generation */

struct bounds {
	uint64_t g, p; /* the largest ids */
	int64_t ts;
};

/* What an M is known to have, judged by its own stream alone. */
enum holds { UNKNOWN, NOTHING, RUNNING, SYSCALL };

static struct bounds bounds_of(struct tp_v2_order *o)
{
	const struct tp_v2_generation *g = &o->g;
	struct bounds b = {.g = UINT64_MAX, .p = UINT16_MAX, .ts = INT64_MAX};
	uint64_t last = 0;

	for (; o->nmost_g < o->trace->ng; o->nmost_g++)
		if (o->trace->g_id[o->nmost_g] > o->most_g)
			o->most_g = o->trace->g_id[o->nmost_g];
	if (o->nmost_g)
		b.g = o->most_g;
	if (b.g < UINT64_MAX - MAX_NEW_GS)
		b.g += MAX_NEW_GS;
	for (; o->nmost_p < o->trace->np; o->nmost_p++)
		if ((uint64_t)o->trace->p_id[o->nmost_p] > o->most_p)
			o->most_p = (uint64_t)o->trace->p_id[o->nmost_p];
	if (o->nmost_p)
		b.p = o->most_p;
	if (o->trace->np && b.p < UINT64_MAX - MAX_NEW_PS)
		b.p += MAX_NEW_PS;
	/* Tables are written at the end of a generation, so if they are missing its end is missing too. */
	if (!g->tables[TP_V2_BATCH_STRINGS].first || !g->tables[TP_V2_BATCH_STACKS].first)
		return b;
	for (size_t i = 0; i < g->npieces; i++)
		if (g->pieces[i].time > last)
			last = g->pieces[i].time;
	last += (last - g->min_time) / 8;
	b.ts = tp_v2_ns(g->ns_per_tick, last);
	b.ts = b.ts < INT64_MAX - TIME_MARGIN ? b.ts + TIME_MARGIN : INT64_MAX;
	return b;
}

static const char *argument_fault(const struct tp_v2_order *o, const struct bounds *b,
				  const char *name, uint64_t v)
{
	const char *kind = strrchr(name, '_');

	kind = kind ? kind + 1 : name;
	if (!strcmp(kind, "stack"))
		return !o->lenient && tp_ids_get(&o->g.stacks, v) == TP_NO_ID
			   ? "a stack is not known"
			   : NULL;
	if (!strcmp(kind, "string"))
		return !o->lenient && tp_ids_get(&o->g.strings, v) == TP_NO_ID
			   ? "a string is not known"
			   : NULL;
	if (!strcmp(kind, "g"))
		return v > b->g ? "a goroutine's id is implausible" : NULL;
	if (!strcmp(kind, "p"))
		return v > b->p ? "a P's id is implausible" : NULL;
	if (!strcmp(kind, "seq"))
		return v > MAX_SEQ ? "a sequence number is implausible" : NULL;
	if (!strcmp(kind, "m"))
		return v > MAX_THREAD && v != UINT64_MAX ? "a thread's id is implausible" : NULL;
	if (!strcmp(kind, "gstatus"))
		return !v || v >= TP_V2_NGSTATUS ? "a status is invalid" : NULL;
	if (!strcmp(kind, "pstatus"))
		return !v || v >= TP_V2_NPSTATUS ? "a status is invalid" : NULL;
	return NULL;
}

static const char *order_fault(uint8_t type, const uint64_t *args, uint64_t m, enum holds *holds)
{
	enum holds was = *holds;

	switch (type) {
	case TP_V2_GoStart:
		*holds = RUNNING;
		return was == RUNNING || was == SYSCALL ? "a goroutine starts while another runs"
							: NULL;
	case TP_V2_GoBlock:
	case TP_V2_GoStop:
	case TP_V2_GoDestroy:
		*holds = NOTHING;
		return was == NOTHING || was == SYSCALL ? "a goroutine stops while none runs"
							: NULL;
	case TP_V2_GoSwitch:
	case TP_V2_GoSwitchDestroy:
		*holds = RUNNING;
		return was == NOTHING || was == SYSCALL ? "a goroutine switches while none runs"
							: NULL;
	case TP_V2_GoSyscallBegin:
		*holds = SYSCALL;
		return was == NOTHING || was == SYSCALL ? "a syscall begins while no goroutine runs"
							: NULL;
	case TP_V2_GoSyscallEnd:
		*holds = RUNNING;
		return was == NOTHING || was == RUNNING ? "a syscall ends that has not begun"
							: NULL;
	case TP_V2_GoSyscallEndBlocked:
		*holds = NOTHING;
		return was == NOTHING || was == RUNNING ? "a syscall ends that has not begun"
							: NULL;
	case TP_V2_GoCreateSyscall:
		*holds = SYSCALL;
		return was == RUNNING || was == SYSCALL ? "a callback begins while a goroutine runs"
							: NULL;
	case TP_V2_GoDestroySyscall:
		*holds = NOTHING;
		return was == NOTHING || was == RUNNING ? "a callback ends that has not begun"
							: NULL;
	case TP_V2_GoStatus:
	case TP_V2_GoStatusStack:
		if (args[2] == TP_V2_G_RUNNING)
			*holds = RUNNING;
		else if (args[2] == TP_V2_G_SYSCALL && args[1] == m)
			*holds = SYSCALL;
		return NULL;
	default:
		return NULL;
	}
}

/* Checks the event at in->at. Returns NULL with `in` after it, or what is wrong with it. Adds its dt to
 * *ts, unless `counted`: then *ts includes it. */
static const char *event_fault(const struct tp_v2_order *o, const struct bounds *b,
			       struct tp_cursor *in, uint64_t m, int64_t *ts, bool counted,
			       enum holds *holds)
{
	uint8_t type = tp_cursor_u8(in);
	const struct tp_v2_wire_event *w = type < TP_V2_NWIRES ? &tp_v2_wires[type] : NULL;
	uint64_t args[TP_V2_MAX_ARGS] = {0};
	const char *what = NULL;
	int64_t dt, after;

	if (!w || !tp_v2_arity[type] || type == TP_V2_ClockSnapshot || w->since > o->g.version)
		return "not an event";
	dt = tp_v2_ns(o->g.ns_per_tick, tp_cursor_uvarint(in));
	for (unsigned i = 1; i < w->nargs; i++)
		args[i - 1] = tp_cursor_uvarint(in);
	if (in->failed)
		return tp_cursor_fault_text(in->failed);
	if (counted)
		dt = 0;
	/* The time of the batch may be damaged, too: sums may overflow. */
	if (dt < 0 || *ts > b->ts || __builtin_add_overflow(*ts, dt, &after) || after > b->ts)
		return "a time is beyond the generation";
	*ts = after;
	for (unsigned i = 1; i < w->nargs && !what; i++)
		what = argument_fault(o, b, w->args[i], args[i - 1]);
	return what ? what : order_fault(type, args, m, holds);
}

/* Damage is noticed a little late, so events that begin in the last BACK_OFF bytes before it are cut, too;
 * but not if the input just ends there. */
#define BACK_OFF 64

static int cut(struct tp_v2_order *o, struct tp_v2_piece *p, const struct tp_v2_chain *stream,
	       uint64_t at, int64_t ts, const char *what)
{
	struct tp_loss loss = {
	    .offset = at,
	    .bytes = p->offset + p->size - at,
	    .from_ns = ts,
	    .to_ns =
		p->next ? tp_v2_ns(o->g.ns_per_tick, o->g.pieces[p->next - 1].time) : INT64_MIN};

	snprintf(loss.reason, sizeof(loss.reason), "generation %llu, batch of M %lld: %s",
		 (unsigned long long)o->g.number, (long long)stream->m, what);
	p->lost = (uint32_t)loss.bytes;
	p->size -= p->lost;
	return tp_trace_add_loss(o->trace, &loss) ? tp_nomem(o->err) : 0;
}

static int audit_stream(struct tp_v2_order *o, const struct bounds *b, size_t i, bool running,
			size_t *ncut)
{
	const struct tp_v2_chain *stream = &o->g.streams[i];
	const struct tp_v2_cursor *c = running ? &o->f.cursors[i] : NULL;
	/* This holds for an M with known state, too: the state may be wrong rather than the event. */
	enum holds holds = UNKNOWN;
	uint32_t next = c ? c->piece : stream->first;

	for (; next; c = NULL) {
		struct tp_v2_piece *p = &o->g.pieces[next - 1];
		struct tp_cursor in = tp_cursor(o->g.data + p->offset, p->size);
		struct { /* the last events, in a ring: where they begin, and the time before them
			  */
			const uint8_t *at;
			int64_t ts;
		} last[BACK_OFF];
		int64_t ts = c ? c->ts : tp_v2_ns(o->g.ns_per_tick, p->time);
		const char *what = NULL;
		size_t n = 0, keep;
		int code;

		if (c)
			in.at = c->from;
		next = p->next;
		while (in.at < in.end && !what) {
			last[n % BACK_OFF].at = in.at;
			last[n % BACK_OFF].ts = ts;
			what = event_fault(o, b, &in, stream->m, &ts, c && !n, &holds);
			n++;
		}
		if (!what)
			continue;
		keep = n - 1;
		if (in.failed != TP_CURSOR_END || p->offset + p->size < o->g.size)
			while (keep > 0 && n - keep < BACK_OFF &&
			       last[(n - 1) % BACK_OFF].at - last[(keep - 1) % BACK_OFF].at <=
				   BACK_OFF)
				keep--;
		code = cut(o, p, stream, (uint64_t)(last[keep % BACK_OFF].at - o->g.data),
			   last[keep % BACK_OFF].ts, what);
		if (code)
			return code;
		++*ncut;
		holds = UNKNOWN;
	}
	return 0;
}

int tp_v2_salvage_audit(struct tp_v2_order *o, bool running, size_t *ncut)
{
	struct bounds b = bounds_of(o);

	*ncut = 0;
	for (size_t i = 0; i < o->g.nstreams; i++) {
		int code = audit_stream(o, &b, i, running, ncut);

		if (code)
			return code;
	}
	return 0;
}
