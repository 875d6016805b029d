#include "query/query.h"

#include <stdlib.h>
#include <string.h>

#include "query/inside.h"
#include "query/rows.h"

/* Steps of SQLite's virtual machine. Those of a table's own statements count, too: `span` in the order
 * of groups reads all events in one step of the user's statement, and about ten steps are a block. */
#define STEPS_TO_ASK 100

static int is_stopped(void *ctx)
{
	const struct rep_query *q = ctx;

	return *q->opt.stop;
}

int rep_query_new(struct rep_query **out, struct tp_store *s, const struct rep_query_options *opt,
		  struct tp_err *err)
{
	struct rep_query *q = calloc(1, sizeof(*q));

	*out = q;
	if (!q)
		return tp_nomem(err);
	q->db = tp_store_db(s);
	q->opt = *opt;
	rep_query_limit(q);
	sqlite3_set_authorizer(q->db, rep_query_guard, q);
	if (opt->stop)
		sqlite3_progress_handler(q->db, STEPS_TO_ASK, is_stopped, q);
	return 0;
}

void rep_query_free(struct rep_query *q)
{
	if (!q)
		return;
	rep_query_unlimit(q);
	sqlite3_set_authorizer(q->db, NULL, NULL);
	if (q->opt.stop)
		sqlite3_progress_handler(q->db, 0, NULL, NULL);
	free(q);
}

size_t rep_query_place(const struct rep_query *q)
{
	return q->place;
}

uint64_t rep_query_rows(const struct rep_query *q)
{
	return q->rows;
}

void rep_query_interrupt(struct rep_query *q)
{
	sqlite3_interrupt(q->db);
}

bool rep_query_complete(const char *sql)
{
	return sqlite3_complete(sql) != 0;
}

/* Skips the comment, quoted text or character at p. */
static const char *skip_token(const char *p)
{
	const char *end;
	char quote = *p == '[' ? ']' : *p;

	if (p[0] == '-' && p[1] == '-') {
		end = strchr(p, '\n');
		return end ? end + 1 : p + strlen(p);
	}
	if (p[0] == '/' && p[1] == '*') {
		end = strstr(p + 2, "*/");
		return end ? end + 2 : p + strlen(p);
	}
	if (*p != '\'' && *p != '"' && *p != '`' && *p != '[')
		return p + 1;
	end = strchr(p + 1, quote);
	return end ? end + 1 : p + strlen(p); /* a doubled quote reads as two adjacent texts */
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

size_t rep_query_count(const char *sql)
{
	size_t n = 0;
	bool some = false; /* the current statement is not blank */

	while (*sql) {
		bool comment = (sql[0] == '-' && sql[1] == '-') || (sql[0] == '/' && sql[1] == '*');

		if (*sql == ';') {
			n += some;
			some = false;
		} else if (!comment && !is_blank(*sql)) {
			some = true;
		}
		sql = skip_token(sql);
	}
	return n + some;
}

/* :run is the selected run; other parameters have no value. */
static int bind(struct rep_query *q, sqlite3_stmt *stmt, struct tp_err *err)
{
	for (int i = 1; i <= sqlite3_bind_parameter_count(stmt); i++) {
		const char *name = sqlite3_bind_parameter_name(stmt, i);

		if (!name || strcmp(name + 1, "run") != 0)
			return tp_err_set(
			    err, TP_ESTORE, TP_OFFSET_NONE,
			    "the parameter %s has no value: only :run has one, the id "
			    "of the run that --run picks",
			    name ? name : "?");
		if (q->opt.run != TP_NULL)
			sqlite3_bind_int64(stmt, i, q->opt.run);
	}
	return 0;
}

static int run_statement(struct rep_query *q, sqlite3_stmt *stmt, struct rep_output *out,
			 struct tp_err *err)
{
	int code = bind(q, stmt, err);
	char name[32];

	sqlite3_snprintf(sizeof(name), name, "result%u", q->results + 1);
	if (!code)
		code = rep_statement_write(stmt, name, out, &q->rows, err);
	if (code <= 0)
		return code;
	q->results++;
	return 0;
}

int rep_query_run(struct rep_query *q, const char *sql, struct rep_output *out, struct tp_err *err)
{
	const char *at = sql;

	q->rows = 0;
	q->place = SIZE_MAX;
	while (*at) {
		sqlite3_stmt *stmt = NULL;
		const char *statement = at;
		int rc, code;

		q->refused = NULL;
		rc = sqlite3_prepare_v2(q->db, statement, -1, &stmt, &at);
		if (rc)
			return rep_query_explain(q, sql, statement, rc, err);
		if (!stmt)
			continue; /* blank or a comment */
		code = run_statement(q, stmt, out, err);
		rc = sqlite3_finalize(stmt);
		if (code)
			return code;
		if (rc)
			return rep_query_explain(q, sql, statement, rc, err);
	}
	return 0;
}
