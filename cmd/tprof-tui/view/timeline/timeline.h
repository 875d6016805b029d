/* The timeline: rows of goroutines, Ps, Ms or tasks over time; private to this folder.
 *
 *	window   the time that is shown             roster   all rows, and the listed ones
 *	picture  cells, made in the background      detail   details of the place under the cursor
 *	ask      requests for missing data          place    moves, jumps, the wake-up chain
 *	look     how cells are drawn                draw, panel  the screen
 *	range    selecting a time range             find     search, highlight
 *	job      work in the background             save     copying, CSV, SVG
 *	mouse    clicks, dragging, the wheel
 *
 * The screen's thread never waits. It draws the picture that it has, stretched to the window. After
 * each drawing it asks for missing data (tl_ask), so that after many keys only the last state is
 * made. */
#ifndef TUI_TIMELINE_TIMELINE_H
#define TUI_TIMELINE_TIMELINE_H

#include "tprof-tui/tui.h"
#include "tprof-tui/view/timeline/detail.h"
#include "tprof-tui/view/timeline/look.h"
#include "tprof-tui/view/timeline/picture.h"
#include "tprof-tui/view/timeline/roster.h"
#include "tprof-tui/view/timeline/window.h"

/* Requests to the worker, the most urgent first. */
enum tl_ask {
	TL_ASK_NOTHING,
	TL_ASK_ROSTER,
	TL_ASK_STEP,	/* the next event */
	TL_ASK_LONGEST, /* the waits in the range, the longest first */
	TL_ASK_FIND,	/* the next match of a search */
	TL_ASK_COARSE,	/* an approximate picture, made at once */
	TL_ASK_MOMENT,	/* the details of the place under the cursor */
	TL_ASK_EXACT,	/* an exact picture */
	TL_ASK_AHEAD,	/* reading data that pictures at other zooms need */
};

/* The layout of the screen: numbers of rows, from top to bottom. 0: the part does not fit. */
struct tl_layout {
	struct tui_area area;
	int label; /* columns for names, on the left */
	int cols;  /* columns of time, on the right */
	int axis, band, notes, chart, legend, panel;
};

struct tl_place {
	uint32_t goroutine;
	int64_t ns;
};

/* One of the longest waits. */
struct tl_wait {
	uint32_t goroutine;
	int64_t from, to;
	bool open; /* it had not ended at the end of the run */
};
#define TL_MOST_WAITS 1000

enum { TL_BY_STATE = 1, TL_BY_REASON = 2, TL_BY_FUNCTION = 4, TL_BY_LABEL = 8, TL_BY_ALL = 15 };

struct tl_highlight {
	char *text;	    /* lower case; NULL: none */
	unsigned what;	    /* scope: bits TL_BY_… */
	enum tl_show state; /* the state that the text names; TL_NSHOWN: none */
	bool *row;	    /* by row of the picture: its name contains the text */
	bool *label;	    /* by cell of the picture: a mark on it contains the text */
};

struct timeline {
	struct tui_view *view;
	struct tl_layout layout;

	struct tl_roster roster;
	struct tl_list list;
	bool ready;	 /* the roster is loaded */
	char error[400]; /* why there is no roster */
	int64_t duration;

	struct tl_window window;
	size_t row, top;	    /* in the list: the cursor's row, the first one shown */
	enum rep_lane_kind at_kind; /* identifies the cursor's row when the list changes */
	uint32_t at_index;
	int64_t ns;
	bool loose; /* the cursor means its column, not the moment `ns` */

	struct tl_picture picture;
	struct tl_detail detail;
	/* Actions that wait for the details of the place: */
	enum { TL_ZOOM_NOT, TL_ZOOM_HERE, TL_ZOOM_IF_SMALL } zoom_here; /* zoom to the span */
	int follow; /* go to the waker, this many times */
	int hops;   /* go this many spans forward, or back if negative */
	bool snap;  /* go to the start of the span */

