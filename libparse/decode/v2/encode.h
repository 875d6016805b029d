/* Writes traces as Go 1.26 does (the same events as wire.h lists, with their arguments).
 *
 * The caller names strings and stacks by their ids in a dictionary and hands over the events of
 * every M in the order of their time; a generation collects the batches of its Ms, and ends with
 * the tables of what its events have used, its clock and the mark of its end.
 *
 *	tp_v2_encoder_new(&e, dict, &sink, err);
 *	tp_v2_encode_generation(e, &clock, err);
 *	tp_v2_encode_event(e, m, ts, TP_V2_GoBlock, (uint64_t[]){reason, stack}, err);
 *	tp_v2_encode_finish(e, err);
 *	tp_v2_encoder_free(e);
 *
 * Whether the events make sense together is the caller's affair; every generation must begin with
 * the status of what is alive, and its sequence numbers at 1 (Go: internal/trace/order.go). Times
 * should be different from each other over all Ms: Go's reader breaks ties by an unstable sort once
 * there are more than a dozen Ms. */
#ifndef TP_DECODE_V2_ENCODE_H
#define TP_DECODE_V2_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/out.h"
#include "decode/dict.h"
#include "decode/v2/wire.h"

struct tp_v2_encoder;

struct tp_v2_clock {
	uint64_t ts;	   /* of the snapshot, in ns: not after the generation's first event */
	uint64_t mono_ns;  /* CLOCK_MONOTONIC at ts */
	uint64_t wall_sec; /* Unix time at ts */
	uint32_t wall_nsec;
};

/* Writes the header. `dict` is read while the encoder lives; it may grow between calls. Errors of
 * all of these: TP_ENOMEM, and what `to` returns. *out is NULL after an error. */
int tp_v2_encoder_new(struct tp_v2_encoder **out, const struct tp_dict *dict,
		      const struct tp_out *to, struct tp_err *err);
void tp_v2_encoder_free(struct tp_v2_encoder *e);

/* Ends the generation under way, if any, and begins the next. Its clock ticks in ns. */
int tp_v2_encode_generation(struct tp_v2_encoder *e, const struct tp_v2_clock *clock,
			    struct tp_err *err);
/* A timed event of M m (UINT64_MAX: of none) at ts, which is not before its previous one in this
 * generation. `args` are those behind dt, strings and stacks as ids of the dictionary. */
int tp_v2_encode_event(struct tp_v2_encoder *e, uint64_t m, uint64_t ts, enum tp_v2_wire type,
		       const uint64_t *args, struct tp_err *err);
/* A sample of the CPU profiler; m, p, g are -1 (as 64 bits) where there was none. */
int tp_v2_encode_sample(struct tp_v2_encoder *e, uint64_t ts, uint64_t m, uint64_t p, uint64_t g,
			uint32_t stack, struct tp_err *err);
/* Ends the last generation; nothing can be added afterwards. */
int tp_v2_encode_finish(struct tp_v2_encoder *e, struct tp_err *err);

#endif
