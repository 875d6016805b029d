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
#include "common/engine/engine.h"
#include "common/option.h"
#include "common/pprof.h"
#include "goid.h"

int cmd_flush(void)
{
	static int first;

	/* A write that failed just now left its reason in errno. */
	if (ferror(stdout) && !first)
		first = errno ? errno : EIO;
	if (fflush(stdout) && !first)
		first = errno ? errno : EIO;
	return first;
}

/* Where there is no memory to escape a text in: what is no plain letter, digit or sign is a '?'. */
static void put_plain(FILE *f, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		putc(text[i] >= ' ' && text[i] <= '~' ? text[i] : '?', f);
}

/* Texts may hold bytes of a dump or of an argument: escaped before they reach the terminal. */
static int escape(struct tp_buf *line, const char *path, const char *text)
{
	int failed = 0;

	if (path) {
		failed |= rep_escape(line, path, strlen(path), REP_ESCAPE_SHOWN);
		failed |= tp_buf_put(line, ": ", 2);
	}
	return failed | rep_escape(line, text, strlen(text), REP_ESCAPE_SHOWN);
}

/* Notes that a pager may yet show: said now, they would scroll away in front of it. While there is
 * one: what it would take away with it. */
static struct tp_buf held;
/* Those that were written to the pager. */
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
	/* A reader takes lines, or more, from the front. */
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

/* False: there is no memory to, it has to be said at once. */
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

void cmd_note(const struct cmd *cmd, const char *fmt, ...)
{
	char text[768];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!cmd_pager_may_come(cmd) || !isatty(STDERR_FILENO) || !hold(cmd, "note: ", NULL, text))
		say(cmd, "note: ", NULL, text);
}

void cmd_print(const struct cmd *cmd, const char *fmt, ...)
{
	struct tp_buf line = {0};
	char text[4096];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n >= sizeof(text))
		n = sizeof(text) - 1;
	/* The newline at the end was added here; all others are part of names. */
	if (n && text[n - 1] == '\n')
		n--;
	(void)cmd;
	if (rep_escape(&line, text, (size_t)n, REP_ESCAPE_SHOWN))
		put_plain(stdout, text, (size_t)n);
	else
		fwrite(line.data, 1, line.size, stdout);
	putchar('\n');
	tp_buf_release(&line);
}

/* What there is to say of an error: all of it, about `path` (NULL: of nothing). */
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
	/* What pprof takes, too: addresses to fetch from, and the program in front of its profile.
	 */
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
	/* Callers may have put the path in front already; once is enough. */
	if (n && !strncmp(msg, path, n) && msg[n] == ':')
		path = NULL;
	s->path = path && strcmp(path, "-") == 0 ? "standard input" : path;
	s->status = tp_err_exit_status(err->code);
	snprintf(s->text, sizeof(s->text), "%s%s", msg, cmd_advise(advice, path, err->code, msg));
}

int cmd_fail(const struct cmd *cmd, const char *path, const struct tp_err *err)
{
	struct sentence s;

	/* A reader of our output that has seen enough (head, a pager that was quit) is no error. */
	if (err->code == TP_EIO && cmd_flush() == EPIPE)
		return CMD_OK;
	/* Nor is a full disk the fault of what was being read. */
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

/* "1.2MiB, about 5,120 events", without what is not known. */
char *cmd_lost(char text[CMD_LOST_SIZE], int64_t bytes, int64_t n_of, const char *what, bool more)
{
	char of[CMD_PLURAL_SIZE], size[TP_UNITS_SIZE];
	bool open = more && bytes && !n_of;
	int n = open ? snprintf(text, CMD_LOST_SIZE, "how much is not known, at least ")
		: more && (bytes || n_of) ? snprintf(text, CMD_LOST_SIZE, "at least ")
					  : 0;

	if (bytes)
		n += snprintf(text + n, CMD_LOST_SIZE - (size_t)n, "%s", tp_fmt_bytes(size, bytes));
	if (n_of)
		snprintf(text + n, CMD_LOST_SIZE - (size_t)n, "%sabout %s", bytes ? ", " : "",
			 cmd_plural(of, n_of, what));
	else if (!bytes)
		snprintf(text, CMD_LOST_SIZE, "how much is not known");
	return text;
}

char *cmd_loss_query(char text[CMD_LOSS_QUERY_SIZE], const char *path, const char *columns)
{
	const char *file = "FILE";
	struct tp_buf word = {0};

	/* What came by standard input is gone, and what is far away has no table. A name that is
	 * too long would be no help. */
	if (strcmp(path, "-") != 0 && !cmd_engine_is_url(path)) {
		int code = *path == '-' ? tp_buf_put(&word, "./", 2) : 0;

		code |= cmd_quote(&word, path);
		code |= tp_buf_put(&word, "", 1);
		if (!code && word.size < CMD_LOSS_QUERY_SIZE - 80)
			file = (const char *)word.data;
	}
	snprintf(text, CMD_LOSS_QUERY_SIZE, "tprof-query %s 'SELECT %s FROM loss'", file, columns);
	tp_buf_release(&word);
	return text;
}

void cmd_note_losses(const struct cmd *cmd, const char *path, const struct rep_run *run)
{
	char places[CMD_PLURAL_SIZE], lost[CMD_LOST_SIZE], query[CMD_LOSS_QUERY_SIZE];
	char mixed[REP_GOIDS_MIXED_SIZE];
	const struct tp_run *r = &run->row;
	struct tp_err err;
	int64_t goid;

	if (run->losses)
		cmd_note(cmd, "%s is damaged in %s; lost: %s; see %s", r->name,
			 cmd_plural(places, run->losses, "place"),
			 cmd_lost(lost, r->lost_bytes, r->lost_events,
				  !strcmp(r->kind, "profile") ? "sample" : "event", run->uncounted),
			 cmd_loss_query(query, path,
					cmd->all.n > 1 ? "run, offset, reason" : "offset, reason"));
	if (run->warning[0])
		cmd_note(cmd, "%s: %s", r->name, run->warning);
	if (cmd->store && !strcmp(r->kind, "trace") &&
	    rep_goids_mixed(cmd->store, r->id, &goid, &err) == 1)
		cmd_note(cmd, "%s: %s", r->name, rep_goids_mixed_text(goid, mixed));
}
