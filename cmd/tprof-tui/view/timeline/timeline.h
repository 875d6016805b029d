/* The timeline: rows of goroutines, Ps, Ms or tasks over time. What its files share.
 *
 *	window   which part of time is shown        roster   which rows there are, and are listed
 *	picture  cells, made in the background      detail   all about the place under the cursor
 *	ask      what is wanted of the worker next  place    cursor: moves, jumps, the wake-up chain
 *	look     what a cell looks like             draw, panel  the screen
 *	range    of time, selected
 *	find     search, highlight                  save     yank, CSV, SVG
 *
 * The screen's thread never waits: it draws the picture that it has, stretched to the window, and
 * asks for the one it wants whenever it has drawn (tl_ask), so that of many keys only what they
 * come to is made. */
#ifndef TUI_TIMELINE_TIMELINE_H
#define TUI_TIMELINE_TIMELINE_H

#include "tprof-tui/tui.h"
#include "tprof-tui/view/timeline/detail.h"
#include "tprof-tui/view/timeline/look.h"
#include "tprof-tui/view/timeline/picture.h"
#include "tprof-tui/view/timeline/roster.h"
#include "tprof-tui/view/timeline/window.h"

/* What the worker may be asked for, the most urgent first. */
enum tl_ask {
	TL_ASK_NOTHING,
	TL_ASK_ROSTER,
	TL_ASK_STEP,	/* the next event */
	TL_ASK_LONGEST, /* waits in the range, the longest first */
	TL_ASK_FIND,	/* a row on which something matches */
	TL_ASK_COARSE,	/* a picture, at once */
	TL_ASK_MOMENT,
	TL_ASK_EXACT, /* a picture */
	TL_ASK_AHEAD, /* what pictures at other zooms need is read */
};

/* Rows of the screen, from top to bottom; 0: there is no room for it. */
struct tl_layout {
	struct tui_area area;
	int label; /* columns for names, at the left */
	int cols;  /* columns of time behind them */
	int axis, band, notes, chart, legend, panel;
};

struct tl_place {
	uint32_t goroutine;
	int64_t ns;
};

/* A wait, as found. */
struct tl_wait {
	uint32_t goroutine;
	int64_t from, to;
	bool open; /* it had not ended when the run did */
};
#define TL_MOST_WAITS 1000

enum { TL_BY_STATE = 1, TL_BY_REASON = 2, TL_BY_FUNCTION = 4, TL_BY_LABEL = 8, TL_BY_ALL = 15 };

struct tl_highlight {
	char *text;	    /* lower case; NULL: none */
	unsigned what;	    /* bits: TL_BY_… */
	enum tl_show state; /* that it names; TL_NSHOWN: none */
	bool *row;	    /* by row of the picture: its name holds it */
	bool *label;	    /* by cell of the picture: a mark on it holds it */
};

struct timeline {
	struct tui_view *view;
	struct tl_layout layout;

	struct tl_roster roster;
	struct tl_list list;
	bool ready;	 /* there is a roster */
	char error[400]; /* why there is none */
	int64_t duration;

	struct tl_window window;
	size_t row, top;	    /* in the list: of the cursor, of the first on the screen */
	enum rep_lane_kind at_kind; /* what is on the cursor's row, wherever that is */
	uint32_t at_index;
	int64_t ns;
	bool loose; /* the cursor stands for its column, not for the moment alone */

	struct tl_picture picture;
	struct tl_detail detail;
	/* To be done once the moment is known: */
	enum { TL_ZOOM_NOT, TL_ZOOM_HERE, TL_ZOOM_IF_SMALL } zoom_here; /* to the span */
	int follow;							/* so many wake-ups */
	int hops;  /* so many spans forward, or back where negative */
	bool snap; /* to the start of the span */

	int64_t anchor;		/* of a range that is being selected; INT64_MIN: none */
	bool anchor_loose;	/* as `loose` */
	struct tl_place *chain; /* from where wake-ups were followed */
	size_t nchain;

	struct tl_wait *wait; /* the longest ones in the range that was asked for */
	size_t nwaits, at_wait;
	bool waits_known;
	size_t waits_ahead; /* so many more are to be gone to once they are known */

	struct rep_event_at event; /* last one stepped to; text "": none */
	bool event_known, playing;
	int step; /* that is asked for */
	bool step_here;

	struct tl_highlight highlight;
	char *wanted; /* search that is asked for */
	int find_step;

	enum tl_ask special; /* STEP, LONGEST, FIND that is wanted; NOTHING */
	enum tl_ask asked;   /* of the worker, and for what */
	struct tl_window asked_window;
	uint64_t asked_rows;
	struct tl_place asked_place;
	int64_t asked_from, asked_to;
	bool read_ahead; /* all that there is room for */
	bool gave_up;	 /* what was asked for failed; until the next key */
};

/* ---- ask.c ---- */

