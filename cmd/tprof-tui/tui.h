/* The program: a stack of views on one store, their selection, and the lines around the current view.
 *
 *	row 0      the run, the time range and the filters; the name of the view
 *	…          the view
 *	last - 1   a message, or a prompt
 *	last       the most useful keys
 *
 * A view is opened on the current selection and keeps it. Going back shows the previous view as the user
 * left it; going forward undoes that. The worker (worker.h) does work that may take long; until its
 * result comes, a view shows the data that it has.
 *
 * CONTRIBUTING.md says how to add a view. */
#ifndef TUI_TUI_H
#define TUI_TUI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/advice.h"
#include "common/common.h"
#include "store/store.h"
#include "tprof-tui/keys.h"
#include "tprof-tui/screen/screen.h"
#include "tprof-tui/select.h"
#include "tprof-tui/worker.h"

/* Shown instead of views that need a run. */
#define TUI_NO_RUNS REP_NO_RUNS CMD_ADD_RUN

struct tui;
struct tui_menu;
struct tui_table;
struct tui_view;

struct tui_view_ops {
	unsigned where;	  /* its bit in keys.h */
	const char *name; /* its name in the palette and on the first line */
	const char *arg;  /* its arguments, in capitals; NULL: it takes none */
	size_t size;	  /* size of its state, which is zeroed */
	bool needs_run;	  /* in a store without runs, a message is shown instead */
	/* Returns the filters that it obeys now (REP_BY_…). A line above the view names other filters
	 * that are set. NULL: no such line is shown. */
	unsigned (*filters)(const struct tui_view *v);
	/* Opens the view. `arg` holds its arguments as typed, or as passed by another view; NULL: no
	 * arguments. Returns false with a message (tui_error). */
	bool (*open)(struct tui_view *v, const char *arg);
	/* Releases its state. NULL: releases the table of a state that begins with a struct
	 * tui_rows. */
	void (*close)(struct tui_view *v);
	/* Called when the view is shown again, perhaps with another selection in v->select. NULL:
	 * nothing to do. */
	void (*resume)(struct tui_view *v);
	/* Draws the view. NULL: draws the table of a state that begins with a struct tui_rows. */
	void (*draw)(struct tui_view *v, struct tui_area area);
	/* Returns true if the view handled the action. */
	bool (*act)(struct tui_view *v, enum tui_action action);
	/* Handles a key before the bindings apply; returns true if it did. NULL: handles no keys. */
	bool (*key)(struct tui_view *v, int key);
	/* Returns the table under the cursor, or NULL. It is used for moving and sorting that `act`
	 * did not handle, and for clicks, search, filter, copying and saving unless a function
	 * below does this in the view's own way. NULL: the view has no table. tui_rows_table
	 * suits a state that begins with a struct tui_rows. */
	struct tui_table *(*table)(struct tui_view *v);
	/* Handles a click in the area of the view. NULL: it is a click in the table. */
	void (*click)(struct tui_view *v, int row, int col, bool twice);
	/* Called when the mouse button is released at another place than where it was pressed. NULL:
	 * nothing to do. */
	void (*drag)(struct tui_view *v, int row, int col);
	/* Called when the wheel is turned with Ctrl pressed: by > 0 zooms in. NULL: as without
	 * Ctrl. */
	void (*zoom)(struct tui_view *v, int row, int col, int by);
	/* Called when the wheel is turned, `lines` down. NULL: as TUI_DO_UP and TUI_DO_DOWN. */
	void (*wheel)(struct tui_view *v, int lines);
	/* Searches. `step` is 0 while the text is being typed, 1 for the next match and -1 for the
	 * previous one. Returns true if it found a match. */
	bool (*search)(struct tui_view *v, const char *text, int step);
	/* Called after its table was filtered. NULL: nothing to do. */
	void (*filtered)(struct tui_view *v);
	/* Goes to a time or a goroutine, as typed after @. Returns true if it went there or a
	 * message says why not. If it returns false, or is NULL, the selection is narrowed
	 * instead. */
	bool (*go)(struct tui_view *v, const char *text);
	/* Highlights matches of a text; "" ends that. NULL: the view cannot highlight. */
	void (*highlight)(struct tui_view *v, const char *text);
	/* Appends to `out` the text that y copies, or with `all` the text that Y copies. Returns 0 or
	 * TP_ENOMEM. NULL: the table's row under the cursor, or all its rows. */
	int (*yank)(struct tui_view *v, bool all, struct tp_buf *out);
	/* Writes the content of the view, in the format that the ending of `path` selects. NULL:
	 * writes the table. */
	int (*save)(struct tui_view *v, const char *path, const struct rep_sink *sink,
		    struct tp_err *err);
	/* Finds the source line under the cursor if the table's row does not name it. NULL: the view
	 * knows no source lines. */
	bool (*source)(struct tui_view *v, char *file, size_t size, int64_t *line);
	/* Writes the text after the view's name on the first line. NULL: no text. */
	void (*title)(struct tui_view *v, char *text, size_t size);
	/* Returns whether an action has an effect now; the hint line leaves out other actions. NULL:
	 * all have an effect. */
	bool (*can)(struct tui_view *v, enum tui_action action);
	/* Returns its own hints for now, "Enter run\tTab complete". NULL, or if it returns NULL: the
	 * hints of the bindings. */
	const char *(*hints)(struct tui_view *v);
	/* Adds arguments that begin with `typed` to the menu. NULL: the arguments are not known. */
	void (*offer)(struct tui *t, struct tui_menu *menu, const char *typed);
	/* The cursor's line is saved with the last position in a store. */
	bool keeps_line;
	/* Writes the arguments that would open the view again as it is. NULL: no arguments. */
	void (*keep)(struct tui_view *v, char *text, size_t size);
};

