/* The overview: a page of sections, each filled by a piece of work of its own, so that the first
 * numbers are there at once; private to view/overview.
 *
 * Numbers are cells of the tables that tprof-top prints, pictures come of libreport/time, whose
 * sums are those of the tables. */
#ifndef TUI_OVERVIEW_INSIDE_H
#define TUI_OVERVIEW_INSIDE_H

#include "time/time.h"
#include "tprof-tui/view/rows.h"

/* In the order in which they are made. */
enum ov_piece {
	OV_PICTURE, /* Ps, goroutines and the heap over time */
	OV_PROCS,
	OV_SCHED,
	OV_BLOCK,
	OV_READY, /* the longest waits for a P, one by one */
	OV_WAITS, /* the longest waits for something */
	OV_STOPS,
	OV_GC,
	OV_HEAP,
	OV_MMU,
	OV_LOSSES,
	OV_GROUPS, /* over time: where asked for */
	/* of profiles */
	OV_TYPES,
	OV_FUNCTIONS,
	OV_LABELS,
	OV_NPIECES
};

/* What a piece has brought beside its table; one of them each. */
struct ov_result {
	size_t bins;	      /* asked for */
	struct rep_time time; /* OV_PICTURE, OV_GROUPS, OV_GC */
	struct rep_time_curve heap, goal;
	struct ov_names *names;	    /* of groups */
	int64_t events, goroutines; /* in the time range */
};

/* Names of what has rows in the heat map, copied. */
struct ov_names {
	size_t n;
	char *name[REP_TIME_GROUPS];
};

enum ov_kind { OV_OF_PROCS, OV_OF_GROUPS };

struct ov_heat {
	enum ov_kind kind;
	int row, col;	 /* of the cursor; the first rows are the collector's */
	int top;	 /* first row of Ps that is shown */
	int rows, cols;	 /* as drawn last */
	int64_t mark_ns; /* where a time range begins that is being chosen; INT64_MIN: none is */
};

struct overview;
struct ov_section;

struct ov_section_ops {
	/* Rows with the title: the least that makes sense, and the most that can be used. */
	void (*height)(const struct overview *o, const struct ov_section *s, int cols, int *least,
		       int *most);
	void (*draw)(struct overview *o, struct ov_section *s, struct tui_area a, bool here);
	/* True: it was for it. Moving beyond its ends is not. */
	bool (*act)(struct tui_view *v, struct ov_section *s, enum tui_action action);
	void (*click)(struct tui_view *v, struct ov_section *s, int row, int col);
	int (*yank)(struct overview *o, struct ov_section *s, bool all, struct tp_buf *out);
};

struct ov_section {
	const struct ov_section_ops *ops;
	const char *title;
	int which;	      /* piece, or number of the chart */
	int band;	      /* sections of a band stand side by side */
	int at;		      /* line within it that the cursor is on, where it has no table */
	struct tui_area area; /* as drawn last; rows 0: it is not on the screen */
};

#define OV_SECTIONS 16

struct overview {
	struct tui_view *view;
	bool profile;
	struct tui_rows piece[OV_NPIECES];
	struct ov_result result[OV_NPIECES];
	struct tui_pieces pieces;
	int bins; /* of the picture that was asked for last */
	struct ov_heat heat;
	struct ov_section section[OV_SECTIONS];
	int nsections, here, top; /* top: the first band on the screen */
	int wide;		  /* how the sections are laid out: 0 not yet, 1 narrow, 2 wide */
};

/* ---- pieces (load.c) ---- */

/* Asks for one of the pieces. */
void ov_ask(struct tui_view *v, int piece);
void ov_result_release(struct ov_result *r);
static inline struct rep_sheet *ov_sheet(const struct overview *o, enum ov_piece piece)
{
	return tui_rows_sheet(&o->piece[piece]);
}
/* A cell of the first sheet of a piece, NULL where it is not there (yet). */
static inline const struct rep_value *ov_cell(const struct overview *o, enum ov_piece piece,
					      size_t row, const char *column)
{
	return rep_sheet_cell(ov_sheet(o, piece), (long)row, column);
}

/* ---- profile.c: work of pieces, on the worker's thread ---- */

int ov_profile_types(struct rep_output *out, struct tp_store *store,
		     const struct tui_select *select, struct tp_err *err);
int ov_profile_functions(struct rep_output *out, struct tp_store *store,
			 const struct tui_select *select, struct tp_err *err);

/* ---- sections ---- */

extern const struct ov_section_ops ov_facts, ov_heat, ov_chart, ov_table;

/* Opens a view on a copy of the selection, beginning at a moment (INT64_MIN: none). */
void ov_open_at(const struct tui_view *v, const char *view, const char *arg, int64_t at_ns);
/* The heading of a section: title, and what is said on its right. */
void ov_title(const struct tui_area *a, const char *title, bool here, const char *right);
/* The place on the time axis of a picture of so many columns: [*from, *to). */
void ov_column(const struct overview *o, int col, int cols, int64_t *from, int64_t *to);
/* Writes a chart as SVG. */
int ov_chart_save(const struct overview *o, const struct ov_section *s, const struct rep_sink *sink,
		  struct tp_err *err);

#endif
