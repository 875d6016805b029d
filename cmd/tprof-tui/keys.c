#include "tprof-tui/keys.h"

#include <curses.h>
#include <limits.h>
#include <string.h>

#include "base/many.h"

const struct tui_action_desc tui_actions[TUI_NACTIONS] = {
#define TUI_X(action, name, doc) {name, doc},
    TUI_ACTIONS(TUI_X)
#undef TUI_X
};

#define ALL TUI_EVERYWHERE

/* Hints show the first binding of an action. */
const struct tui_binding tui_bindings[] = {
    {TUI_ENTER, TUI_DO_ENTER, ALL, "open"},
    {KEY_ENTER, TUI_DO_ENTER, ALL, NULL},
    {'j', TUI_DO_DOWN, ALL, NULL},
    {KEY_DOWN, TUI_DO_DOWN, ALL, NULL},
    {'k', TUI_DO_UP, ALL, NULL},
    {KEY_UP, TUI_DO_UP, ALL, NULL},
    {'h', TUI_DO_LEFT, ALL, NULL},
    {KEY_LEFT, TUI_DO_LEFT, ALL, NULL},
    {'l', TUI_DO_RIGHT, ALL, NULL},
    {KEY_RIGHT, TUI_DO_RIGHT, ALL, NULL},
    {TUI_CTRL('f'), TUI_DO_PAGE_DOWN, ALL, NULL},
    {KEY_NPAGE, TUI_DO_PAGE_DOWN, ALL, NULL},
    {TUI_CTRL('b'), TUI_DO_PAGE_UP, ALL, NULL},
    {KEY_PPAGE, TUI_DO_PAGE_UP, ALL, NULL},
    {TUI_CTRL('d'), TUI_DO_HALF_DOWN, ALL, NULL},
    {TUI_CTRL('u'), TUI_DO_HALF_UP, ALL, NULL},
    {'g', TUI_DO_FIRST, ALL, NULL},
    {KEY_HOME, TUI_DO_FIRST, ALL, NULL},
    {'G', TUI_DO_LAST, ALL, NULL},
    {KEY_END, TUI_DO_LAST, ALL, NULL},
    {'q', TUI_DO_QUIT, ALL, "quit"},
    {'Q', TUI_DO_EXIT, ALL, "quit"},
    {TUI_ESCAPE, TUI_DO_BACK, ALL, NULL},
    {KEY_BACKSPACE, TUI_DO_BACK, ALL, NULL},
    {TUI_CTRL('o'), TUI_DO_BACK, ALL, NULL},
    {TUI_CTRL('n'), TUI_DO_FORWARD, ALL, NULL},
    {'?', TUI_DO_HELP, ALL, "help"},
    {KEY_F(1), TUI_DO_HELP, ALL, NULL},
    {':', TUI_DO_PALETTE, ALL, "command"},
    {'/', TUI_DO_SEARCH, ALL, NULL},
    {'n', TUI_DO_SEARCH_NEXT, ALL, NULL},
    {'N', TUI_DO_SEARCH_BACK, ALL, NULL},
    {'f', TUI_DO_FILTER, TUI_ROWS, "filter"},
    {'>', TUI_DO_SORT_RIGHT, TUI_ROWS, "sort"},
    {'<', TUI_DO_SORT_LEFT, TUI_ROWS, NULL},
    {'r', TUI_DO_SORT_TURN, TUI_ROWS, NULL},
    {TUI_TAB, TUI_DO_REPORT_NEXT, TUI_TOP, "next report"},
    {KEY_BTAB, TUI_DO_REPORT_BACK, TUI_TOP, NULL},
    {'o', TUI_DO_REPORTS, TUI_TOP, "list"},
    {' ', TUI_DO_FOLD, TUI_TOP, "callers"},
    {'C', TUI_DO_CALLEES, TUI_TOP, NULL},
    {'t', TUI_DO_SAMPLE_TYPE, TUI_TOP, NULL},
    {'x', TUI_DO_KIND, TUI_TOP, NULL},
    {'i', TUI_DO_DIFF_CUM, TUI_TOP, NULL},
    {'d', TUI_DO_DIFFER, TUI_TOP, NULL},
    {'v', TUI_DO_RANGE, TUI_TOP, "range"},
    {'w', TUI_DO_WAKER, TUI_TOP, "wakers"},
    {'p', TUI_DO_CHART, TUI_TOP, NULL},
    {'a', TUI_DO_LINES, TUI_TOP, NULL},
    {']', TUI_DO_TABLE_NEXT, TUI_TOP, NULL},
    {'[', TUI_DO_TABLE_BACK, TUI_TOP, NULL},
    {TUI_TAB, TUI_DO_REPORT_NEXT, TUI_DIFF, "next rows"},
    {KEY_BTAB, TUI_DO_REPORT_BACK, TUI_DIFF, NULL},
    {'x', TUI_DO_KIND, TUI_DIFF, NULL},
    {' ', TUI_DO_FOLD, TUI_DIFF, "lines"},
    {'t', TUI_DO_SAMPLE_TYPE, TUI_DIFF, "type"},
    {'p', TUI_DO_DIFF_PER, TUI_DIFF, "per"},
    {'=', TUI_DO_DIFF_CHANGED, TUI_DIFF, "changed"},
    {'i', TUI_DO_DIFF_CUM, TUI_DIFF, NULL},
    {'a', TUI_DO_DIFF_STATS, TUI_DIFF, NULL},
    {'o', TUI_DO_DIFF_OTHER, TUI_DIFF, "other"},
    {TUI_TAB, TUI_DO_SECTION_NEXT, TUI_OVERVIEW | TUI_GOROUTINE, "next section"},
    {KEY_BTAB, TUI_DO_SECTION_BACK, TUI_OVERVIEW | TUI_GOROUTINE, NULL},
    {'x', TUI_DO_KIND, TUI_OVERVIEW, "groups"},
    {'v', TUI_DO_RANGE, TUI_OVERVIEW, "range"},
    {'i', TUI_DO_SQL_TYPE, TUI_SQL, "type"},
    {TUI_TAB, TUI_DO_SQL_TYPE, TUI_SQL, NULL},
    {'x', TUI_DO_KIND, TUI_SQL, NULL},
    {'m', TUI_DO_MARK, TUI_RUNS, "mark"},
    {'R', TUI_DO_REFRESH, TUI_RUNS | TUI_DIFF, NULL},
    {'w', TUI_DO_WAKER, TUI_TIMELINE | TUI_GOROUTINE, "waker"},
    {'b', TUI_DO_WAKER_BACK, TUI_TIMELINE | TUI_GOROUTINE, NULL},
    {'B', TUI_DO_LONGEST, TUI_TIMELINE, "longest wait"},
    {'+', TUI_DO_ZOOM_IN, TUI_TIMELINE, "zoom"},
    {'=', TUI_DO_ZOOM_IN, TUI_TIMELINE, NULL},
    {'-', TUI_DO_ZOOM_OUT, TUI_TIMELINE, NULL},
    {'_', TUI_DO_ZOOM_OUT, TUI_TIMELINE, NULL},
    {'0', TUI_DO_ZOOM_ALL, TUI_TIMELINE, NULL},
    {'z', TUI_DO_ZOOM_HERE, TUI_TIMELINE, NULL},
    {'H', TUI_DO_PAN_LEFT, TUI_TIMELINE | TUI_OVERVIEW, NULL},
    {'L', TUI_DO_PAN_RIGHT, TUI_TIMELINE | TUI_OVERVIEW, NULL},
    {' ', TUI_DO_FOLD, TUI_TIMELINE, "unfold"},
    {'x', TUI_DO_KIND, TUI_TIMELINE, "Ps, Ms, tasks"},
    {'X', TUI_DO_KIND_BACK, TUI_TIMELINE, NULL},
    {'^', TUI_DO_START, TUI_TIMELINE, NULL},
    {'$', TUI_DO_END, TUI_TIMELINE, NULL},
    {'v', TUI_DO_RANGE, TUI_TIMELINE, "range"},
    {'}', TUI_DO_SPAN_NEXT, TUI_TIMELINE, NULL},
    {'{', TUI_DO_SPAN_BACK, TUI_TIMELINE, NULL},
    {'.', TUI_DO_STEP, TUI_TIMELINE, NULL},
    {',', TUI_DO_STEP_BACK, TUI_TIMELINE, NULL},
    {'>', TUI_DO_STEP_HERE, TUI_TIMELINE, NULL},
    {'<', TUI_DO_STEP_HERE_BACK, TUI_TIMELINE, NULL},
    {'p', TUI_DO_PLAY, TUI_TIMELINE, NULL},
    {'*', TUI_DO_ALIKE, TUI_TIMELINE, NULL},
    {'a', TUI_DO_ALL_ROWS, TUI_TIMELINE, NULL},
    {TUI_ENTER, TUI_DO_ZOOM_IN, TUI_FLAME, "zoom"},
    {KEY_ENTER, TUI_DO_ZOOM_IN, TUI_FLAME, NULL},
    {'+', TUI_DO_ZOOM_IN, TUI_FLAME, NULL},
    {'u', TUI_DO_ZOOM_OUT, TUI_FLAME, "zoom out"},
    {KEY_BACKSPACE, TUI_DO_ZOOM_OUT, TUI_FLAME, NULL},
    {'-', TUI_DO_ZOOM_OUT, TUI_FLAME, NULL},
    {'x', TUI_DO_KIND, TUI_FLAME, "kind"},
    {'X', TUI_DO_KIND_BACK, TUI_FLAME, NULL},
    {'#', TUI_DO_COUNT, TUI_FLAME, NULL},
    {'R', TUI_DO_REVERSE, TUI_FLAME, "reverse"},
    {'i', TUI_DO_FLIP, TUI_FLAME, "flip"},
    {'d', TUI_DO_DIFFER, TUI_FLAME, "differences"},
    {'1', TUI_DO_RUNS, ALL, NULL},
    {'2', TUI_DO_OVERVIEW, ALL, NULL},
    {'3', TUI_DO_TIMELINE, ALL, NULL},
    {'4', TUI_DO_TOP, ALL, NULL},
    {'5', TUI_DO_FLAME, ALL, NULL},
    {'6', TUI_DO_DIFF, ALL, NULL},
    {'7', TUI_DO_SQL, ALL, NULL},
    {'8', TUI_DO_GOROUTINE, ALL, NULL},
    {'@', TUI_DO_GO, ALL, NULL},
    {'c', TUI_DO_CLEAR, ALL, NULL},
    {'y', TUI_DO_YANK, ALL, NULL},
    {'Y', TUI_DO_YANK_ALL, ALL, NULL},
    {'s', TUI_DO_SAVE, ALL, NULL},
    {'e', TUI_DO_EDIT, ALL, NULL},
    {TUI_CTRL('l'), TUI_DO_REFRESH, ALL, NULL},
    {TUI_CTRL('z'), TUI_DO_SUSPEND, ALL, NULL},
    {0, TUI_DO_NONE, 0, NULL},
};

