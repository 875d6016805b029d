/* An engine for tests, in memory. It keeps the rows of INSERTs and answers the statements of the
 * loader and the reader, except those that add up. */
#ifndef REP_ENGINE_TESTING_H
#define REP_ENGINE_TESTING_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "engine/binary.h"
#include "engine/link.h"
#include "engine/schema.h"

#define PIECE_MOST 1000

struct testing_engine {
	struct tp_buf table[REP_ENGINE_NTABLES]; /* rows as received */
	int inserts, fails_at;			 /* INSERT number fails_at (from 1) is refused; 0:
						    none */
	uint64_t random;			 /* 0: answers are intact; else they are damaged */
	int spoils_at;				 /* number of the damaged answer (from 1) */
	int answers;
	uint64_t now_s;	      /* its clock; 0: an arbitrary time */
	struct tp_buf tables; /* contents of system.tables: pairs of texts */
	/* Called before each INSERT, number e->inserts + 1, into table e->into; may be NULL. */
	void (*on_insert)(struct testing_engine *e);
	int into;
};

#define TESTING_NOW   1700000000
#define TESTING_LOADS 4096

static inline uint64_t testing_now(const struct testing_engine *e)
{
	return e->now_s ? e->now_s : TESTING_NOW;
}

static inline void testing_skip(struct tp_cursor *c, const char *type)
{
	uint64_t n = 1;

	if (!strncmp(type, "Nullable(", 9)) {
		if (tp_cursor_u8(c))
			return;
		type += 9;
	} else if (!strncmp(type, "Array(", 6)) {
		n = tp_cursor_uvarint(c);
		type += 6;
	}
	while (n-- && !c->failed) {
		if (!strncmp(type, "String", 6))
			rep_row_get_text(c);
		else if (!strncmp(type, "FixedString", 11))
			tp_cursor_bytes(c, 16);
		else
			tp_cursor_bytes(c, !strncmp(type, "DateTime", 8) ? 4
					   : strstr(type, "64")		 ? 8
					   : strstr(type, "32")		 ? 4
					   : strstr(type, "8")		 ? 1
									 : 2);
	}
}

static inline int testing_find(const char *sql, const char *before)
{
	const char *at = strstr(sql, before);
	char name[80];

	at = at ? strstr(at, "`.`") : NULL;
	for (int t = 0; at && t < REP_ENGINE_NTABLES; t++) {
		snprintf(name, sizeof(name), "`.`%s`",
			 rep_engine_name((enum rep_engine_table_id)t));
		if (!strncmp(at, name, strlen(name)))
			return t;
	}
	return -1;
}

/* Returns the position of a number in a list "(1,2,3)" or "[1,2,3]", -1 if it is missing. */
static inline int testing_place(const char *list, uint64_t n)
{
	for (int i = 0; list; i++) {
		if (strtoull(list, NULL, 10) == n)
			return i;
		list += strcspn(list, ",)]");
		if (*list++ != ',')
			break;
	}
	return -1;
}

static inline uint64_t testing_nth(const char *list, int i)
{
	while (i--)
		list += strcspn(list, ",") + 1;
	return strtoull(list, NULL, 10);
}

static inline bool testing_wants(const char *sql, uint64_t load)
{
	const char *in = strstr(sql, "load IN ("), *is = strstr(sql, "load = ");

	if (is)
		return strtoull(is + 7, NULL, 10) == load;
	return !in || testing_place(in + 9, load) >= 0;
}

static inline bool testing_names(const char *sql, const char *column)
{
	const char *end = strstr(sql, " FROM "), *from = strstr(sql, " AS number, "), *at;
	size_t n = strlen(column);

	from = from && from < end ? from + 12 : sql + 7;
	for (at = from; at < end; at++)
		if (!strncmp(at, column, n) && (at == from || strchr("` ", at[-1])) &&
		    strchr("`, ", at[n]))
			return true;
	return false;
}

struct testing_row {
	uint64_t number;
	struct tp_buf data;
};

