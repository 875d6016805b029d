/* sandbox [-f] HOW [ARGUMENT]: restricts itself, or starts a process in an unusual way, and works.
 *
 *	-f		a child does the work
 *	eperm NUMBER	a filter refuses the system call, …
 *	kill NUMBER [N]	… or kills the process; only with that third argument
 *	unfit NUMBER	a filter that refuses it, and is not installed
 *	strict		the strict mode of seccomp
 *	clone, clone3	a child by the system call itself, or (library) by the function of libc
 *	vfork, spawn, exec, rawexec PROGRAM	executes it
 *	hidden		not to be looked at by others
 *	closed		closes all descriptors
 *	nofiles		may open no file
 *	network		a child in a network of its own, in which no recorder is */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* 10 sleeps of 2 ms, 20 MiB, and many small blocks for a moment. */
static void work(void)
{
	static void *volatile small[20000];
	const struct timespec t = {.tv_nsec = 2000000};

	for (int i = 0; i < 20000; i++)
		small[i] = malloc(16);
	for (int i = 0; i < 20000; i++)
		free(small[i]);

	for (int i = 0; i < 10; i++) {
		void *volatile block = malloc(2 << 20);

		nanosleep(&t, NULL);
		(void)block;
	}
}

static int work_in_child(void *unused)
{
	(void)unused;
	work();
	return 0;
}

/* `third`: NULL, or what the third argument must be. */
static void install(int number, const char *third, unsigned action, unsigned flags)
{
	struct sock_filter code[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 3),
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
	    BPF_JUMP(BPF_JMP | (third ? BPF_JEQ : BPF_JGE) | BPF_K,
		     third ? (unsigned)atoi(third) : 0, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, action),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) != 0) != (flags != 0))
		exit(77);
}

/* Prints the real-time signals that are ignored, as the kernel has it. */
static void print_ignored(void)
{
	struct {
		void (*handler)(int);
		unsigned long flags[3];
	} is;

	for (int n = 34; n <= 64; n++)
		if (!syscall(SYS_rt_sigaction, n, NULL, &is, 8) && is.handler == SIG_IGN)
			printf("signal %d is ignored\n", n);
}

/* Returns the child that is in the way `how`; 0: in this process. */
static pid_t start(const char *how, char *program)
{
	static char stack[1 << 16] __attribute__((aligned(16)));
	struct clone_args args = {.exit_signal = SIGCHLD};
	char *argv[] = {program, NULL};
	pid_t child = 0;

	if (!strcmp(how, "clone"))
		child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	else if (!strcmp(how, "clone3"))
		child = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	else if (!strcmp(how, "library"))
		return clone(work_in_child, stack + sizeof(stack), SIGCHLD, NULL);
	else if (!strcmp(how, "network") && unshare(CLONE_NEWUSER | CLONE_NEWNET))
		exit(77);
	else if (!strcmp(how, "network"))
		child = fork();
	else if (!strcmp(how, "vfork") && !(child = vfork()))
		execv(program, argv), _exit(127);
	else if (!strcmp(how, "spawn"))
		return posix_spawn(&child, program, NULL, NULL, argv, environ) ? -1 : child;
	else
		return child;
	if (!child) {
		work();
		_exit(0);
	}
	return child;
}

static void restrict_it(const char *how, const char *argument, const char *third)
{
	const struct rlimit none = {0};

	if (!strcmp(how, "eperm"))
		install(atoi(argument), NULL, SECCOMP_RET_ERRNO | EPERM, 0);
	else if (!strcmp(how, "kill"))
		install(atoi(argument), third, SECCOMP_RET_KILL_PROCESS, 0);
	else if (!strcmp(how, "unfit"))
		install(atoi(argument), NULL, SECCOMP_RET_KILL_PROCESS, 1u << 30);
	else if (!strcmp(how, "hidden"))
		prctl(PR_SET_DUMPABLE, 0);
	else if (!strcmp(how, "closed"))
		syscall(SYS_close_range, 3, ~0u, 0);
	else if (!strcmp(how, "nofiles"))
		setrlimit(RLIMIT_NOFILE, &none);
}

static void execute(const char *how, char *program)
{
	char *argv[] = {program, NULL};

	work();
	if (!strcmp(how, "exec"))
		execv(program, argv);
#if defined(__x86_64__)
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_execve), "D"(program), "S"(argv), "d"(environ)
			 : "rcx", "r11", "memory");
#endif
	exit(127);
}

int main(int argc, char **argv)
{
	int forks = argc > 1 && !strcmp(argv[1], "-f"), status = 0;
	const char *how = argc > 1 + forks ? argv[1 + forks] : "";
	char *argument = argc > 2 + forks ? argv[2 + forks] : NULL;
	pid_t child;

	if (strstr(how, "exec"))
		execute(how, argument);
	restrict_it(how, argument ? argument : "-1", argument ? argv[3 + forks] : NULL);
	if (!strcmp(how, "unfit"))
		print_ignored();
	child = forks ? fork() : start(how, argument);
	if (!forks && !strcmp(how, "strict")) {
		void *volatile block = malloc(3 << 20);

		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
		for (volatile int i = 0; i < 10000000; i++)
			;
		(void)block;
		syscall(SYS_exit, 0);
	}
	if (!forks || !child)
		work();
	if (child > 0)
		waitpid(child, &status, 0);
	puts("done");
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
