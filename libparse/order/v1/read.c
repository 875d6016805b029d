#include "order/v1/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define PROGRESS_EVENTS 65536

static const char *const reason_texts[TP_V1_NTYPES] = {
    [TP_V1_GO_STOP] = "forever",
    [TP_V1_GO_SCHED] = "runtime.Gosched",
    [TP_V1_GO_PREEMPT] = "preempted",
    [TP_V1_GO_SLEEP] = "sleep",
    [TP_V1_GO_BLOCK_SEND] = "chan send",
    [TP_V1_GO_BLOCK_RECV] = "chan receive",
    [TP_V1_GO_BLOCK_SELECT] = "select",
    [TP_V1_GO_BLOCK_SYNC] = "sync",
    [TP_V1_GO_BLOCK_COND] = "sync.(*Cond).Wait",
    [TP_V1_GO_BLOCK_NET] = "network",
    [TP_V1_GO_BLOCK_GC] = "GC mark assist wait for work",
};

/* By go 1.21's number of the reason (runtime/proc.go, stwReason). */
static const char *const stw_texts[17] = {
    "",
    "GC mark termination",
    "GC sweep termination",
    "write heap dump",
    "goroutine profile",
    "goroutine profile cleanup",
    "all goroutine stack trace",
    "read mem stats",
    "AllThreadsSyscall",
    "GOMAXPROCS",
    "start trace",
    "stop trace",
    "CountPagesInUse (test)",
    "ReadMetricsSlow (test)",
    "ReadMemStatsSlow (test)",
    "PageCachePagesLeaked (test)",
    "ResetDebugLog (test)",
};

static int intern_texts(struct tp_v1_order *o)
{
	struct tp_dict *d = o->trace->dict;
	int code = 0;

	for (unsigned i = 0; i < TP_V1_NTYPES && !code; i++)
		if (reason_texts[i])
			code = tp_dict_string(d, reason_texts[i], strlen(reason_texts[i]),
					      &o->reasons[i]);
	for (unsigned i = 0; i < 17 && !code; i++) {
		char name[64];
		int n = snprintf(name, sizeof(name), "stop-the-world (%s)", stw_texts[i]);

		code = tp_dict_string(d, name, (size_t)n, &o->stw_names[i]);
	}
	return code;
}

/* The same heap as in Go's order.go, because it decides the order of equal keys. */
static void push(struct tp_v1_order *o, struct tp_v1_lane *l)
{
	struct tp_v1_entry *h = o->frontier, x = {.key = l->ev.key, .lane = l};
	uint32_t j = o->nfrontier++;

	for (uint32_t i; j && x.key < h[i = (j - 1) / 2].key; j = i)
		h[j] = h[i];
	h[j] = x;
}

static struct tp_v1_lane *pop(struct tp_v1_order *o)
{
	struct tp_v1_entry *h = o->frontier, x;
	struct tp_v1_lane *top = h[0].lane;
	uint32_t n = --o->nfrontier, i = 0;

	x = h[n];
	for (uint32_t j; (j = 2 * i + 1) < n; i = j) {
		if (j + 1 < n && h[j + 1].key < h[j].key)
			j++;
		if (h[j].key >= x.key)
			break;
		h[i] = h[j];
	}
	h[i] = x;
	return top;
}

/* Returns whether the time of the lane's event lies within the possible range of its batch. In a
 * damaged file, an event far in the future would hold up its lane until the end. */
static bool plausible(const struct tp_v1_order *o, const struct tp_v1_lane *l)
{
	const struct tp_v1_index *ix = o->ix;
	const struct tp_v1_batch *b;

	if (l->ev.ticks < ix->batches[l->batch].ticks || l->ev.ticks > ix->horizon)
		return false;
	if (l->next == TP_V1_NO_BATCH)
		return true;
	b = &ix->batches[l->next];
	return o->version < 7 ? l->ev.key <= (int64_t)b->seq : l->ev.ticks <= b->ticks;
}

