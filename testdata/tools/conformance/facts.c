/* Kept in an SQLite database in memory, because SQLite reads JSON and compares tables. */
#include "conformance/facts.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct facts {
	sqlite3 *db;
	sqlite3_stmt *put[2];
	sqlite3_stmt *look;
	char *json; /* the expectation taken last, as given */
	size_t size;
	int64_t checks; /* that held */
	int failed;	/* SQLite's code of the first failure */
	char text[400];
};

/* Leaves of an expectation that can be altered: every number. */
#define NUMBERS                                                                                    \
	"FROM json_tree(?1) WHERE type IN ('integer', 'real')"                                     \
	" AND NOT (path = '$' AND key = 'tolerance_ns')"

static const char schema[] =
    "CREATE TABLE expected(name TEXT PRIMARY KEY, value, twice INT DEFAULT 0) WITHOUT ROWID;"
    "CREATE TABLE found(name TEXT PRIMARY KEY, value, twice INT DEFAULT 0) WITHOUT ROWID;"
    "CREATE TABLE tolerance(ns INT);"
    /* The differences. A name that begins with "goroutine" or "task" and holds a time may be off by
     * the tolerance; a missing sum is a sum of zero. Utilisation is the result of a long sum, whose
     * order is not Go's. */
    "CREATE VIEW pair AS"
    " SELECT e.name, e.value AS ev, g.value AS gv, e.twice OR ifnull(g.twice, 0) AS twice"
    "  FROM expected e LEFT JOIN found g ON g.name = e.name"
    " UNION ALL SELECT g.name, NULL, g.value, g.twice FROM found g"
    "  WHERE NOT EXISTS (SELECT 1 FROM expected e WHERE e.name = g.name);"
    "CREATE VIEW difference AS SELECT * FROM pair WHERE twice OR (ev IS NOT gv"
    " AND NOT (typeof(ev) = 'integer' AND typeof(gv) = 'integer'"
    "  AND (name GLOB 'goroutine *' OR name GLOB 'task * Dur') AND name NOT GLOB '* ID'"
    "  AND abs(ev * 1.0 - gv) <= (SELECT ifnull(max(ns), 0) FROM tolerance))"
    " AND NOT (name GLOB 'mmu *' AND abs(ev - gv) <= 1e-9)"
    " AND NOT ((name GLOB 'goroutine * Block *' OR name GLOB 'goroutine * Range *')"
    "  AND ifnull(ev, 0) = 0 AND ifnull(gv, 0) = 0));";

/* Every part of an expectation, by name; what no other statement takes is taken by the last. */
static const char *const take[] = {
    "DELETE FROM expected",
    "DELETE FROM tolerance",
    "INSERT INTO tolerance SELECT atom FROM json_each(?1) WHERE key = 'tolerance_ns'",
    "INSERT INTO expected(name, value) SELECT key, atom FROM json_each(?1)"
    " WHERE type NOT IN ('object', 'array', 'null') AND key NOT IN ('tolerance_ns', 'reader', "
    "'whole')",
    "INSERT INTO expected(name, value) SELECT 'kind ' || key, atom FROM json_each(?1, '$.kinds')",
    "INSERT INTO expected(name, value) SELECT 'transition ' || key, atom"
    " FROM json_each(?1, '$.transitions')",
    /* A goroutine's own fields have the path '$', its sums '$.Block' and '$.Range'. */
    "INSERT INTO expected(name, value) SELECT 'goroutine ' ||"
    " coalesce(json_extract(g.value, '$.ID'), json_extract(g.value, '$.id')) || ' ' ||"
    " CASE t.path WHEN '$' THEN '' ELSE substr(t.path, 3) || ' ' END || t.key, t.atom"
    " FROM json_each(?1, '$.goroutines') g, json_tree(g.value) t"
    " WHERE g.type = 'object' AND t.type NOT IN ('object', 'array', 'null') AND true"
    " ON CONFLICT(name) DO UPDATE SET twice = 1",
    "INSERT INTO expected(name, value) SELECT 'task ' || json_extract(g.value, '$.ID') || ' ' || "
    "t.key,"
    " t.atom FROM json_each(?1, '$.tasks') g, json_tree(g.value) t"
    " WHERE g.type = 'object' AND t.type NOT IN ('object', 'array', 'null') AND true"
    " ON CONFLICT(name) DO UPDATE SET twice = 1",
    "INSERT INTO expected(name, value) SELECT 'mmu ' || s.key || ' ' || w.key, w.atom"
    " FROM json_each(?1, '$.mmu') s, json_each(s.value) w WHERE s.type = 'object'",
    "INSERT INTO expected(name, value) SELECT 'unknown field ' || key, 1 FROM json_each(?1)"
    " WHERE type IN ('object', 'array')"
    " AND key NOT IN ('kinds', 'transitions', 'goroutines', 'tasks', 'mmu')",
};

