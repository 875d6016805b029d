#include "export/parsed.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/many.h"
#include "decode/v2/wire.h"
#include "keys.h"
#include "output/text.h"
#include "store/sqlerr.h"

#define MAX_KEPT ((size_t)64 << 20) /* bytes of stacks' texts */

/* ---- the clocks ---- */

static int load_clocks(struct rep_parsed *p, struct tp_store *store, const struct tp_run *run,
		       struct tp_err *err)
{
	/* A clock without a monotonic time is the file's time, not the trace's own. */
	static const char sql[] = "SELECT ts_ns, mono_ns, wall_sec, wall_nsec FROM clock "
				  "WHERE run = ? AND mono_ns > 0 ORDER BY rowid";
	sqlite3 *db = tp_store_db(store);
	sqlite3_stmt *st = NULL;
	size_t room = 0;
	int rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL), code = 0;

	if (!rc)
		rc = sqlite3_bind_int64(st, 1, run->id);
	while (!rc && !code && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		rc = 0;
		code = tp_grow(&p->clock, &room, p->nclocks, sizeof(*p->clock));
		if (code)
			break;
		p->clock[p->nclocks++] = (struct rep_parsed_clock){
		    .ts =
			(int64_t)((uint64_t)sqlite3_column_int64(st, 0) + (uint64_t)run->start_ns),
		    .mono_ns = sqlite3_column_int64(st, 1),
		    .wall_sec = sqlite3_column_int64(st, 2),
		    .wall_nsec = sqlite3_column_int64(st, 3),
		};
	}
	if (code)
		tp_nomem(err);
	else if (rc && rc != SQLITE_DONE)
		code = tp_sql_cause(err, db, "cannot read the clocks");
	sqlite3_finalize(st);
	return code;
}

int rep_parsed_init(struct rep_parsed *p, struct tp_store *store, const struct tp_run *run,
		    const struct tp_listing *l, struct tp_err *err)
{
	*p = (struct rep_parsed){.l = *l, .nstacks = tp_dict_stacks(l->dict)};
	p->stack = calloc(p->nstacks + (size_t)1, sizeof(*p->stack));
	if (!p->stack)
		return tp_nomem(err);
	return load_clocks(p, store, run, err);
}

void rep_parsed_release(struct rep_parsed *p)
{
	for (uint32_t i = 0; p->stack && i < p->nstacks; i++)
		tp_buf_release(&p->stack[i]);
	free(p->stack);
	free(p->clock);
	*p = (struct rep_parsed){0};
}

/* ---- pieces of lines ---- */

/* Names in a sound trace have no control characters; those of others are escaped. */
static void put_name(struct tp_buf *out, uint32_t string, const struct tp_dict *d)
{
	struct tp_text t = tp_dict_text(d, string);

	rep_escape(out, t.text, t.size, REP_ESCAPE_SHOWN);
}

static void put_quoted(const struct rep_parsed *p, struct tp_buf *out, const char *name,
		       uint32_t string)
{
	struct tp_text t = tp_dict_text(p->l.dict, string);

	tp_buf_printf(out, " %s=", name);
	tp_quote(out, t.text, t.size);
}

static int64_t g_of(const struct rep_parsed *p, uint32_t g)
{
	return g < p->l.ng ? (int64_t)p->l.g_id[g] : -1;
}

static int64_t p_of(const struct rep_parsed *p, uint32_t proc)
{
	return proc < p->l.np ? p->l.p_id[proc] : -1;
}

static void put_frames(const struct rep_parsed *p, uint32_t stack, struct tp_buf *out)
{
	const struct tp_dict *d = p->l.dict;

	while (stack) {
		struct tp_stack_node node = tp_dict_stack_at(d, stack);
		struct tp_frame f = tp_dict_frame_at(d, node.frame);

		tp_buf_text(out, "\t");
		put_name(out, tp_dict_frame_name(d, node.frame), d);
		tp_buf_printf(out, " @ 0x%" PRIx64 "\n\t\t",
			      tp_dict_location_at(d, f.location).address);
		put_name(out, tp_dict_function_at(d, f.function).file, d);
		tp_buf_printf(out, ":%" PRIu64 "\n", (uint64_t)f.line);
		stack = node.parent < stack ? node.parent : 0;
	}
}

