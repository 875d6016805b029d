#include "report.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/advice.h"
#include "common/draft.h"
#include "common/file.h"

/* A longer file is not a report. */
#define MOST_BYTES ((size_t)1 << 30)

static const struct {
	const char *word;
	size_t offset;
} words[] = {
    {"dumps", offsetof(struct tally, dumps)}, {"imported", offsetof(struct tally, imported)},
    {"there", offsetof(struct tally, there)}, {"failed", offsetof(struct tally, failed)},
    {"lossy", offsetof(struct tally, lossy)}, {"others", offsetof(struct tally, others)},
    {"bytes", offsetof(struct tally, bytes)}, {"read", offsetof(struct tally, read)},
};

#define NWORDS (sizeof(words) / sizeof(words[0]))

static const char failure_word[] = "failure ", loss_word[] = "loss ", other_word[] = "other ";
/* Most names that are printed of each kind. */
#define MOST_NAMED 10

void report_release(struct report *r)
{
	tp_buf_release(&r->failures);
	tp_buf_release(&r->losses);
	tp_buf_release(&r->others);
	*r = (struct report){0};
}

int report_add(struct report *r, const struct cmd *cmd, const char *dump, const struct tp_err *why)
{
	struct tp_buf *f = &r->failures;
	size_t before = f->size;
	int status = tp_err_exit_status(why->code);
	char head[24];
	int n = snprintf(head, sizeof(head), "failure %d ", status);

	if (tp_buf_put(f, head, (size_t)n) || cmd_fail_line(cmd, f, dump, why) ||
	    tp_buf_put(f, "\n", 1)) {
		f->size = before;
		return TP_ENOMEM;
	}
	if (status > r->worst)
		r->worst = status;
	return status;
}

static int add_name(struct tp_buf *lines, const char *word, const char *name)
{
	size_t before = lines->size;

	if (!tp_buf_put(lines, word, strlen(word)) &&
	    !rep_escape(lines, name, strlen(name), REP_ESCAPE_SHOWN) && !tp_buf_put(lines, "\n", 1))
		return 0;
	lines->size = before;
	return TP_ENOMEM;
}

int report_add_loss(struct report *r, const char *dump)
{
	return add_name(&r->losses, loss_word, dump);
}

int report_add_other(struct report *r, const char *file)
{
	return add_name(&r->others, other_word, file);
}

static bool put_lines(FILE *f, const struct tp_buf *lines)
{
	return !lines->size || fwrite(lines->data, 1, lines->size, f) == lines->size;
}

int report_write(const struct report *r, const char *path, struct tp_err *err)
{
	struct cmd_draft draft;
	FILE *f = cmd_draft_open(&draft, path, 0);
	bool done = f != NULL;
	int why = errno;

	for (size_t i = 0; f && i < NWORDS; i++) {
		uint64_t n;

		memcpy(&n, (const char *)&r->tally + words[i].offset, sizeof(n));
		done &= fprintf(f, "%s %llu\n", words[i].word, (unsigned long long)n) > 0;
	}
	if (f)
		done &= put_lines(f, &r->failures) && put_lines(f, &r->losses) &&
			put_lines(f, &r->others);
	if (f) {
		errno = 0;
		done = !cmd_draft_close(&draft, f, done) && done;
		why = errno;
	}
	if (done)
		return 0;
	return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%s: cannot be written: %s%s", path,
			  strerror(why), cmd_advice(why));
}

/* ---- reading ---- */

static int not_ours(const char *path, struct tp_err *err)
{
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE, "%s: is not a report of an import",
			  path);
}

static int keep(struct tp_buf *lines, const char *line, size_t n)
{
	return tp_buf_put(lines, line, n) || tp_buf_put(lines, "\n", 1) ? TP_ENOMEM : 0;
}

static bool begins(const char *line, size_t n, const char *word)
{
	return n > strlen(word) && !memcmp(line, word, strlen(word));
}

