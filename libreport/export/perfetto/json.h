/* Events of Chrome's trace event format, as text.
 *
 * Source: the format's description, "Trace Event Format" (Google, 2016 and later): ph is the phase
 * (X complete, B/E, b/e asynchronous, i instant, C counter, s/f flow, M metadata), ts and dur are
 * microseconds. */
#ifndef REP_EXPORT_PERFETTO_JSON_H
#define REP_EXPORT_PERFETTO_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/out.h"
#include "decode/dict.h"

/* Thread numbers in the process of Ps that are not Ps. */
#define PERFETTO_GC 1000004 /* as Go numbers it (internal/trace/traceviewer/fakep.go) */

enum perfetto_section {
	PERFETTO_PS,
	PERFETTO_GS,
	PERFETTO_TASKS,
	PERFETTO_COUNTERS,
	PERFETTO_NSECTIONS
};

/* The frames of a run's used stacks, for the end of the file. */
struct perfetto_stacks {
	struct tp_dict *dict;
	uint8_t *used; /* by node */
	uint32_t n;
	uint64_t first; /* number of node 0 in the file */
};

struct rep_perfetto {
	struct tp_out out;
	struct tp_buf buf;
	struct tp_buf shown; /* the text being written */
	struct tp_err *err;
	int code; /* first error */
	bool any; /* an event was written */
	uint64_t flows, slices;
	uint64_t pid; /* of the run's first section */
	struct perfetto_stacks *stacks;
	size_t nstacks;
	uint64_t frames; /* numbers given out */
};

/* Begins an event: everything is appended to it until json_end. */
void json_begin(struct rep_perfetto *p, char phase, enum perfetto_section section, uint64_t tid);
void json_ts(struct rep_perfetto *p, const char *key, int64_t ns);
void json_int(struct rep_perfetto *p, const char *key, int64_t v);
void json_uint(struct rep_perfetto *p, const char *key, uint64_t v);
/* Writes bytes of the dump as tables show them (output/text.h): bytes that are not text, and
 * characters that reverse text, are escaped. */
void json_text(struct rep_perfetto *p, const char *key, const char *text, size_t size);
/* Writes a fixed text that needs no escapes. */
void json_str(struct rep_perfetto *p, const char *key, const char *text);
void json_raw(struct rep_perfetto *p, const char *text); /* unchanged */
/* Writes the number of a stack, which is marked as used; nothing if it is 0. */
void json_stack(struct rep_perfetto *p, const char *key, uint32_t stack);
/* Begin and end "args":{ … }. */
void json_args(struct rep_perfetto *p);
void json_args_end(struct rep_perfetto *p);
void json_end(struct rep_perfetto *p);
/* Writes the buffer if it holds at least so much; sets p->code. */
void json_flush(struct rep_perfetto *p, size_t at_least);
/* Writes metadata: the name of a process or thread, and its place in the sort order. */
void json_name(struct rep_perfetto *p, const char *what, enum perfetto_section section,
	       uint64_t tid, const char *name, size_t size);

#endif
