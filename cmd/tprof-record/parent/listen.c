#include "tprof-record/parent/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static socklen_t address(struct sockaddr_un *a, const char *name)
{
	size_t n = strnlen(name, sizeof(a->sun_path) - 1);

	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	/* Abstract: begins with a NUL, and ends with its last byte. */
	memcpy(a->sun_path + 1, name, n);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
}

int rec_listen(char name[REC_SOCKET_NAME], struct tp_err *err)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un a;
	uint64_t random = 0;
	socklen_t size;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		random = (uint64_t)(uintptr_t)&a;
	snprintf(name, REC_SOCKET_NAME, REC_SOCKET_PREFIX "%d.%016llx", (int)getpid(),
		 (unsigned long long)random);
	size = address(&a, name);
	if (fd >= 0 && !bind(fd, (struct sockaddr *)&a, size) && !listen(fd, 1024))
		return fd;
	tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot open a socket: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

/* All users can see the name, but only the recorder's user and root may connect. */
static bool is_ours(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) &&
	       (geteuid() == 0 || peer.uid == 0 || peer.uid == geteuid());
}

int rec_listen_accept(int socket)
{
	for (;;) {
		int fd = accept4(socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		if (fd < 0 || is_ours(fd))
			return fd;
		close(fd);
	}
}

/* Closes all descriptors of a message but the first. */
static int only_descriptor(struct msghdr *message)
{
	int kept = -1, n = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		size_t size = c->cmsg_len - CMSG_LEN(0);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i + sizeof(int) <= size; i += sizeof(int)) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i, sizeof(fd));
			if (n++)
				close(fd);
			else
				kept = fd;
		}
	}
	return kept;
}

int rec_listen_hear(int connection, struct rec_caller *caller)
{
	union {
		char bytes[CMSG_SPACE(8 * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec data = {.iov_base = &caller->hello, .iov_len = sizeof(caller->hello)};
	struct msghdr message = {.msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof(control.bytes)};
	struct ucred who;
	socklen_t size = sizeof(who);
	ssize_t n;

	memset(caller, 0, sizeof(*caller));
	caller->memory = -1;
	do
		n = recvmsg(connection, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? 0 : -1;
	caller->memory = only_descriptor(&message);
	if (n == sizeof(caller->hello) && !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) &&
	    caller->hello.magic == REC_HELLO_MAGIC && caller->hello.kind >= REC_HELLO_START &&
	    caller->hello.kind <= REC_HELLO_SNAPSHOT &&
	    (caller->memory >= 0) == (caller->hello.kind != REC_HELLO_SNAPSHOT) &&
	    !getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &who, &size) && who.pid > 0) {
		/* In a container the pid that the process itself sees may differ. (0: the process is outside
		 * of our PID namespace.) */
		caller->pid = who.pid;
		caller->uid = who.uid;
		return 1;
	}
	if (caller->memory >= 0)
		close(caller->memory);
	caller->memory = -1;
	return -1;
}

bool rec_listen_trusts(uid_t uid)
{
	return uid == geteuid() || uid == 0;
}

/* ---- for clients ---- */

/* Finds a socket's name in a file of /proc whose texts end with `end`: the name follows `lead` and begins
 * with `prefix`. */
static bool find_name(const char *path, int end, const char *lead, const char *prefix,
		      char name[REC_SOCKET_NAME])
{
	char *text = NULL, *at;
	bool found = false;
	size_t room = 0;
	FILE *f = fopen(path, "re");

	while (f && !found && getdelim(&text, &room, end, f) > 0) {
		at = strstr(text, lead);
		if (!at || strncmp(at + strlen(lead), prefix, strlen(prefix)) != 0)
			continue;
		at += strlen(lead);
		at[strcspn(at, " \n")] = 0;
		snprintf(name, REC_SOCKET_NAME, "%s", at);
		found = true;
	}
	free(text);
	if (f)
		fclose(f);
	return found;
}

/* Finds the name of the socket on which a process listens, if it is a recorder. */
static bool socket_of(pid_t pid, char name[REC_SOCKET_NAME])
{
	char prefix[REC_SOCKET_NAME];

	snprintf(prefix, sizeof(prefix), REC_SOCKET_PREFIX "%d.", (int)pid);
	return find_name("/proc/net/unix", '\n', "@", prefix, name);
}

pid_t rec_listen_parent(pid_t pid)
{
	char path[64], text[1024] = "", *p;
	int parent = 0, fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	close(fd);
	/* PID (NAME) STATE PARENT: the name may hold anything. */
	p = strrchr(text, ')');
	if (!p || sscanf(p + 1, " %*c %d", &parent) != 1)
		return 0;
	return parent;
}

int rec_listen_find(pid_t pid, struct tp_err *err)
{
	char name[REC_SOCKET_NAME], path[64];
	struct sockaddr_un a;
	socklen_t size;
	bool found = false;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (access(path, F_OK))
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE, "process %d does not exist",
				  (int)pid),
		       -1;
	for (pid_t p = pid; p > 1 && !found; p = rec_listen_parent(p))
		found = socket_of(p, name);
	/* Or in the environment that the process was started with, unless it overwrote that. */
	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	found = found || find_name(path, 0, REC_ENVIRONMENT "=", REC_SOCKET_PREFIX, name);
	fd = found ? socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0) : -1;
	if (fd >= 0) {
		size = address(&a, name);
		if (!connect(fd, (struct sockaddr *)&a, size))
			return fd;
		close(fd);
	}
	tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
		   "process %d is neither a tprof-record nor recorded by one; start the program as "
		   "tprof-record -- PROGRAM",
		   (int)pid);
	return -1;
}