/* Asks for what is missing, the most urgent first; to be called after drawing. */
void tl_ask(struct tui *t, struct timeline *s);
/* Wants STEP, LONGEST or FIND. */
void tl_want(struct timeline *s, enum tl_ask special);
void tl_ask_release(struct timeline *s);

/* ---- timeline.c ---- */

/* Rows have come: the window and the cursor as the selection asks for. */
void tl_begin(struct timeline *s);

/* What Enter does. */
void tl_enter(struct tui *t, struct timeline *s);

/* ---- mouse.c ---- */

void tl_click(struct tui_view *v, int row, int col, bool twice);
void tl_drag(struct tui_view *v, int row, int col);
void tl_zoom_there(struct tui_view *v, int row, int col, int by);

/* ---- range.c ---- */

/* Of the selected range, else the whole run. */
void tl_range(const struct timeline *s, int64_t *from, int64_t *to);
/* Begins one at the cursor, or ends it there. */
void tl_begin_range(struct tui *t, struct timeline *s);
/* From the anchor to the cursor: whole columns where an end was gone to by columns, else exact. */
void tl_selecting(const struct timeline *s, int64_t *from, int64_t *to);
/* That is what views are restricted to. */
void tl_end_range(struct tui *t, struct timeline *s);
/* Only the range is taken away; false: what else is selected is left to all views' way. */
bool tl_clear_range(struct tui *t, struct timeline *s);

/* The column that the cursor stands for, on a goroutine's row; 0, 0: it is a moment. */
void tl_column(const struct timeline *s, int64_t *from, int64_t *to);

/* ---- place.c ---- */

const struct rep_lane *tl_row(const struct timeline *s); /* NULL: nothing is listed */
/* After the window, the folding or the kind of rows have changed: what is listed, with the cursor
 * where it was. */
void tl_relist(struct timeline *s);
void tl_move_rows(struct timeline *s, long by);
void tl_move_columns(struct timeline *s, int by);
void tl_move_to_row(struct timeline *s, size_t row);
void tl_move_to(struct timeline *s, int64_t ns);
void tl_zoom(struct timeline *s, int by);
void tl_pan(struct timeline *s, int64_t columns);
void tl_zoom_here(struct timeline *s);
void tl_zoom_all(struct timeline *s);
/* To a goroutine at a time, whatever is listed; false: it is not among the rows. */
bool tl_jump(struct timeline *s, uint32_t goroutine, int64_t ns);
void tl_follow(struct tui *t, struct timeline *s);
void tl_follow_back(struct tui *t, struct timeline *s);
/* By spans where the row is a goroutine, else by what is seen. */
void tl_next_span(struct timeline *s, int step);
void tl_kind(struct timeline *s, int step);
void tl_fold(struct tui *t, struct timeline *s);
/* A new moment has come. */
void tl_moment(struct tui *t, struct timeline *s);
void tl_longest(struct tui *t, struct timeline *s);
void tl_go_to_wait(struct tui *t, struct timeline *s, size_t i);
bool tl_go(struct tui_view *v, const char *text);

/* ---- draw.c, panel.c ---- */

void tl_lay_out(struct tl_layout *l, struct tui_area area);
void tl_draw(struct timeline *s);
void tl_draw_panel(struct timeline *s, int row, int rows);
/* What a row is called: "main.worker", "g17 main.worker", "P 3"; "" for none. */
void tl_lane_text(const struct rep_lane *row, char *text, size_t size);
/* "g17 main.worker"; one that has no row is known by its id alone. */
void tl_goroutine_text(const struct timeline *s, uint32_t goroutine, struct rep_goid id, char *text,
		       size_t size);
/* The details, a line each, all of them. */
int tl_panel_text(const struct timeline *s, struct tp_buf *out);
/* A moment, as tui_exact_text() has it. */
static inline char *tl_time_text(const struct timeline *s, char text[TUI_TIME_SIZE], int64_t ns)
{
	return tui_exact_text(s->view->select.run, ns, text);
}
/* The cell of the picture under the cursor, NULL where there is none. */
const struct rep_cell *tl_cell(const struct timeline *s);

/* ---- find.c ---- */

bool tl_search(struct tui_view *v, const char *text, int step);
void tl_highlight(struct tui *t, struct timeline *s, const char *text);
void tl_highlight_like(struct tui *t, struct timeline *s);
/* The picture has changed. */
void tl_highlight_picture(struct timeline *s);
bool tl_lit(const struct timeline *s, size_t row, int col);
void tl_highlight_release(struct timeline *s);

/* ---- save.c ---- */

int tl_yank(struct tui_view *v, bool all, struct tp_buf *out);
int tl_save(struct tui_view *v, const char *path, const struct rep_sink *sink, struct tp_err *err);
bool tl_source(struct tui_view *v, char *file, size_t size, int64_t *line);

#endif