/* Decodes the lane's next event. Returns false at its end. */
static bool step(struct tp_v1_order *o, struct tp_v1_lane *l)
{
	bool more;

	if (unlikely(l->samples)) {
		l->ev.key = l->ev.ticks = o->queues[TP_V1_SAMPLES].earliest;
		l->ev.type = TP_V1_CPU_SAMPLE;
		return l->ev.key != INT64_MAX;
	}
	if (unlikely(l->has_peek)) {
		l->ev = l->peek;
		l->has_peek = false;
		more = true;
	} else {
		more = tp_v1_lane_next(o, l, &l->ev);
	}
	if (likely(!o->ix->damaged))
		return more;
	while (more && !plausible(o, l)) {
		o->dropped++;
		l->at = l->end;
		l->gap = true;
		more = tp_v1_lane_next(o, l, &l->ev);
	}
	/* In a truncated file every lane ends in the middle of its events. */
	if (l->begun && (l->gap || (!more && o->ix->truncated)))
		tp_v1_salvage_gap(o, l);
	l->gap = false; /* a loss before its first batch does not concern the lane */
	l->begun = true;
	return more;
}

static int fail(struct tp_v1_order *o, const struct tp_v1_lane *l, const char *why)
{
	uint64_t offset = (uint64_t)(l->ev.at - o->ix->data);

	return o->code = tp_err_set(o->err, TP_EFORMAT, offset, "%s at 0x%llx on P %d: %s",
				    tp_v1_names[l->ev.type], (unsigned long long)offset,
				    (int)l->pid, why);
}

/* Moves lanes whose event can happen now from `aside` into the frontier, in Go's order (tracev1's
 * parser: the loop over availableProcs). Unless a state has changed, only the lane added last is
 * checked. */
static void refill(struct tp_v1_order *o)
{
	uint32_t i = o->woken ? 0 : o->naside - 1;

	o->tries += o->naside;
	o->woken = false;
	while (i < o->naside) {
		struct tp_v1_lane *l = o->aside[i];

		if (likely(tp_v1_ready(o, l))) {
			if (unlikely(l->waiting)) {
				l->waiting = false;
				if (l->target)
					l->target->waiters--;
			}
			push(o, l);
			o->aside[i] = o->aside[--o->naside];
			continue;
		}
		if (!l->waiting) {
			l->waiting = true;
			if (l->target)
				l->target->waiters++;
		}
		i++;
	}
	o->blocked = INT64_MAX;
	for (i = 0; i < o->naside; i++)
		if (o->aside[i]->ev.key < o->blocked)
			o->blocked = o->aside[i]->ev.key;
}

/* Takes the lane whose event is earliest although it cannot happen. Returns NULL in strict mode,
 * because Go's readers fail here. */
static struct tp_v1_lane *take_blocked(struct tp_v1_order *o)
{
	uint32_t i = 0;
	struct tp_v1_lane *l;

	while (o->aside[i]->ev.key != o->blocked)
		i++;
	l = o->aside[i];
	if (o->opt->strict) {
		fail(o, l,
		     o->nfrontier ? "time stamps out of order"
				  : "no consistent ordering of events is possible");
		return NULL;
	}
	l->waiting = false;
	if (l->target)
		l->target->waiters--;
	o->aside[i] = o->aside[--o->naside];
	o->woken = true;
	return l;
}

/* Drops all remaining events and records the loss: too many Ps wait for each other too often for
 * ordering to end in time proportional to the input. */
static void give_up(struct tp_v1_order *o)
{
	struct tp_loss loss = {.from_ns = INT64_MIN, .to_ns = INT64_MIN};

	for (uint32_t i = 0; i < o->naside + o->nfrontier; i++) {
		const struct tp_v1_lane *l =
		    i < o->naside ? o->aside[i] : o->frontier[i - o->naside].lane;

		if (l->samples)
			continue;
		loss.bytes += (uint64_t)(l->end - l->ev.at);
		for (uint32_t b = l->next; b != TP_V1_NO_BATCH; b = o->ix->batches[b].next)
			loss.bytes += o->ix->batches[b].end - o->ix->batches[b].offset;
	}
	snprintf(loss.reason, sizeof(loss.reason),
		 "events of %u Ps were still waiting for each other after %llu attempts: what follows is "
		 "left out",
		 o->naside, (unsigned long long)o->most_tries);
	if (o->opt->strict)
		o->code = tp_err_set(o->err, TP_ELIMIT, TP_OFFSET_NONE, "%s", loss.reason);
	else if (!o->quiet && tp_trace_add_loss(o->trace, &loss))
		o->code = tp_nomem(o->err);
	o->naside = o->nfrontier = 0;
}

