/* Tests that the glyph of a cell alone shows state and density. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tprof-tui/view/timeline/look.h"

#define CELL(...)                                                                                  \
	{                                                                                          \
		.ns = { __VA_ARGS__ }                                                              \
	}

static void test_look_of_cells(void **state)
{
	static const struct {
		const char *name;
		struct rep_cell cell;
		const char *glyph;
		char ascii;
		enum tui_style style;
	} cases[] = {
	    {"nobody", CELL(0), " ", ' ', TUI_STYLE_NORMAL},
	    {"all running", CELL([TP_ST_RUNNING] = 1000), "█", '#', TUI_STYLE_RUNNING},
	    {"running all the time it was there", CELL([TP_ST_RUNNING] = 10), "█", '#',
	     TUI_STYLE_RUNNING},
	    {"a moment of running", CELL([TP_ST_RUNNING] = 1, [TP_ST_WAITING] = 999), "▁", '_',
	     TUI_STYLE_RUNNING},
	    {"half", CELL([TP_ST_RUNNING] = 500, [TP_ST_WAITING] = 500), "▅", '+',
	     TUI_STYLE_RUNNING},
	    {"all but a moment", CELL([TP_ST_RUNNING] = 999, [TP_ST_WAITING] = 1), "▇", '*',
	     TUI_STYLE_RUNNING},
	    {"runnable for longer than running",
	     CELL([TP_ST_RUNNING] = 100, [TP_ST_RUNNABLE] = 900), "▓", 'R', TUI_STYLE_RUNNABLE},
	    {"a moment of runnable", CELL([TP_ST_RUNNABLE] = 1, [TP_ST_WAITING] = 999), "░", 'r',
	     TUI_STYLE_RUNNABLE},
	    {"blocked", CELL([TP_ST_WAITING] = 1000), "·", '-', TUI_STYLE_BLOCKED},
	    {"lost", CELL([TP_ST_LOST] = 600, [TP_ST_WAITING] = 400), "?", '?', TUI_STYLE_LOST},
	    {"both kinds of system call",
	     CELL([TP_ST_SYSCALL] = 300, [TP_ST_SYSCALL_BLOCKED] = 300, [TP_ST_RUNNING] = 400), "S",
	     'S', TUI_STYLE_SYSCALL},
	    {"idle P", CELL([TP_ST_IDLE] = 1000), " ", ' ', TUI_STYLE_DIM},
	    {"a group, one of it running", CELL([TP_ST_RUNNING] = 1000, [TP_ST_WAITING] = 99000),
	     "█", '#', TUI_STYLE_RUNNING},
	    {"a group, half of one running", CELL([TP_ST_RUNNING] = 500, [TP_ST_WAITING] = 99500),
	     "▅", '+', TUI_STYLE_RUNNING},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_look l = tl_look_of(&cases[i].cell, 1000);

		if (strcmp(l.glyph, cases[i].glyph) != 0 || l.ascii != cases[i].ascii ||
		    l.style != cases[i].style)
			fail_msg("%s: '%s' '%c' %d", cases[i].name, l.glyph, l.ascii, l.style);
	}
}

/* Glyphs of different states differ at every density. */
static void test_look_glyphs_tell_states(void **state)
{
	static const enum tp_state states[] = {TP_ST_RUNNING, TP_ST_RUNNABLE, TP_ST_SYSCALL,
					       TP_ST_WAITING, TP_ST_LOST};
	char of[256] = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		for (int64_t ns = 1; ns <= 100; ns++) {
			struct rep_cell c = CELL(0);
			struct tl_look l;

			c.ns[TP_ST_NOT_EXIST] = 100 - ns;
			c.ns[states[i]] = ns;
			if (i < 3)
				c.ns[TP_ST_WAITING] = 100 - ns;
			l = tl_look_of(&c, 100);
			assert_true(!of[(unsigned char)l.ascii] ||
				    of[(unsigned char)l.ascii] == (char)(i + 1));
			of[(unsigned char)l.ascii] = (char)(i + 1);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_look_of_cells),
	    cmocka_unit_test(test_look_glyphs_tell_states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
