#include "export/first.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"

/* What has been seen of a goroutine or P: its state, a range that it was in. */
enum { MET_STATE = 1, MET_RANGE = 2 };

struct reader {
	struct rep_first *f;
	const struct rep_first_ask *ask;
	uint8_t *g, *p; /* MET_… by index */
	bool gc;	/* a phase of the collector was seen */
	bool old;
	size_t syncs, procs;
};

static bool meet(uint8_t *met, uint32_t n, uint32_t at, uint8_t what)
{
	bool first = at < n && !(met[at] & what);

	if (first)
		met[at] |= what;
	return first;
}

static bool meet_g(struct reader *r, uint32_t at, uint8_t what)
{
	return meet(r->g, r->ask->ng, at, what);
}

static bool meet_p(struct reader *r, uint32_t at, uint8_t what)
{
	return meet(r->p, r->ask->np, at, what);
}

/* Returns whether the event records a state that has held since the run began. */
static bool tells(struct reader *r, const struct tp_event *ev)
{
	bool first = false;

	switch (ev->type) {
	case TP_EV_PROC_STATUS:
		first = meet_p(r, ev->subject, MET_STATE);
		break;
	case TP_EV_GO_STATUS:
	case TP_EV_GO_STATUS_STACK:
		first = meet_g(r, ev->subject, MET_STATE);
		break;
	case TP_EV_GC_ACTIVE:
		first = !r->gc;
		r->gc = true;
		return first;
	case TP_EV_GC_BEGIN:
	case TP_EV_GC_END:
		r->gc = true;
		return false;
	case TP_EV_GC_SWEEP_ACTIVE:
		return meet_p(r, ev->subject, MET_RANGE);
	case TP_EV_GC_SWEEP_BEGIN:
	case TP_EV_GC_SWEEP_END:
		meet_p(r, ev->p, MET_RANGE);
		return false;
	case TP_EV_MARK_ASSIST_ACTIVE:
		return meet_g(r, ev->subject, MET_RANGE);
	case TP_EV_MARK_ASSIST_BEGIN:
	case TP_EV_MARK_ASSIST_END:
		meet_g(r, ev->g, MET_RANGE);
		return false;
	default:
		if (tp_event_descs[ev->type].kind != TP_KIND_TRANSITION)
			return false;
		if (tp_event_descs[ev->type].subject == 'P')
			meet_p(r, ev->subject, MET_STATE);
		else
			meet_g(r, ev->subject, MET_STATE);
		return false;
	}
	return first && ev->from == TP_ST_UNDETERMINED;
}

static int keep(struct rep_first *f, const struct tp_event *ev)
{
	if (tp_grow_raw(&f->ev, &f->room, f->n, sizeof(*f->ev)))
		return TP_ENOMEM;
	f->ev[f->n++] = *ev;
	return 0;
}

/* Up to go 1.21 the statuses of all goroutines come first, with that of the P on which tracing
 * started. The other Ps seem to run when they start. */
static bool is_over(struct reader *r, const struct tp_event *ev)
{
	const struct tp_event_desc *d = &tp_event_descs[ev->type];

	if (ev->type == TP_EV_SYNC)
		return ++r->syncs > 1;
	return r->old && d->kind == TP_KIND_TRANSITION && d->subject == 'P' && r->procs++;
}

static int read_generation(struct reader *r, struct tp_event_reader *events, struct tp_err *err)
{
	const bool keeps = r->ask->since != INT64_MAX;
	const struct tp_event *ev;
	size_t n;
	int left;

	while ((left = tp_events_next(events, &ev, &n, err)) > 0)
		for (size_t i = 0; i < n; i++) {
			if (is_over(r, &ev[i]))
				return 0;
			if (r->ask->look)
				r->ask->look(r->ask->ctx, &ev[i]);
			if (keeps && tells(r, &ev[i]) && ev[i].ts >= r->ask->since &&
			    keep(r->f, &ev[i]))
				return tp_nomem(err);
		}
	return left;
}

int rep_first_load(struct rep_first *f, struct tp_store *s, const struct rep_run *run,
		   const struct rep_first_ask *ask, struct tp_err *err)
{
	static const struct tp_event_range all = {INT64_MIN, INT64_MAX, 0, INT64_MAX};
	struct reader r = {.f = f, .ask = ask, .old = rep_first_is_old(run)};
	struct tp_event_reader *events = NULL;
	int code;

	*f = (struct rep_first){0};
	if (ask->since == INT64_MAX && !ask->look)
		return 0;
	r.g = calloc((size_t)ask->ng + 1, 1);
	r.p = calloc((size_t)ask->np + 1, 1);
	code = r.g && r.p ? tp_events_open(&events, s, run->row.id, &all, err) : tp_nomem(err);
	if (!code)
		code = read_generation(&r, events, err);
	tp_events_close(events);
	free(r.g);
	free(r.p);
	return code;
}

void rep_first_release(struct rep_first *f)
{
	free(f->ev);
	*f = (struct rep_first){0};
}

bool rep_first_is_old(const struct rep_run *run)
{
	const char *format = run->row.format;

	return strncmp(format, "go 1.", 5) != 0 || strtol(format + 5, NULL, 10) < 22;
}
