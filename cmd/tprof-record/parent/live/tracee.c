/* ptrace(2): PTRACE_SEIZE and PTRACE_INTERRUPT, which send no signal and cannot be seen by the
 * program or its parent. But some system calls end with EINTR at any stop (signal(7), "Interruption
 * of system calls by stop signals"); their registers are set back to before the call. */
#include "tprof-record/parent/live/tracee.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/signals.h"
#include "tprof-record/core/core.h"

#define PATIENCE_NS 300000000 /* for a thread in a long write, or about to end */
#define GLANCE_NS   20000

/* ---- registers ---- */

#if defined(__x86_64__)

typedef struct user_regs_struct registers;

/* In the order of DWARF (System V ABI, AMD64 supplement, figure 3.36). */
static void fill_state(const registers *r, struct tp_unwind_state *state)
{
	const uint64_t value[] = {r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi,
				  r->rbp, r->rsp, r->r8,  r->r9,  r->r10, r->r11,
				  r->r12, r->r13, r->r14, r->r15, r->rip};

	memcpy(state->value, value, sizeof(value));
	state->known = (1u << 17) - 1;
	state->pc = r->rip;
}

/* -512 to -516: a call that the stop has interrupted and the kernel will restart (ERESTARTSYS to
 * ERESTART_RESTARTBLOCK). */
static void fill_call(const registers *r, struct rec_tracee *at)
{
	const uint64_t arg[] = {r->rdi, r->rsi, r->rdx, r->r10, r->r8, r->r9};
	long result = (long)r->rax;

	at->thread = r->fs_base;
	at->call =
	    (struct rec_tracee_call){.number = (long)r->orig_rax, .sp = r->rsp, .pc = r->rip};
	memcpy(at->call.arg, arg, sizeof(arg));
	at->call.running = at->call.number < 0 || result > -512 || result < -516;
}

static void fill_vectors(pid_t tid, struct rec_tracee *at)
{
	struct user_fpregs_struct r;
	struct iovec room = {&r, sizeof(r)};

	_Static_assert(sizeof(r.xmm_space) == sizeof(at->vector), "16 of 16 bytes");
	if (!ptrace(PTRACE_GETREGSET, tid, (void *)(uintptr_t)NT_PRFPREG, &room) &&
	    room.iov_len == sizeof(r))
		memcpy(at->vector, r.xmm_space, sizeof(at->vector));
}

/* Calls that change nothing when they end with EINTR, so that they can be begun anew. */
static bool can_begin_anew(long call)
{
	switch (call) {
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_rt_sigtimedwait:
	case SYS_io_getevents:
	case SYS_io_pgetevents:
	case SYS_read:
	case SYS_readv:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_accept:
	case SYS_accept4:
		return true;
	default:
		return false;
	}
}

/* Before the instruction, which is two bytes long, with the number of the call. */
static bool begin_anew(registers *r)
{
	if ((long)r->rax != -EINTR || (long)r->orig_rax < 0 || !can_begin_anew((long)r->orig_rax))
		return false;
	r->rax = r->orig_rax;
	r->orig_rax = (unsigned long long)-1;
	r->rip -= 2;
	return true;
}

#else /* arm64 */

typedef struct user_regs_struct registers;

static void fill_state(const registers *r, struct tp_unwind_state *state)
{
	for (int i = 0; i < 31; i++)
		state->value[i] = r->regs[i];
	state->value[31] = r->sp;
	state->known = 0xffffffffu;
	state->pc = r->pc;
}

static void fill_call(const registers *r, struct rec_tracee *at)
{
	(void)r;
	at->call.running = true;
}

static void fill_vectors(pid_t tid, struct rec_tracee *at)
{
	(void)tid, (void)at;
}

/* The result overwrites the first argument (arm64), so that it cannot be. */
static bool begin_anew(registers *r)
{
	(void)r;
	return false;
}

#endif

static bool get_registers(pid_t tid, registers *r)
{
	struct iovec room = {r, sizeof(*r)};

	memset(r, 0, sizeof(*r));
	return !ptrace(PTRACE_GETREGSET, tid, (void *)(uintptr_t)NT_PRSTATUS, &room);
}

/* ---- stopping ---- */

/* Reads a file of /proc about a thread as text. Returns false if it cannot be read. */
static bool read_file(pid_t pid, pid_t tid, const char *name, char *text, size_t room)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, room - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

static uint64_t signals_of(const char *status, const char *key)
{
	const char *at = strstr(status, key);

	return at ? strtoull(at + strlen(key), NULL, 16) : 0;
}

/* Returns whether a signal is about to be delivered: then the call that it ended stays ended. */
static bool has_signal(pid_t pid, pid_t tid)
{
	char status[4096];

	if (!read_file(pid, tid, "status", status, sizeof(status)))
		return true;
	return ((signals_of(status, "\nSigPnd:") | signals_of(status, "\nShdPnd:")) &
		~signals_of(status, "\nSigBlk:")) != 0;
}

