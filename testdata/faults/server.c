/* Runs the command's main once for every line on descriptor FAULT_IN:
 *
 *   MASK FIRST LAST ERROR FLAGS TIMEOUT_MS STDIN
 *
 * with standard output and error in the files "stdout" and "stderr" of the folder FAULT_DIR (a
 * terminal as standard input is standard output, too), and answers on FAULT_OUT:
 *
 *   STATUS SIGNAL TIMED_OUT LEFT HITS COUNTED LEAKED KIND_0,KIND_1,… NOTE
 *
 * LEFT counts processes that were still there when the first one had ended. With FAULT_SITES the
 * file "sites" in FAULT_DIR has a 64-bit number for each call: where it comes from, and in the
 * lowest four bits its kind. Everything that is loaded once stays loaded: a run costs a fork. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fault.h"

#define FAULT_IN   198
#define FAULT_OUT  199
#define STACK_SIZE ((rlim_t)8 << 20)

typedef int main_fn(int, char **, char **);

static main_fn *command;
static char dir[4000];

struct linux_dirent64 {
	uint64_t ino;
	int64_t off;
	unsigned short reclen;
	unsigned char type;
	char name[];
};

/* The open descriptors as bits, by calls that are not counted. */
static uint64_t descriptors(void)
{
	_Alignas(8) char buf[4096];
	long fd =
		 fault_syscall(SYS_open, (long)"/proc/self/fd", O_RDONLY | O_DIRECTORY, 0, 0, 0, 0),
	     n;
	uint64_t set = 0;

	while ((n = fault_syscall(SYS_getdents64, fd, (long)buf, sizeof(buf), 0, 0, 0)) > 0)
		for (long at = 0; at < n;) {
			struct linux_dirent64 *e = (struct linux_dirent64 *)(buf + at);
			int k = atoi(e->name);

			if (*e->name != '.' && k != fd && k < 64)
				set |= 1ull << k;
			at += e->reclen;
		}
	fault_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
	return set;
}

static uint64_t at_start;
static pid_t first_process;

static void at_end(void)
{
	uint64_t more;

	if (getpid() != first_process)
		return;
	atomic_store(&fault_shared->armed, false);
	more = descriptors() & ~at_start;
	atomic_store(&fault_shared->leaked, __builtin_popcountll(more));
	if (more) {
		char link[64], name[200];
		long n;

		snprintf(link, sizeof(link), "/proc/self/fd/%d", __builtin_ctzll(more));
		n = fault_syscall(SYS_readlink, (long)link, (long)name, sizeof(name) - 1, 0, 0, 0);
		if (n > 0 && !*fault_shared->note)
			fault_objection("%.*s was left open", (int)n, name);
	}
}

static int open_as(int fd, const char *name, int flags)
{
	int got = open(name, flags, 0600);

	if (got < 0 || dup2(got, fd) < 0)
		return -1;
	if (got != fd)
		close(got);
	return 0;
}

