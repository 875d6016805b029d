/* Leaks in a trace: goroutines that have not ended when it does, from the spans that are open then.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "leak/parts.h"
#include "spans/segment.h"
#include "spans/view.h"

struct reading {
	struct rep_leaks *l;
	struct rep_view v;
	struct rep_leak_names map;
};

static const struct {
	uint8_t state;
	const char *waits; /* NULL: the reason tells */
	bool stuck;
} states[] = {
    {TP_ST_WAITING, NULL, true},
    {TP_ST_SYSCALL, "syscall", true},
    {TP_ST_SYSCALL_BLOCKED, "syscall", true},
    {TP_ST_RUNNING, "running", false},
    {TP_ST_RUNNABLE, "runnable", false},
    {TP_ST_LOST, "lost", false},
};

static int intern(struct tp_dict *d, const char *text, uint32_t *id)
{
	return tp_dict_string(d, text, strlen(text), id);
}

/* A goroutine of whose stack the trace says nothing: its entry function. */
static int entry_stack(struct reading *r, uint32_t name, uint32_t *stack)
{
	struct tp_dict *d = r->l->dict;
	struct tp_text t = tp_dict_text(r->v.dict, name);
	struct tp_function function = {0};
	struct tp_frame frame = {0};
	uint32_t id;
	int code;

	*stack = 0;
	if (!t.size)
		return 0;
	code = tp_dict_string(d, t.text, t.size, &function.name);
	if (!code)
		code = tp_dict_function(d, &function, &frame.function);
	if (!code)
		code = tp_dict_frame(d, &frame, &id);
	return code ? code : tp_dict_stack(d, 0, id, stack);
}

/* The words of a dump say more than the trace's: "sync.WaitGroup.Wait" where that has "sync". */
static int waits_for(struct reading *r, const char *state, const char *by_stack, uint32_t reason,
		     uint32_t *waits)
{
	struct tp_dict *d = r->l->dict;
	struct tp_text t = tp_dict_text(r->v.dict, reason);

	if (state)
		return intern(d, state, waits);
	if (reason == TP_STR_FOREVER)
		return intern(d, by_stack ? by_stack : "forever", waits);
	if (by_stack)
		return intern(d, by_stack, waits);
	return tp_dict_string(d, t.text, t.size, waits);
}

static int put(struct reading *r, const struct tp_span *span, const char *state, bool certain,
	       struct tp_err *err)
{
	size_t g = span->goroutine;
	int64_t end = r->v.run->row.duration_ns;
	struct rep_leak_item item = {.count = 1, .in_trace = true, .certain = certain};
	const char *by_stack;
	uint32_t creation;
	int code;

	if (g >= r->v.nrows[TP_TABLE_GOROUTINE])
		return 0;
	creation = (uint32_t)REP_COL(&r->v, GOROUTINE, create_stack)[g];
	item.id = rep_goids_name(&r->v.goids, rep_view_goid(&r->v, (int64_t)g));
	item.fresh = REP_COL(&r->v, GOROUTINE, created_ns)[g] > 0 || creation;
	item.wait_ns = end > span->start ? tp_minus(end, span->start) : 0;
	code = rep_leak_stack(&r->map, span->stack, &item.stack, &by_stack);
	item.no_stack = !item.stack;
	if (!code && item.no_stack)
		code = entry_stack(r, rep_view_entry(&r->v, (int64_t)g), &item.stack);
	if (!code)
		code = waits_for(r, state, by_stack, span->reason, &item.waits);
	if (!code && creation) {
		const char *nothing;

		code = rep_leak_stack(&r->map, creation, &item.created, &nothing);
	}
	item.creator = tp_dict_stack_at(r->l->dict, item.created).frame;
	return code ? rep_leak_fail(err, code) : rep_leaks_put(r->l, &item, err);
}

static int on_span(void *ctx, const struct tp_span *span, bool crosses, uint32_t end_stack,
		   struct tp_err *err)
{
	struct reading *r = ctx;

