#include "tprof-record/core/stack/machine.h"
#include "tprof-record/core/stack/unwind.h"

#include <dlfcn.h>
#include <errno.h>

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

#if defined(__aarch64__)
/* mov x8, #139 (rt_sigreturn); svc #0 */
static bool is_trampoline(const volatile uint32_t *code)
{
	return code[0] == 0xd2801168 && code[1] == REC_CALL_CODE;
}

/* Returns whether a stub of the linker begins here, or goes on: bti c; adrp x16; ldr x17, [x16]; add x16, x16; br
 * x17. Both return to where x30 points. */
static bool is_stub(const volatile uint32_t *code)
{
	for (int i = 0; i < 5 && ((uintptr_t)(code + i) % REC_PAGE || !i); i++) {
		if (code[i] == 0xd61f0220)
			return true;
		if (code[i] != 0xd503245f && (code[i] & 0x9f00001f) != 0x90000010 &&
		    (code[i] & 0xffc003ff) != 0xf9400211 && (code[i] & 0xffc003ff) != 0x91000210)
			return false;
	}
	return false;
}

/* Looks at code without tables. The kernel's trampoline may have none, or begin where they end; qemu's has none.
 * `pc` is in the instruction that runs, or just before the one that is returned to. */
static uint64_t rule_of_code(uint64_t pc)
{
	const volatile uint32_t *code = (const volatile uint32_t *)(uintptr_t)((pc + 3) & ~3ull);

	if (!rec_is_readable((uint64_t)(uintptr_t)code & ~7ull))
		return REC_RULE_GUESS;
	if (is_trampoline(code) || ((uintptr_t)code % REC_PAGE && is_trampoline(code - 1)))
		return REC_RULE_SIGNAL;
	return pc % 4 == 0 && is_stub(code) ? REC_RULE_SP : REC_RULE_GUESS;
}
#else
static inline uint64_t rule_of_code(uint64_t pc)
{
	(void)pc;
	return REC_RULE_GUESS;
}
#endif

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
	if (rule == REC_RULE_GUESS)
		rule = rule_of_code(pc);
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
	uint64_t context = f->sp + REC_CONTEXT;

	if (f->sp % 8 || rec_is_loose(f) || !rec_reaches(reach, context + REC_CONTEXT_FIRST) ||
	    !rec_reaches(reach, context + REC_CONTEXT_LAST))
		return false;
	*f = rec_interrupted((const ucontext_t *)(uintptr_t)context);
	return true;
}

/* For code without tables: generated at run time, or assembly. If fp looks like a frame pointer, and the word
 * above it like a return address into readable memory, they probably are. The kernel is asked about an address
 * once, as its rule is kept from then on; that only decides how likely the frame is, and the code is not read.
 *
 * On the thread's own stack, which is mapped as long as the thread lives, the step can be checked later like one
 * of kind FP. Elsewhere a word between sp and fp may be gone the next time. */
static enum rec_step step_guess(struct rec_frame *f, struct rec_reach *reach, uint32_t *places)
{
	uint64_t fp = f->fp, sp = f->sp, pc;

	if (fp % 8 || fp < sp || fp - sp > 1 << 20 || !rec_reaches(reach, fp) ||
	    !rec_reaches(reach, fp + 8))
		return REC_STEP_LOST;
	pc = rec_unsigned(word(fp + 8));
	if (pc < REC_PAGE || pc >> REC_ADDRESS_BITS || rule_of(pc - 1) == REC_RULE_NONE)
		return REC_STEP_LOST;
	f->fp = word(fp);
	rec_step_to(f, pc, fp + 16, true);
	/* On arm64 sp is not exact behind such a step. */
	if (REC_LINKS || sp < reach->lo || fp + 8 >= reach->hi)
		return REC_STEP_OTHER;
	*places = rec_places_pack((uint32_t)((fp - sp) / 8 + 1), 1);
	return REC_STEP_SIMPLE;
}

/* Where the return address is in a register: in interrupted code that has not saved it, or has restored it. */
static enum rec_step step_by_link(struct rec_frame *f, struct rec_reach *reach, uint64_t sp,
				  uint32_t saved)
{
	if (sp < f->sp || sp % 8 || !rec_take_link(f))
		return REC_STEP_LOST;
	if (saved) {
		if (!rec_reaches(reach, sp - 8ull * saved))
			return REC_STEP_LOST;
		f->fp = word(sp - 8ull * saved);
	}
	rec_step_to(f, f->pc, sp, false);
	return REC_STEP_OTHER;
}

/* sp was not found, as the callee has no tables. If the function has a frame record, fp points to it. */
static bool find_sp(struct rec_frame *f, uint64_t rule)
{
	uint32_t saved = rec_rule_saved(rule);

	if (!saved || rec_rule_ra(rule) != saved - 1 || f->fp < f->sp)
		return false;
	f->sp = f->fp + 8ull * saved - (rule >> 32);
	return true;
}

enum rec_step rec_unwind(struct rec_frame *f, struct rec_reach *reach, uint32_t *places)
{
	uint64_t rule, sp, at;
	uint32_t saved, ra;
	bool far = false;

	if (f->pc < REC_PAGE)
		return REC_STEP_END;
	rule = rule_of(f->pc - 1);
	switch (rule & 7) {
	case REC_RULE_SP:
	case REC_RULE_FP:
		if (rec_is_loose(f) && (rule & 7) == REC_RULE_SP) {
			if (!find_sp(f, rule))
				return REC_STEP_LOST;
			far = true;
		}
		sp = ((rule & 7) == REC_RULE_SP ? f->sp : f->fp) + (rule >> 32);
		saved = rec_rule_saved(rule);
		ra = rec_rule_ra(rule);
		if (REC_LINKS && !ra)
			return step_by_link(f, reach, sp, saved);
		if (sp <= f->sp || sp % 8 || !rec_reaches(reach, sp - 8ull * ra))
			return REC_STEP_LOST;
		if (saved) {
			at = sp - 8ull * saved;
			if (!rec_reaches(reach, at))
				return REC_STEP_LOST;
			far |= at < f->sp || (at - f->sp) / 8 >= REC_MOST_PLACE;
			saved = (uint32_t)((at - f->sp) / 8 + 1);
			f->fp = word(at);
		}
		*places = rec_places_pack(saved, ra);
		rec_step_to(f, word(sp - 8ull * ra), sp, false);
		return far ? REC_STEP_OTHER : REC_STEP_SIMPLE;
	case REC_RULE_END:
		return REC_STEP_END;
	case REC_RULE_SIGNAL:
		return step_signal(f, reach) ? REC_STEP_OTHER : REC_STEP_LOST;
	case REC_RULE_COMPLEX:
		if (!rec_is_loose(f) && rec_cfi_step(f, reach))
			return REC_STEP_OTHER;
		/* Nearly all code of arm64 has frame records. */
		if (!REC_LINKS)
			return REC_STEP_LOST;
		/* fallthrough */
	default:
		return step_guess(f, reach, places);
	}
}

#if defined(__aarch64__)
struct rec_frame rec_caller_of(struct rec_frame own)
{
	struct rec_reach reach = {.lo = own.sp, .hi = own.sp + LARGEST_STACK};
	uint32_t places;

	if (!rec_alive() || rec_unwind(&own, &reach, &places) > REC_STEP_OTHER)
		return (struct rec_frame){0};
	return own;
}
#endif
