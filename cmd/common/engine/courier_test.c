/* Tests tprof-courier with a server that sends chosen answers. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/engine/courier.h"

#define LENGTH ((size_t)256 << 20) /* size of an answer that must not be read completely */

struct server {
	int listener, closer[2];
	pthread_mutex_t lock; /* protects the members below, up to the thread */
	const char *answer;   /* NULL: no answer, and the connection stays open */
	size_t more, sent;    /* bytes to send after the answer, and bytes of them sent */
	char request[8192];
	pthread_t thread;
	bool found;		     /* the program exists; it may still not start */
	struct cmd_courier *courier; /* NULL: the program is missing, or does not start */
	struct rep_engine_link link;
	unsigned port;
};

/* Reads a request to the end of its body (Content-Length). */
static void read_request(struct server *s, int fd)
{
	size_t n = 0;
	ssize_t got;

	memset(s->request, 0, sizeof(s->request));
	while (n < sizeof(s->request) - 1 &&
	       (got = read(fd, s->request + n, sizeof(s->request) - 1 - n)) > 0) {
		const char *end, *length;

		n += (size_t)got;
		end = strstr(s->request, "\r\n\r\n");
		length = strcasestr(s->request, "content-length: ");
		if (end && length && strlen(end + 4) >= strtoul(length + 16, NULL, 10))
			return;
	}
}

static void send_more(struct server *s, int fd)
{
	char block[4096];
	ssize_t n = 1;

	memset(block, 'x', sizeof(block));
	for (s->sent = 0; s->sent < s->more && n > 0; s->sent += n > 0 ? (size_t)n : 0)
		n = write(fd, block, sizeof(block));
}

static void *serve(void *ctx)
{
	struct server *s = ctx;

	for (;;) {
		int fd = accept(s->listener, NULL, NULL);
		const char *answer;
		char c;

		if (fd < 0)
			return NULL;
		pthread_mutex_lock(&s->lock);
		read_request(s, fd);
		answer = s->answer;
		if (answer && write(fd, answer, strlen(answer)) < 0)
			perror("server");
		send_more(s, fd);
		pthread_mutex_unlock(&s->lock);
		/* Keep the connection open until the test is over. */
		if (!answer && read(s->closer[0], &c, 1) < 0)
			c = 0;
		shutdown(fd, SHUT_RDWR);
		close(fd);
	}
}

/* Sets the answer, and the number of bytes that follow it. */
static void will_answer_at_length(struct server *s, const char *answer, size_t more)
{
	pthread_mutex_lock(&s->lock);
	s->answer = answer;
	s->more = more;
	pthread_mutex_unlock(&s->lock);
}

static void will_answer(struct server *s, const char *answer)
{
	will_answer_at_length(s, answer, 0);
}

/* Returns the last request. Waits until the server has finished its answer, which the test may have received
 * before. */
static char *request(struct server *s)
{
	pthread_mutex_lock(&s->lock);
	pthread_mutex_unlock(&s->lock);
	return s->request;
}

static char program[PATH_MAX];

/* Finds the program at `place`, "/lib/tprof-courier", relative to the folder that contains test/cmd/….
 * Returns false if it is missing. */
static bool find_courier(const char *place)
{
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 32);
	char *test;

	program[n > 0 ? n : 0] = '\0';
	test = strstr(program, "/test/cmd/");
	if (!test)
		return false;
	strcpy(test, place);
	cmd_courier_program = program;
	return !access(program, X_OK);
}

/* Returns whether the program can be started. If an emulator runs this test, the kernel may be unable to
 * start programs for the emulated machine. */
static bool child_starts(void)
{
	pid_t pid = fork();
	int how;

	if (!pid) {
		/* Without input it ends at once. */
		if (dup2(open("/dev/null", O_RDWR), STDIN_FILENO) == STDIN_FILENO &&
		    dup2(STDIN_FILENO, STDERR_FILENO) == STDERR_FILENO)
			execl(program, program, (char *)NULL);
		_exit(127);
	}
	return pid > 0 && waitpid(pid, &how, 0) == pid &&
	       !(WIFEXITED(how) && WEXITSTATUS(how) == 127);
}

