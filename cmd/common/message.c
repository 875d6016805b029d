#include "common/common.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/units.h"
#include "common/advice.h"
#include "common/option.h"
#include "common/pprof.h"

int cmd_flush(void)
{
	static int first;

	/* If the last write failed, errno still has the reason. */
	if (ferror(stdout) && !first)
		first = errno ? errno : EIO;
	if (fflush(stdout) && !first)
		first = errno ? errno : EIO;
	return first;
}

/* Writes a text with '?' for everything but printable ASCII, if there is no memory to escape it. */
static void put_plain(FILE *f, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		putc(text[i] >= ' ' && text[i] <= '~' ? text[i] : '?', f);
}

/* Appends "path: text", escaped, since both may contain bytes of a dump or an argument. `path` may be NULL.
 * Returns nonzero if memory is out. */
static int escape(struct tp_buf *line, const char *path, const char *text)
{
	int failed = 0;

	if (path) {
		failed |= rep_escape(line, path, strlen(path), REP_ESCAPE_SHOWN);
		failed |= tp_buf_put(line, ": ", 2);
	}
	return failed | rep_escape(line, text, strlen(text), REP_ESCAPE_SHOWN);
}

/* Messages that wait. Before a pager starts: notes for the pager, as they would scroll away above it. While
 * one runs: messages that its screen would hide. */
static struct tp_buf held;
/* Notes that were written to the pager. */
static struct tp_buf passed;
static bool not_written;

void cmd_notes_release(FILE *to)
{
	if (held.size)
		fwrite(held.data, 1, held.size, to);
	tp_buf_release(&held);
}

void cmd_notes_pass(void)
{
	passed = held;
	held = (struct tp_buf){0};
	if (passed.size)
		fwrite(passed.data, 1, passed.size, stdout);
	not_written = cmd_flush() != 0;
}

bool cmd_notes_are_in(int fd)
{
	const uint8_t *last;
	struct tp_buf rest = {0};
	bool found = false;
	ssize_t n;

	if (!passed.size)
		return false;
	/* The pager reads from the front, so if it left anything of the notes, it left their last line. */
	last = memrchr(passed.data, '\n', passed.size - 1);
	last = last ? last + 1 : passed.data;
	if (!tp_buf_reserve(&rest, passed.size)) {
		while (rest.size < passed.size &&
		       ((n = read(fd, rest.data + rest.size, passed.size - rest.size)) > 0 ||
			(n < 0 && errno == EINTR)))
			rest.size += n > 0 ? (size_t)n : 0;
		found = rest.size && memmem(rest.data, rest.size, last,
					    (size_t)(passed.data + passed.size - last));
	}
	tp_buf_release(&rest);
	return found;
}

void cmd_notes_passed(bool taken)
{
	if (passed.size && (!taken || not_written))
		fwrite(passed.data, 1, passed.size, stderr);
	tp_buf_release(&passed);
}

/* Adds a message to the waiting ones. Returns false if memory is out; the message must then be printed at
 * once. */
static bool hold(const struct cmd *cmd, const char *kind, const char *path, const char *text)
{
	size_t before = held.size;

	if (!tp_buf_put(&held, cmd->name, strlen(cmd->name)) && !tp_buf_put(&held, ": ", 2) &&
	    !tp_buf_put(&held, kind, strlen(kind)) && !escape(&held, path, text) &&
	    !tp_buf_put(&held, "\n", 1))
		return true;
	held.size = before;
	return false;
}

static void say(const struct cmd *cmd, const char *kind, const char *path, const char *text)
{
	struct tp_buf line = {0};
	int failed;

	if (cmd->pager > 0 && cmd->old_stderr >= 0 && hold(cmd, kind, path, text))
		return;
	failed = escape(&line, path, text);
	if (cmd->pager <= 0)
		cmd_notes_release(stderr);
	/* Pending text of stdout was printed first; keep that order if both are the same terminal. */
	cmd_flush();
	fprintf(stderr, "%s: %s", cmd->name, kind);
	if (failed) {
		if (path) {
			put_plain(stderr, path, strlen(path));
			fputs(": ", stderr);
		}
		put_plain(stderr, text, strlen(text));
	} else {
		fwrite(line.data, 1, line.size, stderr);
	}
	putc('\n', stderr);
	tp_buf_release(&line);
}

void cmd_error(const struct cmd *cmd, const char *fmt, ...)
{
	char text[768];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	say(cmd, "", NULL, text);
}

int cmd_reject(const struct cmd *cmd, int status, const char *fmt, ...)
{
	char text[768];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	say(cmd, "", NULL, text);
	return status;
}

int cmd_nomem(const struct cmd *cmd)
{
	return cmd_reject(cmd, CMD_SYSTEM, "out of memory");
}

static struct tp_buf kept;

const struct tp_buf *cmd_notes_kept(void)
{
	return &kept;
}

static void keep(const char *text)
{
	tp_buf_text(&kept, kept.size ? ", " : "");
	rep_put_json(&kept, text, strlen(text));
}

