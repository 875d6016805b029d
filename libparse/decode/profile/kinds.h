/* The kinds of profiles, each with its decoder; private to decode/profile and the tests of it. */
#ifndef TP_DECODE_PROFILE_KINDS_H
#define TP_DECODE_PROFILE_KINDS_H

#include "decode/profile.h"

/* Each fills a new, empty profile; on an error the caller frees it. Same errors as
 * tp_profile_read. */
typedef int (*tp_profile_reader)(const uint8_t *data, size_t size,
				 const struct tp_profile_options *opt, struct tp_profile *p,
				 struct tp_err *err);

/* profile.proto, decompressed */
int tp_proto_read(const uint8_t *data, size_t size, const struct tp_profile_options *opt,
		  struct tp_profile *p, struct tp_err *err);
/* The older text formats of Go, C++ and Java, and the binary CPU profile. */
int tp_legacy_read(const uint8_t *data, size_t size, const struct tp_profile_options *opt,
		   struct tp_profile *p, struct tp_err *err);
/* Stacks of all goroutines (debug=2, and what a crashing Go program prints). */
int tp_goroutines_read(const uint8_t *data, size_t size, const struct tp_profile_options *opt,
		       struct tp_profile *p, struct tp_err *err);

/* Where profiles lie one after the other in a dump. For the decoders: with `strict`, the error; and
 * the notice that so many of them were added up, of which 1 is none. */
int tp_profile_several(struct tp_err *err, uint64_t offset);
int tp_profile_added_up(struct tp_profile *p, size_t n, struct tp_err *err);

/* Does it look like one? By the first bytes; cheap. */
bool tp_proto_seen(const uint8_t *data, size_t size);
bool tp_legacy_seen(const uint8_t *data, size_t size);
bool tp_goroutines_seen(const uint8_t *data, size_t size);

#endif
