/* Reads the tables of a generation: clock, strings, stacks and CPU samples. Strings and stacks go
 * into the run's dictionary; g->strings and g->stacks map their numbers in the generation to ids of
 * the dictionary. */
#ifndef TP_DECODE_V2_TABLES_H
#define TP_DECODE_V2_TABLES_H

#include "decode/v2/generation.h"

/* Loads all tables of g. Returns 0, TP_EFORMAT if Go's reader would refuse the generation,
 * TP_ENOMEM or TP_ELIMIT.
 *
 * With `lenient`, damaged parts of a table become losses and the rest is kept: a batch up to its
 * first fault, the first of two entries with the same id, frames without names as unknown ones. The
 * clock is then optional, too: without one, ticks take g->ns_fallback. */
int tp_v2_tables_load(struct tp_v2_generation *g, struct tp_trace *trace, bool lenient,
		      struct tp_err *err);

#endif