static int sql_err(struct facts *f, struct tp_err *err)
{
	return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "facts: %s", sqlite3_errmsg(f->db));
}

int facts_new(struct facts **out, struct tp_err *err)
{
	struct facts *f = calloc(1, sizeof(*f));
	int code;

	*out = NULL;
	if (!f)
		return tp_nomem(err);
	if (sqlite3_open_v2(":memory:", &f->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) ||
	    sqlite3_exec(f->db, schema, NULL, NULL, NULL) ||
	    sqlite3_prepare_v2(f->db,
			       "INSERT INTO expected(name, value) VALUES(?1, ?2)"
			       " ON CONFLICT(name) DO UPDATE SET twice = 1",
			       -1, &f->put[FACTS_EXPECTED], NULL) ||
	    sqlite3_prepare_v2(f->db,
			       "INSERT INTO found(name, value) VALUES(?1, ?2)"
			       " ON CONFLICT(name) DO UPDATE SET twice = 1",
			       -1, &f->put[FACTS_FOUND], NULL) ||
	    sqlite3_prepare_v2(f->db, "SELECT atom FROM json_each(?1) WHERE key = ?2", -1, &f->look,
			       NULL) ||
	    sqlite3_exec(f->db, "BEGIN", NULL, NULL, NULL)) {
		code = sql_err(f, err);
		facts_free(f);
		return code;
	}
	*out = f;
	return 0;
}

void facts_free(struct facts *f)
{
	if (!f)
		return;
	sqlite3_finalize(f->put[0]);
	sqlite3_finalize(f->put[1]);
	sqlite3_finalize(f->look);
	sqlite3_close(f->db);
	free(f->json);
	free(f);
}

static void run(struct facts *f, const char *sql)
{
	int rc = sqlite3_exec(f->db, sql, NULL, NULL, NULL);

	if (rc && !f->failed)
		f->failed = rc;
}

void facts_clear(struct facts *f, enum facts_side side)
{
	if (side == FACTS_FOUND)
		f->checks = 0;
	run(f, side == FACTS_EXPECTED ? "DELETE FROM expected" : "DELETE FROM found");
}

/* Runs one statement over the text of an expectation. */
static int run_over(struct facts *f, const char *sql, const char *json, size_t size,
		    struct tp_err *err)
{
	sqlite3_stmt *stmt;
	int rc;

	if (sqlite3_prepare_v2(f->db, sql, -1, &stmt, NULL))
		return sql_err(f, err);
	sqlite3_bind_text64(stmt, 1, json, size, SQLITE_STATIC, SQLITE_UTF8);
	do
		rc = sqlite3_step(stmt);
	while (rc == SQLITE_ROW);
	sqlite3_finalize(stmt);
	return rc == SQLITE_DONE ? 0 : sql_err(f, err);
}

static int take_text(struct facts *f, const char *json, size_t size, struct tp_err *err)
{
	int code = 0;

	for (size_t i = 0; !code && i < sizeof(take) / sizeof(take[0]); i++)
		code = run_over(f, take[i], json, size, err);
	return code;
}

int facts_take_json(struct facts *f, const char *json, size_t size, struct tp_err *err)
{
	char *copy = malloc(size + 1);

	if (!copy)
		return tp_nomem(err);
	memcpy(copy, json, size);
	copy[size] = 0;
	free(f->json);
	f->json = copy;
	f->size = size;
	return take_text(f, f->json, f->size, err);
}

static void put(struct facts *f, enum facts_side side)
{
	int rc = sqlite3_step(f->put[side]);

	if (rc != SQLITE_DONE && !f->failed)
		f->failed = rc;
	sqlite3_reset(f->put[side]);
	sqlite3_clear_bindings(f->put[side]);
}

static void bind_name(struct facts *f, enum facts_side side, const char *format, va_list ap)
{
	char *name = sqlite3_vmprintf(format, ap);

	if (!name && !f->failed)
		f->failed = SQLITE_NOMEM;
	sqlite3_bind_text(f->put[side], 1, name, -1, sqlite3_free);
}

void facts_put(struct facts *f, enum facts_side side, int64_t value, const char *name, ...)
{
	va_list ap;

	va_start(ap, name);
	bind_name(f, side, name, ap);
	va_end(ap);
	sqlite3_bind_int64(f->put[side], 2, value);
	put(f, side);
}

