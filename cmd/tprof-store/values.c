/* values, for completions alone: names in a store that an option could be given. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tprof-store/store.h"

/* Someone waits for the answer, so a large store is not read to its end. */
#define MOST " LIMIT 20000"

static const struct values {
	const char *options, *sql;
	bool
	    regex; /* the option takes a regular expression, behind the first '=' if there is one */
} values[] = {
    {" --task ", "SELECT DISTINCT name FROM (SELECT name FROM task" MOST ") ORDER BY 1", true},
    {" --region ", "SELECT DISTINCT name FROM (SELECT name FROM region" MOST ") ORDER BY 1", true},
    {" --reason ",
     "SELECT DISTINCT reason FROM (SELECT reason FROM goroutine_block" MOST ") ORDER BY 1", true},
    {" --tag-focus --tag-ignore ",
     "SELECT DISTINCT key || '=' || text FROM (SELECT key, text FROM bucket_label WHERE text <> "
     "''" MOST ") ORDER BY 1",
     true},
    {" --label --base-label ", "SELECT DISTINCT key || '=' || value FROM label ORDER BY 1", false},
};

static const struct values *values_of(const char *option)
{
	char word[32];

	snprintf(word, sizeof(word), " %.28s ", option);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (strstr(values[i].options, word))
			return &values[i];
	return NULL;
}

/* A shell inserts it in a command line: no bytes that a terminal could take for something else. */
static bool is_plain(const char *text)
{
	if (!text || !*text)
		return false;
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			return false;
	return true;
}

/* Writes `text` as a regular expression that matches it, at most `size` bytes. Tags: what stands before the
 * first '=' is not one. */
static void put_literal(char *to, size_t size, const char *text, bool tag)
{
	const char *equals = tag ? strchr(text, '=') : NULL;
	size_t n = 0;

	for (; *text && n + 2 < size; text++) {
		if ((!equals || text > equals) && strchr("\\^$.|?*+()[]{}", *text))
			to[n++] = '\\';
		to[n++] = *text;
	}
	to[n] = 0;
}

static const char *find_store(const struct store_args *args)
{
	struct tp_err err;
	struct stat st;

	for (size_t i = 2; i < args->nwords; i++)
		if (!stat(args->word[i], &st) && S_ISREG(st.st_mode) &&
		    cmd_is_store(args->word[i], &err) == 1)
			return args->word[i];
	return NULL;
}

/* Words: the option, what is typed of its value, then the command line. Says nothing that is not a
 * value: no store, nothing to complete. */
int store_values(struct store_args *args)
{
	const struct values *what = values_of(args->word[0]);
	const char *typed = args->word[1];
	sqlite3_stmt *st = NULL;

	args->path = find_store(args);
	if (!what || !args->path || cmd_open_store(&args->cmd, args->path, false))
		return CMD_OK;
	if (sqlite3_prepare_v2(tp_store_db(args->cmd.store), what->sql, -1, &st, NULL))
		return CMD_OK;
	while (sqlite3_step(st) == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(st, 0);
		char literal[2048];

		if (!is_plain(text) || strlen(text) >= sizeof(literal) / 2)
			continue;
		if (what->regex)
			put_literal(literal, sizeof(literal), text, strstr(what->options, "tag"));
		else
			snprintf(literal, sizeof(literal), "%s", text);
		if (!strncmp(literal, typed, strlen(typed)))
			puts(literal);
	}
	sqlite3_finalize(st);
	return CMD_OK;
}