	int64_t anchor;		/* start of a range that is being selected; INT64_MIN: none */
	bool anchor_loose;	/* as `loose` */
	struct tl_place *chain; /* places from which the user went to wakers */
	size_t nchain;

	struct tl_wait *wait; /* the longest waits in the range */
	size_t nwaits, at_wait;
	bool waits_known;
	size_t waits_ahead; /* the index to go to when they are known */

	struct rep_event_at event; /* the last event stepped to */
	bool event_known, playing;
	int step; /* requested step: 1 or -1 */
	bool step_here;

	struct tl_highlight highlight;
	char *wanted; /* the text searched for */
	int find_step;

	enum tl_ask special; /* STEP, LONGEST or FIND if requested, else NOTHING */
	enum tl_ask asked;   /* the current request to the worker, and its arguments */
	struct tl_window asked_window;
	uint64_t asked_rows;
	struct tl_place asked_place;
	int64_t asked_from, asked_to;
	bool read_ahead; /* TL_ASK_AHEAD is done */
	bool gave_up;	 /* a job failed: no requests until the next key */
};

/* Returns whether the cursor can be moved: rows are loaded and columns fit the screen. */
static inline bool tl_usable(const struct timeline *s)
{
	return s->ready && !*s->error && s->layout.cols;
}

/* ---- ask.c ---- */

/* Asks the worker for the most urgent of the missing data. Call it after drawing. */
void tl_ask(struct tui *t, struct timeline *s);
/* Makes the next tl_ask() ask for STEP, LONGEST or FIND. */
void tl_want(struct timeline *s, enum tl_ask special);
void tl_ask_release(struct timeline *s);

/* ---- job.c ---- */

/* A job for a timeline, with the arguments and results of all kinds. */
struct tl_job {
	struct tui_job job;
	enum tl_ask ask;

	/* arguments */
	struct tl_window window;
	struct rep_lane *row; /* rows of a picture or a search; names must not be used */
	size_t nrows;
	struct rep_lane lane; /* the place of a moment; the result of a search */
	int64_t ns;	      /* likewise */
	int64_t from, to;     /* see tl_detail_of */
	int step, col;
	char *text;    /* lower case */
	uint32_t only; /* see rep_lanes_step */
	bool *member;  /* selected goroutines, by index; NULL: all */
	size_t nmembers;
	int delay_ms;

	/* results */
	int code;
	struct tl_roster roster;
	int64_t duration;
	struct tl_picture picture;
	struct tl_detail detail;
	struct rep_event_at event; /* also an argument: where to start */
	struct tl_wait *wait;
	size_t nwaits;
	bool found;
};

/* Does the job, on the worker's thread. */
int tl_job_work(struct tui_job *job, struct tp_store *store, struct tp_err *err);

/* ---- timeline.c ---- */

/* Sets the window and the cursor from the selection. The roster must be loaded. */
void tl_begin(struct timeline *s);

/* Does what Enter does. */
void tl_enter(struct tui *t, struct timeline *s);

/* ---- mouse.c ---- */

void tl_click(struct tui_view *v, int row, int col, bool twice);
void tl_drag(struct tui_view *v, int row, int col);
void tl_zoom_there(struct tui_view *v, int row, int col, int by);

/* ---- range.c ---- */

/* Sets [*from, *to) to the selected range, else to the whole run. */
void tl_range(const struct timeline *s, int64_t *from, int64_t *to);
/* Begins a range at the cursor, or ends it there. */
void tl_begin_range(struct tui *t, struct timeline *s);
/* Sets [*from, *to) to the range between anchor and cursor. An end that was reached by columns includes
 * its whole column. */
void tl_selecting(const struct timeline *s, int64_t *from, int64_t *to);
/* Ends the range, and restricts all views to it. */
void tl_end_range(struct tui *t, struct timeline *s);
/* Cancels a range that is being selected and clears the selected one. Returns false if filters are set,
 * which all views clear in the same way. */