/* Reads a line, given without its newline. Returns 0, TP_EFORMAT or TP_ENOMEM. */
static int take_line(struct report *r, const char *line, size_t n)
{
	const char *space = memchr(line, ' ', n);
	uint64_t value = 0;
	char *end = NULL;

	if (begins(line, n, loss_word))
		return keep(&r->losses, line, n);
	if (begins(line, n, other_word))
		return keep(&r->others, line, n);
	if (n > sizeof(failure_word) && begins(line, n, failure_word)) {
		int status = line[sizeof(failure_word) - 1] - '0';

		if (status < CMD_USAGE || status > CMD_SYSTEM || line[sizeof(failure_word)] != ' ')
			return TP_EFORMAT;
		if (status > r->worst)
			r->worst = status;
		return keep(&r->failures, line, n);
	}
	if (space && space[1] >= '0' && space[1] <= '9')
		value = strtoull(space + 1, &end, 10); /* stops at the newline at the latest */
	if (!end || end != line + n || value == UINT64_MAX)
		return TP_EFORMAT;
	for (size_t i = 0; i < NWORDS; i++) {
		size_t length = strlen(words[i].word);
		char *at = (char *)&r->tally + words[i].offset;
		uint64_t sum;

		if ((size_t)(space - line) != length || memcmp(line, words[i].word, length) != 0)
			continue;
		memcpy(&sum, at, sizeof(sum));
		sum += value;
		memcpy(at, &sum, sizeof(sum));
	}
	/* Words of later versions are ignored. */
	return 0;
}

static int read_file(const char *path, struct tp_buf *text, struct tp_err *err)
{
	struct tp_err why;
	struct stat st;
	int code;

	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return not_ours(path, err);
	code = cmd_read_file(path, MOST_BYTES, text, &why);
	if (code == TP_ELIMIT)
		return not_ours(path, err);
	return code ? tp_err_set(err, code, TP_OFFSET_NONE, "%s: %s", path, why.msg) : 0;
}

int report_read(struct report *r, const char *path, struct tp_err *err)
{
	struct tp_buf text = {0};
	int code = read_file(path, &text, err);
	const char *line = (const char *)text.data, *end = line ? line + text.size : line, *next;

	for (; !code && line < end; line = next ? next + 1 : end) {
		next = memchr(line, '\n', (size_t)(end - line));
		code = next ? take_line(r, line, (size_t)(next - line)) : TP_EFORMAT;
		if (code == TP_EFORMAT)
			not_ours(path, err);
		else if (code)
			tp_nomem(err);
	}
	tp_buf_release(&text);
	return code;
}

void report_remove(const char *path)
{
	struct report older = {0};
	struct tp_err err;

	if (!report_read(&older, path, &err))
		unlink(path);
	report_release(&older);
}

/* ---- output for users ---- */

/* Appends ", 12 failed" unless n is 0. */
static void add(char *text, size_t size, uint64_t n, const char *what)
{
	size_t used = strlen(text);
	char count[28];

	if (n)
		snprintf(text + used, size - used, ", %s %s", tp_fmt_count(count, (int64_t)n),
			 what);
}

void tally_print(const struct cmd *cmd, const struct tally *t, double seconds, const char *store)
{
	char dumps[CMD_PLURAL_SIZE], imported[28], text[256] = "", took[32] = "", in[TP_UNITS_SIZE],
						   out[TP_UNITS_SIZE + 8] = "";
	bool made = !store && t->imported + t->there > 0;
	struct stat st;

	add(text, sizeof(text), t->there, "there already");
	add(text, sizeof(text), t->failed, "failed");
	add(text, sizeof(text), t->lossy, "with losses");
	add(text, sizeof(text), t->others, t->others == 1 ? "other file" : "other files");
	if (store && !stat(store, &st)) {
		strcpy(out, " of ");
		tp_fmt_bytes(out + strlen(out), st.st_size);
		made = true;
	} else if (store) {
		made = errno != ENOENT;
	}
	if (seconds >= 0)
		snprintf(took, sizeof(took), "; %.2fs", seconds);
	cmd_print(cmd, "%s: %s imported%s%s; %s %s%s%s\n",
		  cmd_plural(dumps, (int64_t)t->dumps, "dump"),
		  tp_fmt_count(imported, (int64_t)t->imported), text, took,
		  tp_fmt_bytes(in, (int64_t)(made ? t->bytes : t->read)), made ? "into " : "read; ",
		  store	 ? store
		  : made ? "stores beside them"
			 : "no store",
		  made	  ? out
		  : store ? " is not made"
			  : " is made");
}

