/* Explains errors of SQL in sentences that say what to do next. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/inside.h"
#include "store/sqlerr.h"

#define MAX_WORD 64

/* Returns the edit distance of two words, ignoring case; 99 if they are long. */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[MAX_WORD + 1];
	size_t n = strlen(a), m = strlen(b);

	if (n > MAX_WORD || m > MAX_WORD)
		return 99;
	for (size_t j = 0; j <= m; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			unsigned change =
			    diagonal + (sqlite3_strnicmp(a + i - 1, b + j - 1, 1) != 0);
			unsigned drop = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;

			diagonal = row[j];
			row[j] = change < drop ? change : drop;
		}
	}
	return row[m];
}

struct nearest {
	const char *word;
	char *found;
	size_t size;
	unsigned best;
};

static int consider(void *ctx, const char *words, const char *doc)
{
	struct nearest *n = ctx;
	const char *word;
	size_t size, name;

	(void)doc;
	while ((word = rep_query_next_call(&words, &size, &name))) {
		char text[MAX_WORD + 2];
		unsigned d;

		snprintf(text, sizeof(text), "%.*s",
			 (int)(name < sizeof(text) ? name : sizeof(text)), word);
		d = distance(n->word, text);
		if (d < n->best) {
			n->best = d;
			snprintf(n->found, n->size, "%s", text);
		}
	}
	return 0;
}

void rep_query_similar(struct rep_query *q, unsigned kinds, const char *word, char *similar,
		       size_t size)
{
	/* One typing error in three letters still counts as similar. */
	struct nearest n = {word, similar, size, (unsigned)strlen(word) / 3 + 1};
	struct tp_err err;

	*similar = 0;
	rep_query_words(q, kinds, NULL, consider, &n, &err);
}

/* Puts "line 3: " in front of the message if the text has several lines. */
static void tell_line(const char *sql, const char *statement, int offset, struct tp_err *err)
{
	const char *end = statement + (offset > 0 ? offset : 0);
	unsigned line = 1;

	/* Without an offset, name the line on which the statement begins. */
	while (offset < 0 && (*end == ' ' || (*end >= '\t' && *end <= '\r')))
		end++;
	if (!strchr(sql, '\n') || strlen(statement) < (size_t)(end - statement))
		return;
	for (const char *p = sql; p < end; p++)
		line += *p == '\n';
	tp_err_prefix(err, "line %u", line);
}

int rep_query_explain(struct rep_query *q, const char *sql, const char *statement, int rc,
		      struct tp_err *err)
{
	static const struct {
		const char *begins, *advice;
		unsigned like; /* the rest of the message is a name of these kinds */
	} known[] = {
	    {"no such table: ", ".tables lists them", REP_WORDS_TABLES},
	    {"no such column: ", ".schema TABLE lists the columns of a table", REP_WORDS_COLUMNS},
	    {"no such function: ", ".help lists those that SQLite does not have",
	     REP_WORDS_FUNCTIONS},
	    {"unrecognized token: ", "a quote is not closed, or SQL does not have this character",
	     0},
	    {"incomplete input", "a quote, a parenthesis or the statement itself is not finished",
	     0},
	    {"ambiguous column name: ", "name its table: TABLE.COLUMN", 0},
	    {"wrong number of arguments to function ", ".help shows its arguments", 0},
	    {"string or blob too big",
	     "a value may have 256 MiB (substr(X, 1, N) takes its beginning)", 0},
	    {"integer overflow", "total(X) has room where sum(X) overflows", 0},
	};
	/* Both describe SQLite's last call, so they are read first. */
	int offset = sqlite3_libversion_number() >= 3038000 ? sqlite3_error_offset(q->db) : -1;
	const char *message = sqlite3_errmsg(q->db);
	char similar[MAX_WORD + 1] = "", text[256];
	bool found = false;

	q->place = offset >= 0 ? (size_t)(statement - sql) + (size_t)offset : SIZE_MAX;
	/* Of a virtual table that was interrupted in planning, SQLite passes on the message only. */
	if ((rc & 0xff) == SQLITE_INTERRUPT || !strcmp(message, "interrupted"))
		return tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "interrupted");
	switch (rc & 0xff) {
	case SQLITE_NOMEM:
	case SQLITE_IOERR:
	case SQLITE_FULL:
	case SQLITE_CORRUPT:
	case SQLITE_CANTOPEN:
	case SQLITE_BUSY:
		return tp_sql_cause(
		    err, q->db, q->opt.write ? "cannot write the store" : "cannot read the store");
	}
	snprintf(text, sizeof(text), "%s", message);
	if ((rc & 0xff) == SQLITE_READONLY && !q->opt.write)
		q->refused = rep_query_read_only(q);
	else if ((rc & 0xff) != SQLITE_AUTH && strncmp(text, "not authorized", 14) != 0)
		q->refused = NULL;
	/* A file or folder may also lack write permission. */
	if ((rc & 0xff) == SQLITE_READONLY && q->opt.write)
		return tp_sql_cause(err, q->db, "the store cannot be written");
	if (q->refused)
		return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "%s", q->refused);
	tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "%s", text);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t n = strlen(known[i].begins);
		const char *name = text + n, *dot;

		if (strncmp(text, known[i].begins, n) != 0)
			continue;
		dot = strrchr(name, '.');
		if (known[i].like)
			rep_query_similar(q, known[i].like, dot ? dot + 1 : name, similar,
					  sizeof(similar));
		if (*similar && sqlite3_stricmp(similar, name) != 0)
			tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "%s; did you mean %s? %s", text,
				   similar, known[i].advice);
		else
			tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "%s; %s", text, known[i].advice);
		found = true;
		break;
	}
	/* The mistake may also be just before the word that SQLite names. */
	if (!found && strstr(text, "syntax error"))
		tp_err_set(
		    err, TP_ESTORE, TP_OFFSET_NONE,
		    "%s; the mistake is there or just before it; tprof-query(1) has examples",
		    text);
	tell_line(sql, statement, offset, err);
	return TP_ESTORE;
}