static void put_stack(struct rep_parsed *p, struct tp_buf *out, const char *title, uint32_t stack)
{
	struct tp_buf *known = stack && stack < p->nstacks ? &p->stack[stack] : NULL;
	size_t from;

	tp_buf_printf(out, "\n%s=\n", title);
	from = out->size;
	if (known && known->size)
		tp_buf_put(out, known->data, known->size);
	else if (known)
		put_frames(p, stack, out);
	if (known && !known->size && p->kept <= MAX_KEPT) {
		/* If memory is out, it is not cached. */
		tp_buf_put(known, out->data + from, out->size - from);
		p->kept += known->size;
	}
}

/* ---- contents by kind ---- */

static void metric(const struct tp_event *ev, struct tp_buf *out)
{
	const char *name = ev->type == TP_EV_PROCS_CHANGE ? "/sched/gomaxprocs:threads"
			   : ev->type == TP_EV_HEAP_ALLOC ? "/memory/classes/heap/objects:bytes"
							  : "/gc/heap/goal:bytes";

	tp_buf_printf(out, " Name=\"%s\" Value=Value{Uint64(%" PRIu64 ")}", name, ev->arg[0]);
}

static void range(const struct rep_parsed *p, const struct tp_event *ev, struct tp_buf *out)
{
	switch (ev->type) {
	case TP_EV_STW_BEGIN:
	case TP_EV_STW_END:
		put_quoted(p, out, "Name", ev->str);
		tp_buf_printf(out, " Scope=Goroutine(%" PRId64 ")", g_of(p, ev->subject));
		break;
	case TP_EV_GC_ACTIVE:
	case TP_EV_GC_BEGIN:
	case TP_EV_GC_END:
		tp_buf_text(out, " Name=\"GC concurrent mark phase\" Scope=None");
		break;
	case TP_EV_GC_SWEEP_ACTIVE:
	case TP_EV_GC_SWEEP_BEGIN:
	case TP_EV_GC_SWEEP_END:
		tp_buf_printf(out, " Name=\"GC incremental sweep\" Scope=Proc(%" PRId64 ")",
			      p_of(p, ev->subject));
		break;
	default:
		tp_buf_printf(out, " Name=\"GC mark assist\" Scope=Goroutine(%" PRId64 ")",
			      g_of(p, ev->subject));
		break;
	}
	if (tp_event_descs[ev->type].kind != TP_KIND_RANGE_END)
		return;
	if (ev->type == TP_EV_GC_SWEEP_END)
		tp_buf_printf(out,
			      " Attributes=[\"bytes swept\"=Value{Uint64(%" PRIu64
			      ")} \"bytes reclaimed\"=Value{Uint64(%" PRIu64 ")}]",
			      ev->arg[0], ev->arg[1]);
	else
		tp_buf_text(out, " Attributes=[]");
}

/* Returns whether the transition has a stack of its resource, and sets *stack (Go:
 * Event.StateTransition). A created goroutine's stack may be empty. */
static bool transition_stack(const struct tp_event *ev, uint32_t *stack)
{
	*stack = ev->stack;
	switch (ev->type) {
	case TP_EV_GO_CREATE:
	case TP_EV_GO_CREATE_BLOCKED:
		*stack = ev->str2;
		return true;
	case TP_EV_GO_STOP:
	case TP_EV_GO_BLOCK:
	case TP_EV_GO_SYSCALL_BEGIN:
	case TP_EV_GO_STATUS:
	case TP_EV_GO_STATUS_STACK:
		return *stack != 0;
	default:
		return false;
	}
}

static void transition(struct rep_parsed *p, const struct tp_event *ev, struct tp_buf *out)
{
	bool proc = tp_event_descs[ev->type].subject == 'P';
	bool reason = ev->type == TP_EV_GO_STOP || ev->type == TP_EV_GO_BLOCK;
	uint32_t stack;

	tp_buf_printf(out, " %s=%" PRId64 " %s->%s", proc ? "ProcID" : "GoID",
		      proc ? p_of(p, ev->subject) : g_of(p, ev->subject), tp_state_names[ev->from],
		      tp_state_names[ev->to]);
	put_quoted(p, out, "Reason", reason ? ev->str : 0);
	if (transition_stack(ev, &stack))
		put_stack(p, out, "TransitionStack", stack);
}

