/* Filters of system calls (seccomp) that the program installs. Recording goes on if a filter allows the calls that
 * it needs; those that only some of it needs are left out where they are not allowed (rec_may). Otherwise recording
 * ends before the filter is there, as it might kill the process for a call of ours. */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>

#include "tprof-record/core/inside.h"
#include "tprof-record/core/stack/unwind.h"
#include "tprof-record/preload/environment.h"
#include "tprof-record/preload/real.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#else
#define ARCH AUDIT_ARCH_AARCH64
#endif

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { PRIVATE_MAP = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE };

/* The calls of core and preload, with the arguments by which filters tell them apart, and what there is not without
 * them. */
/* clang-format off */
/* About the size of an arena, for filters that look at sizes. */
#define ARENA_SIZE (1u << 26)

#define CALL(name, without, ...) {#name, SYS_##name, without, {__VA_ARGS__}}
/* clang-format on */
static const struct call {
	const char *name;
	long number;
	uint32_t without; /* enum rec_need */
	uint64_t arg[6];
} calls[] = {
    CALL(futex, REC_NEED_ALL, 1, FUTEX_WAIT_PRIVATE, 2, 1),
    CALL(futex, REC_NEED_ALL, 1, FUTEX_WAKE_PRIVATE, 1),
    CALL(futex, REC_NEED_ALL, 1, FUTEX_WAKE, 1),
    CALL(madvise, REC_NEED_ALL, REC_PAGE, REC_PAGE, MADV_POPULATE_WRITE),
    CALL(madvise, REC_NEED_ALL, REC_PAGE, REC_PAGE, MADV_WIPEONFORK),
    CALL(madvise, REC_NEED_DROP, REC_PAGE, REC_PAGE, MADV_DONTNEED),
    CALL(mmap, REC_NEED_ALL, 0, REC_PAGE, PROT_READ | PROT_WRITE, PRIVATE_MAP, (uint64_t)-1),
    CALL(munmap, REC_NEED_ALL, REC_PAGE, REC_PAGE),
    CALL(getpid, REC_NEED_ALL),
    CALL(gettid, REC_NEED_ALL),
    CALL(rt_sigprocmask, REC_NEED_ALL, (uint64_t)-1, REC_PAGE, 0, 8),
    CALL(rt_sigreturn, REC_NEED_RETURN),
    CALL(rt_sigprocmask, REC_NEED_TIMERS, SIG_UNBLOCK, REC_PAGE, 0, 8),
    CALL(clock_gettime, REC_NEED_CLOCK, CLOCK_MONOTONIC, REC_PAGE),
    CALL(clock_gettime, REC_NEED_TIMERS, CLOCK_THREAD_CPUTIME_ID, REC_PAGE),
    CALL(clock_gettime, REC_NEED_TIMERS, (uint64_t)(int64_t)(~1000 * 8 | 6), REC_PAGE),
    CALL(timer_create, REC_NEED_TIMERS, CLOCK_THREAD_CPUTIME_ID, REC_PAGE, REC_PAGE),
    CALL(timer_settime, REC_NEED_TIMERS, 0, 0, REC_PAGE),
    CALL(timer_delete, REC_NEED_TIMERS),
    CALL(openat, REC_NEED_FILES, (uint64_t)AT_FDCWD, REC_PAGE, O_RDONLY | O_CLOEXEC),
    CALL(read, REC_NEED_FILES, 3, REC_PAGE, 96),
    CALL(close, REC_NEED_FILES, 3),
    CALL(readlinkat, REC_NEED_FILES, (uint64_t)AT_FDCWD, REC_PAGE, REC_PAGE, 4096),
    CALL(prctl, REC_NEED_NAMES, PR_GET_NAME, REC_PAGE),
    CALL(prctl, REC_NEED_NAMES, 0x53564d41 /* PR_SET_VMA */, 0, REC_PAGE, REC_PAGE, REC_PAGE),
    CALL(fcntl, REC_NEED_KINDS, 3, F_GETFL),
    CALL(fstat, REC_NEED_KINDS, 3, REC_PAGE),
    CALL(sched_yield, REC_NEED_YIELD),
    CALL(rt_sigaction, REC_NEED_HANDLER, 50, REC_PAGE, 0, 8),
    /* Of a new process. */
    CALL(rt_sigaction, REC_NEED_START, 50, 0, REC_PAGE, 8),
    CALL(faccessat, REC_NEED_START, (uint64_t)AT_FDCWD, REC_PAGE, R_OK),
    CALL(socket, REC_NEED_START, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC),
    CALL(connect, REC_NEED_START, 3, REC_PAGE, 40),
    CALL(setsockopt, REC_NEED_START, 3, SOL_SOCKET, SO_SNDTIMEO, REC_PAGE, 16),
    CALL(sendmsg, REC_NEED_START, 3, REC_PAGE, MSG_NOSIGNAL),
    CALL(memfd_create, REC_NEED_START, REC_PAGE, 3),
    CALL(ftruncate, REC_NEED_START, 3, ARENA_SIZE),
    CALL(fallocate, REC_NEED_START, 3, 0, 0, REC_PAGE),
    CALL(fcntl, REC_NEED_START, 3, 1033 /* F_ADD_SEALS */, 7),
    CALL(fstat, REC_NEED_START, 3, REC_PAGE),
    CALL(prlimit64, REC_NEED_START, 0, RLIMIT_FSIZE, 0, REC_PAGE),
    CALL(mmap, REC_NEED_START, 0, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, 3),
    CALL(madvise, REC_NEED_START, REC_PAGE, ARENA_SIZE, MADV_DONTDUMP),
    CALL(close, REC_NEED_START, 3),
    CALL(readlinkat, REC_NEED_START, (uint64_t)AT_FDCWD, REC_PAGE, REC_PAGE, 4096),
};
enum { NCALLS = sizeof(calls) / sizeof(*calls) };

