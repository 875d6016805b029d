/* What stacks depend on of the processor: DWARF's numbers of registers, where calls leave the return address,
 * how a rule (unwind.h) is packed, and what the kernel saves for a signal.
 *
 * x86-64: System V ABI, AMD64 supplement, figure 3.36. A call pushes the return address, so it is always just
 * below the caller's sp.
 *
 * arm64: DWARF for the Arm 64-bit Architecture, 4.1 and 4.4; AAPCS64, 6.4.6. A call leaves the return address in
 * x30. Functions that call others save it anywhere in their frame, mostly beside x29, as a frame record: x29
 * points to the caller's x29 and the return address, below everything else in the frame. Functions may sign the
 * return address (pointer authentication). A signature is in bits that no address of a program has, so it can be
 * taken off whether or not there is one. */
#ifndef RECORD_CORE_MACHINE_H
#define RECORD_CORE_MACHINE_H

#include <signal.h>
#include <ucontext.h>

#include "tprof-record/core/inside.h"

#if defined(__x86_64__)

enum {
	REC_REG_FP = 6,
	REC_REG_SP = 7,
	REC_REG_RA = 16,
	REC_ADDRESS_BITS = 47,
	REC_LINKS = false, /* calls leave the return address in a register */
	/* How many words below the caller's sp a rule can say that the caller's fp was saved, and the return
	 * address; how many words above its own sp a frame's shadow can say the former. */
	REC_MOST_SAVED = 1 << 27,
	REC_MOST_RA = 1,
	REC_MOST_PLACE = UINT32_MAX / 8,
	REC_CALL_SIZE = 2, /* of the instruction that calls the kernel */
};
#define REC_CALL_CODE 0x050fu

static inline uint64_t rec_rule_pack(uint64_t saved, uint64_t ra)
{
	(void)ra;
	return saved << 3;
}

static inline uint32_t rec_rule_saved(uint64_t rule)
{
	return (uint32_t)rule >> 3;
}

static inline uint32_t rec_rule_ra(uint64_t rule)
{
	(void)rule;
	return 1;
}

/* Takes the signature off a return address. */
static inline uint64_t rec_unsigned(uint64_t address)
{
	return address;
}

/* The places of struct rec_shadow_frame; `fp` 0: not saved. */
static inline uint32_t rec_places_pack(uint32_t fp, uint32_t ra)
{
	(void)ra;
	return fp;
}

static inline uint32_t rec_places_fp(uint32_t places)
{
	return places;
}

static inline uint32_t rec_places_ra(uint32_t places)
{
	(void)places;
	return 1;
}

/* Sets the PC to the return address that is in a register, if it is still there. */
static inline bool rec_take_link(struct rec_frame *f)
{
	(void)f;
	return false;
}

static inline bool rec_is_loose(const struct rec_frame *f)
{
	(void)f;
	return false;
}

static inline void rec_step_to(struct rec_frame *f, uint64_t pc, uint64_t sp, bool loose)
{
	(void)loose;
	f->pc = pc;
	f->sp = sp;
}

static inline struct rec_frame rec_interrupted(const ucontext_t *c)
{
	const greg_t *r = c->uc_mcontext.gregs;

	return (struct rec_frame){
	    .pc = (uint64_t)r[REG_RIP] + 1, .sp = (uint64_t)r[REG_RSP], .fp = (uint64_t)r[REG_RBP]};
}

/* Where the kernel puts the context, from sp in the trampoline that a handler returns to; the part of it that
 * rec_interrupted reads. */
enum {
	REC_CONTEXT = 0,
	REC_CONTEXT_FIRST = offsetof(ucontext_t, uc_mcontext.gregs),
	REC_CONTEXT_LAST = REC_CONTEXT_FIRST + 8 * REG_RIP,
};

#elif defined(__aarch64__)

enum {
	REC_REG_FP = 29,
	REC_REG_SP = 31,
	REC_REG_RA = 30,
	REC_ADDRESS_BITS = 52,
	REC_LINKS = true,
	REC_MOST_SAVED = (1 << 14) - 1,
	REC_MOST_RA = (1 << 14) - 1, /* 0: it is in x30 */
	REC_MOST_PLACE = (1 << 16) - 2,
	REC_CALL_SIZE = 4,
};
#define REC_CALL_CODE 0xd4000001u /* svc #0 */

static inline uint64_t rec_rule_pack(uint64_t saved, uint64_t ra)
{
	return saved << 3 | ra << 17;
}

static inline uint32_t rec_rule_saved(uint64_t rule)
{
	return rule >> 3 & REC_MOST_SAVED;
}

static inline uint32_t rec_rule_ra(uint64_t rule)
{
	return rule >> 17 & REC_MOST_RA;
}

/* xpaclri, by its number among the hints: it knows how many bits addresses have, and does nothing on processors
 * that sign none. */
static inline uint64_t rec_unsigned(uint64_t address)
{
	register uint64_t x30 __asm__("x30") = address;

	__asm__("hint #7" : "+r"(x30));
	return x30;
}

static inline uint32_t rec_places_pack(uint32_t fp, uint32_t ra)
{
	return fp | ra << 16;
}

static inline uint32_t rec_places_fp(uint32_t places)
{
	return places & 0xffff;
}

static inline uint32_t rec_places_ra(uint32_t places)
{
	return places >> 16;
}

static inline bool rec_take_link(struct rec_frame *f)
{
	if (f->link)
		f->pc = f->link;
	return f->link != 0;
}

static inline bool rec_is_loose(const struct rec_frame *f)
{
	return f->loose;
}

static inline void rec_step_to(struct rec_frame *f, uint64_t pc, uint64_t sp, bool loose)
{
	f->pc = rec_unsigned(pc);
	f->sp = sp;
	f->link = 0;
	f->loose = loose;
}

static inline struct rec_frame rec_interrupted(const ucontext_t *c)
{
	const mcontext_t *m = &c->uc_mcontext;

	return (struct rec_frame){
	    .pc = m->pc + 1, .sp = m->sp, .fp = m->regs[REC_REG_FP], .link = m->regs[REC_REG_RA]};
}

enum {
	REC_CONTEXT = sizeof(siginfo_t),
	REC_CONTEXT_FIRST = offsetof(ucontext_t, uc_mcontext.regs),
	REC_CONTEXT_LAST = offsetof(ucontext_t, uc_mcontext.pc),
};

#endif

#endif
