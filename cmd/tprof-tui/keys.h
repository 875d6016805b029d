/* Keys: one table says which key does what, where, and in what words; dispatch, the hint line, the
 * help view and the manual follow from it. */
#ifndef TUI_KEYS_H
#define TUI_KEYS_H

#include <stdbool.h>
#include <stddef.h>

/* Where a key means something: bits. Every view is one; ROWS are those whose body is a table. */
enum tui_where {
	TUI_RUNS = 1 << 0,
	TUI_OVERVIEW = 1 << 1,
	TUI_TIMELINE = 1 << 2,
	TUI_TOP = 1 << 3,
	TUI_FLAME = 1 << 4,
	TUI_DIFF = 1 << 5,
	TUI_GOROUTINE = 1 << 6,
	TUI_SQL = 1 << 7,
	TUI_HELP = 1 << 8,
	TUI_EVERYWHERE = (1 << 9) - 1,
	TUI_ROWS =
	    TUI_RUNS | TUI_TOP | TUI_DIFF | TUI_SQL | TUI_HELP | TUI_OVERVIEW | TUI_GOROUTINE,
};

/* Name, for the palette (NULL-free: each is a command there); what it does. */
#define TUI_ACTIONS(X)                                                                             \
	X(NONE, "", "")                                                                            \
	X(UP, "up", "one line up")                                                                 \
	X(DOWN, "down", "one line down")                                                           \
	X(LEFT, "left", "to the left")                                                             \
	X(RIGHT, "right", "to the right")                                                          \
	X(PAGE_UP, "page-up", "one page up")                                                       \
	X(PAGE_DOWN, "page-down", "one page down")                                                 \
	X(HALF_UP, "half-up", "half a page up")                                                    \
	X(HALF_DOWN, "half-down", "half a page down")                                              \
	X(FIRST, "first", "to the first line, or the start of the run")                            \
	X(LAST, "last", "to the last line, or the end of the run")                                 \
	X(ENTER, "open", "open what the cursor is on")                                             \
	X(BACK, "back", "to where you were before: undo")                                          \
	X(FORWARD, "forward", "and back again: redo")                                              \
	X(QUIT, "quit", "back, and from the first view out")                                       \
	X(EXIT, "exit", "leave from wherever one is")                                              \
	X(HELP, "help", "every key, searchable")                                                   \
	X(PALETTE, "palette", "type a command")                                                    \
	X(SEARCH, "search", "search")                                                              \
	X(SEARCH_NEXT, "next", "next match")                                                       \
	X(SEARCH_BACK, "previous", "previous match")                                               \
	X(FILTER, "filter", "keep only lines that hold a text, as you type")                       \
	X(SORT_RIGHT, "sort-right", "sort by the next column")                                     \
	X(SORT_LEFT, "sort-left", "sort by the column before")                                     \
	X(SORT_TURN, "sort-turn", "sort the other way round")                                      \
	X(YANK, "yank", "copy the line, or the stack")                                             \
	X(YANK_ALL, "yank-all", "copy the whole table")                                            \
	X(SAVE, "save", "save the view to a file")                                                 \
	X(EDIT, "edit", "open the source line in $EDITOR")                                         \
	X(GO, "go", "go to a time, a goroutine or a task")                                         \
	X(REFRESH, "refresh", "draw again, and look for new runs in the store")                    \
	X(SUSPEND, "suspend", "stop, as any program")                                              \
	X(CLEAR, "clear", "take time range and filters away")                                      \
	X(RUNS, "runs", "the runs of the store")                                                   \
	X(OVERVIEW, "overview", "the run at a glance")                                             \
	X(TIMELINE, "timeline", "what happened when")                                              \
	X(TOP, "top", "ranked tables")                                                             \
	X(FLAME, "flame", "a flame graph of what is selected")                                     \
	X(DIFF, "diff", "this run against another")                                                \
	X(SQL, "sql", "ask in SQL")                                                                \
	X(REPORT_NEXT, "report-next", "the next report")                                           \
	X(REPORT_BACK, "report-back", "the report before")                                         \
	X(MARK, "mark", "the run to compare others with")                                          \
	X(FOLD, "fold", "fold or unfold what the cursor is on")                                    \
	X(KIND, "kind", "the next kind of rows, or what is counted")                               \
	X(START, "start", "to the start of the run")                                               \
	X(END, "end", "to the end of the run")                                                     \
	X(ZOOM_IN, "zoom-in", "zoom in, to the cursor")                                            \
	X(ZOOM_OUT, "zoom-out", "zoom out")                                                        \
	X(ZOOM_ALL, "zoom-all", "the whole run, or what is selected of it")                        \
	X(ZOOM_HERE, "zoom-here", "zoom to the span under the cursor")                             \
	X(PAN_LEFT, "pan-left", "half a screen to the left")                                       \
	X(PAN_RIGHT, "pan-right", "half a screen to the right")                                    \
	X(WAKER, "waker", "to who woke it, when it did")                                           \
	X(WAKER_BACK, "waker-back", "back to whom it woke")                                        \
	X(LONGEST, "longest", "to the longest wait, then the next longest")                        \
	X(RANGE, "range", "begin a time range, and end it")                                        \
	X(SPAN_NEXT, "span-next", "to the next span of the row")                                   \
	X(SPAN_BACK, "span-back", "to the span before")                                            \
	X(STEP, "step", "to the next event")                                                       \
	X(STEP_BACK, "step-back", "to the event before")                                           \
	X(STEP_HERE, "step-here", "to the next event of this goroutine")                           \
	X(STEP_HERE_BACK, "step-here-back", "to its event before")                                 \
	X(PLAY, "play", "play events one after the other, until a key")                            \
	X(ALIKE, "alike", "highlight all that is like what the cursor is on")                      \
	X(ALL_ROWS, "all-rows", "all rows, or those that are there in the time shown")             \
	X(SECTION_NEXT, "section-next", "to the next section")                                     \
	X(SECTION_BACK, "section-back", "to the section before")                                   \
	X(GOROUTINE, "goroutine-view", "one goroutine, from its first to its last moment")         \
	X(SQL_TYPE, "statement", "back to the statement")                                          \
	X(SAMPLE_TYPE, "sample-type", "the next sample type")                                      \
	X(DIFF_PER, "per", "per second, task or as it is; of profiles scaled to equal totals")     \
	X(DIFF_CHANGED, "changed", "only what changed, or all")                                    \
	X(DIFF_CUM, "cum", "with what was called, or itself alone")                                \
	X(DIFF_STATS, "statistics", "all statistics of metrics, or those that matter most")        \
	X(DIFF_OTHER, "compare-with", "compare with something else")                               \
	X(KIND_BACK, "kind-back", "the kind before")                                               \
	X(COUNT, "count", "number or time: how often, or how long")                                \
	X(FLIP, "flip", "upside down")                                                             \
	X(REVERSE, "reverse", "from the leaf: callers below what they call")                       \
	X(DIFFER, "differ", "what changed since the marked run")                                   \
	X(CALLEES, "callees", "unfold whom it calls")                                              \
	X(REPORTS, "reports", "choose a table from a list")                                        \
	X(CHART, "chart", "show the chart of the table, or leave it out")                          \
	X(LINES, "lines", "all lines around the table, or those there is room for")                \
	X(TABLE_NEXT, "table-next", "the next table of a report of several")                       \
	X(TABLE_BACK, "table-back", "the table before")

