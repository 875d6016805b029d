/* Keys: one table maps keys to actions in certain views, with the words that help shows. Dispatch, the
 * hint line, the help view and the manual use it. */
#ifndef TUI_KEYS_H
#define TUI_KEYS_H

#include <stdbool.h>
#include <stddef.h>

/* The views: name, and name of the constants. */
/* clang-format off */
#define TUI_VIEWS(X)        \
	X(runs, RUNS)           \
	X(overview, OVERVIEW)   \
	X(timeline, TIMELINE)   \
	X(top, TOP)             \
	X(flame, FLAME)         \
	X(diff, DIFF)           \
	X(goroutine, GOROUTINE) \
	X(sql, SQL)             \
	X(help, HELP)
/* clang-format on */

#define TUI_X(name, NAME) TUI_VIEW_##NAME,
enum tui_view_number { TUI_VIEWS(TUI_X) TUI_NVIEWS };
#undef TUI_X

/* The views that a key is for: a bit for each view. ROWS are the views with a table. */
#define TUI_X(name, NAME) TUI_##NAME = 1 << TUI_VIEW_##NAME,
enum tui_where {
	TUI_VIEWS(TUI_X) TUI_EVERYWHERE = (1 << TUI_NVIEWS) - 1,
	TUI_ROWS =
	    TUI_RUNS | TUI_TOP | TUI_DIFF | TUI_SQL | TUI_HELP | TUI_OVERVIEW | TUI_GOROUTINE,
};
#undef TUI_X

/* Actions: constant, name (also a command of the palette), description. */
#define TUI_ACTIONS(X)                                                                             \
	X(NONE, "", "")                                                                            \
	X(UP, "up", "move up one line")                                                            \
	X(DOWN, "down", "move down one line")                                                      \
	X(LEFT, "left", "move left")                                                               \
	X(RIGHT, "right", "move right")                                                            \
	X(PAGE_UP, "page-up", "move up one page")                                                  \
	X(PAGE_DOWN, "page-down", "move down one page")                                            \
	X(HALF_UP, "half-up", "move up half a page")                                               \
	X(HALF_DOWN, "half-down", "move down half a page")                                         \
	X(FIRST, "first", "go to the first line, or the start of the run")                         \
	X(LAST, "last", "go to the last line, or the end of the run")                              \
	X(ENTER, "open", "open what is under the cursor")                                          \
	X(BACK, "back", "go back to the previous view")                                            \
	X(FORWARD, "forward", "go forward again")                                                  \
	X(QUIT, "quit", "go back, or leave from the first view")                                   \
	X(EXIT, "exit", "leave from any view")                                                     \
	X(HELP, "help", "list all keys and commands")                                              \
	X(PALETTE, "palette", "type a command")                                                    \
	X(SEARCH, "search", "search")                                                              \
	X(SEARCH_NEXT, "next", "go to the next match")                                             \
	X(SEARCH_BACK, "previous", "go to the previous match")                                     \
	X(FILTER, "filter", "show only lines that contain a text, as you type")                    \
	X(SORT_RIGHT, "sort-right", "sort by the next column")                                     \
	X(SORT_LEFT, "sort-left", "sort by the previous column")                                   \
	X(SORT_TURN, "sort-turn", "reverse the order")                                             \
	X(YANK, "yank", "copy the line, or the stack")                                             \
	X(YANK_ALL, "yank-all", "copy the whole table")                                            \
	X(SAVE, "save", "save the view to a file")                                                 \
	X(EDIT, "edit", "open the source line in $EDITOR")                                         \
	X(GO, "go", "go to a time, a goroutine or a task")                                         \
	X(REFRESH, "refresh", "redraw, and look for new runs in the store")                        \
	X(SUSPEND, "suspend", "suspend the program")                                               \
	X(CLEAR, "clear", "clear the time range and the filters")                                  \
	X(RUNS, "runs", "list the runs of the store")                                              \
	X(OVERVIEW, "overview", "show the run at a glance")                                        \
	X(TIMELINE, "timeline", "show what happened when")                                         \
	X(TOP, "top", "show ranked tables")                                                        \
	X(FLAME, "flame", "show a flame graph of the selection")                                   \
	X(DIFF, "diff", "compare this run with another")                                           \
	X(SQL, "sql", "query the store in SQL")                                                    \
	X(REPORT_NEXT, "report-next", "show the next report")                                      \
	X(REPORT_BACK, "report-back", "show the previous report")                                  \
	X(MARK, "mark", "mark the run that others are compared with")                              \
	X(FOLD, "fold", "fold or unfold the line under the cursor")                                \
	X(KIND, "kind", "show other rows, or count something else")                                \
	X(START, "start", "go to the start of the run")                                            \
	X(END, "end", "go to the end of the run")                                                  \
	X(ZOOM_IN, "zoom-in", "zoom in at the cursor")                                             \
	X(ZOOM_OUT, "zoom-out", "zoom out")                                                        \
	X(ZOOM_ALL, "zoom-all", "show the whole run, or the whole selected range")                 \
	X(ZOOM_HERE, "zoom-here", "zoom to the span under the cursor")                             \
	X(PAN_LEFT, "pan-left", "move half a screen to the left")                                  \
	X(PAN_RIGHT, "pan-right", "move half a screen to the right")                               \
	X(WAKER, "waker", "go to the waker, at the moment of the wake-up")                         \
	X(WAKER_BACK, "waker-back", "go back to the goroutine that was woken")                     \
	X(LONGEST, "longest", "go to the longest wait, then to the next longest")                  \
	X(RANGE, "range", "begin a time range, and end it")                                        \
	X(SPAN_NEXT, "span-next", "go to the next span of the row")                                \
	X(SPAN_BACK, "span-back", "go to the previous span")                                       \
	X(STEP, "step", "go to the next event")                                                    \
	X(STEP_BACK, "step-back", "go to the previous event")                                      \
	X(STEP_HERE, "step-here", "go to the next event of this goroutine")                        \
	X(STEP_HERE_BACK, "step-here-back", "go to the previous event of this goroutine")          \
	X(PLAY, "play", "play events until a key is pressed")                                      \
	X(ALIKE, "alike", "highlight everything like the cell under the cursor")                   \
	X(ALL_ROWS, "all-rows", "show all rows, or only those that exist in the time shown")       \
	X(SECTION_NEXT, "section-next", "go to the next section")                                  \
	X(SECTION_BACK, "section-back", "go to the previous section")                              \
	X(GOROUTINE, "goroutine-view", "show the life of a goroutine")                             \
	X(SQL_TYPE, "statement", "return to the statement")                                        \
	X(SAMPLE_TYPE, "sample-type", "show the next sample type")                                 \
	X(DIFF_PER, "per",                                                                         \
	  "divide by seconds, tasks or not at all; scale profiles to equal totals")                \
	X(DIFF_CHANGED, "changed", "show only what changed, or everything")                        \
	X(DIFF_CUM, "cum", "rank by cum, or by flat")                                              \
	X(DIFF_STATS, "statistics", "show all statistics of metrics, or the most important")       \
	X(DIFF_OTHER, "compare-with", "compare with something else")                               \
	X(KIND_BACK, "kind-back", "show the previous kind")                                        \
	X(COUNT, "count", "count events, or time")                                                 \
	X(FLIP, "flip", "turn the graph upside down")                                              \
	X(REVERSE, "reverse", "merge stacks from the leaf")                                        \
	X(DIFFER, "differ", "show what changed since the marked run")                              \
	X(CALLEES, "callees", "unfold the functions that it calls")                                \
	X(REPORTS, "reports", "choose a table from a list")                                        \
	X(CHART, "chart", "show or hide the chart of the table")                                   \
	X(LINES, "lines", "show all lines around the table, or those that fit")                    \
	X(TABLE_NEXT, "table-next", "show the next table of the report")                           \
	X(TABLE_BACK, "table-back", "show the previous table")

