#include "tprof-record/parent/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char name[REC_SOCKET_NAME];

static int begin(void **state)
{
	struct tp_err err;
	int fd = rec_listen(name, &err);

	*state = (void *)(intptr_t)fd;
	return fd < 0;
}

static int end(void **state)
{
	return close((int)(intptr_t)*state);
}

static int call(void)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	memcpy(a.sun_path + 1, name, strlen(name));
	assert_int_equal(
	    connect(fd, (struct sockaddr *)&a,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))),
	    0);
	return fd;
}

/* Sends `size` bytes and n times a descriptor of the null device. */
static void say(int fd, const void *data, size_t size, size_t n)
{
	union {
		char bytes[CMSG_SPACE(16 * sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct iovec iov = {.iov_base = (void *)(uintptr_t)data, .iov_len = size};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (n) {
		struct cmsghdr *c = (struct cmsghdr *)(void *)control.bytes;

		m.msg_control = control.bytes;
		m.msg_controllen = CMSG_SPACE(n * sizeof(int));
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n * sizeof(int));
		for (size_t i = 0; i < n; i++)
			memcpy(CMSG_DATA(c) + i * sizeof(int), &null, sizeof(int));
	}
	assert_int_equal(sendmsg(fd, &m, 0), (ssize_t)size);
	close(null);
}

static int open_files(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void test_listen_hear(void **state)
{
	static const struct {
		uint64_t magic;
		uint32_t kind;
		size_t size, descriptors;
		int heard;
	} cases[] = {
	    {REC_HELLO_MAGIC, REC_HELLO_START, 16, 1, 1},
	    {REC_HELLO_MAGIC, REC_HELLO_EXEC, 16, 1, 1},
	    {REC_HELLO_MAGIC, REC_HELLO_SNAPSHOT, 16, 0, 1},
	    {REC_HELLO_MAGIC, REC_HELLO_SNAPSHOT, 16, 1, -1},
	    {REC_HELLO_MAGIC, REC_HELLO_START, 16, 0, -1},
	    {REC_HELLO_MAGIC, REC_HELLO_START, 15, 1, -1},
	    {REC_HELLO_MAGIC, REC_HELLO_START, 17, 1, -1},
	    {REC_HELLO_MAGIC + 1, REC_HELLO_START, 16, 1, -1},
	    {REC_HELLO_MAGIC, 0, 16, 1, -1},
	    {REC_HELLO_MAGIC, REC_HELLO_SNAPSHOT + 1, 16, 1, -1},
	    /* More descriptors than one, and more than there is room for. */
	    {REC_HELLO_MAGIC, REC_HELLO_START, 16, 2, 1},
	    {REC_HELLO_MAGIC, REC_HELLO_START, 16, 16, -1},
	};
	int socket = (int)(intptr_t)*state, before = open_files();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct {
			struct rec_hello hello;
			char more[16];
		} text = {.hello = {.magic = cases[i].magic, .kind = cases[i].kind, .pid = 12345}};
		int mine = call(), theirs = rec_listen_accept(socket);
		struct rec_caller caller;

		assert_true(theirs >= 0);
		assert_int_equal(rec_listen_hear(theirs, &caller), 0);
		say(mine, &text, cases[i].size, cases[i].descriptors);
		assert_int_equal(rec_listen_hear(theirs, &caller), cases[i].heard);
		if (cases[i].heard > 0) {
			/* What it is, not what it says. */
			assert_int_equal(caller.pid, getpid());
			assert_int_equal(caller.uid, geteuid());
			assert_int_equal(caller.memory >= 0, cases[i].descriptors > 0);
			if (caller.memory >= 0)
				close(caller.memory);
		}
		close(mine);
		assert_int_equal(rec_listen_hear(theirs, &caller), -1);
		close(theirs);
		/* Whatever was sent along is closed. */
		assert_int_equal(open_files(), before);
	}
	assert_int_equal(rec_listen_accept(socket), -1);
}

static void test_listen_find(void **state)
{
	struct tp_err err;
	int fd = rec_listen_find(getpid(), &err), theirs;
	pid_t child;

	assert_true(fd >= 0);
	theirs = rec_listen_accept((int)(intptr_t)*state);
	assert_true(theirs >= 0);
	close(fd);
	close(theirs);
	/* A child of the recorder. */
	child = fork();
	if (!child) {
		pause();
		_exit(0);
	}
	fd = rec_listen_find(child, &err);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(rec_listen_find(1, &err), -1);
	assert_int_equal(err.code, TP_ENOENT);
	assert_int_equal(rec_listen_find(0x7fffffff, &err), -1);
	assert_non_null(strstr(err.msg, "does not exist"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_listen_hear, begin, end),
	    cmocka_unit_test_setup_teardown(test_listen_find, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
