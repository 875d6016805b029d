/* Unwinds the stack of a thread of a live process, from its registers and memory, by the call frame
 * information of the files that it has mapped (elfutils: libdwfl).
 *
 * The caller supplies the registers and reads the memory, so the thread need not be stopped: a copy
 * of its stack will do. Files are opened as /proc/PID/maps names them. For one thread. */
#ifndef TP_SYMBOL_UNWIND_H
#define TP_SYMBOL_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct tp_unwinder;

/* Reads the memory map of the process. Returns 0, TP_ENOENT (the process does not exist or cannot be read) or
 * TP_ENOMEM. *u is NULL after an error. */
int tp_unwinder_new(struct tp_unwinder **u, int pid, struct tp_err *err);
void tp_unwinder_free(struct tp_unwinder *u);

#define TP_UNWIND_REGISTERS 33

/* Registers by their number in the machine's DWARF (x86-64: rax rdx rcx rbx rsi rdi rbp rsp r8 …
 * r15 rip; aarch64: x0 … x30 sp). For a thread in a system call only pc and sp may be known; that
 * is often enough, until a function finds its frame by another register. */
struct tp_unwind_state {
	uint64_t value[TP_UNWIND_REGISTERS];
	uint64_t known; /* bit by bit */
	uint64_t pc;
	/* Reads 8 bytes of the process at an address; returns false if it has no memory there. */
	bool (*word)(void *ctx, uint64_t address, uint64_t *value);
	void *ctx;
};

/* Returns the number of the stack pointer's register, or -1 on unknown machines, where nothing is
 * unwound. */
int tp_unwind_sp(void);

/* Writes PCs, innermost first, all as return addresses: that of an interrupted frame, which has
 * made no call, is one more than its PC. Returns how many: at least 1, which is pc, and at most
 * `room`. *cut says whether there was room for a caller that could not be found. */
size_t tp_unwinder_stack(struct tp_unwinder *u, const struct tp_unwind_state *state, uint64_t *pcs,
			 size_t room, bool *cut);

#endif