	(void)crosses;
	(void)end_stack;
	for (size_t i = 0; span->open && i < sizeof(states) / sizeof(states[0]); i++) {
		if (span->state != states[i].state)
			continue;
		if (!states[i].stuck && !r->l->opt.all) {
			rep_leaks_leave_out(r->l,
					    span->state == TP_ST_LOST ? REP_LEAK_LEFT_LOST
								      : REP_LEAK_LEFT_RUNNING,
					    1);
			return 0;
		}
		return put(r, span, states[i].waits, false, err);
	}
	return 0;
}

static int put_open(struct reading *r, struct tp_err *err)
{
	size_t n = r->v.nsegments;
	bool *wanted = calloc(n + 1, sizeof(*wanted));
	int code;

	if (!wanted)
		return rep_leak_fail(err, TP_ENOMEM);
	if (n)
		wanted[n - 1] = true;
	code = rep_segments_each(&r->v, wanted, on_span, r, err);
	free(wanted);
	return code;
}

/* ---- blocked for ever ---- */

#define MAX_FOREVER                                                                                \
	1000 /* whose last events are looked for; the others have their entry function */

static int find_block(struct reading *r, uint32_t g, int64_t when, uint32_t *stack,
		      struct tp_err *err)
{
	const struct tp_event_range range = {when, when + 1, 0, INT64_MAX};
	struct tp_event_reader *reader = NULL;
	const struct tp_event *ev;
	size_t n;
	int code = tp_events_open(&reader, r->v.store, r->v.run->row.id, &range, err);

	while (!code && (code = tp_events_next(reader, &ev, &n, err)) > 0) {
		code = 0;
		for (size_t i = 0; i < n; i++)
			if (ev[i].ts == when && ev[i].subject == g && ev[i].type == TP_EV_GO_BLOCK)
				*stack = ev[i].stack;
	}
	if (reader)
		tp_events_close(reader);
	return code;
}

/* Go takes one that blocks for ever (on a nil channel, in a select without cases) for ended; it
 * stays nevertheless. */
static int put_forever(struct reading *r, struct tp_err *err)
{
	size_t n = r->v.nrows[TP_TABLE_GOROUTINE], found = 0;
	int code = 0;

	for (size_t g = 0; g < n && !code; g++) {
		struct tp_span span = {.goroutine = (uint32_t)g, .reason = TP_STR_FOREVER};

		span.start = REP_COL(&r->v, GOROUTINE, ended_ns)[g];
		if (span.start == TP_NULL ||
		    REP_COL(&r->v, GOROUTINE, last_state)[g] != TP_ST_WAITING)
			continue;
		if (found++ < MAX_FOREVER)
			code = find_block(r, span.goroutine, span.start, &span.stack, err);
		if (!code)
			code = put(r, &span, NULL, true, err);
	}
	return code;
}

int rep_leaks_add_run(struct rep_leaks *l, const char *name, struct tp_store *store,
		      const struct rep_run *run, struct tp_err *err)
{
	struct rep_filter filter = {0};
	struct reading r = {.l = l};
	int code = rep_leaks_begin(l, name, run->row.ticks, err);

	if (code)
		return code;
	code = rep_view_init(&r.v, store, run, &filter, NULL, err);
	if (!code)
		code = rep_view_load(
		    &r.v, TP_TABLE_GOROUTINE,
		    REP_BIT(GOROUTINE, id) | REP_BIT(GOROUTINE, name) |
			REP_BIT(GOROUTINE, create_stack) | REP_BIT(GOROUTINE, created_ns) |
			REP_BIT(GOROUTINE, ended_ns) | REP_BIT(GOROUTINE, last_state),
		    err);
	if (!code) {
		code = rep_leak_names_init(&r.map, r.v.dict, l->dict, &l->own);
		if (code)
			rep_leak_fail(err, code);
	}
	if (!code)
		code = put_open(&r, err);
	if (!code)
		code = put_forever(&r, err);
	if (!code)
		code = rep_own_settle(&r.map.own, err);
	rep_leak_names_release(&r.map);
	rep_view_release(&r.v);
	return code;
}