/* Returns whether the courier can be tested; prints a message if not. A build without libcurl has none, which
 * is an error in CI. */
static bool tests_courier(const struct server *s)
{
	const char *ci = getenv("CI");

	if (s->courier)
		return true;
	if (s->found) {
		print_message("programs of this machine cannot be started here\n");
		return false;
	}
	if (ci && !strcmp(ci, "true"))
		fail_msg("%s is not there, so nothing of it is tested; build with libcurl",
			 program);
	print_message("%s is not there, so this is not tested; build with libcurl\n", program);
	return false;
}

static int setup_with(void **state, const char *place)
{
	struct server *s = calloc(1, sizeof(*s));
	struct sockaddr_in a = {.sin_family = AF_INET};
	socklen_t size = sizeof(a);
	struct cmd_engine_url u;
	struct tp_err err;
	char text[120];

	assert_non_null(s);
	*state = s;
	assert_int_equal(pthread_mutex_init(&s->lock, NULL), 0);
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	s->listener = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(s->listener, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(getsockname(s->listener, (struct sockaddr *)&a, &size), 0);
	assert_int_equal(listen(s->listener, 5), 0);
	assert_int_equal(pipe(s->closer), 0);
	s->port = ntohs(a.sin_port);
	assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
	snprintf(text, sizeof(text), "clickhouse://me:hunter2@127.0.0.1:%u/d?timeout=1", s->port);
	assert_int_equal(cmd_engine_url_parse(&u, text, &err), 0);
	s->found = find_courier(place);
	if (s->found && child_starts()) {
		assert_int_equal(cmd_courier_start(&s->courier, &u, &err), 0);
		s->link = cmd_courier_link(s->courier);
	}
	cmd_engine_url_release(&u);
	return 0;
}

static int setup(void **state)
{
	return setup_with(state, "/lib/tprof-courier");
}

/* Uses a build of the program whose seconds are shorter. */
static int setup_hasty(void **state)
{
	return setup_with(state, "/test/tprof-courier");
}

static int teardown(void **state)
{
	struct server *s = *state;

	cmd_courier_stop(s->courier);
	if (write(s->closer[1], "x", 1) != 1)
		return -1;
	shutdown(s->listener, SHUT_RDWR);
	pthread_join(s->thread, NULL);
	close(s->listener);
	close(s->closer[0]);
	close(s->closer[1]);
	pthread_mutex_destroy(&s->lock);
	free(s);
	return 0;
}

struct got {
	char text[200];
	size_t n;
	int code; /* what to answer */
};

static int on_data(void *to, const void *data, size_t size, struct tp_err *err)
{
	struct got *g = to;

	if (g->n + size < sizeof(g->text)) {
		memcpy(g->text + g->n, data, size);
		g->n += size;
	}
	return g->code ? tp_err_set(err, g->code, TP_OFFSET_NONE, "enough") : 0;
}

static int ask(struct server *s, const char *data, struct got *g, struct tp_err *err)
{
	*err = (struct tp_err){0};
	return s->link.ask(s->link.ctx, "SELECT 'x y'", data, data ? strlen(data) : 0, on_data, g,
			   err);
}

static void test_ask_select(void **state)
{
	struct server *s = *state;
	struct got g = {0};
	struct tp_err err;
	char *end;

	if (!tests_courier(s))
		skip();
	will_answer(s, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
		       "5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n");
	assert_int_equal(ask(s, NULL, &g, &err), 0);
	assert_string_equal(g.text, "hello!");
	assert_non_null(strstr(request(s), "X-ClickHouse-User: me\r\n"));
	assert_non_null(strstr(request(s), "X-ClickHouse-Key: hunter2\r\n"));
	assert_non_null(strstr(request(s), "\r\n\r\nSELECT 'x y'"));
	/* The request line, which servers log, must not contain the password. */
	end = strstr(request(s), "\r\n");
	*end = '\0';
	assert_null(strstr(request(s), "hunter2"));
}

static void test_ask_insert(void **state)
{
	struct server *s = *state;
	struct got g = {0};
	struct tp_err err;

	if (!tests_courier(s))
		skip();
	will_answer(s, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
	assert_int_equal(ask(s, "rows", &g, &err), 0);
	assert_non_null(strstr(request(s), "query=SELECT%20%27x%20y%27"));
	assert_non_null(strstr(request(s), "insert_distributed_sync=1"));
	assert_non_null(strstr(request(s), "\r\n\r\nrows"));
}

static void test_ask_refused(void **state)
{
	static const struct {
		const char *answer;
		int code;
		const char *says;
	} cases[] = {
	    {"HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\nCode: 60, e.displayText() = "
	     "DB::Exception: Table d.x doesn't exist., e.what() = DB::Exception\n",
	     TP_ENOENT, "Table d.x doesn't exist; tprof-export --clickhouse"},
	    /* Formats of 23.5, 24.3 and 25.4. */
	    {"HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\nCode: 60. DB::Exception: Table "
	     "d.x does not exist. Maybe you meant d.y?. (UNKNOWN_TABLE) (version 23.5.3.24 "
	     "(official build))\n",
	     TP_ENOENT, "Table d.x does not exist. Maybe you meant d.y?; tprof-export"},
	    {"HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\nCode: 60. DB::Exception: Unknown "
	     "table expression identifier 'd.x' in scope SELECT load FROM d.x. (UNKNOWN_TABLE) "
	     "(version 25.4.1.2934 (official build))\n",
	     TP_ENOENT,
	     "Unknown table expression identifier 'd.x' in scope SELECT load FROM d.x; "},
	    {"HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\nCode: 81. DB::Exception: Database "
	     "d does not exist. (UNKNOWN_DATABASE) (version 24.3.2.23 (official build))\n",
	     TP_ENOENT, "Database d does not exist; tprof-export"},
	    {"HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\nCode: 81, e.displayText() = "
	     "DB::Exception: Database d doesn't exist, e.what() = DB::Exception\n",
	     TP_ENOENT, "Database d doesn't exist; tprof-export"},
	    {"HTTP/1.1 500 Error\r\nConnection: close\r\n\r\nCode: 193, e.displayText() = "
	     "DB::Exception: Wrong password for user me, e.what() = DB::Exception\n",
	     TP_EIO, "user or password is wrong"},
	    {"HTTP/1.1 500 Error\r\nConnection: close\r\n\r\nCode: 192, e.displayText() = "
	     "DB::Exception: Unknown user me, e.what() = DB::Exception\n",
	     TP_EIO, "user or password is wrong"},
	    {"HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\nCode: 516. DB::Exception: me: "
	     "Authentication failed: password is incorrect, or there is no user with such name. "
	     "(AUTHENTICATION_FAILED) (version 24.3.2.23 (official build))\n",
	     TP_EIO, "user or password is wrong"},
	    {"HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\nwho is it?", TP_EIO,
	     "user or password is wrong"},
	    /* Other errors that quote such words or numbers are passed on unchanged. */
	    {"HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\nCode: 497. DB::Exception: me: Not "
	     "enough privileges to read what doesn't exist: Wrong password, Authentication failed, "
	     "Code: 60. (ACCESS_DENIED) (version 24.3.2.23 (official build))\n",
	     TP_EIO, "says: me: Not enough privileges"},
	    {"HTTP/1.1 500 Error\r\nConnection: close\r\n\r\nCode: 601. DB::Exception: odd\n",
	     TP_EIO, "says: odd"},
	    {"HTTP/1.1 500 Error\r\nConnection: close\r\n\r\nCode: 1\x1b[31m\n\nevil", TP_EIO,
	     "says: Code: 1 [31m  evil"},
	    {"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
	     TP_EIO, "says: nothing"},
	};
	struct server *s = *state;
	struct tp_err err;

	if (!tests_courier(s))
		skip();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct got g = {0};

		will_answer(s, cases[i].answer);
		assert_int_equal(ask(s, NULL, &g, &err), cases[i].code);
		if (!strstr(err.msg, cases[i].says))
			fail_msg("'%s' has no '%s'", err.msg, cases[i].says);
		assert_null(strstr(err.msg, "hunter2"));
		assert_int_equal(g.n, 0);
	}
	/* And the next one is answered. */
	test_ask_select(state);
}

/* A very long error message is not read beyond the part that is shown. */
static void test_ask_refused_at_length(void **state)
{
	struct server *s = *state;
	struct got g = {0};
	struct tp_err err;

	if (!tests_courier(s))
		skip();
	will_answer_at_length(
	    s, "HTTP/1.1 500 Error\r\nConnection: close\r\n\r\nDB::Exception: too much", LENGTH);
	assert_int_equal(ask(s, NULL, &g, &err), TP_EIO);
	assert_non_null(strstr(err.msg, "says: too muchxxx"));
	request(s);
	assert_true(s->sent < LENGTH / 4); /* what was on its way */
	/* And the next one is answered. */
	test_ask_select(state);
}

/* A very long answer to a request that should have none is not read either. */
static void test_ask_nothing_at_length(void **state)
{
	static const char *const says[] = {"hello", "are tables made like this?"};
	struct server *s = *state;
	struct tp_err err;
	char answer[2][120];

	if (!tests_courier(s))
		skip();
	for (size_t i = 0; i < 2; i++) {
		snprintf(answer[i], sizeof(answer[i]),
			 "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n%s", says[i]);
		will_answer_at_length(s, answer[i], i ? LENGTH : 0);
		err = (struct tp_err){0};
		assert_int_equal(
		    s->link.ask(s->link.ctx, "CREATE TABLE t", NULL, 0, NULL, NULL, &err),
		    i ? TP_EFORMAT : 0);
	}
	assert_non_null(strstr(err.msg, "sends a long answer to a request that has none"));
	cmd_courier_stop(s->courier);
	s->courier = NULL;
	request(s);
	assert_true(s->sent < LENGTH / 4); /* what was on its way */
}

static void test_ask_broken(void **state)
{
	static const char *const answers[] = {
	    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
	    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
	    "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello",
	    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\nhello",
	    "",
	    "nothing of the kind",
	};
	struct server *s = *state;
	struct tp_err err;

	if (!tests_courier(s))
		skip();
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		struct got g = {0};

		will_answer(s, answers[i]);
		if (ask(s, NULL, &g, &err) != TP_EIO)
			fail_msg("taken: %s", answers[i]);
		assert_non_null(strstr(err.msg, "127.0.0.1:"));
	}
}

