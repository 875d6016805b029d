/* What Go's tool counts as the collector's work, from the events: its rules one by one, including
 * their errors (see the head of utilisation.h). Source: internal/trace/gc.go,
 * MutatorUtilizationV2. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "mmu/utilisation.h"

enum { IN_ASSIST = 1, LABELLED = 2, LABELLED_DEDICATED = 4, EXECUTES = 8 };

struct emulation {
	struct rep_gc_facts *f;
	const struct tp_dict *dict;
	uint8_t *g; /* by goroutine: the flags above */
	size_t ng;
	uint32_t label; /* the latest one, and what it is */
	uint8_t label_cause;
	int64_t syncs;
	bool procs_known;
	size_t room;
};

static int put(struct emulation *e, const struct tp_event *ev, int delta, uint8_t causes,
	       bool since_start)
{
	struct rep_gc_facts *f = e->f;

	if (tp_grow_raw(&f->step, &e->room, f->nsteps, sizeof(*f->step)))
		return TP_ENOMEM;
	f->step[f->nsteps++] = (struct rep_go_step){
	    .ts = ev->ts,
	    .p = ev->p,
	    .delta = (int8_t)delta,
	    .causes = causes,
	    .since_start = since_start,
	};
	return 0;
}

static uint8_t *flags_of(struct emulation *e, uint32_t g)
{
	size_t ng = e->ng ? e->ng : 4096;
	uint8_t *more;

	if (g < e->ng)
		return &e->g[g];
	if (g >= 1u << 28)
		return NULL;
	while (ng <= g)
		ng *= 2;
	more = realloc(e->g, ng);
	if (!more)
		return NULL;
	memset(more + e->ng, 0, ng - e->ng);
	e->g = more;
	e->ng = ng;
	return &e->g[g];
}

static bool executes(uint8_t state)
{
	return state == TP_ST_RUNNING || state == TP_ST_SYSCALL;
}

/* Returns the sets of causes for which the starts and stops of a goroutine with these flags
 * count. */
static uint8_t causes_of(uint8_t flags)
{
	return (uint8_t)((flags & IN_ASSIST ? REP_GO_ASSIST : 0) |
			 (flags & LABELLED ? REP_GO_LABELLED : 0) |
			 (flags & LABELLED_DEDICATED ? REP_GO_DEDICATED : 0));
}

static int transition(struct emulation *e, const struct tp_event *ev)
{
	uint8_t *g = flags_of(e, ev->subject), causes;
	bool before = executes(ev->from), after = executes(ev->to);
	int code = 0;

	if (!g)
		return TP_ENOMEM;
	causes = causes_of(*g);
	if (causes && before != after)
		code = put(e, ev, after ? 1 : -1, causes, false);
	*g = (uint8_t)((*g & ~EXECUTES) | (after ? EXECUTES : 0));
	return code;
}

static int label(struct emulation *e, const struct tp_event *ev)
{
	uint8_t *g = flags_of(e, ev->subject);

	if (!g)
		return TP_ENOMEM;
	if (ev->str != e->label) {
		struct tp_text t = tp_dict_text(e->dict, ev->str);

		e->label = ev->str;
		e->label_cause = strncmp(t.text, "GC ", 3) || !strcmp(t.text, "GC (idle)") ? 0
				 : !strcmp(t.text, "GC (dedicated)") ? REP_GO_DEDICATED
								     : REP_GO_LABELLED;
	}
	if (!e->label_cause)
		return 0;
	*g |= e->label_cause == REP_GO_DEDICATED ? LABELLED_DEDICATED : LABELLED;
	return put(e, ev, 1, e->label_cause, false);
}

static int assist(struct emulation *e, const struct tp_event *ev)
{
	bool active = ev->type == TP_EV_MARK_ASSIST_ACTIVE;
	uint8_t *g = flags_of(e, ev->subject);

	if (!g)
		return TP_ENOMEM;
	if (ev->type == TP_EV_MARK_ASSIST_END) {
		*g &= (uint8_t)~IN_ASSIST;
		return put(e, ev, -1, REP_GO_ASSIST, false);
	}
	if (active && e->syncs > 1)
		return 0;
	*g |= IN_ASSIST;
	return put(e, ev, 1, REP_GO_ASSIST,
		   active && ev->g < e->ng && (e->g[ev->g] & EXECUTES) != 0);
}

static int step(struct emulation *e, const struct tp_event *ev)
{
	if (ev->type == TP_EV_SYNC)
		e->syncs++;
	if (ev->type == TP_EV_PROCS_CHANGE)
		e->procs_known = true;
	/* Earlier events are ignored. */
	if (!e->procs_known || ev->subject == TP_NONE || ev->type >= TP_NEVENT_TYPES)
		return 0;
	switch (ev->type) {
	case TP_EV_GO_LABEL:
		return label(e, ev);
	case TP_EV_MARK_ASSIST_BEGIN:
	case TP_EV_MARK_ASSIST_ACTIVE:
	case TP_EV_MARK_ASSIST_END:
		return assist(e, ev);
	default:
		return tp_event_descs[ev->type].kind == TP_KIND_TRANSITION &&
			       tp_event_descs[ev->type].subject == 'G'
			   ? transition(e, ev)
			   : 0;
	}
}

int rep_gc_facts_as_go(struct rep_gc_facts *f, struct tp_store *store, const struct tp_run *run,
		       const struct tp_dict *dict, struct tp_err *err)
{
	const struct tp_event_range all = {INT64_MIN, INT64_MAX, 0, INT64_MAX};
	struct emulation e = {.f = f, .dict = dict, .label = TP_NONE};
	struct tp_event_reader *r = NULL;
	const struct tp_event *ev;
	int code = tp_events_open(&r, store, run->id, &all, err);
	int failed = 0;
	size_t n;

	while (!code && !failed && (code = tp_events_next(r, &ev, &n, err)) == 1) {
		code = 0;
		for (size_t i = 0; !failed && i < n; i++)
			failed = step(&e, &ev[i]);
	}
	tp_events_close(r);
	free(e.g);
	if (!code && failed)
		code = tp_nomem(err);
	f->steps_known = !code;
	return code;
}
