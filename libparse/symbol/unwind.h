/* The stack of a thread of a process that lives, from its registers and its memory, by the call
 * frame information of the files it has mapped (elfutils: libdwfl).
 *
 * The caller has the registers and reads the memory, so that a thread need not stand still while it
 * is unwound: a copy of its stack will do. Files are opened as /proc/PID/maps names them. One
 * thread. */
#ifndef TP_SYMBOL_UNWIND_H
#define TP_SYMBOL_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct tp_unwinder;

/* Reads the map of the process. TP_ENOENT: there is no such process, or it may not be looked at;
 * TP_ENOMEM. *u is NULL after an error. */
int tp_unwinder_new(struct tp_unwinder **u, int pid, struct tp_err *err);
void tp_unwinder_free(struct tp_unwinder *u);

#define TP_UNWIND_REGISTERS 33

/* Numbered as the machine's DWARF has them (x86-64: rax rdx rcx rbx rsi rdi rbp rsp r8 … r15 rip;
 * aarch64: x0 … x30 sp). Of a thread in a system call only pc and sp may be known; that is often
 * enough, until a function keeps its frame by another register. */
struct tp_unwind_state {
	uint64_t value[TP_UNWIND_REGISTERS];
	uint64_t known; /* bit by bit */
	uint64_t pc;
	/* 8 bytes of the process at an address; false where there is no memory. */
	bool (*word)(void *ctx, uint64_t address, uint64_t *value);
	void *ctx;
};

/* Numbers of two of them, -1 where the machine is not known (and nothing is unwound). */
int tp_unwind_sp(void);
int tp_unwind_pc(void);

/* PCs, innermost first, all as return addresses: where a frame was interrupted, and has made no
 * call, it is one more than where it was. How many: at least 1, as pc is one; at most `room`. */
size_t tp_unwinder_stack(struct tp_unwinder *u, const struct tp_unwind_state *state, uint64_t *pcs,
			 size_t room);

#endif
