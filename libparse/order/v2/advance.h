/* Shared by the files in which an event takes effect. advance.c has the frequent types and calls the
 * others: transition.c (goroutines and Ps), range.c, annotation.c. Private to these files.
 *
 * The rules are those of Go's internal/trace/order.go (the advance* methods) and event.go (what a
 * transition goes from and to). An event has one of three outcomes:
 *
 *   advanced  It took effect.
 *   waits     It names a goroutine or P that another M may have changed last, and that change has
 *             not been seen yet. Clocks of Ms differ by more than events are apart, so time does not
 *             say which came first. That is why the runtime numbers such changes: an event has to
 *             wait until its sequence number is the next one.
 *   faulty    It is about the M's own goroutine or P. The events of one M are in order, so nothing
 *             that is still to come can make it fit.
 *
 * A sequence counts within a generation. It begins with the status event of the goroutine or P, or
 * with its creation, as number 0.
 *
 * The context of a tp_event (its g, m and p) is that before the transition. */
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

#define FAULT(...) tp_v2_fault(o, c, __VA_ARGS__)

/* Returns the dictionary id of an entry with TP_V2_UNNAMED, or the one to use for an id that is not in the table
 * (TP_NO_ID); TP_NO_ID if that is a fault. */
uint32_t tp_v2_odd_id(struct tp_v2_order *o, uint32_t found);

/* Sets *to to the dictionary id for an id of the generation's tables. Returns false if the id is not in the
 * table. */
static inline bool remap(struct tp_v2_order *o, const struct tp_ids *table, uint64_t id,
			 uint32_t *to)
{
	uint32_t found = tp_ids_get(table, id);

	if (unlikely(found >= TP_V2_UNNAMED))
		found = tp_v2_odd_id(o, found);
	*to = found;
	return found != TP_NO_ID;
}

#define STACK(id, to)                                                                              \
	do {                                                                                       \
		uint64_t id_ = (id);                                                               \
		if (!remap(o, &o->g.stacks, id_, to))                                              \
			return FAULT("stack %llu is not in the stack table",                       \
				     (unsigned long long)id_);                                     \
	} while (0)
#define STRING(id, to)                                                                             \
	do {                                                                                       \
		uint64_t id_ = (id);                                                               \
		if (!remap(o, &o->g.strings, id_, to))                                             \
			return FAULT("string %llu is not in the string table",                     \
				     (unsigned long long)id_);                                     \
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

/* Events without a thread share one M, which is never bound to anything. */
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

/* Returns whether a sequence number is the next one of a goroutine or P. */
static inline bool follows(const struct tp_v2_order *o, uint64_t seq, uint64_t last,
			   uint64_t last_gen)
{
	return last_gen == o->g.number && seq == last + 1;
}

/* NEED(condition, format, …): the event is at fault unless the condition holds. */
#define NEED(condition, ...)                                                                       \
	do {                                                                                       \
		if (unlikely(!(condition)))                                                        \
			return FAULT(__VA_ARGS__);                                                 \
	} while (0)
/* Salvage allows an M without a P, because it may not know which P the M has. */
#define NEED_USER   NEED(has_g(m) && (has_p(m) || o->salvage), "the thread has no goroutine or no P")
#define NEED_P	    NEED(has_p(m) || o->salvage, "the thread has no P")
#define NEED_G	    NEED(has_g(m), "the thread has no goroutine")
#define NEED_THREAD NEED(is_thread(m), "the event belongs to no thread")
#define NEED_STATE  NEED(m->g->alive, "goroutine %lld does not exist any more", (long long)m->g->id)
#define NEED_STATUS(goroutine, want)                                                               \
	NEED((goroutine)->status == (want), "goroutine %lld is %s, but has to be %s",              \
	     (long long)(goroutine)->id, tp_v2_gstatus_names[(goroutine)->status],                 \
	     tp_v2_gstatus_names[want])
#define NEED_P_STATUS(proc, want)                                                                  \
	NEED((proc)->status == (want), "P %lld is %s, but has to be %s", (long long)(proc)->id,    \
	     tp_v2_pstatus_names[(proc)->status], tp_v2_pstatus_names[want])

/* Both set o->err and return TP_V2_FAULTY. */
enum tp_v2_advance tp_v2_fault(struct tp_v2_order *o, const struct tp_v2_cursor *c, const char *fmt,
			       ...) __attribute__((format(printf, 3, 4), cold));
enum tp_v2_advance tp_v2_out_of_memory(struct tp_v2_order *o, int code);

/* Each handles a few types. *in is past dt, and past the whole event once it has taken effect. */
enum tp_v2_advance tp_v2_take_transition(struct tp_v2_order *o, struct tp_v2_cursor *c,
					 const uint8_t **in);
enum tp_v2_advance tp_v2_take_range(struct tp_v2_order *o, struct tp_v2_cursor *c,
				    const uint8_t **in);
enum tp_v2_advance tp_v2_take_annotation(struct tp_v2_order *o, struct tp_v2_cursor *c,
					 const uint8_t **in);

#endif
