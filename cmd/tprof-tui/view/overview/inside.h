/* The overview: a page of sections, each filled by a job of its own, so that the first numbers
 * appear at once; private to view/overview.
 *
 * Numbers are cells of the tables that tprof-top prints. Pictures are made by libreport/time,
 * whose sums are those of the tables. */
#ifndef TUI_OVERVIEW_INSIDE_H
#define TUI_OVERVIEW_INSIDE_H

#include "time/time.h"
#include "tprof-tui/view/rows.h"

/* The pieces, in the order in which they are made. */
enum ov_piece {
	OV_PICTURE, /* Ps, goroutines and the heap over time */
	OV_PROCS,
	OV_SCHED,
	OV_BLOCK,
	OV_READY, /* the longest individual waits for a P */
	OV_WAITS, /* the longest individual waits */
	OV_STOPS,
	OV_GC,
	OV_HEAP,
	OV_MMU,
	OV_LOSSES,
	OV_GROUPS, /* over time; made when asked for */
	/* of profiles */
	OV_TYPES,
	OV_FUNCTIONS,
	OV_LABELS,
	OV_NPIECES
};

/* The results of a piece besides its table. */
struct ov_result {
	size_t bins;	      /* requested number of bins */
	struct rep_time time; /* OV_PICTURE, OV_GROUPS, OV_GC */
	struct rep_time_curve heap, goal;
	char *name[REP_TIME_GROUPS]; /* of groups in the heat map, copied */
	int64_t events, goroutines;  /* in the time range */
};

enum ov_kind { OV_OF_PROCS, OV_OF_GROUPS };

struct ov_heat {
	enum ov_kind kind;
	int row, col;	 /* position of the cursor; the first rows are the collector's */
	int top;	 /* the first row of groups that is shown */
	int rows, cols;	 /* as drawn last */
	int64_t mark_ns; /* start of a time range that is being selected; INT64_MIN: none */
};

struct overview;
struct ov_section;

struct ov_section_ops {
	/* Sets the rows that it needs and the rows that it can use, both with the title. */
	void (*height)(const struct overview *o, const struct ov_section *s, int cols, int *least,
		       int *most);
	void (*draw)(struct overview *o, struct ov_section *s, struct tui_area a, bool here);
	/* Returns true if the section handled the action. Moves beyond its ends are not handled. */
	bool (*act)(struct tui_view *v, struct ov_section *s, enum tui_action action);
	void (*click)(struct tui_view *v, struct ov_section *s, int row, int col);
	int (*yank)(struct overview *o, struct ov_section *s, bool all, struct tp_buf *out);
};

struct ov_section {
	const struct ov_section_ops *ops;
	const char *title;
	int which;	      /* the piece, or the number of the chart */
	int band;	      /* sections of the same band are shown side by side */
	int at;		      /* the cursor, if it has no table */
	struct tui_area area; /* at the last drawing; rows 0: not on the screen */
};

#define OV_SECTIONS 16

struct overview {
	struct tui_view *view;
	bool profile;
	struct tui_rows piece[OV_NPIECES];
	struct ov_result result[OV_NPIECES];
	struct tui_pieces pieces;
	int bins; /* bins of the last picture requested */
	struct ov_heat heat;
	struct ov_section section[OV_SECTIONS];
	int nsections, here, top; /* top: the first band on the screen */
	int wide;		  /* layout of the sections: 0 not laid out yet, 1 narrow, 2 wide */
};

/* ---- pieces (load.c) ---- */

/* Asks the worker for a piece. */
void ov_ask(struct tui_view *v, int piece);
void ov_result_release(struct ov_result *r);
static inline struct rep_sheet *ov_sheet(const struct overview *o, enum ov_piece piece)
{
	return tui_rows_sheet(&o->piece[piece]);
}
/* Returns a cell of the first sheet of a piece; NULL if the cell does not exist (yet). */
static inline const struct rep_value *ov_cell(const struct overview *o, enum ov_piece piece,
					      size_t row, const char *column)
{
	return rep_sheet_cell(ov_sheet(o, piece), (long)row, column);
}

/* ---- profile.c: make pieces, on the worker's thread ---- */

int ov_profile_types(struct rep_output *out, struct tp_store *store,
		     const struct tui_select *select, struct tp_err *err);
int ov_profile_functions(struct rep_output *out, struct tp_store *store,
			 const struct tui_select *select, struct tp_err *err);

/* ---- bands.c ---- */

struct ov_band {
	int least, most; /* rows that it needs, and rows that it can use */
	int rows;	 /* result: the rows that it gets; 0: it is not shown */
};

/* Gives the bands from `top` on the rows that they need, and distributes the remaining rows evenly to
 * bands that can use them. */
void ov_bands_fit(struct ov_band *band, int n, int top, int rows);
/* Returns the first band to show: the one nearest to `top` with which the band `here` gets the rows that
 * it needs, or is the first. A page that is long enough fills the screen to its end. */
int ov_bands_top(struct ov_band *band, int n, int top, int here, int rows);
/* Returns the first band to show after scrolling down or up by a screen. */
int ov_bands_turn(struct ov_band *band, int n, int top, int rows, int down);

/* ---- sections ---- */

extern const struct ov_section_ops ov_facts, ov_heat, ov_chart, ov_table;

/* Opens a view on the selection, with its cursor at a moment (INT64_MIN: not set). */
void ov_open_at(const struct tui_view *v, const char *view, const char *arg, int64_t at_ns);
/* Draws the heading of a section: its title, and a text on the right. */
void ov_title(const struct tui_area *a, const char *title, bool here, const char *right);
/* Returns the number of rows above the Ps: mark phases and pauses, if the program has a collector. */
int ov_bands(const struct overview *o);
/* Sets [*from, *to) to the time of a column in a picture of `cols` columns. */
void ov_column(const struct overview *o, int col, int cols, int64_t *from, int64_t *to);
/* Writes a chart as SVG. */
int ov_chart_save(const struct overview *o, const struct ov_section *s, const struct rep_sink *sink,
		  struct tp_err *err);

#endif
