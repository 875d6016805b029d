/* Tests of the statements that make tables, and of the manual page about them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/schema.h"

struct statements {
	int n, tables, distributed, days;
	char bucket[800], run[400];
};

static int on_statement(void *ctx, const char *sql, const void *data, size_t size,
			int (*on_data)(void *to, const void *data, size_t size, struct tp_err *err),
			void *to, struct tp_err *err)
{
	struct statements *s = ctx;

	(void)data;
	(void)size;
	(void)on_data;
	(void)to;
	(void)err;
	s->n++;
	s->tables += !strncmp(sql, "CREATE TABLE IF NOT EXISTS ", 27);
	s->distributed += strstr(sql, "ENGINE = Distributed(`c\\x27l`, `d`, `") != NULL;
	s->days += strstr(sql, "PARTITION BY day ORDER BY ") != NULL;
	if (strstr(sql, ".`bucket_local` ("))
		snprintf(s->bucket, sizeof(s->bucket), "%s", sql);
	if (strstr(sql, ".`run` AS "))
		snprintf(s->run, sizeof(s->run), "%s", sql);
	return 0;
}

static void test_make_tables_one_server(void **state)
{
	const struct rep_engine_place at = {"d", NULL};
	struct statements s = {0};
	const struct rep_engine_link link = {.ask = on_statement, .ctx = &s};
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_engine_make_tables(&link, &at, &err), 0);
	assert_int_equal(s.n, s.tables + 1);
	assert_int_equal(s.distributed, 0);
	assert_int_equal(s.days, s.tables - 1); /* stacks have no day */
}

static void test_make_tables_cluster(void **state)
{
	const struct rep_engine_place at = {"d", "c'l"};
	struct statements s = {0};
	const struct rep_engine_link link = {.ask = on_statement, .ctx = &s};
	struct tp_err err;

	(void)state;
	assert_int_equal(rep_engine_make_tables(&link, &at, &err), 0);
	assert_int_equal(s.tables, 2 * s.distributed);
	assert_string_equal(
	    s.bucket, "CREATE TABLE IF NOT EXISTS `d`.`bucket_local` (`day` Date, `load` UInt64, "
		      "`row` UInt32, `stack` FixedString(16), `node` UInt32, `label_keys` "
		      "Array(String), `label_values` Array(String), `label_units` Array(String), "
		      "`label_numeric` Array(UInt8), `values` Array(Int64)) ENGINE = MergeTree "
		      "PARTITION BY day ORDER BY (load, row)");
	assert_string_equal(s.run,
			    "CREATE TABLE IF NOT EXISTS `d`.`run` AS `d`.`run_local` ENGINE = "
			    "Distributed(`c\\x27l`, `d`, `run_local`, intDiv(load, 4294967296))");
}

static void test_columns_fit(void **state)
{
	(void)state;
	for (int t = 0; t < REP_ENGINE_NTABLES; t++) {
		struct rep_engine_column column[REP_ENGINE_COLUMNS];

		assert_true(rep_engine_columns((enum rep_engine_table_id)t, column) <=
			    REP_ENGINE_COLUMNS);
	}
}

static char *read_page(void)
{
	FILE *f = fopen("man/tprof-clickhouse.7", "r");
	char *text = calloc(1, 1 << 20);

	assert_non_null(f);
	assert_non_null(text);
	assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
	fclose(f);
	return text;
}

static bool names(const char *from, const char *end, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = from; (p = strstr(p, word)) && p < end; p++)
		if (strchr(" \n", p[-1]) && strchr(" \n", p[n]))
			return true;
	return false;
}

/* The page describes every table, and every column of the tables that a store does not have. */
static void test_page(void **state)
{
	char *page = read_page(), heading[80];
	const char *tables = strstr(page, ".Sh TABLES"), *end = strstr(page, ".Sh FILES");

	(void)state;
	assert_non_null(tables);
	assert_non_null(end);
	for (int t = 0; t < REP_ENGINE_NTABLES; t++) {
		struct rep_engine_column column[REP_ENGINE_COLUMNS];
		enum rep_engine_table_id table = (enum rep_engine_table_id)t;
		const char *from, *until;
		unsigned n;

		if (!names(tables, end, rep_engine_name(table)))
			fail_msg("the page lacks table %s", rep_engine_name(table));
		snprintf(heading, sizeof(heading), "\n.Ss %s\n", rep_engine_name(table));
		from = strstr(tables, heading);
		if (!from)
			continue;
		until = strstr(from + 4, "\n.Ss");
		n = rep_engine_columns(table, column);
		for (unsigned c = 0; c < n; c++)
			if (!names(from, until, column[c].name))
				fail_msg("the page lacks %s.%s", rep_engine_name(table),
					 column[c].name);
	}
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_make_tables_one_server),
	    cmocka_unit_test(test_make_tables_cluster),
	    cmocka_unit_test(test_columns_fit),
	    cmocka_unit_test(test_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
