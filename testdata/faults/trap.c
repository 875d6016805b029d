/* System calls, whoever in libc makes them: a seccomp filter sends those of the list below to a
 * handler, when they come from libc's code. The handler fails them, or makes them itself: from
 * here, so that the filter lets them pass. Preloaded functions would miss what stdio does within
 * libc.
 *
 * A process that has all signals blocked must not be trapped: pthread_create and fork are taken by
 * their names for that reason. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "fault.h"

static const struct {
	int nr;
	enum fault_kind kind;
} calls[] = {
    {SYS_read, FAULT_READ},	    {SYS_pread64, FAULT_READ},	  {SYS_readv, FAULT_READ},
    {SYS_preadv, FAULT_READ},	    {SYS_write, FAULT_WRITE},	  {SYS_pwrite64, FAULT_WRITE},
    {SYS_writev, FAULT_WRITE},	    {SYS_pwritev, FAULT_WRITE},	  {SYS_fsync, FAULT_SYNC},
    {SYS_fdatasync, FAULT_SYNC},    {SYS_ftruncate, FAULT_SIZE},  {SYS_fallocate, FAULT_SIZE},
    {SYS_rename, FAULT_NAME},	    {SYS_renameat, FAULT_NAME},	  {SYS_renameat2, FAULT_NAME},
    {SYS_link, FAULT_NAME},	    {SYS_linkat, FAULT_NAME},	  {SYS_mkdir, FAULT_NAME},
    {SYS_mkdirat, FAULT_NAME},	    {SYS_unlink, FAULT_UNLINK},	  {SYS_unlinkat, FAULT_UNLINK},
    {SYS_rmdir, FAULT_UNLINK},	    {SYS_open, FAULT_OPEN},	  {SYS_openat, FAULT_OPEN},
    {SYS_memfd_create, FAULT_OPEN}, {SYS_pipe2, FAULT_OPEN},	  {SYS_socketpair, FAULT_OPEN},
    {SYS_dup, FAULT_OPEN},	    {SYS_stat, FAULT_STAT},	  {SYS_lstat, FAULT_STAT},
    {SYS_fstat, FAULT_STAT},	    {SYS_newfstatat, FAULT_STAT}, {SYS_statx, FAULT_STAT},
    {SYS_access, FAULT_STAT},	    {SYS_faccessat, FAULT_STAT},  {SYS_faccessat2, FAULT_STAT},
    {SYS_readlink, FAULT_STAT},	    {SYS_mmap, FAULT_MAP},	  {SYS_mremap, FAULT_MAP},
    {SYS_fcntl, FAULT_LOCK},	    {SYS_flock, FAULT_LOCK},	  {SYS_close, FAULT_CLOSE},
    {SYS_getdents64, FAULT_OTHER},  {SYS_lseek, FAULT_OTHER},	  {SYS_chmod, FAULT_OTHER},
    {SYS_fchmod, FAULT_OTHER},	    {SYS_utimensat, FAULT_OTHER},
};

#define NCALLS (sizeof(calls) / sizeof(calls[0]))

long fault_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

static long make(long nr, const long *a)
{
	return fault_syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* Half of what was asked for, one byte at least; vectors lose all but their first part. */
static long make_short(long nr, const long *a)
{
	long b[6] = {a[0], a[1], a[2], a[3], a[4], a[5]};

	switch (nr) {
	case SYS_read:
	case SYS_pread64:
	case SYS_write:
	case SYS_pwrite64:
		b[2] = a[2] > 1 ? a[2] / 2 : a[2];
		break;
	case SYS_readv:
	case SYS_writev:
	case SYS_preadv:
	case SYS_pwritev:
		b[2] = a[2] > 1 ? 1 : a[2];
		break;
	}
	return make(nr, b);
}

static bool is_write(long nr)
{
	return nr == SYS_write || nr == SYS_pwrite64 || nr == SYS_writev || nr == SYS_pwritev;
}

