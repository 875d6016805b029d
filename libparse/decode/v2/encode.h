/* Writes traces in the format of Go 1.26 (events and arguments: wire.h).
 * The caller gives strings and stacks as ids of a dictionary, and the events of each M in the order
 * of time. A generation has the batches of its Ms, then tables of the strings and stacks that its
 * events use, its clock and an end mark.
 *
 *	tp_v2_encoder_new(&e, dict, &sink, err);
 *	tp_v2_encode_generation(e, &clock, err);
 *	tp_v2_encode_event(e, m, ts, TP_V2_GoBlock, (uint64_t[]){reason, stack}, err);
 *	tp_v2_encode_finish(e, err);
 *	tp_v2_encoder_free(e);
 * The encoder does not check that the events are consistent. Each generation must begin with the
 * status of all live goroutines and Ps, with sequence numbers from 1 on (Go:
 * internal/trace/order.go). Times should be unique over all Ms: with more than a dozen Ms, Go's
 * reader breaks ties by an unstable sort. */
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

/* Creates an encoder and writes the header. *out is NULL after an error. `dict` must outlive the
 * encoder and may grow between calls. This and the following functions return 0, TP_ENOMEM, or an
 * error of `to`. */
int tp_v2_encoder_new(struct tp_v2_encoder **out, const struct tp_dict *dict,
		      const struct tp_out *to, struct tp_err *err);
void tp_v2_encoder_free(struct tp_v2_encoder *e);

/* Ends the current generation, if any, and begins the next. Its clock ticks in ns. */
int tp_v2_encode_generation(struct tp_v2_encoder *e, const struct tp_v2_clock *clock,
			    struct tp_err *err);
/* Adds a timed event of M m (UINT64_MAX: no M) at ts, which must not be before the M's previous one
 * in this generation. `args` are those after dt, strings and stacks as ids of the dictionary. */
int tp_v2_encode_event(struct tp_v2_encoder *e, uint64_t m, uint64_t ts, enum tp_v2_wire type,
		       const uint64_t *args, struct tp_err *err);
/* Adds a CPU profile sample; m, p and g are -1 (as 64 bits) for none. If the dictionary says the samples' period
 * (decode/period.h), generations that have some say it, too. */
int tp_v2_encode_sample(struct tp_v2_encoder *e, uint64_t ts, uint64_t m, uint64_t p, uint64_t g,
			uint32_t stack, struct tp_err *err);
/* Ends the last generation; nothing can be added afterwards. */
int tp_v2_encode_finish(struct tp_v2_encoder *e, struct tp_err *err);

#endif