static inline int testing_by_number(const void *a, const void *b)
{
	const struct testing_row *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

/* ---- loads that count, and stale ones ---- */

struct testing_load {
	uint64_t load, begun;
	char run[40];
	size_t at, size; /* of its row */
};

/* Returns the loads in table `load` or `run`, *n of them; the caller frees them. */
static inline struct testing_load *testing_loads(const struct testing_engine *e, int table,
						 size_t *n)
{
	struct rep_engine_column column[REP_ENGINE_COLUMNS];
	unsigned ncolumns = rep_engine_columns((enum rep_engine_table_id)table, column);
	const struct tp_buf *b = &e->table[table];
	struct tp_cursor c = tp_cursor(b->data, b->size);
	struct testing_load *l = calloc(TESTING_LOADS, sizeof(*l));

	for (*n = 0; l && c.at < c.end && *n < TESTING_LOADS; ++*n) {
		l[*n].at = (size_t)(c.at - b->data);
		for (unsigned i = 0; i < ncolumns; i++) {
			struct tp_cursor value = c;
			struct tp_slice text;

			testing_skip(&c, column[i].type);
			if (!strcmp(column[i].name, "load"))
				l[*n].load = rep_row_get(&value, 8);
			if (!strcmp(column[i].name, "begun"))
				l[*n].begun = rep_row_get(&value, 4);
			if (strcmp(column[i].name, "run") != 0)
				continue;
			text = rep_row_get_text(&value);
			snprintf(l[*n].run, sizeof(l[*n].run), "%.*s", (int)text.size,
				 (const char *)text.data);
		}
		l[*n].size = (size_t)(c.at - b->data) - l[*n].at;
	}
	return l;
}

static inline int testing_by_load(const void *a, const void *b)
{
	const struct testing_load *x = a, *y = b;

	return x->load < y->load ? -1 : x->load > y->load;
}

/* Returns whether a load counts; `run` are the rows of table `run`. */
static inline bool testing_counts(const struct testing_load *run, size_t nruns,
				  const struct testing_load *load)
{
	bool counts = false;

	for (size_t k = 0; k < nruns; k++)
		counts |= run[k].load == load->load;
	for (size_t k = 0; k < nruns; k++)
		counts &= strcmp(run[k].run, load->run) != 0 || run[k].load >= load->load;
	return counts;
}

static inline void testing_stale(const struct testing_engine *e, const char *sql,
				 struct tp_buf *out)
{
	uint64_t age = strtoull(strstr(sql, "now() - ") + 8, NULL, 10);
	uint64_t after = strtoull(strstr(sql, "load > ") + 7, NULL, 10);
	size_t most = (size_t)strtoull(strstr(sql, " LIMIT ") + 7, NULL, 10);
	size_t nloads = 0, nruns = 0;
	struct testing_load *load = testing_loads(e, REP_ENGINE_LOAD, &nloads);
	struct testing_load *run = testing_loads(e, REP_ENGINE_RUN, &nruns);

	if (load && nloads)
		qsort(load, nloads, sizeof(*load), testing_by_load);
	for (size_t i = 0; load && run && i < nloads; i++) {
		bool over = load[i].load > after;

		for (size_t k = 0; k < nloads; k++)
			over &= strcmp(load[k].run, load[i].run) != 0 ||
				load[k].begun < testing_now(e) - age;
		if (over && most && !testing_counts(run, nruns, &load[i])) {
			rep_row_put(out, load[i].load, 8);
			most--;
		}
	}
	free(load);
	free(run);
}

/* Takes rows of `load`, which come without the last column. */
static inline int testing_begin(struct testing_engine *e, const void *data, size_t size)
{
	struct tp_cursor c = tp_cursor(data, size);
	int failed = 0;

	while (c.at < c.end && !failed) {
		const uint8_t *from = c.at;

		tp_cursor_bytes(&c, 10);
		rep_row_get_text(&c);
		failed = tp_buf_put(&e->table[REP_ENGINE_LOAD], from, (size_t)(c.at - from)) ||
			 rep_row_put(&e->table[REP_ENGINE_LOAD], testing_now(e), 4);
	}
	return failed;
}

static inline void testing_delete(struct testing_engine *e, int table, const char *sql)
{
	struct rep_engine_column column[REP_ENGINE_COLUMNS];
	unsigned n = rep_engine_columns((enum rep_engine_table_id)table, column);
	struct tp_buf *b = &e->table[table];
	struct tp_cursor c = tp_cursor(b->data, b->size);
	size_t kept = 0;

	while (c.at < c.end && !c.failed) {
		const uint8_t *from = c.at;
		uint64_t load = 0;

		for (unsigned i = 0; i < n; i++) {
			struct tp_cursor value = c;

			testing_skip(&c, column[i].type);
			if (!strcmp(column[i].name, "load"))
				load = rep_row_get(&value, 8);
		}
		if (testing_wants(sql, load))
			continue;
		memmove(b->data + kept, from, (size_t)(c.at - from));
		kept += (size_t)(c.at - from);
	}
	b->size = kept;
}

/* Returns columns in the order of the table, rows by number, then in the order received. */
static inline void testing_select(const struct testing_engine *e, int table, const char *sql,
				  struct tp_buf *out)
{
	struct rep_engine_column column[REP_ENGINE_COLUMNS];
	unsigned n = rep_engine_columns((enum rep_engine_table_id)table, column);
	struct tp_cursor c = tp_cursor(e->table[table].data, e->table[table].size);
	const char *number = strstr(sql, "SELECT transform(load, [");
	const char *places = number ? strstr(number, "], [") : NULL;
	struct testing_row *row = NULL, *more;
	bool named[REP_ENGINE_COLUMNS], wanted = false;
	uint64_t last = 0; /* load that `wanted` belongs to */
	size_t nrows = 0, nruns = 0;
	struct testing_load *run =
	    strstr(sql, "(SELECT min(load)") ? testing_loads(e, REP_ENGINE_RUN, &nruns) : NULL;

	for (unsigned i = 0; i < n; i++)
		named[i] = testing_names(sql, column[i].name);
	while (c.at < c.end && !c.failed) {
		struct testing_row r = {.number = nrows};
		uint64_t load = 0;

		for (unsigned i = 0; i < n; i++) {
			const uint8_t *from = c.at;

			testing_skip(&c, column[i].type);
			if (!strcmp(column[i].name, "load"))
				load = rep_row_get(&(struct tp_cursor){from, c.end, from, 0}, 8);
			if (named[i])
				tp_buf_put(&r.data, from, (size_t)(c.at - from));
		}
		if (load != last || !load)
			wanted = testing_wants(sql, load);
		for (size_t i = 0; run && i < nruns; i++)
			if (run[i].load == load)
				wanted &= testing_counts(run, nruns, &run[i]);
		last = load;
		if (!wanted && table != REP_ENGINE_STACK) {
			tp_buf_release(&r.data);
			continue;
		}
		if (places)
			r.number =
			    testing_nth(places + 4, testing_place(number + 24, load)) << 32 | nrows;
		more = realloc(row, (nrows + 1) * sizeof(*row));
		if (!more) { /* one row fewer than the test wants */
			tp_buf_release(&r.data);
			break;
		}
		row = more;
		row[nrows++] = r;
	}
	if (row)
		qsort(row, nrows, sizeof(*row), testing_by_number);
	for (size_t i = 0; i < nrows; i++) {
		if (places)
			rep_row_put(out, row[i].number >> 32, 4);
		tp_buf_put(out, row[i].data.data, row[i].data.size);
		tp_buf_release(&row[i].data);
	}
	free(row);
	free(run);
}

static inline void testing_spoil(struct testing_engine *e, struct tp_buf *out)
{
	if (!e->random || ++e->answers != e->spoils_at || !out->size)
		return;
	switch (tp_random(&e->random) % 3) {
	case 0:
		out->size = (size_t)(tp_random(&e->random) % out->size);
		break;
	case 1:
		out->data[tp_random(&e->random) % out->size] = (uint8_t)tp_random(&e->random);
		break;
	default:
		for (int i = 0; i < 8; i++)
			out->data[tp_random(&e->random) % out->size] = 0xff;
	}
}

static inline void testing_clusters(const char *sql, struct tp_buf *out)
{
	rep_row_put(out, strstr(sql, "'fleet'") || strstr(sql, "'other'"), 8);
	rep_row_put_text(out, "fleet, other", 12);
}

static inline int testing_ask(void *ctx, const char *sql, const void *data, size_t size,
			      int (*on_data)(void *to, const void *data, size_t size,
					     struct tp_err *err),
			      void *to, struct tp_err *err)
{
	struct testing_engine *e = ctx;
	struct tp_buf out = {0};
	int table, code = 0;

	if (!strncmp(sql, "INSERT INTO ", 12)) {
		e->into = table = testing_find(sql, "INSERT INTO ");
		if (e->on_insert)
			e->on_insert(e);
		if (table < 0 || ++e->inserts == e->fails_at)
			return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "refused");
		return table == REP_ENGINE_LOAD ? testing_begin(e, data, size)
						: tp_buf_put(&e->table[table], data, size);
	}
	if (!strncmp(sql, "ALTER TABLE ", 12) && strstr(sql, " DELETE "))
		testing_delete(e, testing_find(sql, "ALTER TABLE "), sql);
	if (strncmp(sql, "SELECT ", 7) != 0)
		return 0;
	table = testing_find(sql, " FROM ");
	if (strstr(sql, "FROM system.tables"))
		tp_buf_put(&out, e->tables.data, e->tables.size);
	else if (strstr(sql, "FROM system.clusters"))
		testing_clusters(sql, &out);
	else if (strstr(sql, "GLOBAL NOT IN"))
		testing_stale(e, sql, &out);
	else if (table >= 0)
		testing_select(e, table, sql, &out);
	testing_spoil(e, &out);
	for (size_t at = 0; at < out.size && !code;) {
		size_t n = out.size - at < PIECE_MOST ? out.size - at : PIECE_MOST;

		code = on_data(to, out.data + at, n, err);
		at += n;
	}
	tp_buf_release(&out);
	return code;
}

static inline void testing_release(struct testing_engine *e)
{
	for (int t = 0; t < REP_ENGINE_NTABLES; t++)
		tp_buf_release(&e->table[t]);
	tp_buf_release(&e->tables);
}

#endif
