/* libseccomp makes the filter, as it knows the numbers of system calls of all processors. */
#include "common/jail_calls.h"

#ifndef TPROF_SECCOMP

bool cmd_jail_calls_only(bool serves)
{
	(void)serves;
	return false;
}

bool cmd_jail_calls_without(void)
{
	return false;
}

#else

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <seccomp.h>
#include <unistd.h>

/* Files that are open, or that Landlock allows to open; memory; threads; time. The first line has
 * the most frequent calls. Names that the processor lacks are skipped. */
static const char *const allowed[] = {
    "pwrite64", "madvise", "futex", "write", "read", "pread64", "lseek",
    /* files */
    "readv", "writev", "_llseek", "close", "fsync", "fdatasync", "ftruncate", "ftruncate64",
    "fallocate", "flock", "dup", "getdents64", "access", "faccessat", "faccessat2", "readlink",
    "readlinkat", "stat", "lstat", "fstat", "stat64", "lstat64", "fstat64", "fstatat64",
    "newfstatat", "statx", "fstatfs", "fstatfs64", "getcwd", "sync_file_range", "sync_file_range2",
    "fadvise64", "fadvise64_64",
    /* memory */
    "munmap", "mremap", "brk",
    /* threads, and this process */
    "futex_time64", "sched_yield", "sched_getaffinity", "set_robust_list", "rseq", "rt_sigprocmask",
    "rt_sigaction", "rt_sigreturn", "sigreturn", "sigaltstack", "restart_syscall", "exit",
    "exit_group", "getpid", "getppid", "gettid", "getuid", "geteuid", "getgid", "getegid",
    "getuid32", "geteuid32", "getgid32", "getegid32", "getrusage", "sysinfo", "uname",
    /* time */
    "clock_gettime", "clock_gettime64", "clock_getres", "clock_getres_time64", "clock_nanosleep",
    "clock_nanosleep_time64", "nanosleep", "gettimeofday", "time", "getrandom"};

/* Connections to a socket that is open, and what its threads wait by. A new socket cannot be made. */
static const char *const serving[] = {"accept",	    "accept4",	    "recvfrom",	   "recvmsg",
				      "sendto",	    "sendmsg",	    "shutdown",	   "setsockopt",
				      "getsockopt", "getsockname",  "getpeername", "poll",
				      "ppoll",	    "ppoll_time64", "eventfd2",	   "pipe2"};

/* Allows opening to read, to write, or both, without truncating. Landlock cannot forbid truncation
 * before Linux 6.2, and does not check an access mode of O_ACCMODE, neither to read nor to write.
 */
static int allow_opening(scmp_filter_ctx f)
{
	static const int ways[] = {O_RDONLY, O_WRONLY, O_RDWR};
	const scmp_datum_t mask = O_ACCMODE | O_TRUNC;
	int code = 0;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]) && !code; i++) {
		const scmp_datum_t way = (scmp_datum_t)ways[i];

#ifdef __NR_open
		code = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(open), 1,
					SCMP_A1(SCMP_CMP_MASKED_EQ, mask, way));
#endif
		if (!code)
			code = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
						SCMP_A2(SCMP_CMP_MASKED_EQ, mask, way));
	}
	return code;
}

/* Allows fcntl for descriptors and locks. Some of its other commands send signals to processes,
 * which Landlock can forbid only since Linux 6.12. */
static int allow_control(scmp_filter_ctx f)
{
	static const int commands[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL,
				       F_GETLK, F_SETLK, F_SETLKW, F_OFD_GETLK, F_OFD_SETLK,
				       F_OFD_SETLKW,
				       /* 32-bit variants, depending on libc */
				       12, 13, 14};
	int code = 0;

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]) && !code; i++) {
		const struct scmp_arg_cmp is = SCMP_A1(SCMP_CMP_EQ, (scmp_datum_t)commands[i], 0);

		code = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1, is);
		(void)seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(fcntl64), 1, is);
	}
	return code;
}

/* Allows calls depending on their arguments. */
static int allow_some(scmp_filter_ctx f)
{
/* Memory that is not executable. */
#ifdef __s390x__ /* its arguments are in memory, which filters cannot read */
	int code = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 0);
#else
	const struct scmp_arg_cmp no_code = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
	int code = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, no_code);

	(void)seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(mmap2), 1, no_code);
#endif
	if (!code)
		code = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
					SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	/* Threads, no processes. clone3 has its flags in memory; if it fails, libc uses clone. */
	if (!code)
#ifdef __s390x__
		code = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
					SCMP_A1(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
#else
		code = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
					SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
#endif
	(void)seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	if (!code)
		code = allow_opening(f);
	if (!code)
		code = allow_control(f);
	/* The process's own limits (limit.h). */
	if (!code)
		code = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1,
					SCMP_A0(SCMP_CMP_EQ, 0, 0));
	/* abort() sends itself a signal. */
	if (!code)
		code = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
					SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0));
	return code;
}

static scmp_filter_ctx begin(uint32_t others)
{
	scmp_filter_ctx f = seccomp_init(others);

	if (!f)
		return NULL;
	(void)seccomp_attr_set(f, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM));
	/* Kernels before 5.16 slow down processes with a filter, as a mitigation against code that
	 * spies on its own process, which is not needed here. */
	(void)seccomp_attr_set(f, SCMP_FLTATR_CTL_SSB, 1);
	return f;
}

static int add(scmp_filter_ctx f, uint32_t action, const char *const *names, size_t n)
{
	int code = 0;

	for (size_t i = 0; i < n && !code; i++) {
		int call = seccomp_syscall_resolve_name(names[i]);

		if (call >= 0)
			code = seccomp_rule_add(f, action, call, 0);
	}
	return code;
}

static bool load(scmp_filter_ctx f, int code)
{
	if (!code)
		code = seccomp_load(f);
	seccomp_release(f);
	return !code;
}

bool cmd_jail_calls_only(bool serves)
{
	scmp_filter_ctx f = begin(SCMP_ACT_ERRNO(EPERM));
	int code = f ? allow_some(f) : -1;

	if (!f)
		return false;
	if (!code)
		code = add(f, SCMP_ACT_ALLOW, allowed, sizeof(allowed) / sizeof(allowed[0]));
	if (!code && serves)
		code = add(f, SCMP_ACT_ALLOW, serving, sizeof(serving) / sizeof(serving[0]));
	return load(f, code);
}

bool cmd_jail_calls_without(void)
{
	static const char *const refused[] = {"socket",
					      "socketcall",
					      "connect",
					      "bind",
					      "listen",
					      "accept",
					      "accept4",
					      "sendto",
					      "sendmsg",
					      "sendmmsg",
					      "io_uring_setup",
					      "io_uring_enter",
					      "io_uring_register",
					      "ptrace",
					      "process_vm_readv",
					      "process_vm_writev",
					      "pidfd_getfd",
					      "kcmp",
					      "perf_event_open",
					      "bpf",
					      "userfaultfd",
					      "add_key",
					      "request_key",
					      "keyctl",
					      "mount",
					      "umount2",
					      "pivot_root",
					      "chroot",
					      "setns",
					      "unshare",
					      "init_module",
					      "finit_module",
					      "kexec_load",
					      "mknod",
					      "mknodat"};
	scmp_filter_ctx f = begin(SCMP_ACT_ALLOW);

	return f && load(f, add(f, SCMP_ACT_ERRNO(EPERM), refused,
				sizeof(refused) / sizeof(refused[0])));
}

#endif
