/* Steps from a frame to that of its caller, by the tables of exception handling (.eh_frame), or by frame
 * pointers where there are no tables. Takes no locks and allocates nothing, so it is safe in malloc, in
 * signal handlers and on stacks of the program's own.
 *
 * For nearly all code the caller's frame depends only on pc, sp, fp and two words of the stack: the
 * return address, and the caller's fp if it was saved. How it does is a rule
 * of 8 bytes, which is found once for each PC and kept in a table. */
#ifndef RECORD_CORE_UNWIND_H
#define RECORD_CORE_UNWIND_H

#include "tprof-record/core/inside.h"

/* Memory that may be read as a stack: [lo, hi) of the thread's own stack, and single pages that were found
 * readable while a stack was taken. */
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

/* Bits 0–2 of a rule are its kind. Bits 3–31: how many words below the caller's sp its fp was saved; 0: it
 * was not. On arm64 that is in bits 3–16, and bits 17–30 say the same of the return address; 0: it is in x30. Bits
 * 32–63: bytes from sp or fp to the caller's sp. */
enum rec_rule_kind {
	REC_RULE_NONE,	  /* nothing is mapped there; not kept, as code may be soon */
	REC_RULE_SP,	  /* the caller's sp is sp + … */
	REC_RULE_FP,	  /* … fp + … */
	REC_RULE_END,	  /* the outermost frame */
	REC_RULE_SIGNAL,  /* the kernel's frame of a signal: it holds the interrupted registers */
	REC_RULE_COMPLEX, /* not of this form: the tables are read each time */
	REC_RULE_GUESS,	  /* there are no tables; there may be a frame pointer */
};

enum rec_step {
	REC_STEP_END,	 /* there seems to be no caller */
	REC_STEP_SIMPLE, /* found by a rule of kind SP or FP, so that it can be checked later */
	REC_STEP_OTHER,	 /* found otherwise */
	REC_STEP_LOST,	 /* there is a caller, but it was not found */
};

/* Steps to the caller. After a SIMPLE step *places are those of struct rec_shadow_frame. */
enum rec_step rec_unwind(struct rec_frame *frame, struct rec_reach *reach, uint32_t *places);

/* Asks the kernel whether a word can be read. */
bool rec_is_readable(uint64_t address);

/* ---- cfi.c ---- */

/* A mapped file: its addresses, and its .eh_frame_hdr. */
struct rec_image {
	uint64_t start, limit;
	const uint8_t *header;
};

/* Return the rule for the code at `pc` (of the call, not of the return address). */
uint64_t rec_cfi_rule(uint64_t pc);
uint64_t rec_cfi_rule_in(const struct rec_image *image, uint64_t pc);
/* Steps to the caller by the tables, for a rule of kind COMPLEX. */
bool rec_cfi_step(struct rec_frame *frame, struct rec_reach *reach);

#endif
