/* The tables of a generation: clock, strings, stacks and CPU samples, read into the run's
 * dictionary. Strings and stacks are numbered per generation on the wire; after loading, the remap
 * tables of the generation turn those numbers into ids of the run. */
#ifndef TP_DECODE_V2_TABLES_H
#define TP_DECODE_V2_TABLES_H

#include "decode/v2/generation.h"

/* Loads all tables of g; TP_EFORMAT where Go's reader refuses the generation, TP_ENOMEM or
 * TP_ELIMIT.
 *
 * With `lenient`, what cannot be read of a table is recorded as a loss and the rest is kept: a
 * batch up to its first fault, the first of two entries with one id, frames whose names are
 * missing as unknown ones. The clock is then optional too: without one, time runs at
 * g->ns_fallback. */
int tp_v2_tables_load(struct tp_v2_generation *g, struct tp_trace *trace, bool lenient,
		      struct tp_err *err);

#endif