/* ---- what a filter answers: BPF as the kernel's kernel/seccomp.c allows it ---- */

struct machine {
	uint32_t a, x, memory[BPF_MEMWORDS];
	const struct seccomp_data *data;
};

static uint32_t load(const struct machine *m, const struct sock_filter *i)
{
	uint32_t word = 0;

	switch (BPF_MODE(i->code)) {
	case BPF_IMM:
		return i->k;
	case BPF_MEM:
		return m->memory[i->k % BPF_MEMWORDS];
	case BPF_LEN:
		return sizeof(*m->data);
	default:
		if (i->k <= sizeof(*m->data) - sizeof(word))
			memcpy(&word, (const char *)m->data + i->k, sizeof(word));
		return word;
	}
}

static uint32_t compute(uint32_t a, uint32_t b, uint16_t code)
{
	switch (BPF_OP(code)) {
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_MUL:
		return a * b;
	case BPF_DIV:
		return b ? a / b : 0;
	case BPF_OR:
		return a | b;
	case BPF_AND:
		return a & b;
	case BPF_XOR:
		return a ^ b;
	case BPF_LSH:
		return a << (b & 31);
	case BPF_RSH:
		return a >> (b & 31);
	case BPF_NEG:
		return -a;
	default:
		return 0;
	}
}

/* Returns how many instructions a jump skips. */
static uint32_t jump(const struct machine *m, const struct sock_filter *i, uint32_t b)
{
	switch (BPF_OP(i->code)) {
	case BPF_JA:
		return i->k;
	case BPF_JEQ:
		return m->a == b ? i->jt : i->jf;
	case BPF_JGT:
		return m->a > b ? i->jt : i->jf;
	case BPF_JGE:
		return m->a >= b ? i->jt : i->jf;
	default:
		return m->a & b ? i->jt : i->jf;
	}
}

/* Jumps only go forward. */
static uint32_t answer(const struct sock_fprog *f, const struct seccomp_data *data)
{
	struct machine m = {.data = data};

	for (uint64_t at = 0; at < f->len; at++) {
		const struct sock_filter *i = &f->filter[at];
		uint32_t b = BPF_SRC(i->code) == BPF_X ? m.x : i->k;

		switch (BPF_CLASS(i->code)) {
		case BPF_LD:
			m.a = load(&m, i);
			break;
		case BPF_LDX:
			m.x = load(&m, i);
			break;
		case BPF_ST:
			m.memory[i->k % BPF_MEMWORDS] = m.a;
			break;
		case BPF_STX:
			m.memory[i->k % BPF_MEMWORDS] = m.x;
			break;
		case BPF_ALU:
			m.a = compute(m.a, b, i->code);
			break;
		case BPF_JMP:
			at += jump(&m, i, b);
			break;
		case BPF_RET:
			return BPF_RVAL(i->code) == BPF_A ? m.a : i->k;
		default:
			if (BPF_MISCOP(i->code) == BPF_TAX)
				m.x = m.a;
			else
				m.a = m.x;
		}
	}
	return SECCOMP_RET_KILL_PROCESS;
}

