#include "export/cut/cut.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "export/anonymise.h"
#include "export/cut/state.h"

/* Go's reader holds a generation in memory; traces up to go 1.21 have only one. */
#define GENERATION_EVENTS 4000000u

/* ---- sizes and threads ---- */

static int load_gs(struct cut *c, struct tp_store *s, int64_t run)
{
	struct tp_rows rows = {0};
	int code =
	    tp_rows_load(s, run, TP_TABLE_GOROUTINE, 1u << TP_COL(GOROUTINE, goid), &rows, c->err);

	if (!code && rows.nrows) {
		c->gs = calloc(rows.nrows, sizeof(*c->gs));
		code = c->gs ? 0 : cut_nomem(c);
		c->ng = code ? 0 : (uint32_t)rows.nrows;
	}
	for (uint32_t i = 0; i < c->ng; i++)
		c->gs[i] = (struct cut_g){
		    .id = (uint64_t)rows.col[TP_COL(GOROUTINE, goid)][i],
		    .m = TP_NONE,
		    .wanted = !c->opt->wanted || (i < c->opt->ngoroutines && c->opt->wanted[i]),
		};
	tp_rows_release(&rows);
	return code;
}

static int load_ps(struct cut *c, struct tp_store *s, int64_t run)
{
	struct tp_rows rows = {0};
	int code = tp_rows_load(s, run, TP_TABLE_PROC, 1u << TP_COL(PROC, id), &rows, c->err);

	if (!code && rows.nrows) {
		c->ps = calloc(rows.nrows, sizeof(*c->ps));
		code = c->ps ? 0 : cut_nomem(c);
		c->np = code ? 0 : (uint32_t)rows.nrows;
	}
	for (uint32_t i = 0; i < c->np; i++) {
		int64_t id = rows.col[TP_COL(PROC, id)][i];

		c->ps[i] = (struct cut_p){.id = (uint64_t)id, .m = TP_NONE, .none = id < 0};
	}
	tp_rows_release(&rows);
	return code;
}

static int load_ms(struct cut *c, struct tp_store *s, int64_t run)
{
	struct tp_rows rows = {0};
	int code = tp_rows_load(s, run, TP_TABLE_THREAD, 1u << TP_COL(THREAD, id), &rows, c->err);

	if (!code && rows.nrows) {
		c->ms = calloc(rows.nrows, sizeof(*c->ms));
		code = c->ms ? 0 : cut_nomem(c);
		c->m_room = code ? 0 : rows.nrows;
		c->nm = c->real_ms = (uint32_t)c->m_room;
	}
	/* Made-up threads get ids of their own. */
	c->next_m_id = 1;
	for (uint32_t i = 0; i < c->nm; i++) {
		uint64_t id = (uint64_t)rows.col[TP_COL(THREAD, id)][i];

		c->ms[i] = (struct cut_m){.id = id, .g = TP_NONE, .p = TP_NONE};
		if (id < (uint64_t)1 << 62 && id >= c->next_m_id)
			c->next_m_id = id + 1;
	}
	/* This number means "no thread" on the wire. */
	for (uint32_t i = 0; i < c->nm; i++)
		if (c->ms[i].id == TP_V2_NO_M)
			c->ms[i].id = c->next_m_id++;
	tp_rows_release(&rows);
	return code;
}

/* ---- looking ahead ---- */

/* Adds goroutines that wake wanted ones within the range to the wanted ones. */
static int want_wakers(struct cut *c, struct tp_store *s, int64_t run)
{
	struct tp_event_range range = {c->opt->from_ns, c->opt->to_ns, 0, INT64_MAX};
	struct tp_event_reader *r = NULL;
	const struct tp_event *ev;
	uint8_t *more = calloc((size_t)c->ng + 1, 1);
	size_t n;
	int code = more ? 0 : cut_nomem(c), left = 0;

	if (!code)
		code = tp_events_open(&r, s, run, &range, c->err);
	while (!code && (left = tp_events_next(r, &ev, &n, c->err)) > 0)
		for (size_t i = 0; i < n; i++)
			if (ev[i].from == TP_ST_WAITING && ev[i].to == TP_ST_RUNNABLE &&
			    ev[i].ts >= c->opt->from_ns && ev[i].ts < c->opt->to_ns &&
			    ev[i].subject < c->ng && c->gs[ev[i].subject].wanted && ev[i].g < c->ng)
				more[ev[i].g] = 1;
	for (uint32_t i = 0; i < c->ng && !code; i++)
		c->gs[i].wanted |= more[i];
	tp_events_close(r);
	free(more);
	return code ? code : left;
}