bool tui_move(enum tui_action action, long page, long half, long *by)
{
	const long all = LONG_MAX / 2;
	const struct {
		enum tui_action action;
		long by;
	} moves[] = {{TUI_DO_UP, -1},	       {TUI_DO_DOWN, 1},	{TUI_DO_PAGE_UP, -page},
		     {TUI_DO_PAGE_DOWN, page}, {TUI_DO_HALF_UP, -half}, {TUI_DO_HALF_DOWN, half},
		     {TUI_DO_FIRST, -all},     {TUI_DO_LAST, all}};

	for (size_t i = 0; i < TP_COUNT_OF(moves); i++) {
		if (moves[i].action != action)
			continue;
		*by = moves[i].by;
		return true;
	}
	return false;
}

enum tui_action tui_key_action(int key, unsigned where)
{
	enum tui_action everywhere = TUI_DO_NONE;

	for (const struct tui_binding *b = tui_bindings; b->key; b++) {
		if (b->key != key || !(b->where & where))
			continue;
		if (b->where != ALL)
			return b->action;
		if (everywhere == TUI_DO_NONE)
			everywhere = b->action;
	}
	return everywhere;
}

char *tui_key_name(int key, char text[16])
{
	static const struct {
		int key;
		const char *name;
	} names[] = {
	    {TUI_ENTER, "Enter"}, {KEY_ENTER, "Enter"}, {TUI_ESCAPE, "Esc"},
	    {TUI_TAB, "Tab"},	  {KEY_BTAB, "S-Tab"},	{KEY_BACKSPACE, "Backspace"},
	    {KEY_UP, "Up"},	  {KEY_DOWN, "Down"},	{KEY_LEFT, "Left"},
	    {KEY_RIGHT, "Right"}, {KEY_NPAGE, "PgDn"},	{KEY_PPAGE, "PgUp"},
	    {KEY_HOME, "Home"},	  {KEY_END, "End"},	{KEY_F(1), "F1"},
	    {' ', "Space"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].key == key) {
			snprintf(text, 16, "%s", names[i].name);
			return text;
		}
	if (key > 0 && key < 32)
		snprintf(text, 16, "^%c", key + '@');
	else
		snprintf(text, 16, "%c", key);
	return text;
}

enum tui_action tui_action_find(const char *name)
{
	for (int i = 1; i < TUI_NACTIONS; i++)
		if (!strcmp(tui_actions[i].name, name))
			return (enum tui_action)i;
	return TUI_DO_NONE;
}
