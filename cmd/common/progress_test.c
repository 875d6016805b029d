#include "common/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define MIB (1024 * 1024)
#define S   1000000000LL

static void test_progress_line_rows(void **state)
{
	static const struct {
		const char *what;
		uint64_t done, total;
		int64_t elapsed_ns;
		int width;
		const char *line, *unit; /* NULL: bytes */
	} rows[] = {
	    {"a", 0, 100, S, 80, "  0% [........................] 0B, 0B/s  a", NULL},
	    {"a", 25 * MIB, 100 * MIB, S, 80,
	     " 25% [######..................] 25MiB, 25MiB/s, 3s left  a", NULL},
	    {"a", 100 * MIB, 100 * MIB, S, 80,
	     "100% [########################] 100MiB, 100MiB/s, <1s left  a", NULL},
	    {"a", 1 * MIB, 1000 * MIB, S, 80,
	     "  0% [#.......................] 1MiB, 1MiB/s, 17min left  a", NULL},
	    /* The size of standard input is unknown. */
	    {"a", 3 * MIB, 0, 2 * S, 80, "3MiB, 1.5MiB/s  a", NULL},
	    /* More is done than expected, and no time has passed. */
	    {"a", 200, 100, 0, 80, "100% [########################] 100B, 0B/s  a", NULL},
	    /* Cut by cells, not bytes. */
	    {"\xc3\xa4\xc3\xa4\xc3\xa4", 0, 0, 0, 12, "0B, 0B/s  \xc3\xa4\xc3\xa4", NULL},
	    /* Wide characters take two cells, combining ones take no cell. */
	    {"\xe6\xbc\xa2\xe5\xad\x97", 0, 0, 0, 13, "0B, 0B/s  \xe6\xbc\xa2", NULL},
	    {"e\xcc\x81"
	     "e\xcc\x81",
	     0, 0, 0, 11, "0B, 0B/s  e\xcc\x81", NULL},
	    /* Other units than bytes. */
	    {"a", 1500, 6000, S, 80,
	     " 25% [######..................] 1,500 of 6,000 runs, 3s left  a", "runs"},
	    {"a", 12, 0, S, 80, "12 stores  a", "stores"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char line[512];

		cmd_progress_line(line, sizeof(line), rows[i].what, rows[i].unit, rows[i].done,
				  rows[i].total, rows[i].elapsed_ns, rows[i].width);
		assert_string_equal(line, rows[i].line);
	}
}

/* Names must not reach the terminal with marks that reverse text, or with the byte 0x9b, which begins an
 * escape sequence on 8-bit terminals. */
static void test_progress_init_escapes(void **state)
{
	static const struct {
		const char *what, *shown;
	} rows[] = {
	    {"go.trace", "go.trace"},
	    {"", ""},
	    {"\xc3\xa4", "\xc3\xa4"},
	    {"\033[2J\xc2\x9b"
	     "2J",
	     "\\x1b[2J\\u009b2J"},
	    {"a\xe2\x80\xaegpj\x9b"
	     "31m",
	     "a\\u202egpj\\x9b31m"},
	    {"a\nb\x7f", "a\\nb\\x7f"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cmd_progress p;

		cmd_progress_init(&p, rows[i].what);
		assert_string_equal(p.what, rows[i].shown);
	}
}

/* A name that is too long is cut between characters. */
static void test_progress_init_cuts(void **state)
{
	struct cmd_progress p;
	char name[600];

	(void)state;
	for (size_t i = 0; i + 1 < sizeof(name); i++)
		name[i] = i % 2 ? '\xa4' : '\xc3';
	name[sizeof(name) - 1] = '\0';
	cmd_progress_init(&p, name);
	assert_int_equal(strlen(p.what), sizeof(p.what) - 2);
	assert_memory_equal(p.what, name, sizeof(p.what) - 2);
}

static void test_progress_tally_line_rows(void **state)
{
	static const struct {
		struct cmd_tally tally;
		int64_t elapsed_ns;
		int width;
		const char *line;
	} rows[] = {
	    {{0, 1200, 0, 20 * MIB, 0},
	     0,
	     80,
	     "  0% [........................] 0 of 1,200 dumps, 0B/s"},
	    {{540, 1200, 5 * MIB, 20 * MIB, 3},
	     S,
	     80,
	     " 25% [######..................] 540 of 1,200 dumps, 3 failed, 5MiB/s, 3s left"},
	    /* Files that have grown since they were counted. */
	    {{1200, 1200, 21 * MIB, 20 * MIB, 0},
	     2 * S,
	     80,
	     "100% [########################] 1,200 of 1,200 dumps, 10MiB/s, <1s left"},
	    /* A list of empty or missing files. */
	    {{1, 2, 0, 0, 1},
	     S,
	     80,
	     "  0% [........................] 1 of 2 dumps, 1 failed, 0B/s"},
	    {{540, 1200, 5 * MIB, 20 * MIB, 3}, S, 38, " 25% [######..................] 540 of"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char line[512];

		cmd_progress_tally_line(line, sizeof(line), &rows[i].tally, rows[i].elapsed_ns,
					rows[i].width);
		assert_string_equal(line, rows[i].line);
	}
}

static void test_progress_step_off(void **state)
{
	struct cmd_progress p = {.what = "a", .on = false};

	(void)state;
	assert_int_equal(cmd_progress_step(&p, "read", 1, 2), 0);
	assert_false(p.shown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_progress_line_rows),
	    cmocka_unit_test(test_progress_init_escapes),
	    cmocka_unit_test(test_progress_init_cuts),
	    cmocka_unit_test(test_progress_tally_line_rows),
	    cmocka_unit_test(test_progress_step_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
