/* A dump that is read: its bytes, what they are, and where the names come from that it leaves out.
 * What import.h and tprof.h have in common. One thread. */
#ifndef TP_DUMP_H
#define TP_DUMP_H

#include <stdbool.h>

#include "decode/profile.h"
#include "decode/trace.h"
#include "open/input.h"
#include "symbol/symbol.h"
#include "symbol/trace.h"

/* All 0 before tp_dump_open. */
struct tp_dump {
	struct tp_input *in;
	struct tp_recognition seen;
	char damaged[160];	       /* what is wrong with the compression, "" if nothing */
	struct tp_symbolizer *symbols; /* NULL: no names are looked for */
	struct tp_trace_names names;
};

/* Opens and recognises a dump. Damaged compression is an error if `strict`. Errors as of
 * tp_symbolizer_new, tp_input_open and tp_recognise; tp_dump_release is due in every case. */
int tp_dump_open(struct tp_dump *d, const char *path, const struct tp_input_options *how,
		 const struct tp_symbol_options *symbols, bool strict, struct tp_err *err);
void tp_dump_release(struct tp_dump *d);

/* Before a trace is read: looks for names beside it and sets name_frames in *how. A trace that is read
 * once more begins here again. */
int tp_dump_begin_trace(struct tp_dump *d, const char *path, struct tp_trace_options *how,
			struct tp_err *err);
/* After it: adds to the trace what there is to say of its compression, of names (also to `unnamed`),
 * and the file's time. */
int tp_dump_end_trace(struct tp_dump *d, struct tp_trace *trace, char unnamed[TP_SYMBOL_REMARK],
		      struct tp_err *err);

/* Decodes a profile, with a loss for damaged compression, as tp_profile_read does. It has only the
 * names that are in the dump. */
int tp_dump_profile(struct tp_dump *d, bool strict, struct tp_profile **p, struct tp_err *err);

#endif