struct tui_view {
	const struct tui_view_ops *ops;
	struct tui *tui;
	struct tui_select select; /* the selection that it shows */
	void *state;
	struct tui_area area; /* at the last drawing */
	bool busy;	      /* it waits for the worker */
};

extern const struct tui_view_ops *const tui_views[]; /* ends with NULL */

enum tui_prompt_kind {
	TUI_PROMPT_NONE,
	TUI_PROMPT_PALETTE,
	TUI_PROMPT_SEARCH,
	TUI_PROMPT_FILTER,
	TUI_PROMPT_SAVE,
	TUI_PROMPT_GO,
};

struct tui {
	struct cmd *cmd;
	const char *path; /* of the store or dump, as given */
	struct tui_worker *worker;
	struct tui_select select; /* the selection for the next view that is opened */

	struct tui_view **view; /* the stack; view[at] is shown */
	size_t nviews, at;	/* going forward leads to the views after it */

	struct tui_prompts *prompts;   /* prompt.c */
	struct tui_old_runs *old_runs; /* reload.c */
	int64_t warned_run; /* the last run that tui_open has checked for mixed goroutines */
	char message[400];
	bool error;
	bool pasting; /* the keys are pasted text */
	bool quit;
	int checks;		      /* pending checks of filters (check.c) */
	int read_errno;		      /* errno if the terminal can no longer be read, else 0 */
	int clicked_row, clicked_col; /* the last click, and when */
	int64_t clicked_ms;
};

struct tui_view *tui_current(const struct tui *t);
/* Opens a view on t->select on top of the current one, and closes the views that were after it. Returns
 * false with a message; t->select is then the current view's again. */
bool tui_open(struct tui *t, const struct tui_view_ops *ops, const char *arg);
/* Opens a view by its name on t->select, which the caller has narrowed. If narrowing failed for lack of
 * memory (`fine` is false), opens nothing. Returns false with a message, as tui_open does. */
bool tui_open_narrowed(struct tui *t, bool fine, const char *view, const char *arg);
const struct tui_view_ops *tui_view_find(const char *name);
/* Opens the current view again on t->select, with its arguments (ops->keep). */
bool tui_again(struct tui *t);
bool tui_back(struct tui *t);
void tui_undo(struct tui *t); /* closes the current view and goes back */
bool tui_forward(struct tui *t);
void tui_close_all(struct tui *t);

/* Shows a line at the bottom until the next key. */
void tui_message(struct tui *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void tui_error(struct tui *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void tui_nomem(struct tui *t);

/* Runs the program until the user leaves. */
void tui_run(struct tui *t);
/* Draws the screen. */
void tui_draw(struct tui *t);
/* Performs an action, as its key does. */
void tui_act(struct tui *t, enum tui_action action);
/* Runs a line of the palette: the name of an action or a view, `from TIME`, `goroutine ID` … */
void tui_command(struct tui *t, const char *line);
/* Goes to a time ("1.5ms", "25%"), a goroutine ("12") or a task ("#3"). */
void tui_go(struct tui *t, const char *text);
/* Parses a time, in ns since the run began. Returns false with a message. */
bool tui_time(struct tui *t, const char *text, int64_t *ns);

/* Commands of the palette besides views and actions (command.c). */
struct tui_palette_command {
	const char *name, *arg, *doc;
	void (*run)(struct tui *t, int which, const char *arg); /* arg "": no argument */
	int which;						/* what it sets */
};
extern const struct tui_palette_command tui_commands[];
extern const size_t tui_ncommands;

/* ---- check.c ---- */

/* Opens the current view again on t->select, whose filter `of` the caller has changed, and checks in the
 * background whether the new filter matches anything. `before` is the old filter (NULL: it was not set).
 * If memory is out, nothing is checked. */
void tui_check_filter(struct tui *t, enum tui_text of, const char *before);

/* ---- reload.c ---- */

/* Reads the list of runs again. If it has changed, makes the selections of all views refer to the new
 * list, resumes the current view, and shows a message about the change. Pointers into the old list stay
 * valid until tui_reload_release. */
void tui_reload(struct tui *t);
void tui_reload_release(struct tui *t);

/* ---- clip.c ---- */

/* Copies the text of tui_view_ops.yank to the terminal's clipboard (OSC 52), and to the file
 * $XDG_STATE_HOME/tprof/yank, as not every terminal has a clipboard. */
void tui_clip(struct tui *t, struct tui_view *v, bool all);
/* Opens the source line under the cursor in $EDITOR. */
void tui_edit(struct tui *t, struct tui_view *v);

#endif
