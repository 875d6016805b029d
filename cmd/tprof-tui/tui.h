/* The program: a stack of views on one store, what is selected, and the lines above and below.
 *
 *	row 0      what is looked at: the run, the time range, filters; the view's name
 *	…          the view
 *	last - 1   a message, or a prompt
 *	last       the next useful keys
 *
 * A view is opened on the selection as it is then. Going back shows the view before as it was left;
 * going forward undoes that. Work that may take long goes to the worker (worker.h); a view shows
 * what it has until the answer comes.
 *
 * CONTRIBUTING.md says how to add a view. */
#ifndef TUI_TUI_H
#define TUI_TUI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/common.h"
#include "store/store.h"
#include "tprof-tui/keys.h"
#include "tprof-tui/screen/screen.h"
#include "tprof-tui/select.h"
#include "tprof-tui/worker.h"

struct tui;
struct tui_menu;
struct tui_table;
struct tui_view;

struct tui_view_ops {
	unsigned where;	  /* its bit in keys.h */
	const char *name; /* as the palette and the first line have it */
	const char *arg;  /* what may stand behind its name there, in capitals; NULL: nothing */
	size_t size;	  /* of its state, which begins with zeros */
	bool needs_run;	  /* where the store has none, that is said in place of it */
	/* The filters that it heeds as it stands, REP_BY_…; of the others a line above it tells.
	 * NULL: that is not told. */
	unsigned (*heeds)(const struct tui_view *v);
	/* `arg`: what was typed behind its name, or what the view that opens it has to say; NULL:
	 * nothing. True, or false with a message set (tui_error). */
	bool (*open)(struct tui_view *v, const char *arg);
	void (*close)(struct tui_view *v);
	/* Shown again, perhaps on another selection (v->select has been brought up to date). NULL:
	 * nothing to do. */
	void (*resume)(struct tui_view *v);
	void (*draw)(struct tui_view *v, struct tui_area area);
	/* True: it was for the view. */
	bool (*act)(struct tui_view *v, enum tui_action action);
	/* A key that no binding has. NULL: none is heeded. */
	bool (*key)(struct tui_view *v, int key);
	/* Returns the table under the cursor, or NULL. Moving and sorting that `act` leaves, clicks,
	 * search, filter, copying and saving work on it, except where a function below does that in
	 * the view's own way. NULL if the view has no table. */
	struct tui_table *(*table)(struct tui_view *v);
	/* A click within the area it was last drawn in. */
	void (*click)(struct tui_view *v, int row, int col, bool twice);
	/* The button is let go elsewhere than it was pressed. NULL: none. */
	void (*drag)(struct tui_view *v, int row, int col);
	/* A turn of the wheel with Ctrl: by > 0 to see more of what is there. NULL: as without. */
	void (*zoom)(struct tui_view *v, int row, int col, int by);
	/* A turn of the wheel, so many lines down. NULL: as TUI_DO_UP and DOWN. */
	void (*wheel)(struct tui_view *v, int lines);
	/* Search while it is typed. `step` 0: as typed, else the next. */
	bool (*search)(struct tui_view *v, const char *text, int step);
	/* The lines of its table have been filtered. NULL: nothing to do. */
	void (*filtered)(struct tui_view *v);
	/* To a time or a goroutine, as typed behind @. True: it went there, or a message says why
	 * not; false, NULL: the selection is narrowed to it. */
	bool (*go)(struct tui_view *v, const char *text);
	/* Shows what matches, and dims all else; "" ends that. NULL: it cannot. */
	void (*highlight)(struct tui_view *v, const char *text);
	/* What y and Y copy: adds it. */
	int (*yank)(struct tui_view *v, bool all, struct tp_buf *out);
	/* Writes what it shows, in the format that the ending of `path` selects. NULL: the table. */
	int (*save)(struct tui_view *v, const char *path, const struct rep_sink *sink,
		    struct tp_err *err);
	/* Where the source of what the cursor is on may be, where the table's row does not say so.
	 * NULL: nowhere. */
	bool (*source)(struct tui_view *v, char *file, size_t size, int64_t *line);
	/* A line about itself behind its name on the first line. NULL: none. */
	void (*title)(struct tui_view *v, char *text, size_t size);
	/* Does the action do anything here, as it stands? Hints name those that do. NULL: all do.
	 */
	bool (*can)(struct tui_view *v, enum tui_action action);
	/* The next useful keys where it has others for now: "Enter ask\tTab complete"; NULL: as the
	 * table of keys has it. */
	const char *(*hints)(struct tui_view *v);
	/* What may stand behind its name in the palette and begins as `typed` does: adds it to the
	 * menu. NULL: nobody knows. */
	void (*offer)(struct tui *t, struct tui_menu *menu, const char *typed);
	/* The line of the table that the cursor is on is kept with the last view of a store. */
	bool keeps_line;
	/* What `arg` would open it again as it is; kept with the last view of a store. NULL, or ""
	 * given: nothing. */
	void (*keep)(struct tui_view *v, char *text, size_t size);
};