static void test_ask_silence(void **state)
{
	struct server *s = *state;
	struct got g = {0};
	struct tp_err err;

	if (!tests_courier(s))
		skip();
	will_answer(s, NULL);
	/* Ends the test if the time-out in the address is ignored; the default is 300 s. */
	alarm(200);
	assert_int_equal(ask(s, NULL, &g, &err), TP_EIO);
	alarm(0);
	/* The message has the time-out of the URL. */
	if (!strstr(err.msg, " 1 seconds"))
		fail_msg("%s", err.msg);
}

/* After an answer was given up, the next request must not get the rest of it. */
static void test_ask_given_up(void **state)
{
	struct server *s = *state;
	struct got g = {.code = TP_ELIMIT};
	struct tp_err err;

	if (!tests_courier(s))
		skip();
	will_answer(s, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
	assert_int_equal(ask(s, NULL, &g, &err), TP_ELIMIT);
	g.code = 0;
	assert_int_equal(ask(s, NULL, &g, &err), TP_EIO);
}

static void test_start_missing(void **state)
{
	struct cmd_engine_url u;
	struct cmd_courier *c;
	struct tp_err err;

	(void)state;
	cmd_courier_program = "/nowhere/tprof-courier";
	assert_int_equal(cmd_engine_url_parse(&u, "clickhouse://h", &err), 0);
	assert_int_equal(cmd_courier_start(&c, &u, &err), TP_ENOENT);
	assert_null(c);
	cmd_engine_url_release(&u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_ask_select, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_ask_insert, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_ask_refused, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_ask_refused_at_length, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_ask_nothing_at_length, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_ask_broken, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_ask_silence, setup_hasty, teardown),
	    cmocka_unit_test_setup_teardown(test_ask_given_up, setup, teardown),
	    cmocka_unit_test(test_start_missing),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
