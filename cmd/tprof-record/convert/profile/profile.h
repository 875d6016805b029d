/* The profiles of a recorded process, as struct tp_profile (to be encoded as profile.proto) and as
 * the texts that Go's runtime/pprof writes with debug=1. */
#ifndef RECORD_CONVERT_PROFILE_H
#define RECORD_CONVERT_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "decode/profile.h"
#include "tprof-record/convert/process.h"

enum rec_profile_kind {
	REC_PROFILE_CPU,	  /* samples, cpu */
	REC_PROFILE_HEAP,	  /* alloc_, inuse_, peak_objects and _space, temporary_objects */
	REC_PROFILE_BLOCK,	  /* contentions, delay */
	REC_PROFILE_MUTEX,	  /* contentions, delay */
	REC_PROFILE_THREADCREATE, /* threadcreate */
	REC_PROFILE_GOROUTINE,	  /* goroutine; one sample per thread, labels: name, state, … */
	REC_PROFILE_LEAK,	  /* goroutineleak: goroutines that no other can wake */
	REC_NPROFILES
};

/* "cpu", "heap", "block", "mutex", "threadcreate", "goroutine", "goroutineleak": the names of the files.
 */
const char *rec_profile_name(enum rec_profile_kind kind);
/* Returns whether something is missing in the profile, because there was no room for it. */
bool rec_profile_loses(const struct rec_process *p, enum rec_profile_kind kind);
/* Returns whether the profile is written as text if text is wanted: all but CPU profiles, which have no text
 * form in Go either. */
static inline bool rec_profile_is_text(enum rec_profile_kind kind, bool wanted)
{
	return wanted && kind != REC_PROFILE_CPU;
}

/* Stacks of running threads, taken while the process was alive (parent/live/threads.h, api/stacks.h),
 * and goroutines that seem to be leaked. Zero-initialised is valid and empty. */
struct rec_live_stack {
	uint32_t g, tid;
	const uint64_t *pcs; /* innermost first */
	size_t npcs;
	bool leaked;
};
struct rec_live {
	struct rec_live_stack *stack;
	size_t n, room;
	struct tp_arena pcs;
};

/* Adds a stack; its PCs are copied. Returns 0 or TP_ENOMEM. */
int rec_live_add(struct rec_live *live, struct rec_live_stack stack);
/* Frees the stacks; leaves it empty. */
void rec_live_release(struct rec_live *live);

/* Makes a profile, which the caller frees. `live` may be NULL. Heap values are scaled by the rate, as
 * Go writes them to profile.proto; names, lines and mappings are in it. Notices say what was lost.
 * TP_ENOMEM, TP_ELIMIT. */
int rec_profile_make(const struct rec_process *p, enum rec_profile_kind kind,
		     const struct rec_live *live, struct tp_profile **profile, struct tp_err *err);
/* Adds the files that the process had mapped: mapping i + 1 is module i, as in the locations of
 * rec_names. TP_ENOMEM, TP_ELIMIT, without a message. */
int rec_profile_modules(struct tp_profile *out, const struct rec_process *p, uint32_t flags);
/* Puts profile.proto, gzipped, into an empty buffer; equal profiles are equal bytes. TP_ENOMEM,
 * TP_ELIMIT. */
int rec_profile_pack(const struct tp_profile *profile, struct tp_buf *out, struct tp_err *err);
/* Does one or the other: puts a file's content into an empty buffer. *made is the profile, which the caller
 * frees, or NULL if it is text. */
int rec_profile_write(const struct rec_process *p, enum rec_profile_kind kind,
		      const struct rec_live *live, bool text, struct tp_buf *out,
		      struct tp_profile **made, struct tp_err *err);
/* Writes the profile as Go's debug=1 text: counts that are not scaled, PCs, and the mapped files at
 * the end. */
int rec_profile_text(const struct rec_process *p, enum rec_profile_kind kind,
		     const struct rec_live *live, struct tp_buf *out, struct tp_err *err);

#endif