void cmd_note(const struct cmd *cmd, const char *fmt, ...)
{
	char text[768];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (cmd->json_head)
		keep(text);
	if (!cmd_pager_may_come(cmd) || !isatty(STDERR_FILENO) || !hold(cmd, "note: ", NULL, text))
		say(cmd, "note: ", NULL, text);
}

void cmd_print(const struct cmd *cmd, const char *fmt, ...)
{
	struct tp_buf line = {0};
	char text[4096];
	struct tp_err err;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n >= sizeof(text))
		n = sizeof(text) - 1;
	/* The last newline belongs to the format; all others are part of names. */
	if (n && text[n - 1] == '\n')
		n--;
	(void)cmd;
	if (rep_escape(&line, text, (size_t)n, REP_ESCAPE_SHOWN))
		put_plain(stdout, text, (size_t)n);
	else
		cmd_write(line.data, line.size, &err);
	cmd_write("\n", 1, &err);
	tp_buf_release(&line);
}

/* The message about an error with its advice, the path that it is about (NULL: no path), and the exit
 * status. */
struct sentence {
	const char *path;
	char text[sizeof(((struct tp_err *)NULL)->msg) + CMD_ADVICE_SIZE];
	int status;
};

static void explain(const struct cmd *cmd, const char *path, const struct tp_err *err,
		    struct sentence *s)
{
	char advice[CMD_ADVICE_SIZE];
	const char *msg = err->msg;
	size_t n = path ? strlen(path) : 0;

	s->path = path;
	s->status = CMD_INPUT;
	/* Arguments that pprof takes and tprof does not: addresses to fetch from, here, and the program
	 * before its profile, below. */
	if (path && cmd_pprof_url(path) && (err->code == TP_ENOENT || err->code == TP_EIO)) {
		snprintf(s->text, sizeof(s->text),
			 "fetch it first: curl -o FILE '%s', then %s FILE", path, cmd->name);
		return;
	}
	if (path && !*path && err->code == TP_ENOENT && strstr(msg, strerror(ENOENT))) {
		s->path = NULL;
		s->status = CMD_USAGE;
		snprintf(s->text, sizeof(s->text), "a file name is empty; " CMD_UNSET_VARIABLE);
		return;
	}
	if (path && err->code == TP_EUNKNOWN && strstr(msg, "is an ELF program")) {
		snprintf(
		    s->text, sizeof(s->text),
		    cmd->names_code
			? "is a program, not a dump; --binary=%s takes names of functions from it"
			: "is a program, not a dump; tprof-import --binary=%s -o STORE DUMP takes "
			  "names of functions from it",
		    path);
		return;
	}
	/* The message may begin with the path already. */
	if (n && !strncmp(msg, path, n) && msg[n] == ':')
		path = NULL;
	s->path = path && strcmp(path, "-") == 0 ? "standard input" : path;
	s->status = tp_err_exit_status(err->code);
	snprintf(s->text, sizeof(s->text), "%s%s", msg, cmd_advise(advice, path, err->code, msg));
}

int cmd_fail(const struct cmd *cmd, const char *path, const struct tp_err *err)
{
	struct sentence s;

	/* If the reader has closed the pipe (head, a pager that was quit), that is not an error. */
	if (err->code == TP_EIO && cmd_flush() == EPIPE)
		return CMD_OK;
	/* If writing failed otherwise, as on a full disk, the error is not about the input. */
	if (err->code == TP_EIO && cmd_flush())
		path = NULL;
	explain(cmd, path, err, &s);
	say(cmd, "", s.path, s.text);
	return s.status;
}

int cmd_refuse(const struct cmd *cmd, const char *path, const struct tp_err *err, int status)
{
	if (err->code != TP_EFORMAT && err->code != TP_ENOENT)
		return cmd_fail(cmd, path, err);
	cmd_error(cmd, "%s%s%s", path ? path : "", path ? ": " : "", err->msg);
	return status;
}

int cmd_fail_line(const struct cmd *cmd, struct tp_buf *line, const char *path,
		  const struct tp_err *err)
{
	struct sentence s;

	explain(cmd, path, err, &s);
	return escape(line, s.path, s.text) ? TP_ENOMEM : 0;
}

int cmd_quote(struct tp_buf *b, const char *word)
{
	static const char harmless[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				       "0123456789_@%+=:,./-";
	int code = 0;

	if (*word && !word[strspn(word, harmless)])
		return tp_buf_put(b, word, strlen(word));
	code |= tp_buf_put(b, "'", 1);
	for (const char *c = word; *c; c++)
		code |= *c == '\'' ? tp_buf_put(b, "'\\''", 4) : tp_buf_put(b, c, 1);
	return code | tp_buf_put(b, "'", 1);
}

char *cmd_plural(char text[CMD_PLURAL_SIZE], int64_t n, const char *what)
{
	char count[TP_COUNT_SIZE];

	snprintf(text, CMD_PLURAL_SIZE, "%s %.19s%s", tp_fmt_count(count, n), what,
		 n == 1 ? "" : "s");
	return text;
}
