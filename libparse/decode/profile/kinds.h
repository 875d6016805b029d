/* The decoders of profiles. Private to decode/profile and its tests. */
#ifndef TP_DECODE_PROFILE_KINDS_H
#define TP_DECODE_PROFILE_KINDS_H

#include "decode/profile.h"
#include "decode/profile/mangled.h"
#include "open/kind.h"
#include "open/lines.h"

/* Each fills a new, empty profile, which the caller frees if it fails. They return the same errors
 * as tp_profile_read. */

/* Reads profile.proto, decompressed. */
int tp_proto_read(const uint8_t *data, size_t size, const struct tp_profile_options *opt,
		  struct tp_profile *p, struct tp_err *err);
/* Reads the older text formats of Go, C++ and Java, and the binary CPU profile. `kind` is one of
 * them, that of the data. */
int tp_legacy_read(enum tp_kind kind, const uint8_t *data, size_t size,
		   const struct tp_profile_options *opt, struct tp_profile *p, struct tp_err *err);
/* Reads a trace of allocations. */
int tp_allocs_read(const uint8_t *data, size_t size, const struct tp_profile_options *opt,
		   struct tp_profile *p, struct tp_err *err);
/* Reads what perf script prints. */
int tp_perf_read(const uint8_t *data, size_t size, const struct tp_profile_options *opt,
		 struct tp_profile *p, struct tp_err *err);
/* Reads folded stacks. */
int tp_folded_read(const uint8_t *data, size_t size, const struct tp_profile_options *opt,
		   struct tp_profile *p, struct tp_err *err);
/* Reads speedscope's JSON. */
int tp_speedscope_read(const uint8_t *data, size_t size, const struct tp_profile_options *opt,
		       struct tp_profile *p, struct tp_err *err);
/* Reads profiles of OpenTelemetry. */
int tp_otlp_read(const uint8_t *data, size_t size, const struct tp_profile_options *opt,
		 struct tp_profile *p, struct tp_err *err);
/* Reads stacks of all goroutines (debug=2, and what a crashing Go program prints). */
int tp_goroutines_read(const uint8_t *data, size_t size, const struct tp_profile_options *opt,
		       struct tp_profile *p, struct tp_err *err);

/* Units of counts with fractions, by the digits behind the point that they keep. */
#define TP_FRACTIONS 4
extern const struct tp_fraction {
	unsigned places;
	const char *unit;
} tp_fractions[TP_FRACTIONS]; /* [0] is "count" */

/* Reports an unreadable part of the dump: as an error with the code `strict` or, if that is 0, as a
 * loss. The format gives the reason. Returns 0 or an error code. */
int tp_profile_lose(struct tp_profile *p, struct tp_err *err, int strict, struct tp_loss loss,
		    const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Reports the line that `at` has read as unreadable, and `samples` samples with it. `why` follows
 * "line 7 ", so it begins with a verb. */
int tp_profile_lose_line(struct tp_profile *p, struct tp_err *err, bool strict,
			 const struct tp_lines *at, uint64_t samples, const char *why);
/* Fills *err for TP_ENOMEM and TP_ELIMIT of functions that do not, and returns the code; passes 0 through. */
int tp_profile_failed(struct tp_err *err, const struct tp_lines *at, int code);

/* For dumps with several profiles one after the other: the first function sets the error for strict
 * imports, the second adds a notice that n profiles were added up, if n > 1. */
int tp_profile_several(struct tp_err *err, uint64_t offset);
int tp_profile_added_up(struct tp_profile *p, size_t n, struct tp_err *err);

#endif
