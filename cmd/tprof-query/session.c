#include "session.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/units.h"
#include "goid.h"
#include "store/describe.h"

/* Names the first of several runs in which an older tprof mixed lives of a goroutine; `told` was
 * told of already. */
static void tell_mixed(const struct session *s, const struct rep_runs *runs,
		       const struct rep_run *told)
{
	char text[REP_GOIDS_MIXED_SIZE];
	struct tp_err err;
	int64_t goid;

	for (size_t i = 0; i < runs->n; i++) {
		const struct tp_run *r = &runs->run[i].row;

		if (&runs->run[i] == told || strcmp(r->kind, "trace") != 0 ||
		    rep_goids_mixed(s->cmd->store, r->id, &goid, &err) != 1)
			continue;
		cmd_note(s->cmd, "%s: %s", r->name, rep_goids_mixed_text(goid, text));
		return;
	}
}

/* What is asked sees all runs unless one was picked. */
static void tell_damage(const struct session *s)
{
	const struct rep_runs *runs = s->cmd->run_spec ? &s->cmd->runs : &s->cmd->all;
	const struct rep_run *damaged = NULL;
	char query[CMD_LOSS_QUERY_SIZE];
	size_t n = 0;

	for (size_t i = 0; i < runs->n; i++)
		if (runs->run[i].losses) {
			damaged = &runs->run[i];
			n++;
		}
	if (n > 1)
		cmd_note(s->cmd, "%zu of %zu runs are damaged; see %s", n, runs->n,
			 cmd_loss_query(query, s->path, "run, offset, reason"));
	else if (n)
		cmd_note_losses(s->cmd, s->path, damaged);
	else if (runs->n == 1)
		cmd_note_losses(s->cmd, s->path, &runs->run[0]);
	if (runs->n > 1)
		tell_mixed(s, runs, n == 1 ? damaged : NULL);
}

int session_open(struct session *s, const char *path, bool write)
{
	struct rep_query_options opt = {.write = write, .run = TP_NULL};
	const char *spec = s->cmd->run_spec ? s->cmd->run_spec : "latest";
	struct tp_err err;
	int status = cmd_open_store(s->cmd, path, write);

	s->path = path;
	if (status)
		return status;
	if (rep_runs_load(s->cmd->store, &s->cmd->all, &err))
		return cmd_fail(s->cmd, path, &err);
	if (s->cmd->all.n || s->cmd->run_spec) {
		if (rep_runs_select(&s->cmd->all, spec, &s->cmd->runs, &err))
			return cmd_fail(s->cmd, path, &err);
		if (s->cmd->runs.n > 1)
			return cmd_reject(s->cmd, CMD_USAGE,
					  "--run=%s picks %zu runs, and :run needs exactly one; "
					  "without --run a query sees all runs",
					  spec, s->cmd->runs.n);
		opt.run = s->cmd->runs.run[0].row.id;
	}
	tell_damage(s);
	if (rep_query_new(&s->query, s->cmd->store, &opt, &err))
		return cmd_fail(s->cmd, path, &err);
	return CMD_OK;
}

