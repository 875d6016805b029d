/* From a function to its caller, by the tables that exception handling uses (.eh_frame), or frame
 * pointers where there are none. No locks and no allocation: safe in malloc, in signal handlers and
 * on stacks of the program's own.
 *
 * For nearly all code the caller is a function of pc, sp, fp and two words of the stack (the return
 * address just below the caller's sp, and the caller's fp if it was saved): a rule, 8 bytes, found
 * once per PC and kept in a table. */
#ifndef RECORD_CORE_UNWIND_H
#define RECORD_CORE_UNWIND_H

#include "tprof-record/core/inside.h"

/* Memory that may be read as a stack: [lo, hi) of the thread's own, and single pages that were
 * found readable while a stack was taken. */
struct rec_reach {
	uint64_t lo, hi;
	uint64_t page[2];
	uint32_t oldest;
};
void rec_reach_begin(struct rec_reach *reach);
bool rec_reach_far(struct rec_reach *reach, uint64_t address);
static inline bool rec_reaches(struct rec_reach *reach, uint64_t address)
{
	return __builtin_expect(address - reach->lo < reach->hi - reach->lo, 1) ||
	       rec_reach_far(reach, address);
}

/* Bits 0–2: enum rec_rule_kind; 3–31: how many words below the caller's sp its fp was saved, 0: it
 * was not; 32–63: from sp or fp to the caller's sp, bytes. */
enum rec_rule_kind {
	REC_RULE_NONE,
	REC_RULE_SP,	  /* the caller's sp is sp + … */
	REC_RULE_FP,	  /* … fp + … */
	REC_RULE_END,	  /* the outermost frame */
	REC_RULE_SIGNAL,  /* of the kernel: it has the registers of what was interrupted */
	REC_RULE_COMPLEX, /* not of this form: read the tables again */
	REC_RULE_GUESS,	  /* no tables: there may be a frame pointer */
};

enum rec_step {
	REC_STEP_END,	 /* there is no caller, as far as one can see */
	REC_STEP_SIMPLE, /* by a rule of kind SP or FP: it can be checked later */
	REC_STEP_OTHER,	 /* otherwise */
	REC_STEP_LOST,	 /* there is one, but it was not found */
};

/* To the caller. *saved as in struct rec_shadow_frame (of a SIMPLE step). */
enum rec_step rec_unwind(struct rec_frame *frame, struct rec_reach *reach, uint32_t *saved);

/* Can a word there be read? Asks the kernel. */
bool rec_is_readable(uint64_t address);

/* ---- cfi.c ---- */

/* A mapped file: its addresses, and its .eh_frame_hdr. */
struct rec_image {
	uint64_t start, limit;
	const uint8_t *header;
};

/* The rule for code at `pc` (the call, not where it returns). */
uint64_t rec_cfi_rule(uint64_t pc);
uint64_t rec_cfi_rule_in(const struct rec_image *image, uint64_t pc);
/* A COMPLEX step. */
bool rec_cfi_step(struct rec_frame *frame, struct rec_reach *reach);

#endif
