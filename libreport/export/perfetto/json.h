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

/* Threads of the process of Ps that are no P. */
#define PERFETTO_GC 1000004 /* as Go numbers it (internal/trace/traceviewer/fakep.go) */

enum perfetto_section {
	PERFETTO_PS,
	PERFETTO_GS,
	PERFETTO_TASKS,
	PERFETTO_COUNTERS,
	PERFETTO_NSECTIONS
};

/* The frames of a run's stacks that were used, for the end of the file. */
struct perfetto_stacks {
	struct tp_dict *dict;
	uint8_t *used; /* by node */
	uint32_t n;
	uint64_t first; /* number of node 0 in the file */
};

struct rep_perfetto {
	struct tp_out out;
	struct tp_buf buf;
	struct tp_buf shown; /* the text that is being written */
	struct tp_err *err;
	int code; /* of the first thing that went wrong */
	bool any; /* an event was written */
	uint64_t flows, slices;
	uint64_t pid; /* of the run's first section */
	struct perfetto_stacks *stacks;
	size_t nstacks;
	uint64_t frames; /* numbers given out */
};

/* An event under way: everything is appended to it until json_end. */
void json_begin(struct rep_perfetto *p, char phase, enum perfetto_section section, uint64_t tid);
void json_ts(struct rep_perfetto *p, const char *key, int64_t ns);
void json_int(struct rep_perfetto *p, const char *key, int64_t v);
void json_uint(struct rep_perfetto *p, const char *key, uint64_t v);
/* Bytes of the dump, shown as in tables (output/text.h): what is not text, or turns text around,
 * appears as an escape. */
void json_text(struct rep_perfetto *p, const char *key, const char *text, size_t size);
/* A text of ours, in which nothing needs an escape. */
void json_str(struct rep_perfetto *p, const char *key, const char *text);
void json_raw(struct rep_perfetto *p, const char *text); /* as it is */
/* The number of a stack, which is remembered; nothing for none. */
void json_stack(struct rep_perfetto *p, const char *key, uint32_t stack);
/* "args":{ … } is begun and ended by these. */
void json_args(struct rep_perfetto *p);
void json_args_end(struct rep_perfetto *p);
void json_end(struct rep_perfetto *p);
/* Writes what there is, if it is so much; sets p->code. */
void json_flush(struct rep_perfetto *p, size_t at_least);
/* Metadata: the name of a process or thread, and where it is sorted. */
void json_name(struct rep_perfetto *p, const char *what, enum perfetto_section section,
	       uint64_t tid, const char *name, size_t size);

#endif
