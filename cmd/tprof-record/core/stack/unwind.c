#include "tprof-record/core/stack/unwind.h"

#include <dlfcn.h>
#include <errno.h>
#include <ucontext.h>

/* ---- what may be read ---- */

/* Pages that are checked at once, to see that the stack is continuous that far. */
enum { PAGES_AT_ONCE = 1024, LARGEST_STACK = 1 << 28 };
#define OF_PAGE(address) ((address) & ~(uint64_t)(REC_PAGE - 1))

extern void *__libc_stack_end __attribute__((weak));

/* A thread's own stack ends at its control block, where libc puts it; the first thread's ends where the
 * program began. How far down it reaches is found out when needed. Any other stack (a coroutine's, or that of
 * the first thread of a child that another thread forked) is checked page by page each time, as it may be
 * gone the next time. */
void rec_reach_begin(struct rec_reach *reach)
{
	uint64_t sp = (uint64_t)(uintptr_t)__builtin_frame_address(0), end;

	if (rec_self.slot && rec_self.slot->tid == rec_core->arena.header->pid)
		end = &__libc_stack_end ? (uint64_t)(uintptr_t)__libc_stack_end : 0;
	else
		end = (uint64_t)(uintptr_t)__builtin_thread_pointer();
	*reach = (struct rec_reach){0};
	if (end > sp && end - sp < LARGEST_STACK)
		reach->lo = reach->hi = end & ~7ull;
}

/* Returns whether the word at `address` is readable. The kernel reads the set before it checks the first
 * argument, which is invalid. */
bool rec_is_readable(uint64_t address)
{
	return rec_call(SYS_rt_sigprocmask, ~0, (long)address, 0, 8, 0, 0) != -EFAULT;
}

static bool extend_own(struct rec_reach *reach, uint64_t address)
{
	uint64_t page, lowest = OF_PAGE(address);

	if (address >= reach->lo || reach->lo - lowest > PAGES_AT_ONCE * (uint64_t)REC_PAGE)
		return false;
	for (page = OF_PAGE(reach->lo - 1); page >= lowest; page -= REC_PAGE) {
		if (!rec_is_readable(page))
			return false;
		reach->lo = page;
	}
	return true;
}

bool rec_reach_far(struct rec_reach *reach, uint64_t address)
{
	uint64_t page = OF_PAGE(address);

	if (page == reach->page[0] || page == reach->page[1])
		return page != 0;
	if (!page)
		return false;
	if (extend_own(reach, address))
		return true;
	if (!rec_is_readable(address))
		return false;
	reach->page[reach->oldest ^= 1] = page;
	return true;
}

/* ---- rules ---- */

static uint64_t rule_of(uint64_t pc)
{
	struct rec_state *s = rec_state();
	uint64_t key = pc ^ (uint64_t)atomic_load_explicit(&s->epoch, memory_order_relaxed) << 48;
	struct rec_rule *r = &s->rules[(key * 0x9e3779b97f4a7c15u) >> 50];
	uint64_t rule = atomic_load_explicit(&r->rule, memory_order_relaxed);

	_Static_assert(REC_NRULES == 1 << 14, "the hash has as many bits");
	if (__builtin_expect(
		(atomic_load_explicit(&r->check, memory_order_relaxed) ^ rule) == key && rule, 1))
		return rule;
	rule = rec_cfi_rule(pc);
	atomic_store_explicit(&r->check, key ^ rule, memory_order_relaxed);
	atomic_store_explicit(&r->rule, rule, memory_order_relaxed);
	return rule;
}

void rec_code_changed(void)
{
	if (rec_alive())
		atomic_fetch_add_explicit(&rec_state()->epoch, 1, memory_order_relaxed);
}

/* ---- steps ---- */

static inline uint64_t word(uint64_t address)
{
	return *(const volatile uint64_t *)(uintptr_t)address;
}

/* At the trampoline that a signal handler returns to, sp points to the registers that the kernel saved. */
static bool step_signal(struct rec_frame *f, struct rec_reach *reach)
{
#if defined(__x86_64__)
	uint64_t registers = f->sp + offsetof(ucontext_t, uc_mcontext.gregs);

	if (f->sp % 8 || !rec_reaches(reach, registers) ||
	    !rec_reaches(reach, registers + 8 * REG_RIP))
		return false;
	f->fp = word(registers + 8 * REG_RBP);
	f->sp = word(registers + 8 * REG_RSP);
	f->pc = word(registers + 8 * REG_RIP) + 1;
	return true;
#else
	(void)f, (void)reach;
	return false;
#endif
}

/* For code without tables: generated at run time, or assembly. If fp looks like a frame pointer, and the word
 * above it like a return address into readable memory, they probably are. The kernel is asked about an address
 * once, as its rule is kept from then on; that only decides how likely the frame is, and the code is not read.
 *
 * On the thread's own stack, which is mapped as long as the thread lives, the step can be checked later like one
 * of kind FP. Elsewhere a word between sp and fp may be gone the next time. */
static enum rec_step step_guess(struct rec_frame *f, struct rec_reach *reach, uint32_t *saved)
{
	uint64_t fp = f->fp, sp = f->sp, pc;

	if (fp % 8 || fp < sp || fp - sp > 1 << 20 || !rec_reaches(reach, fp) ||
	    !rec_reaches(reach, fp + 8))
		return REC_STEP_LOST;
	pc = word(fp + 8);
	if (pc < REC_PAGE || pc >> 47 || rule_of(pc - 1) == REC_RULE_NONE)
		return REC_STEP_LOST;
	*f = (struct rec_frame){.pc = pc, .sp = fp + 16, .fp = word(fp)};
	if (sp < reach->lo || fp + 8 >= reach->hi)
		return REC_STEP_OTHER;
	*saved = (uint32_t)((fp - sp) / 8 + 1);
	return REC_STEP_SIMPLE;
}

enum rec_step rec_unwind(struct rec_frame *f, struct rec_reach *reach, uint32_t *saved)
{
	uint64_t rule, sp, at;

	if (f->pc < REC_PAGE)
		return REC_STEP_END;
	rule = rule_of(f->pc - 1);
	switch (rule & 7) {
	case REC_RULE_SP:
	case REC_RULE_FP:
		sp = ((rule & 7) == REC_RULE_SP ? f->sp : f->fp) + (rule >> 32);
		if (sp <= f->sp || sp % 8 || !rec_reaches(reach, sp - 8))
			return REC_STEP_LOST;
		*saved = 0;
		if ((uint32_t)rule >> 3) {
			at = sp - 8 * ((uint32_t)rule >> 3);
			if (!rec_reaches(reach, at))
				return REC_STEP_LOST;
			*saved = at >= f->sp && at - f->sp < UINT32_MAX
				     ? (uint32_t)((at - f->sp) / 8 + 1)
				     : UINT32_MAX;
			f->fp = word(at);
		}
		f->sp = sp;
		f->pc = word(sp - 8);
		return *saved == UINT32_MAX ? REC_STEP_OTHER : REC_STEP_SIMPLE;
	case REC_RULE_END:
		return REC_STEP_END;
	case REC_RULE_SIGNAL:
		return step_signal(f, reach) ? REC_STEP_OTHER : REC_STEP_LOST;
	case REC_RULE_COMPLEX:
		at = f->sp;
		return rec_cfi_step(f, reach) && f->sp > at ? REC_STEP_OTHER : REC_STEP_LOST;
	default:
		return step_guess(f, reach, saved);
	}
}