enum tui_action {
#define TUI_X(action, name, doc) TUI_DO_##action,
	TUI_ACTIONS(TUI_X)
#undef TUI_X
	    TUI_NACTIONS
};

extern const struct tui_action_desc {
	const char *name, *doc;
} tui_actions[TUI_NACTIONS];

/* Keys that are neither characters nor keys of ncurses. */
#define TUI_CTRL(c)  ((c)&0x1f)
#define TUI_ESCAPE   0x1b
#define TUI_ENTER    '\r'
#define TUI_TAB	     '\t'
#define TUI_BACK_TAB 0541 /* KEY_BTAB */
/* Keys for the sequences that a terminal sends around pasted text (screen.c). They are above the keys of
 * ncurses. */
#define TUI_PASTE_BEGIN 0x1001
#define TUI_PASTE_END	0x1002

struct tui_binding {
	int key;
	enum tui_action action;
	unsigned where;
	/* A word for the hint line. NULL: only help lists the key. */
	const char *hint;
};
/* The bindings in the order of the help view; key 0 ends them. */
extern const struct tui_binding tui_bindings[];

/* Sets *by to the number of lines that an action moves by, given the lines of a page and of half a page.
 * Moves to the first and the last line exceed every table. Returns false if the action does not move by
 * lines. */
bool tui_move(enum tui_action action, long page, long half, long *by);

/* Returns the action of a key in these views. A binding for some views takes precedence over one for all
 * views. */
enum tui_action tui_key_action(int key, unsigned where);
/* Writes the name of a key: "^F", "PgDn", "j", "Enter". Returns text. */
char *tui_key_name(int key, char text[16]);
/* Returns the action of this name, or TUI_DO_NONE. */
enum tui_action tui_action_find(const char *name);

#endif
