#include "common/engine/courier.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "common/engine/wire.h"
#include "common/progress.h"

struct cmd_courier {
	pid_t pid;
	int to, from;
	bool broken; /* unusable: the next frames may belong to a request that was given up */
	char host[300];
	struct tp_buf piece;
};

const char *cmd_courier_program;

static const char *const places[] = {"../lib/tprof-courier", "../lib/tprof/tprof-courier"};

static int find_program(char path[PATH_MAX], struct tp_err *err)
{
	char own[PATH_MAX], candidate[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
	char *slash;

	if (cmd_courier_program && realpath(cmd_courier_program, path))
		return 0;
	own[n > 0 ? n : 0] = '\0';
	slash = strrchr(own, '/');
	if (slash)
		*slash = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (snprintf(candidate, sizeof(candidate), "%s/%s", own, places[i]) <
			(int)sizeof(candidate) &&
		    realpath(candidate, path))
			return 0;
	return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
			  "tprof-courier, which connects to engines, is not installed beside the "
			  "command (in ../lib or ../lib/tprof); install it, or build with libcurl");
}

/* ---- frames ---- */

static int gone(struct cmd_courier *c, struct tp_err *err)
{
	c->broken = true;
	return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%.200s: the connection has ended", c->host);
}

static int write_all(struct cmd_courier *c, const void *data, size_t size, struct tp_err *err)
{
	const char *from = data;

	while (size) {
		ssize_t n = write(c->to, from, size);

		if (n < 0 && errno != EINTR)
			return gone(c, err);
		from += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int put(struct cmd_courier *c, char kind, const void *data, size_t size, struct tp_err *err)
{
	uint8_t head[CMD_WIRE_HEAD];
	int code;

	if (size > CMD_WIRE_MOST)
		return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE,
				  "%.200s: a request would be longer than %u MiB; pick fewer runs",
				  c->host, CMD_WIRE_MOST >> 20);
	cmd_wire_head(head, kind, (uint32_t)size);
	code = write_all(c, head, sizeof(head), err);
	return code || !size ? code : write_all(c, data, size, err);
}

/* Reads a part of the answer. Checks for ^C while it waits, as the engine may take long. */
static int read_all(struct cmd_courier *c, void *data, size_t size, struct tp_err *err)
{
	char *to = data;

	while (size) {
		struct pollfd p = {.fd = c->from, .events = POLLIN};
		ssize_t n;

		if (cmd_stopped()) {
			c->broken = true;
			return tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "stopped");
		}
		if (poll(&p, 1, 200) <= 0)
			continue;
		n = read(c->from, to, size);
		if (!n || (n < 0 && errno != EINTR))
			return gone(c, err);
		to += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* ---- errors of the engine ---- */

/* The engine's error numbers, which are stable. Its messages change with each release, and quote the
 * request. */
enum {
	UNKNOWN_TABLE = 60,
	UNKNOWN_DATABASE = 81,
	UNKNOWN_USER = 192,
	WRONG_PASSWORD = 193,
	REQUIRED_PASSWORD = 194,
	AUTHENTICATION_FAILED = 516,
	UNAUTHORIZED = 401 /* an HTTP status, which proxies send, too */
};

/* Returns the error number in a message, 0 if it has none. */
static unsigned long number_of(const char *text)
{
	return strncmp(text, "Code: ", 6) != 0 ? 0 : strtoul(text + 6, NULL, 10);
}

/* Reduces an error message to its sentence, with blanks for control characters. It has the form "Code: 60,
 * e.displayText() = DB::Exception: Table t.x doesn't exist., e.what() = …", or in later releases "Code: 60.
 * DB::Exception: Table t.x does not exist. (UNKNOWN_TABLE) (version 24.3 …)". */
static void shorten(char *text)
{
	static const char before[] = "DB::Exception: ";
	char *from = strstr(text, before), *end, *name;

	if (from)
		memmove(text, from + sizeof(before) - 1, strlen(from + sizeof(before) - 1) + 1);
	end = strstr(text, ", e.what()");
	if (end)
		*end = '\0';
	end = strstr(text, ") (version ");
	if (end) {
		*end = '\0';
		name = strrchr(text, '(');
		if (name)
			*name = '\0';
	}
	for (end = text; *end; end++)
		if ((unsigned char)*end < ' ' || *end == 0x7f)
			*end = ' ';
	while (end > text && (end[-1] == ' ' || end[-1] == '.'))
		*--end = '\0';
}

static int refused(const struct cmd_courier *c, char *text, size_t size, struct tp_err *err)
{
	unsigned status =
	    size >= 2 ? (unsigned char)text[0] | (unsigned)(unsigned char)text[1] << 8 : 0;
	unsigned long number;

	text[size] = '\0';
	memmove(text, text + (size >= 2 ? 2 : size), size >= 2 ? size - 1 : 1);
	number = number_of(text);
	if (number == UNKNOWN_USER || number == WRONG_PASSWORD || number == REQUIRED_PASSWORD ||
	    number == AUTHENTICATION_FAILED || status == UNAUTHORIZED)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
				  "%.120s: user or password is wrong; they come from the address "
				  "or from a file, see tprof-clickhouse(7)",
				  c->host);
	shorten(text);
	if (number == UNKNOWN_TABLE || number == UNKNOWN_DATABASE)
		return tp_err_set(
		    err, TP_ENOENT, TP_OFFSET_NONE,
		    "%.60s: %.100s; tprof-export --clickhouse=URL makes the tables, on "
		    "each server that it is given",
		    c->host, text);
	return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%.60s: says: %.220s", c->host,
			  *text ? text : "nothing");
}

