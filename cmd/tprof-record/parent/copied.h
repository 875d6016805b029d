/* Stacks of another process's threads from copies: registers, and the innermost part of the stack's memory. libdwfl
 * unwinds them (symbol/unwind.h), which takes some hundred microseconds, so stacks that come again are known by
 * their return addresses. For one thread. */
#ifndef RECORD_PARENT_COPIED_H
#define RECORD_PARENT_COPIED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "symbol/unwind.h"
#include "tprof-record/core/arena.h"

enum { REC_COPIED_KNOWN = 1 << 12 /* stacks that may come again; a power of 2 */ };

/* A word of the stack, and where it was. */
struct rec_copied_word {
	uint64_t at, value;
};

/* Begins with zeros, `pid`, `depth` and `add`. */
struct rec_copied {
	pid_t pid;
	uint32_t depth; /* most frames */
	/* Returns a number for a stack, innermost PC first; 0: there is no room. `cut`: its last function has a
	 * caller that is not known; then n < depth. */
	uint32_t (*add)(void *ctx, const uint64_t *pcs, size_t n, bool cut);
	/* Returns the frame pointer of a function by its PC and its stack pointer; 0: it is not known. NULL if
	 * registers contain it. */
	uint64_t (*frame)(void *ctx, uint64_t pc, uint64_t sp);
	void *ctx;
	struct tp_unwinder *unwinder;
	bool files_changed; /* set when the process has mapped files */
	/* If the return addresses are where they were, and pc and sp are the same, it is the same stack. */
	struct rec_copied_known {
		uint64_t pc, sp;
		uint32_t stack, n;
		struct rec_copied_word *word;
	} known[REC_COPIED_KNOWN];
	bool knows; /* any */

	/* The copy: `size` bytes from address `low` on, at most `room`. */
	const char *copy;
	uint64_t low;
	size_t size, room;
	bool missing; /* a word beyond the copy was wanted */
	struct rec_copied_word read[4 * REC_MAX_DEPTH];
	size_t nread;
};

void rec_copied_release(struct rec_copied *c);
/* Reads the mapped files. TP_ENOENT, TP_EUNKNOWN (symbols.c), TP_ENOMEM. */
int rec_copied_files(struct rec_copied *c, struct tp_err *err);
/* Reads 8 bytes of the copy. Returns false if they are not in it. */
bool rec_copied_word(const struct rec_copied *c, uint64_t address, uint64_t *value);
/* Returns the number of the stack with these registers in the copy, or 0. Sets `missing`. */
uint32_t rec_copied_stack(struct rec_copied *c, struct tp_unwind_state *state);

#endif