void session_close(struct session *s)
{
	rep_query_free(s->query);
	s->query = NULL;
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Reports an error in SQL without the store's name, as the store is not at fault. */
static int tell(const struct session *s, const char *where, const struct tp_err *err)
{
	if (s->prompt && err->code == TP_ECANCEL)
		cmd_print(s->cmd, "\n"); /* behind the ^C that the terminal shows */
	return cmd_fail(s->cmd,
			err->code == TP_ESTORE || err->code == TP_ENOENT || err->code == TP_ECANCEL
			    ? where
			    : s->path,
			err);
}

/* What writes one or more tables: SQL, or .tables. */
typedef int (*writer)(struct session *s, const void *ctx, struct rep_output *out,
		      struct tp_err *err);

static int with_output(struct session *s, const char *where, bool several, writer write,
		       const void *ctx)
{
	struct rep_output *out = NULL;
	struct tp_err err, more;
	int code, status = cmd_output(s->cmd, several, &out);

	if (status)
		return status;
	code = write(s, ctx, out, &err);
	/* Also after an error: rows that came before it are shown. */
	if (rep_output_finish(out, &more) && !code) {
		code = more.code;
		err = more;
	}
	if (code)
		status = tell(s, where, &err);
	rep_output_free(out);
	return status;
}

static int write_sql(struct session *s, const void *sql, struct rep_output *out, struct tp_err *err)
{
	return rep_query_run(s->query, sql, out, err);
}

static int write_tables(struct session *s, const void *ctx, struct rep_output *out,
			struct tp_err *err)
{
	(void)ctx;
	return rep_query_tables(s->query, out, err);
}

int session_sql(struct session *s, const char *where, const char *sql)
{
	size_t n = rep_query_count(sql);
	int64_t began = now_ns();
	char took[TP_UNITS_SIZE], rows[CMD_PLURAL_SIZE];
	int status;

	if (!n)
		return CMD_OK;
	status = with_output(s, where, n > 1, write_sql, sql);
	if (!status && s->prompt && s->cmd->format == REP_FORMAT_TABLE)
		cmd_print(s->cmd, "%s, %s\n",
			  cmd_plural(rows, (int64_t)rep_query_rows(s->query), "row"),
			  tp_fmt_ns(took, now_ns() - began));
	return status;
}

/* ---- dot commands ---- */

/* Text of a store, line by line, made printable. */
static int print_text(const struct session *s, const struct tp_buf *text, struct tp_err *err)
{
	struct tp_buf line = {0};
	size_t at = 0;
	int code = 0;

	(void)s;
	while (at < text->size && !code) {
		const char *from = (const char *)text->data + at;
		const char *end = memchr(from, '\n', text->size - at);
		size_t n = end ? (size_t)(end - from) : text->size - at;

		line.size = 0;
		code = rep_escape(&line, from, n, REP_ESCAPE_SHOWN);
		if (code || tp_buf_put(&line, "\n", 1))
			code = tp_nomem(err);
		else
			code = cmd_write(line.data, line.size, err);
		at += n + 1;
	}
	tp_buf_release(&line);
	return code;
}

static int do_schema(struct session *s, const char *where, const char *arg)
{
	struct tp_buf text = {0};
	struct tp_err err;
	int code, status = CMD_OK;

	if (s->cmd->json_head)
		return cmd_reject(s->cmd, CMD_USAGE,
				  ".schema prints no table; leave out --json-head");
	code = rep_query_schema(s->query, *arg ? arg : NULL, &text, &err);
	if (!code)
		code = print_text(s, &text, &err);
	if (code)
		status = tell(s, where, &err);
	tp_buf_release(&text);
	return status;
}

static int do_tables(struct session *s, const char *where, const char *arg)
{
	(void)arg;
	return with_output(s, where, false, write_tables, NULL);
}

static int do_mode(struct session *s, const char *where, const char *arg)
{
	struct tp_err err;

	if (!*arg) {
		cmd_print(s->cmd, "%s\n", rep_formats[s->cmd->format].name);
		return CMD_OK;
	}
	return rep_format_find(arg, &s->cmd->format, &err) ? tell(s, where, &err) : CMD_OK;
}

static int do_quit(struct session *s, const char *where, const char *arg)
{
	(void)where, (void)arg;
	s->quit = true;
	return CMD_OK;
}

static int do_help(struct session *s, const char *where, const char *arg);

static const struct {
	const char *name, *arg, *doc;
	int (*run)(struct session *s, const char *where, const char *arg);
} commands[] = {
    {".help", "", "this list", do_help},
    {".mode", "[FORMAT]", "show or set the format: table, csv, tsv, json, markdown", do_mode},
    {".quit", "", "end (so do ^D, quit and exit)", do_quit},
    {".schema", "[TABLE]", "what a table's columns mean; all tables without a name", do_schema},
    {".tables", "", "the tables of the store", do_tables},
};

#define NCOMMANDS (sizeof(commands) / sizeof(commands[0]))

const char *const session_commands[] = {".help", ".mode", ".quit", ".schema", ".tables", NULL};

static int do_help(struct session *s, const char *where, const char *arg)
{
	(void)where, (void)arg;
	cmd_print(s->cmd,
		  "A statement ends with ; and may have several lines; ^C ends one that runs.\n");
	for (size_t i = 0; i < NCOMMANDS; i++)
		cmd_print(s->cmd, "  %-8s %-9s %s\n", commands[i].name, commands[i].arg,
			  commands[i].doc);
	cmd_print(s->cmd, "Functions beside SQLite's own:\n");
	for (const struct tp_sql_function *f = tp_sql_functions; f->call; f++) {
		cmd_print(s->cmd, "  %s\n", f->call);
		cmd_print(s->cmd, "           %s\n", f->doc);
	}
	return CMD_OK;
}

bool session_is_command(const char *line)
{
	return line[strspn(line, " \t\r\n")] == '.';
}

int session_command(struct session *s, const char *where, const char *line)
{
	char name[32], arg[512];
	size_t n;

	line += strspn(line, " \t\r\n");
	n = strcspn(line, " \t\r\n;");
	snprintf(name, sizeof(name), "%.*s", (int)n, line);
	line += n;
	line += strspn(line, " \t");
	/* What follows, without the semicolon and blanks that some type behind it. */
	snprintf(arg, sizeof(arg), "%s", line);
	for (n = strlen(arg); n && strchr(" \t\r\n;", arg[n - 1]);)
		arg[--n] = 0;
	for (size_t i = 0; i < NCOMMANDS; i++)
		if (!strcmp(commands[i].name, name)) {
			if (*arg && !*commands[i].arg)
				break;
			return commands[i].run(s, where, arg);
		}
	if (!strcmp(name, ".exit"))
		return do_quit(s, where, arg);
	return cmd_reject(s->cmd, CMD_USAGE,
			  "%s%sthere is no command '%s%s%s'; .help lists them all",
			  where ? where : "", where ? ": " : "", name, *arg ? " " : "", arg);
}

/* Runs the SQL between two dot commands; lines before it are kept as empty ones, for the numbers
 * in messages. */
static int script_sql(struct session *s, const char *where, char *start, char *text)
{
	for (char *p = start; p < text; p++)
		if (*p != '\n')
			*p = ' ';
	return session_sql(s, where, start);
}

int session_script(struct session *s, const char *where, char *text)
{
	char *start = text, *pending = text, *line = text;
	int status = CMD_OK;

	while (*line && !status && !s->quit) {
		char *end = strchr(line, '\n'), *next = end ? end + 1 : line + strlen(line), kept;
		bool whole;

		if (!session_is_command(line) || line + strspn(line, " \t\r\n") >= next) {
			line = next;
			continue;
		}
		/* Within a statement a dot begins a number, not a command. */
		kept = *line;
		*line = 0;
		whole = !rep_query_count(pending) || rep_query_complete(pending);
		if (whole)
			status = script_sql(s, where, start, pending);
		*line = kept;
		if (whole && !status) {
			kept = *next;
			*next = 0;
			status = session_command(s, where, line);
			*next = kept;
			pending = next;
		}
		line = next;
	}
	return status || s->quit ? status : script_sql(s, where, start, pending);
}
