/* The stack table of a trace up to go 1.21. Stacks may refer to strings that follow them, so the
 * first pass only records their offsets; they are interned when all strings are known. */
#ifndef TP_DECODE_V1_TABLES_H
#define TP_DECODE_V1_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "decode/trace.h"

struct tp_v1_index;

struct tp_v1_tables {
	uint64_t *offsets; /* of Stack events, from their type byte */
	size_t n, room;
};

/* Records the offset of a Stack event. Returns 0 or TP_ENOMEM. */
int tp_v1_tables_note_stack(struct tp_v1_tables *t, uint64_t offset);
/* Interns the stacks into trace->dict and fills ix->stacks and trace->stacks. Returns 0 or an error
 * code; a damaged stack is an error if opt->strict is set, otherwise a loss. */
int tp_v1_tables_finish(struct tp_v1_tables *t, struct tp_v1_index *ix,
			const struct tp_trace_options *opt, struct tp_trace *trace,
			struct tp_err *err);
void tp_v1_tables_release(struct tp_v1_tables *t);

#endif