/* When the trace begins, a P in a system call seems to be running, and one that its thread left
 * there seems to be idle. The first event of the P decides. */
struct look {
	struct cut *c;
	uint8_t *open; /* by P, until its first event: 1 seems to run, 2 seems to be idle */
};

static void look_at(void *ctx, const struct tp_event *ev)
{
	struct look *l = ctx;
	struct cut *c = l->c;
	uint8_t *open = l->open;
	uint32_t p = ev->p;

	switch (ev->type) {
	case TP_EV_PROC_STATUS:
		if (ev->subject < c->np && ev->from == TP_ST_UNDETERMINED)
			open[ev->subject] = ev->to == TP_ST_RUNNING ? 1 : 2;
		return;
	case TP_EV_PROC_START:
		if (ev->subject < c->np)
			open[ev->subject] = 0;
		return;
	case TP_EV_PROC_STEAL:
		if (ev->subject >= c->np)
			return;
		c->ps[ev->subject].in_call |= open[ev->subject] == 1;
		c->ps[ev->subject].abandoned |= open[ev->subject] == 2;
		open[ev->subject] = 0;
		return;
	case TP_EV_GO_SYSCALL_END:
		if (p < c->np && open[p] == 1)
			c->ps[p].in_call = true;
		break;
	case TP_EV_GO_SYSCALL_BLOCKED:
		if (p < c->np && open[p] == 1)
			c->ps[p].running = true;
		break;
	case TP_EV_GO_STATUS:
	case TP_EV_GO_STATUS_STACK:
	case TP_EV_CPU_SAMPLE:
		return;
	default:
		break;
	}
	if (p < c->np && open[p] == 1)
		open[p] = 0;
}

/* Finds states that the run records only after the range begins or, if the range begins with the
 * run, only after it ends. */
static int look_ahead(struct cut *c, struct tp_store *s, const struct rep_run *run)
{
	struct look l = {.c = c, .open = c->old ? NULL : calloc((size_t)c->np + 1, 1)};
	const struct rep_first_ask ask = {
	    .since = c->opt->from_ns > 0 ? c->opt->from_ns : c->opt->to_ns,
	    .ng = c->ng,
	    .np = c->np,
	    .look = l.open ? look_at : NULL,
	    .ctx = &l,
	};
	int code =
	    l.open || c->old ? rep_first_load(&c->first, s, run, &ask, c->err) : cut_nomem(c);

	free(l.open);
	return code;
}

/* ---- the events ---- */

struct walk {
	struct cut *c;
	const struct tp_out *out;
	int64_t from, to; /* the range */
	bool done;
	bool synced; /* a new generation starts with the next event */
	int64_t sync_ts;
	struct tp_event held; /* a stop of a P that may be part of the next events */
	bool holds;
	uint32_t swallow_from, swallow_to; /* goroutines of a switch that was written completely */
	uint8_t swallow;		   /* number of its events still to come */
};

static bool wanted(const struct cut *c, uint32_t g)
{
	return g < c->ng && c->gs[g].wanted;
}

static int take(struct cut *c, const struct tp_event *ev)
{
	unsigned kind = tp_event_descs[ev->type].kind;

	if (kind == TP_KIND_TRANSITION)
		return tp_event_descs[ev->type].subject == 'P' ? cut_proc(c, ev) : cut_go(c, ev);
	/* Events of a P, or of no goroutine, are always kept. */
	if (c->some && !wanted(c, ev->type == TP_EV_MARK_ASSIST_ACTIVE ? ev->subject : ev->g)) {
		if (ev->type == TP_EV_PROCS_CHANGE)
			c->procs = ev->arg[0];
		if (ev->type != TP_EV_HEAP_ALLOC && ev->type != TP_EV_HEAP_GOAL &&
		    tp_event_descs[ev->type].subject != 'P')
			return c->code;
	}
	return cut_note(c, ev);
}