void facts_put_real(struct facts *f, enum facts_side side, double value, const char *name, ...)
{
	va_list ap;

	va_start(ap, name);
	bind_name(f, side, name, ap);
	va_end(ap);
	sqlite3_bind_double(f->put[side], 2, value);
	put(f, side);
}

/* Go writes what is no UTF-8 into JSON as U+FFFD, one for each byte. Returns a copy to free. */
static char *as_go_json(const char *text, size_t size, size_t *out_size)
{
	const unsigned char *s = (const unsigned char *)text;
	char *out = malloc(size * 3 + 1);
	size_t n = 0;

	for (size_t i = 0; out && i < size;) {
		size_t len = s[i] < 0x80		   ? 1
			     : s[i] >= 0xc2 && s[i] < 0xe0 ? 2
			     : s[i] >= 0xe0 && s[i] < 0xf0 ? 3
			     : s[i] >= 0xf0 && s[i] < 0xf5 ? 4
							   : 0;
		bool good = len && len <= size - i;

		for (size_t k = 1; good && k < len; k++)
			good = (s[i + k] & 0xc0) == 0x80;
		if (good && len > 2)
			good = !(s[i] == 0xe0 && s[i + 1] < 0xa0) &&
			       !(s[i] == 0xed && s[i + 1] > 0x9f) &&
			       !(s[i] == 0xf0 && s[i + 1] < 0x90) &&
			       !(s[i] == 0xf4 && s[i + 1] > 0x8f);
		if (good) {
			memcpy(out + n, text + i, len);
			n += len;
			i += len;
		} else {
			memcpy(out + n, "\xef\xbf\xbd", 3);
			n += 3;
			i++;
		}
	}
	*out_size = n;
	return out;
}

void facts_put_text(struct facts *f, enum facts_side side, const char *text, size_t size,
		    const char *name, ...)
{
	va_list ap;
	size_t n;
	char *copy = as_go_json(text, size, &n);

	if (!copy) {
		f->failed = f->failed ? f->failed : SQLITE_NOMEM;
		return;
	}
	va_start(ap, name);
	bind_name(f, side, name, ap);
	va_end(ap);
	sqlite3_bind_text64(f->put[side], 2, copy, n, free, SQLITE_UTF8);
	put(f, side);
}

void facts_check(struct facts *f, bool holds, const char *name, ...)
{
	va_list ap;

	if (holds) {
		f->checks++;
		return;
	}
	va_start(ap, name);
	bind_name(f, FACTS_FOUND, name, ap);
	va_end(ap);
	sqlite3_bind_text(f->put[FACTS_FOUND], 2, FACTS_BROKEN, -1, SQLITE_STATIC);
	put(f, FACTS_FOUND);
}

/* Steps to the row of a top-level field; the caller resets. */
static bool look(struct facts *f, const char *name)
{
	sqlite3_reset(f->look);
	if (!f->json)
		return false;
	sqlite3_bind_text64(f->look, 1, f->json, f->size, SQLITE_STATIC, SQLITE_UTF8);
	sqlite3_bind_text(f->look, 2, name, -1, SQLITE_STATIC);
	return sqlite3_step(f->look) == SQLITE_ROW;
}

bool facts_expects(struct facts *f, const char *name, int64_t *value)
{
	bool there = look(f, name);

	if (there)
		*value = sqlite3_column_int64(f->look, 0);
	sqlite3_reset(f->look);
	return there;
}

const char *facts_expects_text(struct facts *f, const char *name)
{
	const char *text = NULL;

	if (look(f, name) && sqlite3_column_text(f->look, 0)) {
		snprintf(f->text, sizeof(f->text), "%s",
			 (const char *)sqlite3_column_text(f->look, 0));
		text = f->text;
	}
	sqlite3_reset(f->look);
	return text;
}

static int count(struct facts *f, const char *sql, int64_t *n)
{
	sqlite3_stmt *stmt;
	int rc = sqlite3_prepare_v2(f->db, sql, -1, &stmt, NULL);

	if (rc)
		return rc;
	rc = sqlite3_step(stmt);
	*n = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return rc == SQLITE_ROW ? 0 : rc;
}