/* Fails in strict mode, otherwise counts an event whose time is before that of an earlier one. */
static int check_time(struct tp_v1_order *o, const struct tp_v1_lane *l)
{
	if (o->opt->strict)
		return fail(o, l, "time stamps out of order");
	if (!o->quiet)
		o->late++;
	return 0;
}

static void open_lanes(struct tp_v1_order *o)
{
	for (uint32_t i = 0; i <= o->ix->nchains && !o->code; i++)
		if (step(o, &o->lanes[i]))
			o->aside[o->naside++] = &o->lanes[i];
	o->woken = true;
}

/* Does the preparation that only few events need before they are merged. Returns 0 or an error
 * code. */
static int prepare(struct tp_v1_order *o, struct tp_v1_lane *l)
{
	if (l->ev.key > o->queues[TP_V1_EXITS].earliest && tp_v1_exits_until(o, l->ev.key, false))
		return o->code;
	if (!o->begun)
		tp_v1_begin(o, l->ev.ticks);
	if (l->unusual && !l->samples) {
		l->unusual = false;
		l->p = tp_v1_p_index(o, l->pid);
	}
	if ((l->ev.key < o->now || l->ev.ticks < o->latest) && check_time(o, l))
		return o->code;
	if (o->futile)
		o->muted = o->ordinal / 8 < o->futile_room &&
			   o->futile[o->ordinal / 8] >> (o->ordinal % 8) & 1;
	if (o->noting && tp_v1_futile_note(o, l))
		return o->code = tp_nomem(o->err);
	o->unusual = o->futile || o->noting;
	return o->code;
}

enum trust {
	PICKED,	 /* from the frontier: the event can happen */
	BLOCKED, /* from `aside`: it cannot happen */
	TRIED,	 /* not known yet */
};

/* Merges the lane's event. Returns 0, an error code or, with TRIED, NOT_READY. */
static int merge(struct tp_v1_order *o, struct tp_v1_lane *l, enum trust trust)
{
	const char *why = "";
	int code;

	/* Except in go 1.5 (lead 2), keys are ticks. */
	if (unlikely(l->ev.key > o->queues[TP_V1_EXITS].earliest || l->ev.ticks < o->latest ||
		     o->unusual || l->unusual || o->lead == 2) &&
	    prepare(o, l))
		return o->code;
	o->now = l->ev.key;
	if (unlikely(l->samples)) {
		struct tp_v1_special s;

		if (tp_v1_sample_take(o, &s))
			tp_v1_deliver_sample(o, &s);
		o->ordinal++;
		return o->code;
	}
	code = unlikely(trust == BLOCKED) ? NOT_READY : tp_v1_advance(o, l, &why);
	if (unlikely(code == NOT_READY)) {
		if (trust == TRIED)
			return NOT_READY;
		if (o->opt->strict)
			return fail(o, l, why);
		if (!tp_v1_salvage(o, l) || tp_v1_advance(o, l, &why) == NOT_READY)
			o->dropped++;
	}
	if (l->ev.ticks > o->latest)
		o->latest = l->ev.ticks;
	o->muted = false;
	o->ordinal++;
	return o->code;
}

/* Returns whether the lane's next event precedes all others and pushing and popping it would leave
 * the frontier unchanged (equal keys could prevent that). Then merging it can be tried at once. */
static inline bool goes_on(const struct tp_v1_order *o, const struct tp_v1_lane *l)
{
	const struct tp_v1_entry *h = o->frontier;
	uint32_t n = o->nfrontier;

	if (unlikely(o->woken || o->unusual || l->ev.key > o->blocked))
		return false;
	if (n && l->ev.key >= h[0].key)
		return false;
	for (uint32_t j = n; j > 2; j = (j - 1) / 2) {
		uint32_t i = (j - 1) / 2;

		if (i && h[i].key == h[(i - 1) / 2].key)
			return false;
	}
	return true;
}