static bool allows(const struct sock_fprog *f, const struct call *c)
{
	struct seccomp_data data = {
	    .nr = (int)c->number, .arch = ARCH, .instruction_pointer = (uintptr_t)&answer};
	uint32_t action;

	memcpy(data.args, c->arg, sizeof(data.args));
	action = answer(f, &data) & SECCOMP_RET_ACTION_FULL;
	return action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG;
}

/* ---- installing one ---- */

/* Returns whether the kernel will be able to read the filter; else it only returns an error. */
static bool is_readable(const struct sock_fprog *f)
{
	uint64_t at = (uintptr_t)f, end;

	if (!f || !rec_is_readable(at & ~7ull) || !rec_is_readable((at + sizeof(*f) - 1) & ~7ull))
		return false;
	at = (uintptr_t)f->filter & ~7ull;
	end = (uintptr_t)(f->filter + f->len);
	for (; at < end; at = (at / REC_PAGE + 1) * REC_PAGE)
		if (!rec_is_readable(at))
			return false;
	return f->len > 0 && f->len <= BPF_MAXINSNS;
}

/* Returns whether the time comes from a system call, as the processor's own clock is not to be trusted. */
static bool time_is_call(void)
{
	static const char file[] =
	    "/sys/devices/system/clocksource/clocksource0/current_clocksource",
			  *const slow[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies"};
	char name[20] = "";
	long fd;

	if (!getauxval(AT_SYSINFO_EHDR))
		return true;
	fd = rec_call(SYS_openat, AT_FDCWD, (long)file, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (fd >= 0) {
		rec_call(SYS_read, fd, (long)name, sizeof(name) - 1, 0, 0, 0);
		rec_call(SYS_close, fd, 0, 0, 0, 0, 0);
	}
	for (size_t i = 0; i < sizeof(slow) / sizeof(*slow); i++)
		if (!strncmp(name, slow[i], strlen(slow[i])))
			return true;
	return false;
}

/* Returns whether recording cannot go on without what a call is needed for. */
static bool ends_without(const struct call *c)
{
	/* A handler that cannot return kills the process. */
	return c->without == REC_NEED_ALL || (c->without == REC_NEED_RETURN && signal_number()) ||
	       (c->without == REC_NEED_CLOCK && time_is_call());
}

uint32_t filter_comes(bool strict, const void *program)
{
	const struct sock_fprog *f = program;
	const char *missing = NULL;
	uint32_t was = atomic_load(&rec_lacks), lacks = was;
	char why[96];

	/* A child of vfork has its parent's memory. */
	if ((rec_alive() && !exit_is_own_process()) || (!strict && !is_readable(f)))
		return 0;
	for (size_t i = 0; i < NCALLS; i++) {
		const struct call *c = &calls[i];

		if (strict ? c->number == SYS_rt_sigreturn : allows(f, c))
			continue;
		lacks |= c->without;
		if (!missing && ends_without(c))
			missing = c->name;
	}
	if (strict)
		stpcpy(why, "it entered the strict mode of seccomp");
	else if (missing)
		stpcpy(stpcpy(why, "its seccomp filter does not allow "), missing);
	if (missing)
		start_no_more(why);
	if (lacks & REC_NEED_RETURN)
		signal_ignore(true);
	atomic_store(&rec_lacks, lacks);
	return lacks & ~was;
}

void filter_came(uint32_t lacks, bool installed)
{
	if (rec_alive() && !exit_is_own_process())
		return;
	if (!installed) {
		atomic_fetch_and(&rec_lacks, ~lacks);
		if (lacks & REC_NEED_RETURN)
			signal_ignore(false);
		if (lacks & (REC_NEED_ALL | REC_NEED_RETURN | REC_NEED_CLOCK))
			start_again();
	} else if (lacks & REC_NEED_START && environ) {
		/* The programs that it executes would not survive our library. */
		environment_take(environ, "", false);
	}
}