static void experimental(const struct tp_event *ev, struct tp_buf *out)
{
	const struct tp_v2_wire_event *w = &tp_v2_wires[ev->type];

	tp_buf_printf(out, " Name=%s Args=[", w->name);
	for (unsigned i = 1; i < w->nargs; i++)
		tp_buf_printf(out, "%s%s=Value{Uint64(%" PRIu64 ")}", i > 1 ? ", " : "", w->args[i],
			      ev->arg[i - 1]);
	tp_buf_text(out, "]");
}

/* Writes time.RFC3339Nano: a fraction only if it is not 0, without trailing zeros. */
static void put_wall(const struct rep_parsed_clock *c, struct tp_buf *out)
{
	time_t sec = (time_t)c->wall_sec;
	char text[40], fraction[24];
	struct tm tm;
	size_t n;

	if (!gmtime_r(&sec, &tm) || !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm)) {
		tp_buf_text(out, "?");
		return;
	}
	n = (size_t)snprintf(fraction, sizeof(fraction), ".%09" PRId64, c->wall_nsec);
	while (fraction[n - 1] == '0')
		fraction[--n] = '\0';
	tp_buf_printf(out, "%s%sZ", text, n > 1 ? fraction : "");
}

static void sync(struct rep_parsed *p, struct tp_buf *out)
{
	size_t n = p->syncs++;

	tp_buf_printf(out, " N=%zu", n + 1);
	if (n >= p->nclocks)
		return;
	tp_buf_printf(out, " Trace=%" PRId64 " Mono=%" PRId64 " Wall=", p->clock[n].ts,
		      p->clock[n].mono_ns);
	put_wall(&p->clock[n], out);
}

static void detail(struct rep_parsed *p, const struct tp_event *ev, struct tp_buf *out)
{
	switch ((enum tp_event_kind)tp_event_descs[ev->type].kind) {
	case TP_KIND_TRANSITION:
		transition(p, ev, out);
		break;
	case TP_KIND_RANGE_BEGIN:
	case TP_KIND_RANGE_ACTIVE:
	case TP_KIND_RANGE_END:
		range(p, ev, out);
		break;
	case TP_KIND_METRIC:
		metric(ev, out);
		break;
	case TP_KIND_LABEL:
		put_quoted(p, out, "Label", ev->str);
		tp_buf_printf(out, " Resource=Goroutine(%" PRId64 ")", g_of(p, ev->subject));
		break;
	case TP_KIND_TASK_BEGIN:
	case TP_KIND_TASK_END:
		tp_buf_printf(out, " ID=%" PRIu64 " Parent=%" PRIu64, ev->arg[0], ev->arg[1]);
		put_quoted(p, out, "Type", ev->str);
		break;
	case TP_KIND_REGION_BEGIN:
	case TP_KIND_REGION_END:
		tp_buf_printf(out, " Task=%" PRIu64, ev->arg[0]);
		put_quoted(p, out, "Type", ev->str);
		break;
	case TP_KIND_LOG:
		tp_buf_printf(out, " Task=%" PRIu64, ev->arg[0]);
		put_quoted(p, out, "Category", ev->str);
		put_quoted(p, out, "Message", ev->str2);
		break;
	case TP_KIND_EXPERIMENTAL:
		experimental(ev, out);
		break;
	case TP_KIND_SYNC:
		sync(p, out);
		break;
	default:
		break;
	}
}

int rep_parsed_event(struct rep_parsed *p, const struct tp_event *ev, struct tp_buf *out)
{
	if (ev->type >= TP_NEVENT_TYPES || ev->from >= TP_NSTATES || ev->to >= TP_NSTATES)
		return TP_EFORMAT;
	tp_buf_printf(out, "M=%" PRId64 " P=%" PRId64 " G=%" PRId64 " %s Time=%" PRId64,
		      ev->m < p->l.nm ? (int64_t)p->l.m_id[ev->m] : -1, p_of(p, ev->p),
		      g_of(p, ev->g), tp_kind_names[tp_event_descs[ev->type].kind],
		      (int64_t)((uint64_t)ev->ts + (uint64_t)p->l.start_ns));
	detail(p, ev, out);
	/* A sample of the CPU profiler has a stack, if an empty one. */
	if (ev->stack || ev->type == TP_EV_CPU_SAMPLE)
		put_stack(p, out, "Stack", ev->stack);
	return tp_buf_text(out, "\n");
}