static int report_progress(struct tp_v1_order *o)
{
	uint64_t done = o->ix->size / 8 + o->bytes_done / 8 * 7;

	if (o->quiet || !o->opt->progress ||
	    !o->opt->progress(o->opt->progress_ctx, done, o->ix->size))
		return 0;
	return o->code = tp_err_set(o->err, TP_ECANCEL, TP_OFFSET_NONE, "cancelled");
}

int tp_v1_run(struct tp_v1_order *o)
{
	if (tp_v1_order_reset(o))
		return o->code;
	open_lanes(o);
	while (!o->code) {
		struct tp_v1_lane *l;
		enum trust trust = PICKED;

		if (o->naside)
			refill(o);
		else
			o->blocked =
			    INT64_MAX; /* the last lane in `aside` may just have been taken */
		if (unlikely(o->tries > o->most_tries))
			give_up(o);
		if (unlikely(!o->nfrontier && !o->naside))
			break;
		if (unlikely(!o->nfrontier || o->frontier[0].key > o->blocked)) {
			l = take_blocked(o);
			trust = BLOCKED;
			if (!l)
				break;
		} else {
			l = pop(o);
		}
		for (;;) {
			int code = merge(o, l, trust);

			if (unlikely(code)) {
				if (code == NOT_READY)
					o->aside[o->naside++] = l;
				break;
			}
			if (unlikely(o->ordinal % PROGRESS_EVENTS == 0) && report_progress(o))
				break;
			if (unlikely(!step(o, l)))
				break;
			if (!goes_on(o, l)) {
				o->aside[o->naside++] = l;
				break;
			}
			trust = TRIED;
		}
	}
	if (!o->code)
		tp_v1_exits_until(o, 0, true);
	return o->code;
}

/* Adds the counts, losses and notices to the trace, once, at the end. */
static int hand_over(struct tp_v1_order *o)
{
	struct tp_trace *t = o->trace;
	struct tp_v1_index *ix = o->ix;
	char lost[TP_COUNT_SIZE];
	int code = 0;

	/* Local variants are counted with the others: see wire_name_of() in advance.c. */
	ix->bytes[TP_V1_GO_START] += ix->bytes[TP_V1_GO_START_LOCAL];
	ix->bytes[TP_V1_GO_UNBLOCK] += ix->bytes[TP_V1_GO_UNBLOCK_LOCAL];
	ix->bytes[TP_V1_GO_SYSEXIT] += ix->bytes[TP_V1_GO_SYSEXIT_LOCAL];
	ix->bytes[TP_V1_GO_START_LOCAL] = ix->bytes[TP_V1_GO_UNBLOCK_LOCAL] =
	    ix->bytes[TP_V1_GO_SYSEXIT_LOCAL] = 0;
	for (unsigned i = 0; i < TP_V1_NTYPES && !code; i++)
		if (o->wires[i] || ix->bytes[i])
			code = tp_trace_count_wire(t, tp_v1_names[i], o->wires[i], o->stacked[i],
						   ix->bytes[i]);
	/* Go's reader of old formats ends the trace at the last event on the wire, which may be
	 * converted to nothing. (An event out of order gets the time of the one before it, so
	 * last_ts may already be later.) */
	if (o->version < 11 && t->started && o->last_wire_ns > t->last_ts)
		t->last_ts = o->last_wire_ns;
	if (!code && o->dropped) {
		struct tp_loss loss = {
		    .from_ns = INT64_MIN, .to_ns = INT64_MIN, .events = o->dropped};

		snprintf(
		    loss.reason, sizeof(loss.reason),
		    "events that contradict the others: which goroutine they are of, or in which "
		    "state it was, is lost");
		code = tp_trace_add_loss(t, &loss);
	}
	if (!code && o->late) {
		struct tp_loss loss = {.from_ns = INT64_MIN, .to_ns = INT64_MIN};

		snprintf(
		    loss.reason, sizeof(loss.reason),
		    "time stamps out of order: %llu events come earlier than what precedes them, "
		    "and are given its time",
		    (unsigned long long)o->late);
		code = tp_trace_add_loss(t, &loss);
	}
	if (!code && o->version < 7 && !o->opt->name_frames)
		code = tp_trace_add_notice(t, TP_WARNING, TP_OFFSET_NONE,
					   "functions have no names: the format of go 1.5 holds "
					   "addresses only (tprof-import --binary names them)");
	if (!code && !ix->ticks_per_sec)
		code =
		    tp_trace_add_notice(t, TP_DAMAGE, TP_OFFSET_NONE,
					"the frequency of the clock is lost: times are ticks, not "
					"nanoseconds");
	/* The tables are at the end of the file and get lost with it. Commands show the first
	 * notice of a run, so the one about wrong times comes before this one. */
	if (!code && o->unknown_ids && t->nlosses)
		code = tp_trace_add_notice(t, TP_DAMAGE, TP_OFFSET_NONE,
					   "names or stacks, used %s time%s, are lost with their "
					   "tables",
					   tp_fmt_count(lost, (int64_t)o->unknown_ids),
					   o->unknown_ids == 1 ? "" : "s");
	return code;
}

