/* Writes traces of go 1.5, byte for byte as its tracer frames them (wire.h has the grammar).
 *
 * Every P fills a buffer of its own; a full one is written behind those that were full before. At
 * the end come what is left of the buffers, the stack table, and the frequency. A sequence number
 * belongs to one event of the trace, and times in its order do not decrease.
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
	uint32_t stack; /* 0: none was taken */
};

/* Writes the header. Errors of all of these: TP_ENOMEM, and what `to` returns. */
int tp_v1_encoder_new(struct tp_v1_encoder **out, const struct tp_out *to, struct tp_err *err);
void tp_v1_encoder_free(struct tp_v1_encoder *e);

/* The id of a stack (innermost PC first, 128 at most; those beyond are left out), 0 for none. */
int tp_v1_encode_stack(struct tp_v1_encoder *e, const uint64_t *pcs, size_t n, uint32_t *id,
		       struct tp_err *err);
/* p is a small number, or TP_V1_NO_P. Events of a P come in order. TP_ELIMIT: p is too large. */
int tp_v1_encode_event(struct tp_v1_encoder *e, int32_t p, const struct tp_v1_event *ev,
		       struct tp_err *err);
/* timer_g: goroutine that serves timers, 0 for none. Nothing can be added afterwards. */
int tp_v1_encode_finish(struct tp_v1_encoder *e, uint64_t ticks_per_second, uint64_t timer_g,
			struct tp_err *err);

#endif