bool tl_clear_range(struct tui *t, struct timeline *s);

/* Sets [*from, *to) to the column that the cursor means on a goroutine's row; to 0, 0 if it means a
 * moment, or is on another row. */
void tl_column(const struct timeline *s, int64_t *from, int64_t *to);

/* ---- place.c ---- */

const struct rep_lane *tl_row(const struct timeline *s); /* the cursor's; NULL: the list is empty */
/* Lists the rows again after a change of the window, the folding or the kind of rows. The cursor stays on
 * its row if that is still listed. */
void tl_relist(struct timeline *s);
void tl_move_rows(struct timeline *s, long by);
void tl_move_columns(struct timeline *s, int by);
void tl_move_to_row(struct timeline *s, size_t row);
void tl_move_to(struct timeline *s, int64_t ns);
void tl_zoom(struct timeline *s, int by);
void tl_pan(struct timeline *s, int64_t columns);
void tl_zoom_here(struct timeline *s);
void tl_zoom_all(struct timeline *s);
/* Goes to a goroutine at a time, and lists its row if necessary. Returns false if it has no row. */
bool tl_jump(struct timeline *s, uint32_t goroutine, int64_t ns);
void tl_follow(struct tui *t, struct timeline *s);
void tl_follow_back(struct tui *t, struct timeline *s);
/* Moves by spans on a goroutine's row, on other rows by visible changes. */
void tl_next_span(struct timeline *s, int step);
void tl_kind(struct timeline *s, int step);
void tl_fold(struct tui *t, struct timeline *s);
/* Called when new details have arrived. */
void tl_moment(struct tui *t, struct timeline *s);
void tl_longest(struct tui *t, struct timeline *s);
void tl_go_to_wait(struct tui *t, struct timeline *s, size_t i);
bool tl_go(struct tui_view *v, const char *text);

/* ---- draw.c, panel.c ---- */

void tl_lay_out(struct tl_layout *l, struct tui_area area);
void tl_draw(struct timeline *s);
void tl_draw_panel(struct timeline *s, int row, int rows);
/* Writes the name of a row: "main.worker", "g17 main.worker", "P 3"; "" if row is NULL. */
void tl_lane_text(const struct rep_lane *row, char *text, size_t size);
/* Writes "g17 main.worker", or only the id if the goroutine has no row. */
void tl_goroutine_text(const struct timeline *s, uint32_t goroutine, struct rep_goid id, char *text,
		       size_t size);
/* Writes all details, one per line. Returns 0 or nonzero if memory is out. */
int tl_panel_text(const struct timeline *s, struct tp_buf *out);
/* Writes a moment as tui_exact_text() does. */
static inline char *tl_time_text(const struct timeline *s, char text[TUI_TIME_SIZE], int64_t ns)
{
	return tui_exact_text(s->view->select.run, ns, text);
}
/* Returns the number of rows on the screen. */
size_t tl_shown_rows(const struct timeline *s);
/* Returns the picture's cell under the cursor, or NULL. */
const struct rep_cell *tl_cell(const struct timeline *s);

/* ---- find.c ---- */

bool tl_search(struct tui_view *v, const char *text, int step);
void tl_highlight(struct tui *t, struct timeline *s, const char *text);
void tl_highlight_like(struct tui *t, struct timeline *s);
/* Called when the picture has changed. */
void tl_highlight_picture(struct timeline *s);
bool tl_lit(const struct timeline *s, size_t row, int col);
void tl_highlight_release(struct timeline *s);

/* ---- save.c ---- */

int tl_yank(struct tui_view *v, bool all, struct tp_buf *out);
int tl_save(struct tui_view *v, const char *path, const struct rep_sink *sink, struct tp_err *err);
bool tl_source(struct tui_view *v, char *file, size_t size, int64_t *line);

#endif