static int complain(struct cmd_courier *c, char kind, uint32_t size, struct tp_err *err)
{
	char text[CMD_WIRE_TEXT + 3];
	int code;

	if (size > CMD_WIRE_TEXT + 2)
		return gone(c, err);
	code = read_all(c, text, size, err);
	if (code)
		return code;
	text[size] = '\0';
	return kind == CMD_WIRE_REFUSED
		   ? refused(c, text, size, err)
		   : tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%.120s: %.180s", c->host, text);
}

/* ---- a request ---- */

/* Limit on the answer to a request that should have none. */
#define MOST_UNASKED ((uint64_t)64 << 10)

static int take_unasked(struct cmd_courier *c, uint64_t *unasked, size_t size, struct tp_err *err)
{
	*unasked += size;
	return *unasked > MOST_UNASKED ? tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
						    "%.200s: sends a long answer to a request that "
						    "has none; is it ClickHouse?",
						    c->host)
				       : 0;
}

static int take_answer(struct cmd_courier *c,
		       int (*on_data)(void *to, const void *data, size_t size, struct tp_err *err),
		       void *to, struct tp_err *err)
{
	uint64_t unasked = 0;

	for (;;) {
		uint8_t head[CMD_WIRE_HEAD] = {0};
		int code = read_all(c, head, sizeof(head), err);
		uint32_t size = cmd_wire_size(head);

		if (code)
			return code;
		if (head[0] == CMD_WIRE_DONE)
			return 0;
		if (head[0] != CMD_WIRE_BYTES || size > CMD_WIRE_MOST)
			return head[0] == CMD_WIRE_REFUSED || head[0] == CMD_WIRE_FAILED
				   ? complain(c, (char)head[0], size, err)
				   : gone(c, err);
		c->piece.size = 0;
		if (tp_buf_reserve(&c->piece, size ? size : 1)) {
			c->broken = true;
			return tp_nomem(err);
		}
		code = read_all(c, c->piece.data, size, err);
		if (code)
			return code;
		code = on_data ? on_data(to, c->piece.data, size, err)
			       : take_unasked(c, &unasked, size, err);
		if (code) {
			c->broken = true;
			return code;
		}
	}
}