void unlabelled_add(struct unlabelled *u, const struct path *p, const char *keys,
		    const struct tp_import_options *opt)
{
	size_t size;
	const char *key = paths_missing(p, keys, opt->labels, opt->nlabels, &size);

	if (key && !u->n++)
		*u = (struct unlabelled){1, p->name, key, size};
}

void unlabelled_print(const struct cmd *cmd, const struct unlabelled *u, uint64_t of,
		      const char *what, const char *keys)
{
	char n[28], all[28];

	if (!u->n)
		return;
	cmd_note(cmd,
		 "%s of %s %s %s not in enough folders for all labels of --folder-labels=%.80s: "
		 "%.200s has no %.*s; folders count from the one that is given, or that a pattern "
		 "matches",
		 tp_fmt_count(n, (int64_t)u->n), tp_fmt_count(all, (int64_t)of), what,
		 u->n == 1 ? "is" : "are", keys, u->name, u->key_size < 80 ? (int)u->key_size : 80,
		 u->key);
}

void report_print_failures(const struct report *r, const struct cmd *cmd)
{
	const char *line = (const char *)r->failures.data,
		   *end = line ? line + r->failures.size : line;

	cmd_flush();
	while (line < end) {
		const char *next = memchr(line, '\n', (size_t)(end - line));
		const char *text = line + strlen("failure N ");

		/* The text was printable when it was written, but a file may have been changed since. */
		cmd_error(cmd, "%.*s", (int)(next - text), text);
		line = next + 1;
	}
}

/* Writes "a, b" for lines "WORD a". Returns how many names it has left out, for lack of room or
 * because of MOST_NAMED. */
static size_t list_names(const struct tp_buf *lines, const char *word, char *text, size_t size)
{
	const char *line = (const char *)lines->data, *end = line ? line + lines->size : line;
	size_t told = 0, more = 0, used = 0;

	text[0] = '\0';
	for (const char *next; line < end; line = next + 1) {
		const char *name = line + strlen(word);
		size_t n;

		next = memchr(line, '\n', (size_t)(end - line));
		n = (size_t)(next - name);
		if (told == MOST_NAMED || used + n + 3 > size) {
			more++;
			continue;
		}
		used += (size_t)snprintf(text + used, size - used, "%s%.*s", told ? ", " : "",
					 (int)n, name);
		told++;
	}
	return more;
}

static void print_names(const struct cmd *cmd, const struct tp_buf *lines, const char *word,
			const char *heading, const char *file, const char *advice)
{
	char names[480], more[80] = "", count[28];
	size_t left;

	if (!lines->size)
		return;
	left = list_names(lines, word, names, sizeof(names));
	if (left)
		snprintf(more, sizeof(more), "%s%s more", *names ? " and " : "",
			 tp_fmt_count(count, (int64_t)left));
	cmd_note(cmd, "%s: %s%s%s%.100s%.150s", heading, names, more,
		 !left	? ""
		 : file ? ", all in "
			: "; --report=FILE lists all",
		 left && file ? file : "", advice);
}

void report_print_names(const struct report *r, const struct cmd *cmd, const char *store,
			const char *file)
{
	char advice[160];

	snprintf(advice, sizeof(advice),
		 "; see tprof-query %.60s 'SELECT name, reason FROM loss JOIN run ON id = run'",
		 store && strlen(store) <= 60 ? store : "STORE");
	print_names(cmd, &r->losses, loss_word, "with losses", file, advice);
	print_names(cmd, &r->others, other_word, "no dumps", file, "");
}