struct tui_view {
	const struct tui_view_ops *ops;
	struct tui *tui;
	struct tui_select select; /* that it shows */
	void *state;
	struct tui_area area; /* it was last drawn in */
	bool busy;	      /* waits for the worker */
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
	struct tui_select select; /* what views that are opened begin with */

	struct tui_view **view; /* history: those up to `at` were opened one after the other, … */
	size_t nviews, at;	/* … those behind it can be gone forward to */

	struct tui_prompts *prompts;   /* prompt.c */
	struct tui_old_runs *old_runs; /* reload.c */
	int64_t told_run; /* the last one of which tui_open has said whether it mixes lives */
	char message[400];
	bool error;
	bool pasting; /* keys come from a clipboard, not from a hand */
	bool quit;
	int trials;		      /* of filters that the worker has not decided yet (trial.h) */
	int deaf;		      /* errno: keys can no longer be read */
	int clicked_row, clicked_col; /* last, and when */
	int64_t clicked_ms;
};

struct tui_view *tui_current(const struct tui *t);
/* Opens a view on t->select, behind the current one; what could be gone forward to is closed.
 * False: it did not open, and there is a message. */
bool tui_open(struct tui *t, const struct tui_view_ops *ops, const char *arg);
const struct tui_view_ops *tui_view_find(const char *name);
/* The current view again, on t->select, with what it was opened with (ops->keep). */
bool tui_again(struct tui *t);
bool tui_back(struct tui *t);
void tui_undo(struct tui *t); /* back, and there is no way forward again */
bool tui_forward(struct tui *t);
void tui_close_all(struct tui *t);

/* One line at the bottom until the next key. */
void tui_message(struct tui *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void tui_error(struct tui *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void tui_nomem(struct tui *t);

/* The loop: until somebody quits. */
void tui_run(struct tui *t);
/* Draws all of it once. */
void tui_draw(struct tui *t);
/* As if the action's key were typed. */
void tui_act(struct tui *t, enum tui_action action);
/* Does what the palette's line says: an action's or a view's name, `from TIME`, `goroutine ID` … */
void tui_command(struct tui *t, const char *line);
/* To a time ("1.5ms", "25%") or a goroutine (an id). */
void tui_go(struct tui *t, const char *text);
/* A time as typed, in ns since the run began; false with a message. */
bool tui_time(struct tui *t, const char *text, int64_t *ns);

/* What the palette has beyond views and actions (command.c). */
struct tui_palette_command {
	const char *name, *arg, *doc;
	void (*run)(struct tui *t, int which, const char *arg); /* arg: "" for none */
	int which;						/* of the things that it sets */
};
extern const struct tui_palette_command tui_commands[];
extern const size_t tui_ncommands;

#endif
