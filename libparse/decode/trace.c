#include "decode/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"

/* Limits that are enough to show where a file is broken; a hostile file must not fill memory. */
#define MAX_LOSSES  10000
#define MAX_NOTICES 10000

int tp_trace_push_address(const struct tp_trace_options *opt, struct tp_dict *dict,
			  uint64_t address, uint32_t *node)
{
	struct tp_location location = {.address = address};
	struct tp_frame frames[TP_NAMED_FRAMES];
	uint32_t where, id;
	size_t n = 0;
	int code = tp_dict_location(dict, &location, &where);

	if (!code && opt->name_frames)
		code = opt->name_frames(opt->name_ctx, dict, address, frames, &n);
	if (!n)
		frames[n++] = (struct tp_frame){0};
	for (size_t i = n; !code && i--;) {
		frames[i].location = where;
		frames[i].inlined = i + 1 < n;
		code = tp_dict_frame(dict, &frames[i], &id);
		if (!code)
			code = tp_dict_stack(dict, *node, id, node);
	}
	return code;
}

void tp_trace_release(struct tp_trace *trace)
{
	tp_dict_free(trace->dict);
	free(trace->g_id);
	free(trace->g_name);
	free(trace->m_id);
	free(trace->p_id);
	free(trace->clocks);
	free(trace->losses);
	free(trace->notices);
	free(trace->wires);
	free(trace->unnamed);
	memset(trace, 0, sizeof(*trace));
}

/* Checks the stacks added to the dictionary since the last call; a parent precedes its children. */
static int look_at_stacks(struct tp_trace *t)
{
	uint32_t n = tp_dict_stacks(t->dict);

	if (n && tp_grow_raw(&t->unnamed, &t->unnamed_room, n - 1, 1))
		return TP_ENOMEM;
	for (uint32_t i = t->nunnamed; i < n; i++) {
		struct tp_stack_node node = tp_dict_stack_at(t->dict, i);

		t->unnamed[i] = node.parent && node.parent < i
				    ? t->unnamed[node.parent]
				    : i && !tp_dict_frame_name(t->dict, node.frame);
		t->any_unnamed |= t->unnamed[i];
	}
	t->nunnamed = n;
	return 0;
}

static inline bool is_unnamed(const uint8_t *unnamed, uint32_t n, uint32_t stack)
{
	return stack < n && unnamed[stack];
}

int tp_trace_mark_unnamed(struct tp_trace *t, struct tp_event *ev, size_t n)
{
	const uint8_t
	    *unnamed; /* copies, because the compiler must assume that the loop changes *t */
	uint32_t nunnamed;

	if (t->nunnamed < tp_dict_stacks(t->dict) && look_at_stacks(t))
		return TP_ENOMEM;
	if (!t->any_unnamed)
		return 0;
	unnamed = t->unnamed;
	nunnamed = t->nunnamed;
	for (size_t i = 0; i < n; i++) {
		/* The usual event: its own stack is one of these two or 0. */
		if (!ev[i].str2 && !is_unnamed(unnamed, nunnamed, ev[i].stack))
			continue;
		if (is_unnamed(unnamed, nunnamed, tp_event_own_stack(&ev[i])))
			ev[i].flags |= TP_EVF_UNNAMED;
	}
	return 0;
}

/* Returns the array with room for one more entry after n; arrays grow at powers of two. */
static void *grown(void *array, size_t n, size_t size)
{
	if (n & (n - 1) || (n && n < 16))
		return array;
	return tp_more(array, n ? n * 2 : 16, size);
}

#define APPEND(array, n, entry)                                                                    \
	do {                                                                                       \
		void *grown_ = grown((array), (n), sizeof(*(array)));                              \
		if (!grown_)                                                                       \
			return TP_ENOMEM;                                                          \
		(array) = grown_;                                                                  \
		(array)[(n)++] = (entry);                                                          \
	} while (0)

int tp_trace_add_loss(struct tp_trace *trace, const struct tp_loss *loss)
{
	if (trace->nlosses >= MAX_LOSSES) {
		struct tp_loss *last = &trace->losses[trace->nlosses - 1];

		last->bytes += loss->bytes;
		last->events += loss->events;
		snprintf(last->reason, sizeof(last->reason), "this and further losses, summed");
		return 0;
	}
	APPEND(trace->losses, trace->nlosses, *loss);
	return 0;
}

int tp_trace_add_notice(struct tp_trace *trace, enum tp_severity severity, uint64_t offset,
			const char *fmt, ...)
{
	struct tp_notice notice = {.severity = severity, .offset = offset};
	va_list ap;

	if (trace->nnotices >= MAX_NOTICES)
		return 0;
	va_start(ap, fmt);
	vsnprintf(notice.text, sizeof(notice.text), fmt, ap);
	va_end(ap);
	APPEND(trace->notices, trace->nnotices, notice);
	return 0;
}

int tp_trace_add_clock(struct tp_trace *trace, const struct tp_clock *clock)
{
	APPEND(trace->clocks, trace->nclocks, *clock);
	return 0;
}

int tp_trace_count_wire(struct tp_trace *trace, const char *name, uint64_t events,
			uint64_t with_stack, uint64_t bytes)
{
	struct tp_wire_count count = {.events = events, .with_stack = with_stack, .bytes = bytes};

	for (size_t i = 0; i < trace->nwires; i++) {
		struct tp_wire_count *w = &trace->wires[i];

		if (!strncmp(w->name, name, sizeof(w->name))) {
			w->events += events;
			w->with_stack += with_stack;
			w->bytes += bytes;
			return 0;
		}
	}
	snprintf(count.name, sizeof(count.name), "%s", name);
	APPEND(trace->wires, trace->nwires, count);
	return 0;
}

/* The three id tables differ only in the type of their ids. */
#define NEW_INDEX(ids, n, room, id)                                                                \
	do {                                                                                       \
		if ((n) == TP_NONE || tp_grow_raw(&(ids), &(room), (n), sizeof(*(ids))))           \
			return TP_NONE;                                                            \
		(ids)[(n)] = (id);                                                                 \
		return (n)++;                                                                      \
	} while (0)

uint32_t tp_trace_new_g(struct tp_trace *trace, uint64_t id)
{
	NEW_INDEX(trace->g_id, trace->ng, trace->g_room, id);
}

uint32_t tp_trace_new_m(struct tp_trace *trace, uint64_t id)
{
	NEW_INDEX(trace->m_id, trace->nm, trace->m_room, id);
}

uint32_t tp_trace_new_p(struct tp_trace *trace, int64_t id)
{
	NEW_INDEX(trace->p_id, trace->np, trace->p_room, id);
}
