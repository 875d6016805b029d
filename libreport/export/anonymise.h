/* Replaces names in dumps that are passed to others: functions, files, tasks, regions, logs,
 * labels, comments, build ids and mapped files get made-up names. Structure, times, ids, counts and
 * the runtime's own words (reasons, ranges, sample types) stay. Names of Go's standard library also
 * stay if their files identify them, unless `all` is set.
 *
 * A made-up name is a keyed hash (SipHash-2-4) of the original: under the same key the same name
 * always gives the same result, and without the key it cannot be found by trying names. */
#ifndef REP_EXPORT_ANONYMISE_H
#define REP_EXPORT_ANONYMISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "decode/dict.h"
#include "decode/profile.h"
#include "store/store.h"

struct rep_anonymise {
	bool all; /* also replaces names of the standard library */
	uint64_t key[2];
};

/* Derives the key from a secret; NULL makes a random key. */
void rep_anonymise_key(struct rep_anonymise *a, const void *secret, size_t size);
/* Returns SipHash-2-4 (Aumasson and Bernstein, 2012). */
uint64_t rep_siphash(const uint64_t key[2], const void *data, size_t size);

/* Anonymises the dictionary of a trace that is a run of a store. */
int rep_anonymise_trace(const struct rep_anonymise *a, struct tp_store *s, int64_t run,
			struct tp_dict *dict, struct tp_err *err);
int rep_anonymise_profile(const struct rep_anonymise *a, struct tp_profile *p, struct tp_err *err);

#endif