/* Returns whether the event belongs to a switch that was written with its first event. */
static bool is_swallowed(struct walk *w, const struct tp_event *ev)
{
	bool first = w->swallow == 2 &&
		     (ev->type == TP_EV_GO_BLOCK || ev->type == TP_EV_GO_DESTROY) &&
		     ev->subject == w->swallow_from;
	bool second = w->swallow && ev->type == TP_EV_GO_START && ev->subject == w->swallow_to;

	w->swallow = first ? 1 : 0;
	return first || second;
}

static int one(struct walk *w, const struct tp_event *ev)
{
	struct cut *c = w->c;
	bool destroy = ev->type == TP_EV_GO_SWITCH_DESTROY;

	c->now = ev->ts;
	if (is_swallowed(w, ev))
		return c->code;
	if (c->telling && (destroy || ev->type == TP_EV_GO_SWITCH) && wanted(c, ev->g) &&
	    wanted(c, ev->subject) && ev->g != ev->subject &&
	    c->gs[ev->subject].status == TP_V2_G_WAITING &&
	    c->gs[ev->g].status == TP_V2_G_RUNNING) {
		w->swallow = 2;
		w->swallow_from = ev->g;
		w->swallow_to = ev->subject;
		return cut_switch(c, ev, destroy);
	}
	return take(c, ev);
}

/* A running goroutine has had its P all the time, even if the run records this within the range. */
static int take_running(struct cut *c, const struct tp_event *ev)
{
	const struct tp_event p = {
	    .type = TP_EV_PROC_STATUS,
	    .g = TP_NONE,
	    .m = ev->m,
	    .p = ev->p,
	    .subject = ev->p,
	    .from = TP_ST_UNDETERMINED,
	    .to = TP_ST_RUNNING,
	};

	if (ev->p >= c->np)
		return c->code;
	if (c->ps[ev->p].status == TP_V2_P_BAD)
		cut_proc(c, &p);
	/* In damaged traces another goroutine may be there. */
	if (c->ps[ev->p].status != TP_V2_P_RUNNING || c->ms[c->ps[ev->p].m].g != TP_NONE)
		return c->code;
	return take(c, ev);
}

/* Takes states that have held since the run began but are recorded later. */
static void take_first(struct cut *c)
{
	for (size_t i = 0; i < c->first.n; i++) {
		const struct tp_event *ev = &c->first.ev[i];

		if (tp_event_descs[ev->type].subject == 'G' && ev->to == TP_ST_RUNNING)
			take_running(c, ev);
		else
			take(c, ev);
	}
}

static int begin(struct walk *w, int64_t now, bool synced)
{
	struct cut *c = w->c;

	if (w->holds)
		one(w, &w->held);
	w->holds = false;
	take_first(c);
	if (!c->code && c->opt->begin)
		c->code = c->opt->begin(c->opt->begin_ctx, c->err);
	if (!c->code)
		c->code = tp_v2_encoder_new(&c->e, c->dict, w->out, c->err);
	c->now = now;
	return c->code ? c->code : cut_begin(c, synced);
}

static int generation(struct walk *w, const struct tp_event *ev)
{
	struct cut *c = w->c;

	if (w->synced) {
		w->synced = false;
		c->now = w->sync_ts;
		return cut_generation(c);
	}
	if (c->gen_events < GENERATION_EVENTS)
		return c->code;
	c->now = ev->ts;
	return cut_generation(c);
}

