/* Completes words in a statement: tables after FROM, columns of the tables that the statement names,
 * functions, keywords. */
#include "tprof-tui/view/sql/sql.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define MOST_TOKENS 400
#define MOST_TABLES 16
#define NAME	    64

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

size_t sql_word_start(const char *text, size_t at)
{
	while (at && is_word(text[at - 1]))
		at--;
	return at;
}

/* Returns the end of the comment, quoted text or character at p. Sets *open if it does not end. */
static const char *skip(const char *p, bool *open)
{
	const char *end;

	if (p[0] == '-' && p[1] == '-') {
		end = strchr(p, '\n');
		return end ? end : p + strlen(p);
	}
	if (p[0] == '/' && p[1] == '*') {
		end = strstr(p + 2, "*/");
		*open |= !end;
		return end ? end + 2 : p + strlen(p);
	}
	if (*p != '\'' && *p != '"' && *p != '`')
		return p + 1;
	end = strchr(p + 1, *p);
	*open |= !end;
	return end ? end + 1 : p + strlen(p);
}

bool sql_is_open(const char *text)
{
	bool open = false;
	int depth = 0;

	while (*text) {
		depth += (*text == '(') - (*text == ')');
		text = skip(text, &open);
	}
	return open || depth > 0;
}

/* ---- words of a statement ---- */

struct tokens {
	struct {
		char text[NAME];
		size_t at;
	} token[MOST_TOKENS];
	size_t n;
};

/* Splits the statement around `at` into words, without quoted texts and comments. */
static void split(struct tokens *t, const char *text, size_t at)
{
	bool open = false;

	t->n = 0;
	for (const char *p = text; *p;) {
		size_t n = 0;

		if (*p == ';') {
			if ((size_t)(p - text) >= at)
				return;
			t->n = 0;
		}
		if (!is_word(*p)) {
			p = skip(p, &open);
			continue;
		}
		while (is_word(p[n]))
			n++;
		if (t->n < MOST_TOKENS && n < NAME) {
			snprintf(t->token[t->n].text, NAME, "%.*s", (int)n, p);
			t->token[t->n++].at = (size_t)(p - text);
		}
		p += n;
	}
}

enum clause { CLAUSE_START, CLAUSE_TABLES, CLAUSE_COLUMNS };

/* Returns the clause at a position, from the last keyword before it. */
static enum clause clause_at(const struct tokens *t, size_t at)
{
	static const struct {
		const char *word;
		enum clause clause;
	} keywords[] = {
	    {"select", CLAUSE_COLUMNS}, {"from", CLAUSE_TABLES},   {"join", CLAUSE_TABLES},
	    {"where", CLAUSE_COLUMNS},	{"on", CLAUSE_COLUMNS},	   {"by", CLAUSE_COLUMNS},
	    {"having", CLAUSE_COLUMNS}, {"using", CLAUSE_COLUMNS}, {"schema", CLAUSE_TABLES},
	    {"and", CLAUSE_COLUMNS},	{"or", CLAUSE_COLUMNS},
	};
	enum clause clause = CLAUSE_START;

	for (size_t i = 0; i < t->n && t->token[i].at < at; i++)
		for (size_t k = 0; k < sizeof(keywords) / sizeof(keywords[0]); k++)
			if (!strcasecmp(t->token[i].text, keywords[k].word))
				clause = keywords[k].clause;
	return clause;
}

/* ---- candidates ---- */

struct adding {
	struct tui_menu *menu;
	const char *stem;
	size_t size;
};

static bool begins(const struct adding *a, const char *word)
{
	return !strncasecmp(word, a->stem, a->size);
}

static int add_word(void *ctx, const char *word, const char *doc)
{
	struct adding *a = ctx;

	return !begins(a, word) || tui_menu_add(a->menu, word, NULL, doc) ? 0 : TP_ENOMEM;
}

/* Adds each function of a list such as "median(x), p50(x)". Only its name and the opening parenthesis are
 * inserted. */
static int add_function(void *ctx, const char *calls, const char *doc)
{
	struct adding *a = ctx;
	const char *call;
	size_t size, name;

	while ((call = rep_query_next_call(&calls, &size, &name))) {
		char word[NAME], shown[2 * NAME];

		snprintf(word, sizeof(word), "%.*s(", (int)name, call);
		snprintf(shown, sizeof(shown), "%.*s", (int)size, call);
		if (begins(a, word) && !tui_menu_add(a->menu, word, shown, doc))
			return TP_ENOMEM;
	}
	return 0;
}

