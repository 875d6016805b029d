/* The view flame, a flame graph of the selection; private to this folder. load.c makes the
 * picture in the background, look.c moves and zooms, draw.c draws, out.c copies, saves and opens
 * other views, flame.c handles keys. */
#ifndef TUI_VIEW_FLAME_H
#define TUI_VIEW_FLAME_H

#include "flame/cells.h"
#include "flame/picture.h"
#include "flame/search.h"
#include "tprof-tui/tui.h"

/* What is counted, and how stacks are merged. */
struct flame_kind {
	enum rep_trace_view view; /* for traces */
	bool count;		  /* for traces: count events instead of time */
	char type[96];		  /* for profiles: the sample type, "": the default */
	bool reverse, differ;
};

struct flame {
	struct flame_kind want, kind;  /* requested; shown */
	struct rep_flame_picture *pic; /* NULL: none yet */
	char *error;		       /* shown instead of the picture; NULL: no error */
	bool dropped;		       /* freed to save memory; made again when it is shown */

	struct rep_flame_zoom zoom, *before; /* before: the earlier zooms, in order */
	size_t nbefore, before_room;
	struct rep_flame_cells cells; /* width 0: to be laid out again */
	uint32_t width;		      /* columns that they are laid out for */
	uint32_t bar, cell;	      /* position of the cursor */
	struct rep_flame_zoom cursor; /* its place while there is no picture */
	uint32_t top;		      /* the level nearest to the root that is shown */
	uint32_t levels;	      /* levels that fitted at the last drawing */
	int first_row;		      /* screen row of the first level */
	bool upwards;

	char *search; /* NULL: none */
	struct rep_flame_found found;

	struct tp_buf name, label; /* being drawn */
};

/* ---- load.c ---- */

/* Asks for the wanted picture of the view's selection, in the background. */
void flame_ask(struct tui_view *v);
void flame_free_picture(struct rep_flame_picture *pic);
/* Writes the title of the picture that is shown or being made: "offcpu events by leaf against b.trace". */
void flame_title(struct tui_view *v, char *text, size_t size);
/* Returns why the picture is empty, and what to do. */
const char *flame_why_empty(const struct tui_view *v);

/* Frees pictures of other views, those of the oldest views first, if all take too much memory. */
void flame_drop_others(const struct tui_view *v);

/* ---- look.c ---- */

/* Takes ownership of a picture. Zoom and cursor stay on the same stack if the new picture
 * contains it. */
void flame_take(struct tui *t, struct flame *f, struct rep_flame_picture *pic,
		const struct flame_kind *kind);
/* Frees the picture but remembers zoom and cursor until flame_take() gets one of the same kind. */
void flame_drop(struct flame *f);
/* Lays the bars out for this many columns. Returns false if memory is out or there is no
 * picture. */
bool flame_lay(struct tui *t, struct flame *f, uint32_t width);
/* Returns the bar under the cursor, or NULL. */
const struct rep_flame_bar *flame_bar(const struct flame *f);
void flame_go(struct flame *f, uint32_t bar);
void flame_step(struct flame *f, enum rep_flame_step step);
void flame_scroll(struct flame *f, long levels);
void flame_zoom_in(struct tui *t, struct flame *f);
void flame_zoom_out(struct tui *t, struct flame *f);
/* Searches for a text; NULL ends the search. Returns false if nothing is found. */
bool flame_find(struct tui *t, struct flame *f, const char *text);
bool flame_find_next(struct flame *f, int step);
unsigned flame_mark(const struct flame *f, const struct rep_flame_bar *bar);

/* ---- draw.c ---- */

void flame_draw(struct tui_view *v, struct tui_area area);

/* ---- out.c ---- */

/* Returns the name of a node as the dump has it; "total" for the root. */
struct tp_text flame_name(const struct flame *f, uint32_t node);
int flame_yank(struct tui_view *v, bool all, struct tp_buf *out);
int flame_save(struct tui_view *v, const char *path, const struct rep_sink *sink,
	       struct tp_err *err);
bool flame_source(struct tui_view *v, char *file, size_t size, int64_t *line);
void flame_top(struct tui_view *v);

#endif
