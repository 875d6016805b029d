/* flame: a flame graph of what is selected; private to this folder. load.c has it made in the
 * background, look.c moves and zooms, draw.c draws, out.c copies, saves and leads elsewhere,
 * flame.c has the keys. */
#ifndef TUI_VIEW_FLAME_H
#define TUI_VIEW_FLAME_H

#include "flame/cells.h"
#include "flame/picture.h"
#include "flame/search.h"
#include "tprof-tui/tui.h"

/* What of a run is counted, and how it is put together. */
struct flame_kind {
	enum rep_trace_view view; /* of a trace */
	bool count;		  /* of a trace: how often, not how long */
	char type[96];		  /* of a profile: the sample type, "" its default */
	bool reverse, differ;
};

struct flame {
	struct flame_kind want, kind;  /* asked for, and shown */
	struct rep_flame_picture *pic; /* NULL: there is nothing yet */
	char *error;		       /* in its place; NULL: none */
	bool dropped;		       /* it was there, and is made again when it is looked at */

	struct rep_flame_zoom zoom, *before; /* before: what was zoomed into, one after the other */
	size_t nbefore, before_room;
	struct rep_flame_cells cells; /* width 0: to be laid again */
	uint32_t width;		      /* that they are laid for */
	uint32_t bar, cell;	      /* the cursor's, and where among the cells it moves */
	struct rep_flame_zoom cursor; /* where it was, while there is no picture */
	uint32_t top;		      /* level that is shown nearest to the root */
	uint32_t levels;	      /* that fitted when it was drawn last */
	int first_row;		      /* where they begin on the screen */
	bool upwards;

	char *search; /* NULL: nothing is searched for */
	struct rep_flame_found found;

	struct tp_buf name, label; /* being drawn */
};

/* ---- load.c ---- */

/* What is wanted of the view's selection, in the background. */
void flame_ask(struct tui_view *v);
void flame_free_picture(struct rep_flame_picture *pic);
/* "offcpu, events, by leaf, against b.trace": what is shown, or on its way. */
void flame_title(const struct tui_view *v, char *text, size_t size);
/* Why there is nothing in it, and what to do. */
const char *flame_why_empty(const struct tui_view *v);

/* Of views that are not looked at, the oldest lose their pictures where all take too much memory.
 */
void flame_drop_others(const struct tui_view *v);

/* ---- look.c ---- */

/* Takes a picture over: what was looked at in the one before stays so, where it is there. */
void flame_take(struct tui *t, struct flame *f, struct rep_flame_picture *pic,
		const struct flame_kind *kind);
/* Gives the picture up, until flame_take() has one of the same kind again. */
void flame_drop(struct flame *f);
/* Bars for this many columns; false: no memory, or there is no picture. */
bool flame_lay(struct tui *t, struct flame *f, uint32_t width);
/* The bar under the cursor; NULL: there is none. */
const struct rep_flame_bar *flame_bar(const struct flame *f);
void flame_go(struct flame *f, uint32_t bar);
void flame_step(struct flame *f, enum rep_flame_step step);
void flame_scroll(struct flame *f, long levels);
void flame_zoom_in(struct tui *t, struct flame *f);
void flame_zoom_out(struct tui *t, struct flame *f);
/* Looks for a text; NULL ends the search. False: nothing is found. */
bool flame_find(struct tui *t, struct flame *f, const char *text);
bool flame_find_next(struct flame *f, int step);
unsigned flame_mark(const struct flame *f, const struct rep_flame_bar *bar);

/* ---- draw.c ---- */

void flame_draw(struct tui_view *v, struct tui_area area);

/* ---- out.c ---- */

/* The name of a node, as it is in the dump. "total" for the root. */
struct tp_text flame_name(const struct flame *f, uint32_t node);
int flame_yank(struct tui_view *v, bool all, struct tp_buf *out);
int flame_save(struct tui_view *v, const char *path, const struct rep_sink *sink,
	       struct tp_err *err);
bool flame_source(struct tui_view *v, char *file, size_t size, int64_t *line);
void flame_top(struct tui_view *v);

#endif