static bool is_terminal(long fd)
{
	char modes[256];

	return !fault_syscall(SYS_ioctl, fd, TCGETS, (long)modes, 0, 0, 0);
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	greg_t *r = uc->uc_mcontext.gregs;
	long args[6] = {(long)r[REG_RDI], (long)r[REG_RSI], (long)r[REG_RDX],
			(long)r[REG_R10], (long)r[REG_R8],  (long)r[REG_R9]};
	long nr = info->si_syscall, result;
	enum fault_kind kind = FAULT_OTHER;
	int error = 0, saved = errno;

	(void)sig;
	for (size_t i = 0; i < NCALLS; i++)
		if (calls[i].nr == nr)
			kind = calls[i].kind;
	/* Of a failure that it cannot speak about a command can only be silent; a terminal that
	 * takes nothing is gone. */
	if (is_write(nr) && (args[0] == STDERR_FILENO || is_terminal(args[0]))) {
		result = make(nr, args);
	} else if (fault_now(kind, &error)) {
		if (error && nr == SYS_close)
			make(nr, args);
		result = error ? -error : make_short(nr, args);
		if (!error)
			fault_order_after(nr, args, result);
	} else {
		fault_order_before(nr, args);
		result = make(nr, args);
		fault_order_after(nr, args, result);
	}
	r[REG_RAX] = result;
	errno = saved;
}

struct range {
	uint64_t from, to;
};

static int find_libc(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct range *range = ctx;
	const char *base = strrchr(info->dlpi_name, '/');

	(void)size;
	if (!base || strcmp(base, "/libc.so.6"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
			range->from = info->dlpi_addr + p->p_vaddr;
			range->to = range->from + p->p_memsz;
		}
	}
	return 1;
}

static void give_up(const char *what)
{
	dprintf(STDERR_FILENO, "fault: %s: %s\n", what, strerror(errno));
	_exit(125);
}

/* Of the address that a call comes from: its halves, as a filter knows words of 32 bits only. */
#define LOAD(offset) ((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offset)))
#define IF(test, value, yes, no)                                                                   \
	((struct sock_filter)BPF_JUMP(BPF_JMP | (test) | BPF_K, (uint32_t)(value), (uint8_t)(yes), \
				      (uint8_t)(no)))
#define ANSWER(what) ((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, (what)))

#define RANGE_LENGTH 10

/* The first RANGE_LENGTH instructions: on to the next for calls from `range`, wherever it lies;
 * `out` further on for others. A jump counts from the instruction behind it. */
static void filter_range(struct sock_filter *program, struct range range, size_t out)
{
	const size_t low = offsetof(struct seccomp_data, instruction_pointer), high = low + 4;
	const struct sock_filter part[RANGE_LENGTH] = {
	    LOAD(high),
	    IF(BPF_JGT, range.from >> 32, 3, 0),
	    IF(BPF_JEQ, range.from >> 32, 0, RANGE_LENGTH - 3 + out),
	    LOAD(low),
	    IF(BPF_JGE, range.from, 0, RANGE_LENGTH - 5 + out),
	    LOAD(high),
	    IF(BPF_JGT, range.to >> 32, RANGE_LENGTH - 7 + out, 0),
	    IF(BPF_JEQ, range.to >> 32, 0, RANGE_LENGTH - 8),
	    LOAD(low),
	    IF(BPF_JGE, range.to, RANGE_LENGTH - 10 + out, 0),
	};

	memcpy(program, part, sizeof(part));
}

void fault_trap_start(void)
{
	struct sock_filter program[RANGE_LENGTH + 1 + NCALLS + 2];
	struct sock_fprog fprog = {.filter = program};
	struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER};
	struct range libc = {0, 0};
	size_t n = RANGE_LENGTH;

	dl_iterate_phdr(find_libc, &libc);
	if (!libc.to) {
		errno = ENOENT;
		give_up("libc's code is not found");
	}
	/* Calls from elsewhere (a sanitizer's own, ld.so's, ours) pass. */
	filter_range(program, libc, 1 + NCALLS);
	program[n++] = LOAD(offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < NCALLS; i++)
		program[n++] = IF(BPF_JEQ, calls[i].nr, NCALLS - i, 0);
	program[n++] = ANSWER(SECCOMP_RET_ALLOW);
	program[n++] = ANSWER(SECCOMP_RET_TRAP);
	fprog.len = (unsigned short)n;
	if (sigaction(SIGSYS, &action, NULL))
		give_up("sigaction");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &fprog))
		give_up("this system has no seccomp filters");
}

/* A command's handler for crashes is not to take what is ours. */
int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	static int (*real)(int, const struct sigaction *, struct sigaction *);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "sigaction");
	return real(
	    sig, sig == SIGSYS && fault_shared && act && act->sa_sigaction != on_trap ? NULL : act,
	    old);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	int error;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
	return fault_now(FAULT_THREAD, &error) ? EAGAIN : real(thread, attr, start, arg);
}

pid_t fork(void)
{
	static pid_t (*real)(void);
	int error;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "fork");
	if (fault_now(FAULT_THREAD, &error)) {
		errno = EAGAIN;
		return -1;
	}
	return real();
}
