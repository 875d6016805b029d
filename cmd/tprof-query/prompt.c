/* The prompt: lines with history and completion, statements that go on until a semicolon, and ^C,
 * which gives up the line that is typed or the statement that runs. */
#include <editline/readline.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "common/file.h"
#include "session.h"

#define HISTORY_LINES 1000

static volatile sig_atomic_t interrupted;
static struct rep_query *volatile running; /* what ^C ends */

static void on_interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
	if (running)
		rep_query_interrupt(running);
}

/* ---- history: $XDG_STATE_HOME/tprof/query_history ---- */

/* Returns the path of the file, or NULL if there is no place for it. */
static const char *history_file(char path[PATH_MAX])
{
	if (!cmd_xdg_folder(path, "XDG_STATE_HOME", ".local/state") || cmd_make_folders(path))
		return NULL;
	return strcat(path, "/query_history");
}

static void keep_history(const char *path)
{
	mode_t mask;

	if (!path)
		return;
	mask = umask(077); /* other users must not read the statements */
	write_history(path);
	umask(mask);
}

/* ---- completion ---- */

static struct rep_query *completing;
static struct tp_buf words; /* those that begin with the text, each with its NUL */
static const char *prefix;

static bool is_known(const char *word, size_t size)
{
	for (size_t at = 0; at < words.size; at += strlen((char *)words.data + at) + 1)
		if (strlen((char *)words.data + at) == size &&
		    !memcmp((char *)words.data + at, word, size))
			return true;
	return false;
}

static int add_words(void *ctx, const char *calls, const char *doc)
{
	const char *word;
	size_t size, name;

	(void)ctx, (void)doc;
	while ((word = rep_query_next_call(&calls, &size, &name))) {
		if (strncasecmp(word, prefix, strlen(prefix)) != 0 || is_known(word, name))
			continue;
		if (tp_buf_put(&words, word, name) || tp_buf_put(&words, "", 1))
			return TP_ENOMEM;
	}
	return 0;
}

/* Readline's contract: the next word that fits, allocated, from state 0 on. */
static char *next_word(const char *text, int state)
{
	static size_t at;
	struct tp_err err;
	char *word;

	if (!state) {
		at = words.size = 0;
		prefix = text;
		for (const char *const *c = session_commands; *c; c++)
			if (*text == '.')
				add_words(NULL, *c, "");
		if (*text && *text != '.')
			rep_query_words(completing,
					REP_WORDS_TABLES | REP_WORDS_COLUMNS | REP_WORDS_FUNCTIONS,
					NULL, add_words, NULL, &err);
	}
	if (at >= words.size)
		return NULL;
	word = (char *)words.data + at;
	at += strlen(word) + 1;
	return strdup(word);
}

static char **complete(const char *text, int start, int end)
{
	(void)start, (void)end;
	rl_attempted_completion_over = 1; /* no file names */
	return rl_completion_matches(text, next_word);
}

/* ---- the loop ---- */

/* "quit" alone, as other prompts have it, is no SQL: without this it would begin a statement. */
static bool is_farewell(const char *text)
{
	static const char blank[] = " \t\r\n;";
	const char *word = text + strspn(text, blank);
	size_t n = strcspn(word, blank);

	return n == 4 && !word[n + strspn(word + n, blank)] &&
	       (!strncmp(word, "quit", n) || !strncmp(word, "exit", n));
}

/* Runs what has been typed, if that is whole; true once it is used up. */
static bool take(struct session *s, struct tp_buf *statement)
{
	const char *text = (const char *)statement->data;
	bool command = session_is_command(text);

	if (!command && !is_farewell(text) && rep_query_count(text) && !rep_query_complete(text))
		return false;
	interrupted = 0;
	running = s->query;
	if (is_farewell(text))
		s->quit = true;
	else if (command)
		session_command(s, NULL, text);
	else
		session_sql(s, NULL, text);
	running = NULL;
	interrupted = 0;
	cmd_flush();
	return true;
}

/* Appends a line to the statement, for the history without its line breaks. */
static int append(struct tp_buf *statement, const char *line)
{
	if (statement->size)
		statement->data[statement->size - 1] = '\n'; /* was its NUL */
	return tp_buf_put(statement, line, strlen(line) + 1);
}

static void remember(const struct tp_buf *statement)
{
	char *line = strdup((const char *)statement->data);

	for (char *p = line; p && *p; p++)
		if (*p == '\n')
			*p = ' ';
	if (line && line[strspn(line, " ")])
		add_history(line);
	free(line);
}

int session_prompt(struct session *s)
{
	struct sigaction act = {.sa_handler = on_interrupt}; /* no SA_RESTART: ^C ends the read */
	struct tp_buf statement = {0};
	char path[PATH_MAX];
	const char *history = history_file(path);
	int status = CMD_OK;

	rl_initialize();
	using_history();
	stifle_history(HISTORY_LINES);
	if (history)
		read_history(history);
	completing = s->query;
	rl_attempted_completion_function = complete;
	sigaction(SIGINT, &act, NULL);
	cmd_print(s->cmd, "%s: .tables lists the tables, .help the commands\n", s->path);
	cmd_print(s->cmd, "end a statement with ; and leave with .quit or ^D\n");
	while (!s->quit) {
		char *line;

		cmd_budget_end(s->cmd, CMD_OK);
		cmd_flush();
		errno = 0;
		line = readline(statement.size ? "   ...> " : "tprof> ");
		if (!line && !interrupted)
			break;
		if (!line) {
			interrupted = 0;
			statement.size = 0;
			cmd_print(s->cmd, "\n");
			continue;
		}
		if (append(&statement, line)) {
			cmd_nomem(s->cmd);
			status = CMD_SYSTEM;
			s->quit = true;
		} else if (take(s, &statement)) {
			remember(&statement);
			statement.size = 0;
		}
		free(line);
	}
	if (!s->quit)
		cmd_print(s->cmd, "\n");
	signal(SIGINT, SIG_DFL);
	keep_history(history);
	tp_buf_release(&statement);
	tp_buf_release(&words);
	return status;
}