static _Noreturn void run(int argc, char **argv, char **envp, const char *input)
{
	char path[4096];

	close(FAULT_IN);
	close(FAULT_OUT);
	setpgid(0, 0);
	signal(SIGCHLD, SIG_DFL);
	snprintf(path, sizeof(path), "%s/stdout", dir);
	if (!strncmp(input, "/dev/pts/", 9)) {
		if (open_as(STDIN_FILENO, input, O_RDWR | O_NOCTTY) ||
		    dup2(STDIN_FILENO, STDOUT_FILENO) < 0)
			_exit(124);
	} else if (open_as(STDIN_FILENO, input, O_RDONLY) ||
		   open_as(STDOUT_FILENO, path, O_WRONLY | O_CREAT | O_TRUNC)) {
		_exit(124);
	}
	snprintf(path, sizeof(path), "%s/stderr", dir);
	if (open_as(STDERR_FILENO, path, O_WRONLY | O_CREAT | O_TRUNC))
		_exit(124);
	first_process = getpid();
	at_start = descriptors();
	atexit(at_end); /* the first to be told is the last to be called */
	fault_trap_start();
	atomic_store(&fault_shared->armed, true);
	exit(command(argc, argv, envp));
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void on_child(int sig)
{
	(void)sig;
}

static void keep_sites(void)
{
	unsigned n = atomic_load(&fault_shared->nsites);
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/sites", dir);
	f = fopen(path, "wb");
	if (!f || fwrite(fault_shared->sites, sizeof(uint64_t), n, f) != n || fclose(f))
		_exit(122);
}

/* Waits for the run, and for what it left behind. */
static void answer(pid_t pid, int timeout_ms)
{
	int64_t until = now_ms() + timeout_ms;
	int status = 0, timed_out = 0, left = 0;
	bool ended = false;
	char text[2048];
	int n;
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	for (;;) {
		int s;
		pid_t p = waitpid(-1, &s, WNOHANG);

		if (p == pid) {
			status = s;
			ended = true;
			/* The others end with it, but perhaps after it: what does not stays. */
			until = timed_out ? until : now_ms() + 60000;
			continue;
		}
		if (p > 0)
			continue;
		if (p < 0 && errno == ECHILD)
			break;
		if (now_ms() >= until) {
			if (ended)
				left++;
			else
				timed_out = 1;
			kill(-pid, SIGKILL);
			until = now_ms() + 60000;
		}
		sigtimedwait(&child, NULL, &(struct timespec){.tv_nsec = 20 * 1000000});
	}
	if (fault_shared->flags & FAULT_SITES)
		keep_sites(); /* before anybody looks */
	n = snprintf(text, sizeof(text), "%d %d %d %d %" PRIuFAST64 " %" PRIuFAST64 " %d ",
		     WIFEXITED(status) ? WEXITSTATUS(status) : -1,
		     WIFSIGNALED(status) ? WTERMSIG(status) : 0, timed_out, left,
		     atomic_load(&fault_shared->hits), atomic_load(&fault_shared->counted),
		     atomic_load(&fault_shared->leaked));
	for (int k = 0; k < FAULT_KINDS; k++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%" PRIuFAST64, k ? "," : "",
			      atomic_load(&fault_shared->kinds[k]));
	n += snprintf(text + n, sizeof(text) - (size_t)n, " %s\n", fault_shared->note);
	if (write(FAULT_OUT, text, (size_t)n) != n)
		_exit(123);
}

static void reset(struct fault_shared *s)
{
	atomic_store(&s->armed, false);
	atomic_store(&s->counted, 0);
	for (int k = 0; k < FAULT_KINDS; k++)
		atomic_store(&s->kinds[k], 0);
	atomic_store(&s->hits, 0);
	atomic_store(&s->leaked, 0);
	atomic_store(&s->nfiles, 0);
	atomic_store(&s->nsites, 0);
	*s->note = '\0';
}

static int serve(int argc, char **argv, char **envp)
{
	struct fault_shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char line[4096], input[2048];
	void *frame[2];
	sigset_t child;
	FILE *in;

	if (s == MAP_FAILED || snprintf(dir, sizeof(dir), "%s", getenv("FAULT_DIR")) < 1)
		return 121;
	fault_shared = s;
	unsetenv("LD_PRELOAD");
	unsetenv("FAULT_DIR");
	backtrace(frame, 2); /* loads what it needs now, not in the middle of a run */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGCHLD, on_child);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	in = fdopen(FAULT_IN, "r");
	/* A stream of its own keeps nothing that a fork would read twice. */
	if (!in || setvbuf(in, NULL, _IOLBF, sizeof(line)))
		return 120;
	while (fgets(line, sizeof(line), in)) {
		int timeout_ms;
		pid_t pid;

		reset(s);
		if (sscanf(line, "%" SCNx32 " %" SCNu64 " %" SCNu64 " %d %d %d %2047s", &s->mask,
			   &s->first, &s->last, &s->error, &s->flags, &timeout_ms, input) != 7)
			return 119;
		pid = fork();
		if (!pid) {
			sigprocmask(SIG_UNBLOCK, &child, NULL);
			run(argc, argv, envp, input);
		}
		if (pid < 0)
			return 118;
		answer(pid, timeout_ms);
	}
	/* Without the command's farewells. */
	_exit(0);
}

/* glibc's start code calls main by way of this. */
int __libc_start_main(main_fn *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
		      void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(main_fn *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
		      void (*rtld_fini)(void), void *stack_end)
{
	int (*real)(main_fn *, int, char **, void (*)(void), void (*)(void), void (*)(void),
		    void *);

	*(void **)&real = dlsym(RTLD_NEXT, "__libc_start_main");
	command = main;
	return real(getenv("FAULT_DIR") ? serve : main, argc, argv, init, fini, rtld_fini,
		    stack_end);
}
