/* Names that tell nothing, for dumps that are handed on: functions, files, tasks, regions, logs,
 * labels, comments, build ids and mapped files are called by made-up names. Structure, times, ids,
 * counts, the runtime's own words (reasons, ranges, sample types) and, unless `all` is asked for,
 * names of Go's standard library stay, where their files say that they are.
 *
 * A made-up name is a keyed hash (SipHash-2-4) of the original: the same name is the same one again
 * under the same key, and without the key nobody can try names out. */
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
	bool all; /* names of the standard library, too */
	uint64_t key[2];
};

/* The key that a secret makes; NULL: one that nobody knows. */
void rep_anonymise_key(struct rep_anonymise *a, const void *secret, size_t size);
/* SipHash-2-4 (Aumasson and Bernstein, 2012). */
uint64_t rep_siphash(const uint64_t key[2], const void *data, size_t size);

/* Of the dictionary of a trace that is a run of a store. */
int rep_anonymise_trace(const struct rep_anonymise *a, struct tp_store *s, int64_t run,
			struct tp_dict *dict, struct tp_err *err);
int rep_anonymise_profile(const struct rep_anonymise *a, struct tp_profile *p, struct tp_err *err);

#endif
