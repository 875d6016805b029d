/* Tries everything that decoding does not need in a child with a jail, where it has to fail, and in one
 * without, where it has to succeed: otherwise the first result would mean nothing. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "common/child.h"
#include "common/jail.h"
#include "common/testing_jail.h"

struct place {
	char dir[64], in[96], part[96], other[96], fresh[96], sub[96], names[96];
};

static void put_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "0123456789", 10), 10);
	close(fd);
}

/* Makes a folder of links by name and by build id. */
static void put_names(struct place *p)
{
	char command[512];

	snprintf(p->names, sizeof(p->names), "%s/names", p->dir);
	snprintf(
	    command, sizeof(command),
	    "cd %s && mkdir -p names/.build-id/ab away && touch away/one away/two away/three && "
	    "ln -s ../away/one names/one && ln -s ../../../away/two names/.build-id/ab/cd.debug && "
	    "ln -s ../away names/away",
	    p->dir);
	assert_int_equal(system(command), 0);
}

static int set_up(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	snprintf(p->dir, sizeof(p->dir), "/tmp/tprof-jail-test-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	snprintf(p->in, sizeof(p->in), "%s/in", p->dir);
	snprintf(p->part, sizeof(p->part), "%s/part", p->dir);
	snprintf(p->other, sizeof(p->other), "%s/other", p->dir);
	snprintf(p->fresh, sizeof(p->fresh), "%s/fresh", p->dir);
	snprintf(p->sub, sizeof(p->sub), "%s/sub", p->dir);
	put_file(p->in);
	put_file(p->part);
	put_file(p->other);
	put_names(p);
	*state = p;
	return 0;
}

static int tear_down(void **state)
{
	struct place *p = *state;
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", p->dir);
	free(p);
	return system(command) ? -1 : 0;
}

/* ---- attempts, which return true if they succeed ---- */

static bool opens(const char *path, int how)
{
	int fd = open(path, how | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool read_in(struct place *p)
{
	return opens(p->in, O_RDONLY);
}
static bool write_part(struct place *p)
{
	return opens(p->part, O_RDWR);
}
static bool cut_part(struct place *p)
{
	return opens(p->part, O_RDWR | O_TRUNC);
}
/* This access mode permits only ioctls on devices; Landlock cannot restrict it. */
static bool open_other_for_nothing(struct place *p)
{
	return opens(p->other, O_ACCMODE);
}
static bool read_named(const struct place *p, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", p->names, name);
	return opens(path, O_RDONLY);
}
static bool read_by_name(struct place *p)
{
	return read_named(p, "one");
}
static bool read_by_id(struct place *p)
{
	return read_named(p, ".build-id/ab/cd.debug");
}
static bool read_around_link(struct place *p)
{
	return read_named(p, "away/three");
}
static bool read_passwd(struct place *p)
{
	(void)p;
	return opens("/etc/passwd", O_RDONLY);
}
static bool read_other(struct place *p)
{
	return opens(p->other, O_RDONLY);
}
static bool list_dir(struct place *p)
{
	return opens(p->dir, O_RDONLY | O_DIRECTORY);
}
static bool write_in(struct place *p)
{
	return opens(p->in, O_WRONLY);
}
static bool write_other(struct place *p)
{
	return opens(p->other, O_WRONLY);
}
static bool cut_other(struct place *p)
{
	return !truncate(p->other, 5);
}
static bool make_file(struct place *p)
{
	return opens(p->fresh, O_WRONLY | O_CREAT);
}
static bool make_folder(struct place *p)
{
	return !mkdir(p->sub, 0700);
}
static bool make_link(struct place *p)
{
	return !symlink("/etc/passwd", p->fresh);
}
static bool hard_link(struct place *p)
{
	return !link(p->other, p->fresh);
}
static bool move(struct place *p)
{
	return !rename(p->other, p->fresh);
}
static bool remove_file(struct place *p)
{
	return !unlink(p->other);
}
static bool change_mode(struct place *p)
{
	return !chmod(p->other, 0777);
}

static bool make_socket(struct place *p)
{
	(void)p;
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) >= 0;
}

static bool make_internet(struct place *p)
{
	(void)p;
	return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) >= 0;
}

/* A socket that is open before the jail is entered. */
static int listener = -1;

static void listen_here(struct sockaddr_in *a)
{
	socklen_t size = sizeof(*a);

	*a = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(listener >= 0);
	assert_int_equal(bind(listener, (struct sockaddr *)a, size), 0);
	assert_int_equal(listen(listener, 8), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)a, &size), 0);
}

/* Answers a connection that waits at the socket. */
static bool serve(struct place *p)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	bool sent = fd >= 0 && send(fd, "", 1, MSG_NOSIGNAL) == 1;

	(void)p;
	if (fd >= 0)
		close(fd);
	return sent;
}