/* Does not collect the exit of the process, which its parent waits for. */
static bool wait_for_stop(pid_t tid, int *status)
{
	uint64_t end = rec_now() + PATIENCE_NS;
	struct timespec glance = {.tv_nsec = GLANCE_NS};

	do {
		siginfo_t info = {0};

		if (waitid(P_PID, (id_t)tid, &info, WSTOPPED | WNOHANG | __WALL))
			return false;
		if (info.si_pid == tid) {
			*status = info.si_status;
			return info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED;
		}
		nanosleep(&glance, NULL);
	} while (rec_now() < end);
	return false;
}

/* A tid from the arena may belong to another process by now. */
static bool is_of(pid_t pid, pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", pid, tid);
	return !access(path, F_OK);
}

/* The signal that a thread was about to receive when it stopped, and receives when it is resumed; 0 if we, or
 * a stop signal, stopped it. */
static __thread int stopped_by;

int rec_tracee_stop(pid_t pid, pid_t tid, struct rec_tracee *at)
{
	registers r;
	int status;

	if (!is_of(pid, tid))
		return ESRCH;
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL))
		return errno == ESRCH || rec_tracee_is_dead(pid, tid) ? ESRCH : EPERM;
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) || !wait_for_stop(tid, &status))
		return ESRCH;
	stopped_by = status >> 8 ? 0 : status;
	if (!get_registers(tid, &r)) {
		rec_tracee_resume(pid, tid);
		return ESRCH;
	}
	memset(at, 0, sizeof(*at));
	fill_state(&r, &at->state);
	fill_call(&r, at);
	fill_vectors(tid, at);
	return 0;
}

void rec_tracee_resume(pid_t pid, pid_t tid)
{
	struct iovec all;
	registers r;

	if (!stopped_by && get_registers(tid, &r) && begin_anew(&r) && !has_signal(pid, tid)) {
		all = (struct iovec){&r, sizeof(r)};
		ptrace(PTRACE_SETREGSET, tid, (void *)(uintptr_t)NT_PRSTATUS, &all);
	}
	ptrace(PTRACE_DETACH, tid, NULL, (void *)(intptr_t)stopped_by);
	stopped_by = 0;
}

/* ---- without stopping ---- */

/* "1234 (name) S …": the third field is its state, the 23rd the size of its memory, which an
 * exiting thread has given up before it becomes a zombie. */
bool rec_tracee_is_dead(pid_t pid, pid_t tid)
{
	char line[512];
	const char *at;
	bool dead;

	if (!read_file(pid, tid, "stat", line, sizeof(line)) || !(at = strrchr(line, ')')) ||
	    !at[1])
		return true;
	dead = strchr("ZXx", at[2]) != NULL;
	for (int field = 3; at && field <= 23; field++)
		at = strchr(at + 1, ' ');
	return dead || (at && !strncmp(at, " 0 ", 3));
}

bool rec_tracee_call(pid_t pid, pid_t tid, struct rec_tracee_call *call)
{
	unsigned long long a[8];
	char line[256];

	memset(call, 0, sizeof(*call));
	if (!read_file(pid, tid, "syscall", line, sizeof(line)))
		return false;
	if (!strncmp(line, "running", 7)) {
		call->running = true;
		return true;
	}
	if (sscanf(line, "%ld %llx %llx %llx %llx %llx %llx %llx %llx", &call->number, &a[0], &a[1],
		   &a[2], &a[3], &a[4], &a[5], &a[6], &a[7]) == 9) {
		for (int i = 0; i < 6; i++)
			call->arg[i] = a[i];
		call->sp = a[6];
		call->pc = a[7];
		return true;
	}
	/* The thread is in the kernel but not in a system call: a page fault. */
	call->running = true;
	if (sscanf(line, "%ld %llx %llx", &call->number, &a[0], &a[1]) != 3)
		return false;
	call->sp = a[0];
	call->pc = a[1];
	return true;
}

bool rec_tracee_waits(const struct rec_tracee_call *call)
{
	if (call->running || call->number != SYS_futex || call->arg[3])
		return false;
	switch (call->arg[1] & (uint64_t)FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
		return true;
	default:
		return false;
	}
}

/* ---- the thread that does it ---- */

int rec_tracee_apart(void *(*run)(void *), void *arg)
{
	sigset_t sent, before;
	pthread_t thread;
	int failed;

	/* Signals are for the recorder's own threads. */
	tp_signals_sent(&sent);
	pthread_sigmask(SIG_SETMASK, &sent, &before);
	failed = pthread_create(&thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!failed)
		pthread_join(thread, NULL);
	return failed;
}
