#include "tprof-tui/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char folder[] = "/tmp/recall-XXXXXX";

static int setup(void **state)
{
	(void)state;
	return !mkdtemp(folder) || setenv("XDG_STATE_HOME", folder, 1);
}

static int teardown(void **state)
{
	char path[200];

	(void)state;
	snprintf(path, sizeof(path), "%s/tprof/words", folder);
	remove(path);
	snprintf(path, sizeof(path), "%s/tprof", folder);
	remove(path);
	return remove(folder);
}

static void keep(const char *text)
{
	struct tui_line line = {0};

	tui_line_begin(&line, text);
	tui_history_add(&line, "words");
	tui_line_release(&line);
}

static void write_file(const char *text)
{
	char path[500];

	assert_true(tui_state_write("words", text, strlen(text), path, sizeof(path)));
}

static void test_recall_round_trip(void **state)
{
	struct tui_line line = {0};

	(void)state;
	keep("select 1");
	keep("select '\\n',\n2");
	keep("");
	tui_history_load(&line, "words");
	assert_int_equal(line.nhistory, 2);
	assert_string_equal(line.history[0], "select 1");
	assert_string_equal(line.history[1], "select '\\n',\n2");
	tui_line_release(&line);
}

/* Lines that cannot have been typed are skipped. A last line without newline counts. */
static void test_recall_hostile(void **state)
{
	struct tui_line line = {0};

	(void)state;
	write_file("fine\n\033[2Jnot\nnot \\x\nnot \\\n\n\nlast");
	tui_history_load(&line, "words");
	assert_int_equal(line.nhistory, 2);
	assert_string_equal(line.history[0], "fine");
	assert_string_equal(line.history[1], "last");
	tui_line_release(&line);
	keep("next");
	tui_history_load(&line, "words");
	assert_string_equal(line.history[line.nhistory - 1], "next");
	assert_string_equal(line.history[line.nhistory - 2], "last");
	tui_line_release(&line);
}

/* The number of lines in the file is limited. */
static void test_recall_bounded(void **state)
{
	struct tui_line line = {0};
	char text[32];

	(void)state;
	write_file("");
	for (int i = 0; i < 600; i++) {
		snprintf(text, sizeof(text), "%d", i);
		keep(text);
	}
	tui_history_load(&line, "words");
	assert_in_range(line.nhistory, 400, 500);
	assert_string_equal(line.history[line.nhistory - 1], "599");
	tui_line_release(&line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_recall_round_trip),
	    cmocka_unit_test(test_recall_hostile),
	    cmocka_unit_test(test_recall_bounded),
	};

	return cmocka_run_group_tests_name("history", tests, setup, teardown);
}