static bool connect_out(struct place *p)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(1)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	/* An open socket would do, and a refusal by the other side shows that it was asked. */
	bool asked = !connect(fd < 0 ? listener : fd, (struct sockaddr *)&a, sizeof(a)) ||
		     errno == ECONNREFUSED || errno == EISCONN;

	(void)p;
	if (fd >= 0)
		close(fd);
	return asked;
}

static bool start_process(struct place *p)
{
	pid_t pid = fork();

	(void)p;
	if (!pid)
		_exit(0);
	return pid > 0 && waitpid(pid, NULL, 0) == pid;
}

/* Returns only if exec fails; the program's exit status means success. */
static bool start_program(struct place *p)
{
	(void)p;
	execl("/bin/sh", "sh", "-c", "exit 1", (char *)NULL);
	return false;
}

static bool trace_parent(struct place *p)
{
	pid_t parent = getppid();
	int how;

	(void)p;
	if (ptrace(PTRACE_SEIZE, parent, 0, 0))
		return errno != EPERM;
	ptrace(PTRACE_INTERRUPT, parent, 0, 0);
	waitpid(parent, &how, 0);
	return !ptrace(PTRACE_DETACH, parent, 0, 0);
}

static bool signal_parent(struct place *p)
{
	(void)p;
	return !kill(getppid(), SIGWINCH);
}

static bool signal_thread(struct place *p)
{
	(void)p;
	return !syscall(SYS_tgkill, getppid(), getppid(), SIGWINCH);
}

/* Asks for a signal to the parent when something happens to a file. */
static bool signal_later(struct place *p)
{
	int fd = open(p->in, O_RDONLY | O_CLOEXEC);
	bool can = fd >= 0 && !fcntl(fd, F_SETOWN, getppid());

	if (fd >= 0)
		close(fd);
	return can;
}

static bool run_memory(struct place *p)
{
	(void)p;
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
	       MAP_FAILED;
}

static bool make_runnable(struct place *p)
{
	void *m = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)p;
	return m != MAP_FAILED && !mprotect(m, 4096, PROT_READ | PROT_EXEC);
}

static void *nothing(void *ctx)
{
	return ctx;
}

static bool make_thread(struct place *p)
{
	pthread_t thread;

	return !pthread_create(&thread, NULL, nothing, p) && !pthread_join(thread, NULL);
}

static bool take_memory(struct place *p)
{
	void *m = malloc(64 << 20);

	(void)p;
	if (m)
		memset(m, 1, 64 << 20);
	free(m);
	return m != NULL;
}

static const struct {
	const char *what;
	bool (*try)(struct place *p);
	unsigned refused; /* parts of the jail, each of which refuses it; 0: it is allowed */
} tries[] = {
    {"read the input", read_in, 0},
    {"write the part", write_part, 0},
    {"read what a folder of names links to", read_by_name, 0},
    {"read what it links to by build id", read_by_id, 0},
    {"start a thread", make_thread, 0},
    {"take memory", take_memory, 0},
    {"read /etc/passwd", read_passwd, CMD_JAIL_LANDLOCK},
    {"read a file beside the input", read_other, CMD_JAIL_LANDLOCK},
    {"read what lies beside that", read_around_link, CMD_JAIL_LANDLOCK},
    {"list the folder", list_dir, CMD_JAIL_LANDLOCK},
    {"write to the input", write_in, CMD_JAIL_LANDLOCK},
    {"write to a file beside it", write_other, CMD_JAIL_LANDLOCK},
    {"cut the part as it is opened", cut_part, CMD_JAIL_SECCOMP},
    {"open a file for neither reading nor writing", open_other_for_nothing, CMD_JAIL_SECCOMP},
    {"cut a file", cut_other, CMD_JAIL_LANDLOCK | CMD_JAIL_SECCOMP},
    {"make a file", make_file, CMD_JAIL_LANDLOCK},
    {"make a folder", make_folder, CMD_JAIL_LANDLOCK | CMD_JAIL_SECCOMP},
    {"make a symbolic link", make_link, CMD_JAIL_LANDLOCK | CMD_JAIL_SECCOMP},
    {"make a hard link", hard_link, CMD_JAIL_LANDLOCK | CMD_JAIL_SECCOMP},
    {"rename a file", move, CMD_JAIL_LANDLOCK | CMD_JAIL_SECCOMP},
    {"remove a file", remove_file, CMD_JAIL_LANDLOCK | CMD_JAIL_SECCOMP},
    {"change a mode", change_mode, CMD_JAIL_SECCOMP},
    {"make a local socket", make_socket, CMD_JAIL_SECCOMP},
    {"make a socket of the internet", make_internet, CMD_JAIL_SECCOMP},
    {"answer a connection", serve, CMD_JAIL_SECCOMP},
    {"connect to another program", connect_out, CMD_JAIL_SECCOMP},
    {"start a process", start_process, CMD_JAIL_SECCOMP},
    {"trace the parent", trace_parent, CMD_JAIL_LANDLOCK | CMD_JAIL_SECCOMP},
    {"send the parent a signal", signal_parent, CMD_JAIL_SECCOMP},
    {"send it one by its thread", signal_thread, CMD_JAIL_SECCOMP},
    {"have it sent one by a file", signal_later, CMD_JAIL_SECCOMP},
    {"map memory that is run", run_memory, CMD_JAIL_SECCOMP},
    {"let memory be run", make_runnable, CMD_JAIL_SECCOMP},
    {"start a program", start_program, CMD_JAIL_LANDLOCK | CMD_JAIL_SECCOMP},
};