static int step(struct walk *w, const struct tp_event *ev)
{
	struct cut *c = w->c;

	if (ev->ts >= w->to) {
		w->done = true;
		return 0;
	}
	if (!c->telling && ev->ts >= w->from) {
		int64_t now = w->from == INT64_MIN ? ev->ts : w->from;
		bool synced = ev->type == TP_EV_SYNC && ev->ts == now;

		if (begin(w, now, synced) || synced)
			return c->code;
	}
	if (ev->type == TP_EV_SYNC) {
		/* A generation without events. */
		if (w->synced && generation(w, ev))
			return c->code;
		w->synced = c->telling;
		w->sync_ts = ev->ts;
		return 0;
	}
	if (c->telling && generation(w, ev))
		return c->code;
	if (w->holds) {
		struct tp_event whole = *ev;

		w->holds = false;
		if (ev->type == TP_EV_GO_DESTROY_SYSCALL && ev->m == w->held.m &&
		    ev->p == w->held.subject && wanted(c, ev->subject)) {
			whole.ts = w->held.ts;
			return one(w, &whole);
		}
		one(w, &w->held);
	}
	if (ev->type == TP_EV_PROC_STEAL && ev->p == ev->subject) {
		w->held = *ev;
		w->holds = true;
		return c->code;
	}
	one(w, ev);
	return c->owes ? cut_begin_notes(c) : c->code;
}

static int walk_events(struct walk *w, struct tp_store *s, int64_t run)
{
	struct tp_event_range range = {INT64_MIN, w->to, 0, INT64_MAX};
	struct tp_event_reader *r = NULL;
	const struct tp_event *ev;
	size_t n;
	int code = tp_events_open(&r, s, run, &range, w->c->err), left = 0;

	while (!code && !w->done && (left = tp_events_next(r, &ev, &n, w->c->err)) > 0)
		for (size_t i = 0; i < n && !code && !w->done; i++)
			code = step(w, &ev[i]);
	tp_events_close(r);
	if (!code && left < 0)
		code = left;
	if (!code && w->holds)
		code = one(w, &w->held);
	return code;
}

static int cut_run(struct cut *c, struct tp_store *s, const struct rep_run *run,
		   const struct tp_out *out)
{
	/* The run begins at 0, or just before with its start event. */
	struct walk w = {.c = c,
			 .out = out,
			 .from = c->opt->from_ns <= 0 ? INT64_MIN : c->opt->from_ns,
			 .to = c->opt->to_ns};
	char end[TP_UNITS_SIZE];
	int code = tp_dict_load(s, run->row.id, &c->dict, c->err);

	if (!code && c->opt->anonymise)
		code = rep_anonymise_trace(c->opt->anonymise, s, run->row.id, c->dict, c->err);
	if (!code)
		code = load_gs(c, s, run->row.id);
	if (!code)
		code = load_ps(c, s, run->row.id);
	if (!code)
		code = load_ms(c, s, run->row.id);
	if (!code && c->some && c->opt->wakers)
		code = want_wakers(c, s, run->row.id);
	if (!code)
		code = look_ahead(c, s, run);
	if (!code)
		code = walk_events(&w, s, run->row.id);
	/* If there are no events, time still passes. */
	if (!code && !c->telling && w.from < run->row.duration_ns)
		code = begin(&w, w.from, false);
	if (!code && !c->telling)
		return tp_err_set(c->err, TP_ENOENT, TP_OFFSET_NONE,
				  "nothing happens in that range: the run ends at %s",
				  tp_fmt_ns(end, run->row.duration_ns));
	if (!code && w.done) {
		c->now = w.to;
		code = cut_end(c);
	}
	return code ? code : tp_v2_encode_finish(c->e, c->err);
}

int rep_cut(struct tp_store *s, const struct rep_run *run, const struct rep_cut_options *opt,
	    const struct tp_out *out, struct rep_cut_result *result, struct tp_err *err)
{
	struct cut c = {
	    .opt = opt,
	    .result = result,
	    .err = err,
	    .old = rep_first_is_old(run),
	    .some = opt->wanted != NULL,
	    .origin = run->row.start_ns,
	    .gc_seq = 1,
	};
	int code;

	*result = (struct rep_cut_result){0};
	code = cut_run(&c, s, run, out);
	cut_release(&c);
	return code;
}
