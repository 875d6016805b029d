#include "order/listing.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "decode/v2/wire.h"

static int put_text(struct tp_buf *out, const char *text)
{
	return tp_buf_put(out, text, strlen(text));
}

__attribute__((format(printf, 2, 3))) static int put(struct tp_buf *out, const char *fmt, ...)
{
	char text[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return put_text(out, text);
}

static int64_t id_of(const uint64_t *ids, uint32_t n, uint32_t i)
{
	return i < n ? (int64_t)ids[i] : -1;
}

static int64_t g_of(const struct tp_listing *l, uint32_t g)
{
	return id_of(l->g_id, l->ng, g);
}

#define LIFE_SIZE 22

/* Returns the suffix of the id, such as "/2"; usually "". */
static const char *life_of(const struct tp_listing *l, uint32_t g, char text[LIFE_SIZE])
{
	if (!l->g_life || g >= l->ng || !l->g_life[g])
		return "";
	snprintf(text, LIFE_SIZE, "/%" PRId64, l->g_life[g]);
	return text;
}

static int put_g(const struct tp_listing *l, uint32_t g, struct tp_buf *out)
{
	char life[LIFE_SIZE];

	return put(out, " Goroutine(%" PRId64 "%s)", g_of(l, g), life_of(l, g, life));
}

static int64_t p_of(const struct tp_listing *l, uint32_t p)
{
	return p < l->np ? l->p_id[p] : -1;
}

static int quoted(const struct tp_listing *l, struct tp_buf *out, uint32_t string)
{
	struct tp_text t = tp_dict_text(l->dict, string);

	return tp_quote(out, t.text, t.size);
}

static int put_stack(const struct tp_listing *l, struct tp_buf *out, uint32_t stack)
{
	bool first = true;

	while (stack) {
		struct tp_stack_node node = tp_dict_stack_at(l->dict, stack);
		struct tp_frame frame = tp_dict_frame_at(l->dict, node.frame);
		struct tp_text name =
		    tp_dict_text(l->dict, tp_dict_frame_name(l->dict, node.frame));

		if ((!first && tp_buf_put(out, ";", 1)) || tp_escape(out, name.text, name.size) ||
		    put(out, ":%" PRIu64, (uint64_t)frame.line))
			return TP_ENOMEM;
		first = false;
		stack = node.parent;
	}
	return 0;
}

/* Returns whether two stacks have the same text: stacks that differ only in addresses do. */
static bool same_stack(const struct tp_dict *d, uint32_t a, uint32_t b)
{
	while (a != b && a && b) {
		struct tp_stack_node na = tp_dict_stack_at(d, a), nb = tp_dict_stack_at(d, b);

		if (tp_dict_frame_name(d, na.frame) != tp_dict_frame_name(d, nb.frame) ||
		    tp_dict_frame_at(d, na.frame).line != tp_dict_frame_at(d, nb.frame).line)
			return false;
		a = na.parent;
		b = nb.parent;
	}
	return a == b;
}

static int transition(const struct tp_listing *l, const struct tp_event *ev, struct tp_buf *out)
{
	bool proc = tp_event_descs[ev->type].subject == 'P';
	bool create = ev->type == TP_EV_GO_CREATE || ev->type == TP_EV_GO_CREATE_BLOCKED;
	bool reason = ev->type == TP_EV_GO_STOP || ev->type == TP_EV_GO_BLOCK;

	char life[LIFE_SIZE];

	if (put(out, "%c %" PRId64 "%s %s->%s ", proc ? 'P' : 'G',
		proc ? p_of(l, ev->subject) : g_of(l, ev->subject),
		proc ? "" : life_of(l, ev->subject, life), tp_state_names[ev->from],
		tp_state_names[ev->to]) ||
	    quoted(l, out, reason ? ev->str : 0))
		return TP_ENOMEM;
	if (!create || !ev->str2 || same_stack(l->dict, ev->str2, ev->stack))
		return 0;
	return put_text(out, " ") ? TP_ENOMEM : put_stack(l, out, ev->str2);
}

static int range(const struct tp_listing *l, const struct tp_event *ev, struct tp_buf *out)
{
	switch (ev->type) {
	case TP_EV_STW_BEGIN:
	case TP_EV_STW_END:
		return quoted(l, out, ev->str) ? TP_ENOMEM : put_g(l, ev->subject, out);
	case TP_EV_GC_ACTIVE:
	case TP_EV_GC_BEGIN:
	case TP_EV_GC_END:
		return put_text(out, "\"GC concurrent mark phase\" None");
	case TP_EV_GC_SWEEP_END:
		return put(out,
			   "\"GC incremental sweep\" Proc(%" PRId64 ") \"bytes swept\"=%" PRIu64
			   " \"bytes reclaimed\"=%" PRIu64,
			   p_of(l, ev->subject), ev->arg[0], ev->arg[1]);
	case TP_EV_GC_SWEEP_ACTIVE:
	case TP_EV_GC_SWEEP_BEGIN:
		return put(out, "\"GC incremental sweep\" Proc(%" PRId64 ")", p_of(l, ev->subject));
	default:
		return put_text(out, "\"GC mark assist\"") ? TP_ENOMEM : put_g(l, ev->subject, out);
	}
}

static int metric(const struct tp_event *ev, struct tp_buf *out)
{
	const char *name = ev->type == TP_EV_PROCS_CHANGE ? "/sched/gomaxprocs:threads"
			   : ev->type == TP_EV_HEAP_ALLOC ? "/memory/classes/heap/objects:bytes"
							  : "/gc/heap/goal:bytes";

	return put(out, "\"%s\" %" PRIu64, name, ev->arg[0]);
}

static int experimental(const struct tp_event *ev, struct tp_buf *out)
{
	const struct tp_v2_wire_event *w = &tp_v2_wires[ev->type];

	if (put(out, "\"%s\"", w->name))
		return TP_ENOMEM;
	for (unsigned i = 1; i < w->nargs; i++)
		if (put(out, " %s=%" PRIu64, w->args[i], ev->arg[i - 1]))
			return TP_ENOMEM;
	return 0;
}

static int detail(const struct tp_listing *l, const struct tp_event *ev, struct tp_buf *out)
{
	switch ((enum tp_event_kind)tp_event_descs[ev->type].kind) {
	case TP_KIND_TRANSITION:
		return transition(l, ev, out);
	case TP_KIND_RANGE_BEGIN:
	case TP_KIND_RANGE_ACTIVE:
	case TP_KIND_RANGE_END:
		return range(l, ev, out);
	case TP_KIND_METRIC:
		return metric(ev, out);
	case TP_KIND_LABEL:
		return quoted(l, out, ev->str) ? TP_ENOMEM : put_g(l, ev->subject, out);
	case TP_KIND_TASK_BEGIN:
	case TP_KIND_TASK_END:
		return put(out, "%" PRIu64 " %" PRIu64 " ", ev->arg[0], ev->arg[1])
			   ? TP_ENOMEM
			   : quoted(l, out, ev->str);
	case TP_KIND_REGION_BEGIN:
	case TP_KIND_REGION_END:
		return put(out, "%" PRIu64 " ", ev->arg[0]) ? TP_ENOMEM : quoted(l, out, ev->str);
	case TP_KIND_LOG:
		return put(out, "%" PRIu64 " ", ev->arg[0]) || quoted(l, out, ev->str) ||
			       put_text(out, " ")
			   ? TP_ENOMEM
			   : quoted(l, out, ev->str2);
	case TP_KIND_EXPERIMENTAL:
		return experimental(ev, out);
	default:
		return 0;
	}
}

static bool is_sound(const struct tp_event *ev)
{
	return ev->type < TP_NEVENT_TYPES && ev->from < TP_NSTATES && ev->to < TP_NSTATES;
}

int tp_listing_detail(const struct tp_listing *l, const struct tp_event *ev, struct tp_buf *out)
{
	return is_sound(ev) ? detail(l, ev, out) : TP_EFORMAT;
}

int tp_listing_line(const struct tp_listing *l, const struct tp_event *ev, struct tp_buf *out)
{
	char life[LIFE_SIZE];

	if (!is_sound(ev))
		return TP_EFORMAT;
	if (put(out, "%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "%s\t%s\t",
		(int64_t)((uint64_t)ev->ts + (uint64_t)l->start_ns), id_of(l->m_id, l->nm, ev->m),
		p_of(l, ev->p), g_of(l, ev->g), life_of(l, ev->g, life),
		tp_kind_names[tp_event_descs[ev->type].kind]) ||
	    detail(l, ev, out) || tp_buf_put(out, "\t", 1) || put_stack(l, out, ev->stack))
		return TP_ENOMEM;
	return tp_buf_put(out, "\n", 1);
}
