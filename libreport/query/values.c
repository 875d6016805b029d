/* Values that an option could be given, for completions: names that a store holds. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "query/values.h"

/* Someone waits for the answer, so a large store is not read to its end. */
#define MOST " LIMIT 20000"

/* regex: the option takes a regular expression, behind the first '=' if there is one. */
static const struct values {
	const char *options, *sql;
	bool regex;
} values[] = {
    {" --task ", "SELECT DISTINCT name FROM (SELECT name FROM task" MOST ") ORDER BY 1", true},
    {" --region ", "SELECT DISTINCT name FROM (SELECT name FROM region" MOST ") ORDER BY 1", true},
    {" --reason ",
     "SELECT DISTINCT reason FROM (SELECT reason FROM goroutine_block" MOST ") ORDER BY 1", true},
    {" --tag-focus --tag-ignore ",
     "SELECT DISTINCT key || '=' || text FROM (SELECT key, text FROM bucket_label WHERE text <> "
     "''" MOST ") ORDER BY 1",
     true},
    /* Ids are single words. */
    {" --request ",
     "SELECT DISTINCT id FROM (SELECT * FROM (SELECT message AS id FROM log" MOST ") UNION "
     "SELECT * FROM (SELECT text FROM bucket_label" MOST ")) WHERE instr(id, ' ') = 0 ORDER BY 1",
     false},
    {" --request-key --by ",
     "SELECT DISTINCT key FROM (SELECT * FROM (SELECT category AS key FROM log" MOST ") UNION "
     "SELECT * FROM (SELECT key FROM bucket_label" MOST ")) ORDER BY 1",
     false},
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

void rep_values_each(struct tp_store *store, const char *option, const char *typed,
		     void (*put)(const char *value))
{
	const struct values *what = values_of(option);
	sqlite3_stmt *st = NULL;

	if (!what || sqlite3_prepare_v2(tp_store_db(store), what->sql, -1, &st, NULL))
		return;
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
			put(literal);
	}
	sqlite3_finalize(st);
}
