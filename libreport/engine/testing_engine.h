/* An engine for tests, in memory: it keeps the rows of INSERTs, and answers the statements that the
 * loader and the reader make, but those that add up. */
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
	struct tp_buf table[REP_ENGINE_NTABLES]; /* rows as they came */
	int inserts, fails_at;			 /* that INSERT (from 1) is refused; 0: none */
	uint64_t random;			 /* 0: answers are whole; else they are spoiled */
	int spoils_at;				 /* that answer (from 1) */
	int answers;
};

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
			tp_cursor_bytes(c, strstr(type, "64")					 ? 8
					   : strstr(type, "32") || !strncmp(type, "DateTime", 8) ? 4
					   : strstr(type, "8")					 ? 1
							       : 2);
	}
}

static inline int testing_find(const char *sql, const char *before)
{
	const char *at = strstr(sql, before);
	char name[80];

	at = at ? strstr(at, "`.`") : NULL;
	for (int t = 0; at && t < REP_ENGINE_NTABLES; t++) {
		if (!rep_engine_has((enum rep_engine_table_id)t))
			continue;
		snprintf(name, sizeof(name), "`.`%s`",
			 rep_engine_name((enum rep_engine_table_id)t));
		if (!strncmp(at, name, strlen(name)))
			return t;
	}
	return -1;
}

/* The place of a number in a list "(1,2,3)" or "[1,2,3]", -1: it is not there. */
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

/* Columns come in the order of the table, rows by number, and as they were put. */
static inline void testing_select(const struct testing_engine *e, int table, const char *sql,
				  struct tp_buf *out)
{
	struct rep_engine_column column[REP_ENGINE_COLUMNS];
	unsigned n = rep_engine_columns((enum rep_engine_table_id)table, column);
	struct tp_cursor c = tp_cursor(e->table[table].data, e->table[table].size);
	const char *number = strstr(sql, "SELECT transform(load, [");
	const char *places = number ? strstr(number, "], [") : NULL;
	struct testing_row *row = NULL, *more;
	size_t nrows = 0;

	while (c.at < c.end && !c.failed) {
		struct testing_row r = {.number = nrows};
		uint64_t load = 0;

		for (unsigned i = 0; i < n; i++) {
			const uint8_t *from = c.at;

			testing_skip(&c, column[i].type);
			if (!strcmp(column[i].name, "load"))
				load = rep_row_get(&(struct tp_cursor){from, c.end, from, 0}, 8);
			if (testing_names(sql, column[i].name))
				tp_buf_put(&r.data, from, (size_t)(c.at - from));
		}
		if (!testing_wants(sql, load) && table != REP_ENGINE_STACK) {
			tp_buf_release(&r.data);
			continue;
		}
		if (places)
			r.number =
			    testing_nth(places + 4, testing_place(number + 24, load)) << 32 | nrows;
		more = realloc(row, (nrows + 1) * sizeof(*row));
		if (!more) { /* a row less than the test wants */
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

static inline int testing_ask(void *ctx, const char *sql, const void *data, size_t size,
			      int (*on_data)(void *to, const void *data, size_t size,
					     struct tp_err *err),
			      void *to, struct tp_err *err)
{
	struct testing_engine *e = ctx;
	struct tp_buf out = {0};
	int table, code = 0;

	if (!strncmp(sql, "INSERT INTO ", 12)) {
		table = testing_find(sql, "INSERT INTO ");
		if (table < 0 || ++e->inserts == e->fails_at)
			return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "refused");
		return tp_buf_put(&e->table[table], data, size);
	}
	if (strncmp(sql, "SELECT ", 7) != 0)
		return 0;
	table = testing_find(sql, " FROM ");
	if (strstr(sql, "now())") && table < 0)
		rep_row_put(&out, 1700000000, 4);
	else if (table >= 0 && !strstr(sql, "begun < now()"))
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
}

#endif
