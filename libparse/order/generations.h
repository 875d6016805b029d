/* Where the generations of a trace lie, by the headers of its batches alone.
 *
 * Traces of go 1.22 and later are a row of generations, each with tables of its own and the state
 * of every goroutine, M and P, so that a reader may begin with any. Here they are numbered by their
 * place, from 1 on, whatever numbers the trace gives them. From where the framing is damaged on,
 * all that is left counts as one, the last: only reading it tells more. */
#ifndef TP_ORDER_GENERATIONS_H
#define TP_ORDER_GENERATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "open/input.h"

struct tp_generations {
	uint64_t *from; /* offsets in the unpacked trace; generation i ends where i + 1 begins */
	size_t n, room;
	uint64_t end;	    /* of the last one: the size of the trace, or behind its end mark */
	double ns_per_tick; /* of the first one; 0 where it does not say */
};

/* To be released, also after an error. TP_EUNKNOWN: no trace, or one of go 1.21 or older, which has
 * no generations; TP_ENOMEM; what tp_recognise says. */
int tp_generations_find(struct tp_generations *list, const struct tp_input *in, struct tp_err *err);
void tp_generations_release(struct tp_generations *list);

#endif