static int add_keywords(struct adding *a, enum clause clause)
{
	static const char *const words[] = {"select",	"from", "where",     "group by", "order by",
					    "limit",	"join", "left join", "having",	 "with",
					    "distinct", "case", "between",   "count(*)", "desc"};
	bool failed = false;

	if (clause == CLAUSE_START)
		failed = add_word(a, "select", "rows of tables") ||
			 add_word(a, ".tables", "the tables of the store") ||
			 add_word(a, ".schema", "what a table's columns mean");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && a->size && !failed; i++)
		failed = add_word(a, words[i], "");
	return failed ? TP_ENOMEM : 0;
}

struct tables {
	char name[MOST_TABLES][NAME];
	size_t n;
	const struct tokens *tokens;
};

static int find_table(void *ctx, const char *word, const char *doc)
{
	struct tables *t = ctx;

	(void)doc;
	for (size_t i = 0; i < t->tokens->n && t->n < MOST_TABLES; i++) {
		if (strcasecmp(t->tokens->token[i].text, word) != 0)
			continue;
		snprintf(t->name[t->n++], NAME, "%s", word);
		break;
	}
	return 0;
}

static bool is_table(const struct tables *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcasecmp(t->name[i], name))
			return true;
	return false;
}

/* Returns the table that `name` stands for in the statement ("goroutine AS g"), or NULL. */
static const char *table_called(const struct tables *t, const char *name)
{
	const struct tokens *k = t->tokens;

	if (is_table(t, name))
		return name;
	for (size_t i = 1; i < k->n; i++) {
		size_t before = i - 1;

		if (strcasecmp(k->token[i].text, name) != 0)
			continue;
		if (before && !strcasecmp(k->token[before].text, "as"))
			before--;
		if (is_table(t, k->token[before].text))
			return k->token[before].text;
	}
	return NULL;
}

int sql_complete(struct rep_query *q, const char *text, size_t at, struct tui_menu *menu,
		 struct tp_err *err)
{
	size_t start = sql_word_start(text, at);
	struct adding a = {.menu = menu, .stem = text + start, .size = at - start};
	static struct tokens tokens; /* used by the screen's thread only */
	struct tables tables = {.tokens = &tokens};
	enum clause clause;
	int code;

	tui_menu_clear(menu);
	split(&tokens, text, at);
	code = rep_query_words(q, REP_WORDS_TABLES, NULL, find_table, &tables, err);
	clause = clause_at(&tokens, start);
	if (!code && start && text[start - 1] == '.' && start > 1 && is_word(text[start - 2])) {
		char name[NAME];
		size_t from = sql_word_start(text, start - 1);

		snprintf(name, sizeof(name), "%.*s", (int)(start - 1 - from), text + from);
		return rep_query_words(q, REP_WORDS_COLUMNS, table_called(&tables, name), add_word,
				       &a, err);
	}
	if (start && text[start - 1] == '.') { /* .tables */
		tui_menu_add(menu, "tables", ".tables", "the tables of the store");
		tui_menu_add(menu, "schema ", ".schema TABLE", "what a table's columns mean");
		tui_menu_add(menu, "help", ".help", "functions beside SQLite's own");
		return 0;
	}
	if (!code && clause == CLAUSE_TABLES)
		code = rep_query_words(q, REP_WORDS_TABLES, NULL, add_word, &a, err);
	for (size_t i = 0; i < tables.n && clause == CLAUSE_COLUMNS && !code; i++)
		code = rep_query_words(q, REP_WORDS_COLUMNS, tables.name[i], add_word, &a, err);
	if (!code && clause == CLAUSE_COLUMNS && !tables.n)
		code = rep_query_words(q, REP_WORDS_COLUMNS, NULL, add_word, &a, err);
	if (!code && clause == CLAUSE_COLUMNS)
		code = rep_query_words(q, REP_WORDS_FUNCTIONS, NULL, add_function, &a, err);
	if (!code)
		code = add_keywords(&a, clause);
	/* If nothing that suits the clause matches, offer all tables and columns. */
	if (!code && !menu->n && a.size)
		code = rep_query_words(q, REP_WORDS_TABLES | REP_WORDS_COLUMNS, NULL, add_word, &a,
				       err);
	if (code == TP_ENOMEM)
		tp_nomem(err);
	return code;
}