static int ask(void *ctx, const char *sql, const void *data, size_t size,
	       int (*on_data)(void *to, const void *data, size_t size, struct tp_err *err),
	       void *to, struct tp_err *err)
{
	struct cmd_courier *c = ctx;
	int code;

	if (c->broken)
		return gone(c, err);
	code = put(c, CMD_WIRE_SQL, sql, strlen(sql), err);
	if (!code && data)
		code = put(c, CMD_WIRE_DATA, data, size, err);
	if (!code)
		code = put(c, CMD_WIRE_GO, NULL, 0, err);
	return code ? code : take_answer(c, on_data, to, err);
}

struct rep_engine_link cmd_courier_link(struct cmd_courier *c)
{
	return (struct rep_engine_link){.ask = ask, .ctx = c};
}

/* ---- the process ---- */

static void be_courier(const char *program, const int to[2], const int from[2], pid_t parent)
{
	static char *const argv[] = {(char *)(uintptr_t) "tprof-courier", NULL};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(80);
	signal(SIGINT, SIG_IGN);
	if (dup2(to[0], STDIN_FILENO) >= 0 && dup2(from[1], STDOUT_FILENO) >= 0)
		execv(program, argv);
	_exit(80);
}

static int introduce(struct cmd_courier *c, const struct cmd_engine_url *u, struct tp_err *err)
{
	char url[320], times[32];
	int code;

	snprintf(times, sizeof(times), "%u %u", u->connect_s, u->timeout_s);
	snprintf(url, sizeof(url), "%s://%.280s:%u/", u->tls ? "https" : "http", u->host, u->port);
	code = put(c, CMD_WIRE_URL, url, strlen(url), err);
	if (!code)
		code = put(c, CMD_WIRE_TIMES, times, strlen(times), err);
	if (!code && *u->user)
		code = put(c, CMD_WIRE_USER, u->user, strlen(u->user), err);
	if (!code && *u->password)
		code = put(c, CMD_WIRE_PASSWORD, u->password, strlen(u->password), err);
	if (!code && u->ca)
		code = put(c, CMD_WIRE_CA, u->ca, strlen(u->ca), err);
	return code;
}

static int start(struct cmd_courier *c, const char *program, struct tp_err *err)
{
	int to[2] = {-1, -1}, from[2] = {-1, -1};
	pid_t parent = getpid();

	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC) || (c->pid = fork()) < 0) {
		int why = errno;

		for (int i = 0; i < 2; i++) {
			if (to[i] >= 0)
				close(to[i]);
			if (from[i] >= 0)
				close(from[i]);
		}
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot start a process: %s",
				  strerror(why));
	}
	if (!c->pid)
		be_courier(program, to, from, parent);
	close(to[0]);
	close(from[1]);
	c->to = to[1];
	c->from = from[0];
	return 0;
}

int cmd_courier_start(struct cmd_courier **out, const struct cmd_engine_url *u, struct tp_err *err)
{
	struct cmd_courier *c = calloc(1, sizeof(*c));
	char program[PATH_MAX];
	int code;

	*out = c;
	if (!c)
		return tp_nomem(err);
	c->to = c->from = -1;
	snprintf(c->host, sizeof(c->host), "%.280s:%u", u->host, u->port);
	code = find_program(program, err);
	if (!code)
		code = start(c, program, err);
	if (!code)
		code = introduce(c, u, err);
	if (code) {
		cmd_courier_stop(c);
		*out = NULL;
	}
	return code;
}

/* Ends the process, which exits at the end of its input. If a request was given up, it is killed instead, as
 * it may still be busy. */
void cmd_courier_stop(struct cmd_courier *c)
{
	if (!c)
		return;
	if (c->to >= 0)
		close(c->to);
	if (c->from >= 0)
		close(c->from);
	if (c->pid > 0) {
		if (c->broken)
			kill(c->pid, SIGKILL);
		while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	tp_buf_release(&c->piece);
	free(c);
}
