/* A profile as profile.proto: the bytes that tp_profile_read, pprof and every other reader of that
 * format take. Nothing is merged or left out but what the format cannot say: counters, losses,
 * notices, labels that are empty.
 *
 * pprof keeps profiles gzipped; packing is up to the caller. */
#ifndef TP_DECODE_PROFILE_ENCODE_H
#define TP_DECODE_PROFILE_ENCODE_H

#include "base/buf.h"
#include "decode/profile.h"

struct tp_encode_options {
	bool no_inlines; /* locations have only their outermost line */
	bool no_columns;
};

/* Appends to out; opt may be NULL. TP_ENOMEM, TP_ELIMIT; out is then to be thrown away. */
int tp_profile_encode(const struct tp_profile *p, const struct tp_encode_options *opt,
		      struct tp_buf *out, struct tp_err *err);

#endif
