/* The statistics of Go 1.19's reader (internal/trace/goroutines.go), played from stored events.
 *
 * They differ from today's: a wait that neither the network nor a synchronisation object explains
 * is counted nowhere, time is counted per goroutine while a GC runs, and a goroutine that was there
 * before the trace is runnable from when it was announced. As there, a moment of 0 means none. */
#include <stdlib.h>
#include <string.h>

#include "conformance/gather.h"

struct worker { /* a goroutine */
	bool known;
	struct tp_text name;
	bool named;
	int64_t create, start, end;
	int64_t exec, sched, io, block, syscall, gc, sweep, total;
	/* Since when it does so, 0: it does not. */
	int64_t running, runnable, on_network, on_sync, in_syscall, sweeping;
	int64_t undo_exec, undo_running; /* of a system call that turns out not to block */
};

struct stats {
	struct view *v;
	struct worker *g;
	int64_t gc_start, last;
};

static bool reason_is(const struct view *v, const struct tp_event *ev, const char *text)
{
	return !strcmp(view_text(v, ev->str).text, text);
}

static struct worker *begin(struct stats *s, uint32_t index, int64_t ts)
{
	struct worker *w = &s->g[index];

	*w = (struct worker){.known = true, .create = ts, .runnable = ts};
	return w;
}

/* A goroutine is named when it starts, by the innermost frame of its first stack. */
static void name(struct stats *s, struct worker *w, uint32_t stack)
{
	uint32_t frame = tp_dict_stack_at(s->v->dict, stack).frame;

	w->name = tp_dict_text(s->v->dict, tp_dict_frame_name(s->v->dict, frame));
}

static void start(struct worker *w, int64_t ts)
{
	w->named = true;
	w->running = ts;
	if (!w->start)
		w->start = ts;
	if (w->runnable)
		w->sched += ts - w->runnable;
	w->runnable = 0;
}

static void stop_running(struct worker *w, int64_t ts)
{
	w->exec += ts - w->running;
	w->running = 0;
}

static void finish(struct stats *s, struct worker *w, int64_t ts, bool ends)
{
	if (ends)
		w->end = ts;
	if (s->gc_start)
		w->gc += ts - (w->create < s->gc_start ? s->gc_start : w->create);
	if (!w->total)
		w->total = ts - w->create;
	w->exec += w->running ? ts - w->running : 0;
	w->io += w->on_network ? ts - w->on_network : 0;
	w->block += w->on_sync ? ts - w->on_sync : 0;
	w->syscall += w->in_syscall ? ts - w->in_syscall : 0;
	w->sched += w->runnable ? ts - w->runnable : 0;
	w->sweep += w->sweeping ? ts - w->sweeping : 0;
	w->running = w->runnable = w->on_network = w->on_sync = w->in_syscall = w->sweeping = 0;
}

static void block(struct stats *s, struct worker *w, const struct tp_event *ev, int64_t ts)
{
	static const char *const sync[] = {"chan send", "chan receive", "select", "sync",
					   "sync.(*Cond).Wait"};

	if (reason_is(s->v, ev, "forever")) {
		finish(s, w, ts, true);
		return;
	}
	stop_running(w, ts);
	if (reason_is(s->v, ev, "network"))
		w->on_network = ts;
	for (size_t i = 0; i < sizeof(sync) / sizeof(sync[0]); i++)
		if (reason_is(s->v, ev, sync[i]))
			w->on_sync = ts;
}

static void unblock(struct worker *w, int64_t ts)
{
	w->io += w->on_network ? ts - w->on_network : 0;
	w->block += w->on_sync ? ts - w->on_sync : 0;
	w->on_network = w->on_sync = 0;
	w->runnable = ts;
}

static void gc_end(struct stats *s, int64_t ts)
{
	for (uint32_t i = 0; i < s->v->ids.ng; i++) {
		struct worker *w = &s->g[i];

		if (w->known && !w->end)
			w->gc += ts - (s->gc_start < w->create ? w->create : s->gc_start);
	}
	s->gc_start = 0;
}