#define NTRIES (sizeof(tries) / sizeof(tries[0]))

/* ---- in a child ---- */

enum { CAN = 1, CANNOT = 0 };

struct attempt {
	struct place *p;
	size_t i;
	unsigned *has; /* shared */
};

static int attempt(void *ctx, unsigned has)
{
	struct attempt *a = ctx;

	*a->has = has;
	return tries[a->i].try(a->p) ? CAN : CANNOT;
}

static int in_jail(struct place *p, size_t i, bool serves, unsigned *has)
{
	struct attempt a = {p, i, has};
	struct cmd_child child = {
	    .work = attempt, .ctx = &a, .jail.write = p->part, .jail.serves = serves};
	struct tp_err err = {.msg = ""};
	int status = -1, code;

	cmd_jail_allow(&child.jail, p->in);
	cmd_jail_allow(&child.jail, p->names);
	code = cmd_child_run(&child, &status, &err);
	assert_string_equal(err.msg, "");
	assert_int_equal(code, 0);
	return status;
}

static int without(struct place *p, size_t i)
{
	pid_t pid = fork();
	int how;

	if (!pid)
		_exit(tries[i].try(p) ? CAN : CANNOT);
	assert_int_equal(waitpid(pid, &how, 0), pid);
	assert_true(WIFEXITED(how));
	return WEXITSTATUS(how);
}

static void fill(struct place *p)
{
	rmdir(p->sub);
	unlink(p->fresh);
	put_file(p->other);
}

/* Makes a connection wait at the socket for each attempt. */
static void connect_to(const struct sockaddr_in *a, int *client)
{
	close(*client);
	*client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(*client, (const struct sockaddr *)a, sizeof(*a)), 0);
}

static void try_all(void **state, bool serves)
{
	unsigned *has = cmd_child_share(sizeof(*has));
	struct sockaddr_in address;
	int client = -1;
	size_t untold = 0;

	need_jail();
	assert_non_null(has);
	listen_here(&address);
	for (size_t i = 0; i < NTRIES; i++) {
		unsigned refused = serves && tries[i].try == serve ? 0 : tries[i].refused;
		int jailed, can;

		if (tries[i].try == serve)
			connect_to(&address, &client);
		fill(*state);
		jailed = in_jail(*state, i, serves, has);
		if (tries[i].try == serve)
			connect_to(&address, &client);
		fill(*state);
		can = without(*state, i);
		if (can != CAN) {
			print_message("here nothing can %s, jail or not\n", tries[i].what);
			untold++;
			if (refused)
				jailed = CANNOT;
		}
		if (jailed != (refused & *has || can != CAN ? CANNOT : CAN))
			fail_msg("in a jail of %u, one %s %s", *has, jailed ? "can" : "cannot",
				 tries[i].what);
	}
	/* A few attempts, such as tracing, may fail without a jail on a strict system or in an emulator. */
	assert_true(untold <= 3);
	/* If the kernel reports Landlock, it must be in force. */
	assert_int_equal(!!(*has & CMD_JAIL_LANDLOCK), cmd_jail_landlock() > 0);
	close(client);
	close(listener);
	cmd_child_unshare(has, sizeof(*has));
}

static void test_jail_tries(void **state)
{
	try_all(state, false);
}

static void test_jail_tries_of_servers(void **state)
{
	try_all(state, true);
}

static void test_mode(void **state)
{
	static const struct {
		const char *set;
		enum cmd_jail_mode mode;
	} modes[] = {{"auto", CMD_JAIL_AUTO},
		     {"require", CMD_JAIL_REQUIRE},
		     {"off", CMD_JAIL_OFF},
		     {"yes", CMD_JAIL_UNKNOWN}};

	(void)state;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		setenv("TPROF_JAIL", modes[i].set, 1);
		assert_int_equal(cmd_jail_mode(), modes[i].mode);
	}
	unsetenv("TPROF_JAIL");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_jail_tries, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_jail_tries_of_servers, set_up, tear_down),
	    cmocka_unit_test(test_mode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
