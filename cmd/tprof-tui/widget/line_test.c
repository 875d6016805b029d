#include "tprof-tui/widget/line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>
#include <curses.h>

#include "tprof-tui/keys.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct tui_line line;

static int empty(void **state)
{
	(void)state;
	tui_line_release(&line);
	return 0;
}

static void type(const int *keys)
{
	for (; *keys; keys++)
		assert_int_equal(tui_line_key(&line, *keys), TUI_LINE_TYPED);
}

/* Checks the text and the position of the cursor, which '|' marks. */
static void expect(const char *text)
{
	const char *bar = strchr(text, '|');
	size_t at = (size_t)(bar - text);
	char got[200];

	snprintf(got, sizeof(got), "%.*s|%s", (int)line.at, line.text, line.text + line.at);
	assert_string_equal(got, text);
	assert_int_equal(line.at, at);
	assert_int_equal(line.size, strlen(text) - 1);
}

static void test_line_edit(void **state)
{
	static const struct {
		const char *before;
		int keys[8];
		const char *after;
	} cases[] = {
	    {"select 1", {TUI_CTRL('a'), 'x'}, "x|select 1"},
	    {"select 1", {TUI_CTRL('w')}, "select |"},
	    {"select 1", {TUI_CTRL('u')}, "|"},
	    {"select 1", {KEY_LEFT, KEY_LEFT, TUI_CTRL('k')}, "select|"},
	    {"\xc3\xa9t\xc3\xa9", {KEY_BACKSPACE}, "\xc3\xa9t|"},
	    {"\xc3\xa9t\xc3\xa9", {KEY_LEFT, KEY_LEFT, KEY_LEFT, KEY_LEFT, KEY_DC}, "|t\xc3\xa9"},
	    {"a", {KEY_RIGHT, KEY_RIGHT, KEY_END, 'b'}, "ab|"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		tui_line_begin(&line, cases[i].before);
		type(cases[i].keys);
		expect(cases[i].after);
	}
}

static void test_line_several(void **state)
{
	static const struct {
		const char *before;
		int keys[8];
		const char *after;
	} cases[] = {
	    {"one", {'\n', 't'}, "one\nt|"},
	    {"one\ntwo\nthree", {KEY_UP}, "one\ntwo|\nthree"},
	    {"one\ntwo\nthree", {KEY_UP, KEY_UP}, "one|\ntwo\nthree"},
	    {"one\ntwo\nthree", {KEY_UP, KEY_DOWN}, "one\ntwo\nthr|ee"},
	    {"one\ntwo", {TUI_CTRL('a')}, "one\n|two"},
	    {"one\ntwo", {TUI_CTRL('u')}, "one\n|"},
	    {"one\ntwo", {KEY_UP, TUI_CTRL('a'), TUI_CTRL('k')}, "|\ntwo"},
	    {"one\ntwo", {KEY_UP, TUI_CTRL('e'), 'x'}, "onex|\ntwo"},
	    /* Columns count bytes, but the cursor never ends up within a character. */
	    {"\xc3\xa9\xc3\xa9\nabc", {KEY_UP}, "\xc3\xa9|\xc3\xa9\nabc"},
	};

	(void)state;
	line.multiline = true;
	for (size_t i = 0; i < COUNT(cases); i++) {
		tui_line_begin(&line, cases[i].before);
		type(cases[i].keys);
		expect(cases[i].after);
	}
	tui_line_begin(&line, "one\ntwo\n");
	assert_int_equal(tui_line_count(&line), 3);
}

static void test_line_history(void **state)
{
	(void)state;
	line.multiline = true;
	tui_line_add_history(&line, "first");
	tui_line_add_history(&line, "a\nb");
	tui_line_add_history(&line, "a\nb"); /* a repetition is not added */
	assert_int_equal(line.nhistory, 2);
	tui_line_begin(&line, "typing");
	type((int[]){KEY_UP, 0});
	expect("a\nb|");
	/* Up moves within the entry's lines first, then to the previous entry. */
	type((int[]){KEY_UP, 0});
	expect("a|\nb");
	type((int[]){KEY_UP, 0});
	expect("first|");
	type((int[]){KEY_DOWN, 0});
	expect("a\nb|");
	type((int[]){KEY_DOWN, 0});
	expect("typing|");
	type((int[]){KEY_DOWN, 0});
	expect("typing|");
}

static void test_line_results(void **state)
{
	(void)state;
	tui_line_begin(&line, "x");
	assert_int_equal(tui_line_key(&line, '\n'), TUI_LINE_DONE);
	assert_int_equal(tui_line_key(&line, TUI_ENTER), TUI_LINE_DONE);
	assert_int_equal(tui_line_key(&line, TUI_TAB), TUI_LINE_COMPLETE);
	assert_int_equal(tui_line_key(&line, TUI_ESCAPE), TUI_LINE_GIVEN_UP);
	assert_int_equal(tui_line_key(&line, KEY_BACKSPACE), TUI_LINE_TYPED);
	assert_int_equal(tui_line_key(&line, KEY_BACKSPACE), TUI_LINE_GIVEN_UP);
}

/* Characters that do not fit are dropped; nothing is written beyond the end. */
static void test_line_full(void **state)
{
	(void)state;
	tui_line_begin(&line, "");
	for (int i = 0; i < TUI_LINE_SIZE + 100; i++)
		tui_line_key(&line, 'x');
	assert_int_equal(line.size, TUI_LINE_SIZE - 1);
	assert_int_equal(line.text[line.size], '\0');
	tui_line_cut(&line, 0, line.size);
	assert_int_equal(line.size, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(test_line_edit, empty),
	    cmocka_unit_test_teardown(test_line_several, empty),
	    cmocka_unit_test_teardown(test_line_history, empty),
	    cmocka_unit_test_teardown(test_line_results, empty),
	    cmocka_unit_test_teardown(test_line_full, empty),
	};

	return cmocka_run_group_tests_name("line", tests, NULL, NULL);
}
