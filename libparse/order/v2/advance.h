/* What the files have in common that let an event take effect: advance.c has the frequent types and
 * calls the others, transition.c (of goroutines and Ps), range.c, annotation.c.
 *
 * The rules are those of Go's internal/trace/order.go (the advance* methods) and event.go (what a
 * transition goes from and to). Three answers are possible. An event that names a goroutine or P by
 * a sequence number waits until that number is next, because its time alone may lie; an event about
 * the M's own goroutine or P cannot wait, so a contradiction there is a fault.
 *
 * Context (g, m, p of the tp_event) is that before the transition. Private to these files. */
#ifndef TP_ORDER_V2_ADVANCE_H
#define TP_ORDER_V2_ADVANCE_H

#include "order/v2/order.h"

#if defined(__GNUC__)
#define unlikely(x) __builtin_expect(!!(x), 0)
#else
#define unlikely(x) (x)
#endif

#define EVENT(t, of, ...)                                                                          \
	(o->out[o->n++] = (struct tp_event){.ts = tp_v2_order_time(o, c->ts),                      \
					    .g = m->g->index,                                      \
					    .m = m->index,                                         \
					    .p = m->p->index,                                      \
					    .type = t,                                             \
					    .subject = of,                                         \
					    __VA_ARGS__})

/* A transition of the goroutine or P with index `of`. */
#define TRANSITION(t, of, a, b, ...) EVENT(t, of, .from = a, .to = b, __VA_ARGS__)

/* The dictionary id of an id of the generation's tables: false when there is none. */
static inline bool remap(struct tp_v2_order *o, const struct tp_ids *table, uint64_t id,
			 uint32_t *to)
{
	*to = tp_ids_get(table, id);
	if (unlikely(*to == TP_NO_ID)) {
		if (!o->lenient)
			return false;
		o->unknown_ids++;
		*to = 0;
	}
	return true;
}

#define STACK(id, to)                                                                              \
	do {                                                                                       \
		if (!remap(o, &o->g.stacks, id, to))                                               \
			return tp_v2_fault(o, c, "a stack that is not in the stack table");              \
	} while (0)
#define STRING(id, to)                                                                             \
	do {                                                                                       \
		if (!remap(o, &o->g.strings, id, to))                                              \
			return tp_v2_fault(o, c, "a string that is not in the string table");            \
	} while (0)

static inline bool has_g(const struct tp_v2_m *m)
{
	return m->g->index != TP_NONE;
}

static inline bool has_p(const struct tp_v2_m *m)
{
	return m->p->index != TP_NONE;
}

static inline bool is_thread(const struct tp_v2_m *m)
{
	return m->index != TP_NONE;
}

/* The M that is no thread is never bound to anything. */
static inline void bind_g(struct tp_v2_m *m, struct tp_v2_g *g)
{
	if (is_thread(m))
		m->g = g;
}

static inline void bind_p(struct tp_v2_m *m, struct tp_v2_p *p)
{
	if (is_thread(m))
		m->p = p;
}

static inline bool follows(const struct tp_v2_order *o, uint64_t seq, uint64_t last,
			   uint64_t last_gen)
{
	return last_gen == o->g.number && seq == last + 1;
}

#define NEED(condition, what)                                                                      \
	do {                                                                                       \
		if (unlikely(!(condition)))                                                        \
			return tp_v2_fault(o, c, what);                                                  \
	} while (0)
/* Salvage does without a P where it does not know which. */
#define NEED_USER  NEED(has_g(m) && (has_p(m) || o->salvage), "needs a goroutine and a P")
#define NEED_P	   NEED(has_p(m) || o->salvage, "needs a P")
#define NEED_STATE NEED(m->g->alive, "its goroutine does not exist")

/* Both return TP_V2_FAULTY. */
enum tp_v2_advance tp_v2_fault(struct tp_v2_order *o, const struct tp_v2_cursor *c,
			       const char *what);
enum tp_v2_advance tp_v2_out_of_memory(struct tp_v2_order *o, int code);

/* One type or a few each: *in stands behind dt, and behind the event when it has taken effect. */
enum tp_v2_advance tp_v2_take_transition(struct tp_v2_order *o, struct tp_v2_cursor *c,
					 const uint8_t **in);
enum tp_v2_advance tp_v2_take_range(struct tp_v2_order *o, struct tp_v2_cursor *c,
				    const uint8_t **in);
enum tp_v2_advance tp_v2_take_annotation(struct tp_v2_order *o, struct tp_v2_cursor *c,
					 const uint8_t **in);

#endif
