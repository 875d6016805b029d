/* Encodes a profile as profile.proto, which tp_profile_read, pprof and other tools read. Nothing is
 * merged, and only what the format cannot represent is left out: counters, losses, notices and
 * empty labels.
 *
 * pprof keeps profiles gzipped; compression is up to the caller. */
#ifndef TP_DECODE_PROFILE_ENCODE_H
#define TP_DECODE_PROFILE_ENCODE_H

#include "base/buf.h"
#include "decode/profile.h"

struct tp_encode_options {
	bool no_inlines; /* keep only the outermost line of locations */
	bool no_columns;
};

/* Appends to out; opt may be NULL. Returns 0, TP_ENOMEM or TP_ELIMIT; after an error, the content
 * of out is useless. */
int tp_profile_encode(const struct tp_profile *p, const struct tp_encode_options *opt,
		      struct tp_buf *out, struct tp_err *err);

#endif
