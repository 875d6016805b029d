/* Writes traces of go 1.5, byte for byte as its tracer frames them (wire.h has the grammar).
 * Each P has its own buffer, which is written when it is full. Partly filled buffers, the stack
 * table and the frequency follow at the end. Each event must have its own sequence number, and
 * times must not decrease in that order.
 *
 *	tp_v1_encoder_new(&e, &sink, err);
 *	tp_v1_encode_stack(e, pcs, n, &id, err);
 *	tp_v1_encode_event(e, p, &(struct tp_v1_event){…}, err);
 *	tp_v1_encode_finish(e, frequency, 0, err);
 *	tp_v1_encoder_free(e); */
#ifndef TP_DECODE_V1_ENCODE_H
#define TP_DECODE_V1_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/out.h"
#include "decode/v1/wire.h"

#define TP_V1_NO_P	 (-1) /* events that happen without a P */
#define TP_V1_MAX_FRAMES 128

struct tp_v1_encoder;

struct tp_v1_event {
	enum tp_v1_type type;
	uint64_t seq, ticks;
	uint64_t args[3]; /* as go 1.5 has them: GoCreate has goroutine and start PC */
	unsigned nargs;
	bool has_stack;
	uint32_t stack; /* 0 for none */
};

/* Creates an encoder and writes the header. This and the following functions return 0, TP_ENOMEM,
 * or an error of `to`. */
int tp_v1_encoder_new(struct tp_v1_encoder **out, const struct tp_out *to, struct tp_err *err);
void tp_v1_encoder_free(struct tp_v1_encoder *e);

/* Sets *id to that of a stack (innermost PC first; PCs after the first 128 are dropped), 0 for an
 * empty one. */
int tp_v1_encode_stack(struct tp_v1_encoder *e, const uint64_t *pcs, size_t n, uint32_t *id,
		       struct tp_err *err);
/* Adds an event of P p (or TP_V1_NO_P); those of a P must come in order. Returns TP_ELIMIT if p is
 * too large. */
int tp_v1_encode_event(struct tp_v1_encoder *e, int32_t p, const struct tp_v1_event *ev,
		       struct tp_err *err);
/* Writes all that is held back, with the stacks since the last time and the frequency, so that what is written so
 * far is a whole trace. */
int tp_v1_encode_flush(struct tp_v1_encoder *e, uint64_t ticks_per_second, struct tp_err *err);
/* Writes the rest; nothing can be added afterwards. timer_g: goroutine that serves timers, 0 for
 * none. */
int tp_v1_encode_finish(struct tp_v1_encoder *e, uint64_t ticks_per_second, uint64_t timer_g,
			struct tp_err *err);

#endif