static void play(struct stats *s, const struct tp_event *ev)
{
	uint32_t index = tp_event_descs[ev->type].subject == 'G' ? ev->subject : ev->g;
	struct worker none = {0}, *w = index < s->v->ids.ng ? &s->g[index] : &none;
	int64_t ts = ev->ts + s->v->start_ns;

	switch (ev->type) {
	case TP_EV_GO_CREATE:
		name(s, begin(s, index, ts), ev->str2);
		break;
	case TP_EV_GO_STATUS:
		/* It was there before: announced at arg[0]. */
		w = begin(s, index, (int64_t)ev->arg[0]);
		name(s, w, ev->str2);
		if (ev->to == TP_ST_RUNNING)
			start(w, ts);
		break;
	case TP_EV_GO_START:
		start(w, ts);
		break;
	case TP_EV_GO_STOP:
		stop_running(w, ts);
		w->runnable = ts;
		break;
	case TP_EV_GO_BLOCK:
		block(s, w, ev, ts);
		break;
	case TP_EV_GO_DESTROY:
		finish(s, w, ts, true);
		break;
	case TP_EV_GO_UNBLOCK:
		unblock(w, ts);
		break;
	case TP_EV_GO_SYSCALL_BEGIN:
		w->undo_exec = w->exec;
		w->undo_running = w->running;
		stop_running(w, ts);
		w->in_syscall = ts;
		break;
	case TP_EV_GO_SYSCALL_END:
		/* It did not block: then it is no part of these statistics. */
		w->exec = w->undo_exec;
		w->running = w->undo_running;
		w->in_syscall = 0;
		break;
	case TP_EV_GO_SYSCALL_BLOCKED:
		w->syscall += w->in_syscall ? ts - w->in_syscall : 0;
		w->in_syscall = 0;
		w->runnable = ts;
		break;
	case TP_EV_GC_SWEEP_BEGIN:
		w = ev->g < s->v->ids.ng ? &s->g[ev->g] : &none;
		w->sweeping = ts;
		break;
	case TP_EV_GC_SWEEP_END:
		w = ev->g < s->v->ids.ng ? &s->g[ev->g] : &none;
		w->sweep += w->sweeping ? ts - w->sweeping : 0;
		w->sweeping = 0;
		break;
	case TP_EV_GC_BEGIN:
		s->gc_start = ts;
		break;
	case TP_EV_GC_END:
		gc_end(s, ts);
		break;
	default:
		break;
	}
}

static int play_events(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	(void)err;
	for (size_t i = 0; i < n; i++)
		play(ctx, &ev[i]);
	return 0;
}

static void put_worker(struct facts *f, long long id, const struct worker *w)
{
	const struct {
		const char *name;
		int64_t value;
	} sums[] = {
	    {"id", id},	     {"create", w->create}, {"start", w->start},
	    {"end", w->end}, {"exec", w->exec},	    {"sched", w->sched},
	    {"io", w->io},   {"block", w->block},   {"syscall", w->syscall},
	    {"gc", w->gc},   {"sweep", w->sweep},   {"total", w->total},
	    {"regions", 0}, /* user regions came with go 1.11 */
	};

	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		facts_put(f, FACTS_FOUND, sums[i].value, "goroutine %lld %s", id, sums[i].name);
	facts_put_text(f, FACTS_FOUND, w->named ? w->name.text : "", w->named ? w->name.size : 0,
		       "goroutine %lld name", id);
}

int gather_legacy(struct view *v, struct facts *f, const struct strict *strict,
		  struct gathered *out, struct tp_err *err)
{
	struct stats s = {
	    .v = v, .g = calloc(v->ids.ng + 1u, sizeof(*s.g)), .last = strict->last_ts};
	int64_t events = 0, with_stack = 0;
	int code;

	if (!s.g)
		return tp_nomem(err);
	code = view_events(v, play_events, &s, err);
	if (!code)
		code = facts_take_wire(f, v->store, v->run, &events, &with_stack, err);
	for (uint32_t i = 0; !code && i < v->ids.ng; i++) {
		if (!s.g[i].known)
			continue;
		finish(&s, &s.g[i], s.last, false);
		put_worker(f, (long long)v->ids.g_id[i], &s.g[i]);
	}
	free(s.g);
	facts_put(f, FACTS_FOUND, v->version, "format");
	facts_put(f, FACTS_FOUND, 1000 + v->version, "version");
	facts_put(f, FACTS_FOUND, events, "events");
	facts_put(f, FACTS_FOUND, with_stack, "withstack");
	facts_put(f, FACTS_FOUND, (int64_t)strict->stacks, "stacks");
	/* Times count from the first event on the wire, whether it is converted to something or
	 * not. */
	facts_put(f, FACTS_FOUND, 0, "first");
	facts_put(f, FACTS_FOUND, strict->last_ts, "last");
	*out = (struct gathered){.events = events, .goroutines = v->ids.ng};
	return code;
}
