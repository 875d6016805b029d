/* Tables of views, and the reports that fill them in the background; a view with several makes them one
 * at a time. Keys, clicks, search and saving work on the table under the cursor (tui_view_ops.table). */
#ifndef TUI_VIEW_ROWS_H
#define TUI_VIEW_ROWS_H

#include "tprof-tui/tui.h"
#include "tprof-tui/widget/table.h"

struct tui_rows {
	struct rep_cells cells;
	struct tui_table table; /* shows the first sheet of the cells */
	char *error;		/* message of the last report; NULL: it succeeded */
	bool done;		/* a report has finished or failed */
};

/* Several reports, each with its own table. They are made one at a time while the view is shown. */
struct tui_pieces {
	struct tui_rows *rows; /* by piece */
	int n;
	unsigned pending; /* a bit for each piece that is still to be made */
	int doing;	  /* the piece being made, or -1 */
	int first;	  /* the piece to make before all others */
	/* Asks the worker for a piece, with tui_fill_new() and tui_job_ask(). */
	void (*ask)(struct tui_view *v, int piece);
};

/* A report that is made in the background and fills a table. It is the first member of a struct that
 * the view declares; the other members are arguments of the report, and its results besides the table. */
struct tui_fill {
	struct tui_job job;
	struct tui_rows *rows;
	struct tui_pieces *pieces; /* NULL: the table is not a piece */
	int which;		   /* the piece */
	unsigned chart_width;	   /* width of charts in cells, 0: without charts */
	/* Makes the report, on the worker's thread. */
	int (*fill)(struct tui_fill *f, struct tp_store *store, struct rep_output *out,
		    struct tp_err *err);
	/* Called on the screen's thread when the report is done or has failed (f->job.code), before
	 * and after the table shows f->cells. NULL: nothing to do. */
	void (*taken)(struct tui_view *v, struct tui_fill *f);
	void (*shown)(struct tui_view *v, struct tui_fill *f);
	/* Called on the screen's thread instead of `taken`, `shown` and filling the table. It may take
	 * f->cells, which are freed otherwise. NULL: the cells are moved to `rows`, whose table
	 * shows them. */
	void (*instead)(struct tui_view *v, struct tui_fill *f);
	/* Releases what the view's struct owns. NULL: it owns nothing. */
	void (*release)(struct tui_fill *f);
	struct rep_cells cells; /* the result; filled by the output that `fill` writes to */
};

/* Allocates a struct of `size` bytes whose first member is a struct tui_fill: a copy of *how for
 * v->select. The bytes after it are zero. tui_job_ask(&f->job) starts the report; the table shows its
 * old rows until it is done. Returns NULL with a message if memory is out. */
void *tui_fill_new(struct tui_view *v, size_t size, const struct tui_fill *how);

void tui_pieces_init(struct tui_pieces *p, struct tui_rows *rows, int n,
		     void (*ask)(struct tui_view *v, int piece));
void tui_pieces_release(struct tui_pieces *p);
/* Asks again for those of `pieces` (bits) that failed, or that were never made because the user
 * interrupted the view. */
void tui_pieces_again(struct tui_view *v, struct tui_pieces *p, unsigned pieces);
/* Asks for these pieces (bits) besides the pending ones. The tables show their old rows until the new
 * ones are made. */
void tui_pieces_ask(struct tui_view *v, struct tui_pieces *p, unsigned pieces);
/* Fills a table at once, on the screen's thread: `fill` writes to `out`. Returns false with a
 * message. */
bool tui_rows_fill(struct tui_view *v, struct tui_rows *r,
		   int (*fill)(void *ctx, struct rep_output *out, struct tp_err *err), void *ctx);
void tui_rows_release(struct tui_rows *r);
/* For the ops of views whose state begins with a struct tui_rows. */
void tui_rows_close(struct tui_view *v);
struct tui_table *tui_rows_table(struct tui_view *v);
static inline struct rep_sheet *tui_rows_sheet(const struct tui_rows *r)
{
	return r->cells.n ? &r->cells.sheet[0] : NULL;
}

/* Draws the table, its error, or while it is still being made (`waiting`) a note that says so. If the
 * table has no rows, draws the text `empty` (NULL: the empty table). */
void tui_rows_draw(struct tui_rows *r, struct tui_area area, bool waiting, const char *empty);
/* Draws as many lines of a text as fit. Returns their number. */
int tui_draw_lines(struct tui_area a, const char *text, size_t size);
/* Draws a sentence, wrapped at blanks and indented from the second row on. If it does not fit, the last
 * row is shortened. Returns the rows taken. */
int tui_draw_sentence(struct tui_area a, enum tui_style style, const char *text, int indent);

/* ---- actions on the table under the cursor, unless the view has its own ---- */

struct tui_table *tui_table_of(struct tui_view *v); /* NULL: no table */
/* A double click on a row acts as Enter. */
void tui_rows_click(struct tui_view *v, struct tui_table *table, int row, int col, bool twice);
bool tui_search(struct tui_view *v, const char *text, int step);
void tui_filter(struct tui_view *v, const char *text);
int tui_yank(struct tui_view *v, bool all, struct tp_buf *out);
bool tui_save_view(struct tui_view *v, const char *path);
bool tui_source(struct tui_view *v, char *file, size_t size, int64_t *line);
/* Writes a table in the format that the ending of `path` selects: .csv, .json, .md or .txt; any
 * other ending means TSV. */
int tui_table_save(struct tui_table *table, const char *path, const struct rep_sink *sink,
		   struct tp_err *err);
/* Splits "/src/shop.go:12" into file and line. Returns false if it is not of that form. */
bool tui_split_place(const char *text, size_t n, char *file, size_t size, int64_t *line);

#endif
