/* Where a large trace is cut into parts for several tasks: between generations. */
#ifndef IMPORT_SLURM_CUTS_H
#define IMPORT_SLURM_CUTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct cut {
	uint32_t first, last; /* generations, from 1 on */
};

/* *cuts: n parts of about so many bytes, which the caller frees; none where it cannot be cut, or is
 * in one piece (what is wrong with it is for its import to say). `self` is tprof-import. */
int cuts_find(const char *self, const char *trace, uint64_t bytes, struct cut **cuts, size_t *n,
	      struct tp_err *err);

/* The same of the list that tprof-import --generations=list writes. */
int cuts_divide(const char *list, uint64_t bytes, struct cut **cuts, size_t *n, struct tp_err *err);

#endif
