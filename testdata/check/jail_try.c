/* Loaded into commands by jail.sh: where they map a dump, about to decode it, or read a store (with
 * JAIL_STORE set), it does what a decoder that was fooled might do. Whatever of it goes through
 * ends the process with a signal, or as another program. */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <unistd.h>

static void gone_through(void)
{
	signal(SIGABRT, SIG_DFL);
	abort();
}

static int opens(const char *path, int how)
{
	return open(path, how | O_CLOEXEC, 0600) >= 0;
}

static void try(const char *what, const char *victim)
{
	if ((!strcmp(what, "read") && opens("/etc/passwd", O_RDONLY)) ||
	    (!strcmp(what, "write") && opens(victim, O_WRONLY | O_CREAT)) ||
	    (!strcmp(what, "socket") && socket(AF_INET, SOCK_STREAM, 0) >= 0) ||
	    (!strcmp(what, "unlink") && !unlink(victim)) ||
	    (!strcmp(what, "kill") && !kill(getppid(), 0)) ||
	    (!strcmp(what, "trace") && !ptrace(PTRACE_SEIZE, getppid(), 0, 0)) ||
	    (!strcmp(what, "fork") && fork() >= 0))
		gone_through();
	if (!strcmp(what, "exec"))
		execl("/bin/false", "false", (char *)NULL);
}

ssize_t pread64(int fd, void *to, size_t size, off64_t offset)
{
	static ssize_t (*real)(int, void *, size_t, off64_t);
	static int tried;
	const char *what = getenv("JAIL_TRY"), *victim = getenv("JAIL_VICTIM");

	if (!real)
		real = (ssize_t(*)(int, void *, size_t, off64_t))dlsym(RTLD_NEXT, "pread64");
	if (getenv("JAIL_STORE") && what && victim && !tried++)
		try(what, victim);
	return real(fd, to, size, offset);
}

void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	static void *(*real)(void *, size_t, int, int, int, off_t);
	static int tried;
	const char *what = getenv("JAIL_TRY"), *victim = getenv("JAIL_VICTIM");

	if (!real)
		real = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
	if (fd >= 0 && prot == PROT_READ && flags == MAP_PRIVATE && what && victim && !tried++)
		try(what, victim);
	return real(at, size, prot, flags, fd, offset);
}
