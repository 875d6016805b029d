/* The part of a trace that options select: a time range and goroutines. */
#ifndef REP_EXPORT_CHOICE_H
#define REP_EXPORT_CHOICE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "run.h"
#include "spans/filter.h"

struct rep_choice {
	int64_t from_ns, to_ns; /* since the run began; INT64_MIN, INT64_MAX: open */
	uint8_t *wanted;	/* by index of goroutines; NULL selects all */
	size_t n;		/* goroutines of the run, if `wanted` is set */
	size_t nwanted;
};

/* Reads --from, --to and --goroutine. Returns TP_EFORMAT for invalid values, TP_ENOENT if no
 * goroutine matches. *c must be released in every case. */
int rep_choice_init(struct rep_choice *c, struct tp_store *s, const struct rep_run *run,
		    const struct rep_filter_text *text, struct tp_err *err);
void rep_choice_release(struct rep_choice *c);

#endif