int facts_compare(struct facts *f, struct facts_result *result, int most, facts_show_fn show,
		  void *ctx, struct tp_err *err)
{
	sqlite3_stmt *stmt;

	if (f->failed)
		return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "facts: %s",
				  sqlite3_errstr(f->failed));
	if (count(f, "SELECT count(*) FROM pair", &result->compared) ||
	    count(f, "SELECT count(*) FROM difference", &result->differences))
		return sql_err(f, err);
	result->compared += f->checks;
	if (!show || !result->differences)
		return 0;
	if (sqlite3_prepare_v2(f->db,
			       "SELECT name || CASE WHEN twice THEN ' (twice)' ELSE '' END, ev, gv"
			       " FROM difference ORDER BY name GLOB 'goroutine *', name LIMIT ?1",
			       -1, &stmt, NULL))
		return sql_err(f, err);
	sqlite3_bind_int(stmt, 1, most);
	while (sqlite3_step(stmt) == SQLITE_ROW)
		show(ctx, (const char *)sqlite3_column_text(stmt, 0),
		     (const char *)sqlite3_column_text(stmt, 1),
		     (const char *)sqlite3_column_text(stmt, 2));
	sqlite3_finalize(stmt);
	return 0;
}

/* *json (its own, to free) with one number set. */
static int set_number(struct facts *f, sqlite3_stmt *set, char **json, sqlite3_stmt *number,
		      struct tp_err *err)
{
	char *next = NULL;
	int code = 0;

	sqlite3_bind_text(set, 1, *json ? *json : f->json, -1, SQLITE_STATIC);
	sqlite3_bind_value(set, 2, sqlite3_column_value(number, 0));
	sqlite3_bind_value(set, 3, sqlite3_column_value(number, 1));
	if (sqlite3_step(set) == SQLITE_ROW && sqlite3_column_text(set, 0))
		next = strdup((const char *)sqlite3_column_text(set, 0));
	else
		code = sql_err(f, err);
	sqlite3_reset(set);
	if (!code && !next)
		code = tp_nomem(err);
	free(*json);
	*json = next;
	return code;
}

int facts_alter_some(struct facts *f, int64_t n, int64_t most, int64_t by, int64_t *altered,
		     char path[200], struct tp_err *err)
{
	sqlite3_stmt *number = NULL, *set = NULL;
	char *json = NULL;
	int rc = SQLITE_DONE, code = 0;

	*altered = 0;
	if (sqlite3_prepare_v2(f->db,
			       "SELECT fullkey, atom + ?2, key IN ('ID', 'id') " NUMBERS
			       " LIMIT ?4 OFFSET ?3",
			       -1, &number, NULL) ||
	    sqlite3_prepare_v2(f->db, "SELECT json_set(?1, ?2, ?3)", -1, &set, NULL)) {
		code = sql_err(f, err);
		goto done;
	}
	sqlite3_bind_text64(number, 1, f->json, f->size, SQLITE_STATIC, SQLITE_UTF8);
	sqlite3_bind_int64(number, 2, by);
	sqlite3_bind_int64(number, 3, n);
	sqlite3_bind_int64(number, 4, most);
	while (!code && (rc = sqlite3_step(number)) == SQLITE_ROW) {
		bool id = sqlite3_column_int(number, 2);

		if (id && *altered)
			break;
		if (!(*altered)++)
			snprintf(path, 200, "%s", (const char *)sqlite3_column_text(number, 0));
		code = set_number(f, set, &json, number, err);
		if (id)
			break;
	}
	if (!code && rc != SQLITE_ROW && rc != SQLITE_DONE)
		code = sql_err(f, err);
	if (!code && *altered && json)
		code = take_text(f, json, strlen(json), err);
done:
	sqlite3_finalize(number);
	sqlite3_finalize(set);
	free(json);
	return code;
}

int facts_alter(struct facts *f, int64_t n, int64_t by, char path[200], struct tp_err *err)
{
	int64_t altered;
	int code = facts_alter_some(f, n, 1, by, &altered, path, err);

	return code ? code : (int)altered;
}

int facts_take_wire(struct facts *f, struct tp_store *s, int64_t run_id, int64_t *events,
		    int64_t *with_stack, struct tp_err *err)
{
	sqlite3 *db = tp_store_db(s);
	sqlite3_stmt *stmt;
	int rc;

	*events = *with_stack = 0;
	if (sqlite3_prepare_v2(db,
			       "SELECT name, events, with_stack FROM wire"
			       " WHERE run = ?1 AND events > 0",
			       -1, &stmt, NULL))
		return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "%s", sqlite3_errmsg(db));
	sqlite3_bind_int64(stmt, 1, run_id);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		int64_t n = sqlite3_column_int64(stmt, 1);

		facts_put(f, FACTS_FOUND, n, "kind %s", (const char *)sqlite3_column_text(stmt, 0));
		*events += n;
		*with_stack += sqlite3_column_int64(stmt, 2);
	}
	sqlite3_finalize(stmt);
	return rc == SQLITE_DONE
		   ? 0
		   : tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "%s", sqlite3_errmsg(db));
}