static int deliver(struct tp_v1_order *o)
{
	struct tp_event *ev;
	int code;

	o->ns_per_tick = o->ix->ticks_per_sec ? 1e9 / (double)o->ix->ticks_per_sec : 1;
	o->ns_fits = (uint64_t)(9.2e18 / (o->ns_per_tick > 1 ? o->ns_per_tick : 1));
	o->trace->ns_per_tick = o->ix->ticks_per_sec ? o->ns_per_tick : 0;
	if (o->version < 11 && o->ix->counts[TP_V1_FUTILE_WAKEUP] && tp_v1_futile_find(o))
		return o->code;
	/* Go's readers check the whole trace before they deliver any event. */
	if (o->opt->strict) {
		o->quiet = true;
		code = tp_v1_run(o);
		o->quiet = false;
		if (code)
			return code;
		if (o->version < 11 && !o->ordinal)
			return tp_err_set(o->err, TP_EFORMAT, TP_OFFSET_NONE, "the trace is empty");
		if (!o->ix->ticks_per_sec)
			return tp_err_set(o->err, TP_EFORMAT, TP_OFFSET_NONE,
					  "the frequency of the clock is missing");
	}
	code = tp_v1_run(o);
	if (!code && !o->begun && (!o->ix->ticks_per_sec || o->trace->nlosses || o->version < 11))
		return tp_err_set(o->err, TP_EFORMAT, TP_OFFSET_NONE, "the trace holds no events");
	if (!code && o->version >= 11) {
		ev = tp_v1_put(o, TP_EV_SYNC, o->last_ns + 1);
		ev->arg[0] = o->begun ? 2 : 1;
	}
	if (!code)
		code = tp_v1_flush(o);
	if (!code && !o->trace->events)
		return tp_err_set(o->err, TP_EFORMAT, TP_OFFSET_NONE, "the trace holds no events");
	if (!code && hand_over(o))
		code = tp_nomem(o->err);
	return code;
}

int tp_v1_read(struct tp_input *in, const struct tp_trace_options *opt, struct tp_trace *trace,
	       const struct tp_sink *sink, struct tp_err *err)
{
	struct tp_v1_index ix;
	struct tp_v1_order o = {.in = in,
				.opt = opt,
				.trace = trace,
				.sink = sink,
				.err = err,
				.ix = &ix,
				.version = trace->version,
				.lead = trace->version < 7 ? 2 : 1};
	int code = tp_v1_index_build(&ix, in, opt, trace, err);

	if (!code) {
		o.lanes = calloc(ix.nchains + 1u, sizeof(*o.lanes));
		o.frontier = calloc(ix.nchains + 1u, sizeof(*o.frontier));
		o.aside = calloc(ix.nchains + 1u, sizeof(*o.aside));
		o.own = malloc(TP_BATCH_EVENTS * sizeof(*o.own));
		tp_v1_room(&o);
		if (!o.lanes || !o.frontier || !o.aside || !o.own || intern_texts(&o))
			code = tp_nomem(err);
	}
	if (!code)
		code = deliver(&o);
	tp_v1_order_release(&o);
	tp_v1_index_release(&ix);
	return code;
}