enum tui_action {
#define TUI_X(action, name, doc) TUI_DO_##action,
	TUI_ACTIONS(TUI_X)
#undef TUI_X
	    TUI_NACTIONS
};

extern const struct tui_action_desc {
	const char *name, *doc;
} tui_actions[TUI_NACTIONS];

/* Keys beyond characters and ncurses' own. */
#define TUI_CTRL(c)  ((c)&0x1f)
#define TUI_ESCAPE   0x1b
#define TUI_ENTER    '\r'
#define TUI_TAB	     '\t'
#define TUI_BACK_TAB 0541 /* KEY_BTAB */
/* Around what a terminal pastes: beyond the keys of ncurses (screen.c defines them). */
#define TUI_PASTE_BEGIN 0x1001
#define TUI_PASTE_END	0x1002

struct tui_binding {
	int key;
	enum tui_action action;
	unsigned where;
	/* A word for the hint line where it is one of the next useful keys; NULL: it is in help
	 * only. */
	const char *hint;
};
/* In the order of help; ends with key 0. */
extern const struct tui_binding tui_bindings[];

/* By how many lines an action moves, where a page and half a page have so many; to the first or the
 * last it is more than there are. False: it does not move by lines. */
bool tui_move(enum tui_action action, long page, long half, long *by);

/* What a view has for a key goes before what it does everywhere. */
enum tui_action tui_key_action(int key, unsigned where);
/* "^F", "PgDn", "j", "Enter" into text (16 bytes), which is returned. */
char *tui_key_name(int key, char text[16]);
/* The action that the palette calls by this name, NONE where there is none. */
enum tui_action tui_action_find(const char *name);

#endif
