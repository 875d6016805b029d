/* The steps of merging an event: shared by advance.c (goroutines, Ps) and annotate.c (ranges,
 * tasks, regions, logs). Private to order/v1. */
#ifndef TP_ORDER_V1_ADVANCE_H
#define TP_ORDER_V1_ADVANCE_H

#include "order/v1/state.h"

/* Returns NOT_READY from the function, with *why set, unless `condition` holds. Must come before
 * any change of state. */
#define REQUIRE(condition, text)                                                                   \
	do {                                                                                       \
		if (unlikely(!(condition))) {                                                      \
			*why = (text);                                                             \
			return NOT_READY;                                                          \
		}                                                                                  \
	} while (0)

static inline void turn(struct tp_event *ev, uint32_t subject, unsigned from, unsigned to)
{
	ev->subject = subject;
	ev->from = (uint8_t)from;
	ev->to = (uint8_t)to;
}

/* Each applies and delivers one event at `ns` with the arguments a; results as of tp_v1_advance().
 */
int tp_v1_advance_gc(struct tp_v1_order *o, struct tp_v1_lane *l, int64_t ns, const uint64_t *a,
		     const char **why);
int tp_v1_advance_stw(struct tp_v1_order *o, struct tp_v1_lane *l, int64_t ns, const uint64_t *a,
		      const char **why);
int tp_v1_advance_sweep(struct tp_v1_order *o, struct tp_v1_lane *l, int64_t ns, const uint64_t *a,
			const char **why);
int tp_v1_advance_assist(struct tp_v1_order *o, struct tp_v1_lane *l, int64_t ns, const char **why);
int tp_v1_advance_task(struct tp_v1_order *o, struct tp_v1_lane *l, int64_t ns, const uint64_t *a,
		       const char **why);
int tp_v1_advance_region(struct tp_v1_order *o, struct tp_v1_lane *l, int64_t ns, const uint64_t *a,
			 const char **why);
int tp_v1_advance_message(struct tp_v1_order *o, struct tp_v1_lane *l, int64_t ns,
			  const uint64_t *a);

#endif
