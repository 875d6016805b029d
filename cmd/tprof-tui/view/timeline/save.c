/* Copies and saves: details and rows as text, cells as CSV, the picture as SVG. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/output.h"
#include "tprof-tui/view/timeline/timeline.h"

/* ---- yank ---- */

/* Returns the cell of a listed row in column i of the window; NULL if the picture lacks it. */
static const struct rep_cell *cell_at(const struct timeline *s, const struct rep_lane *lane, int i)
{
	const struct tl_picture *p = &s->picture;
	long row = tl_picture_row(p, lane);
	int col = tl_picture_col(p, tl_window_at(&s->window, i) + s->window.cell / 2);

	return row >= 0 && col >= 0 ? &p->cell[row * p->window.cols + col] : NULL;
}

static int put_row(const struct timeline *s, const struct rep_lane *lane, struct tp_buf *out)
{
	char name[700];
	int failed;

	tl_lane_text(lane, name, sizeof(name));
	failed = rep_escape(out, name, strlen(name), REP_ESCAPE_SHOWN) | tp_buf_put(out, "\t", 1);
	for (int i = 0; i < s->window.cols; i++) {
		const struct rep_cell *cell = cell_at(s, lane, i);
		struct tl_look look = cell ? tl_look_of(cell, s->picture.window.cell)
					   : (struct tl_look){" ", ' ', TUI_STYLE_NORMAL};

		failed |= tui_screen_ascii() ? tp_buf_put(out, &look.ascii, 1)
					     : tp_buf_put(out, look.glyph, strlen(look.glyph));
	}
	return failed | tp_buf_put(out, "\n", 1);
}

/* y copies the details with the stack; Y also copies the rows as shown. */
int tl_yank(struct tui_view *v, bool all, struct tp_buf *out)
{
	const struct timeline *s = v->state;
	int failed = 0;

	if (!s->ready)
		return 0;
	for (size_t i = 0; all && i < tl_shown_rows(s); i++)
		failed |= put_row(s, s->list.row[s->top + i], out);
	return failed | tl_panel_text(s, out);
}

/* ---- CSV: one line per cell ---- */

enum {
	COLUMN_ROW,
	COLUMN_ID,
	COLUMN_NAME,
	COLUMN_FROM,
	COLUMN_TO,
	COLUMN_RUNNING,
	COLUMN_RUNNABLE,
	COLUMN_SYSCALL,
	COLUMN_BLOCKED,
	COLUMN_LOST,
	COLUMN_IDLE,
	COLUMN_SPANS,
	COLUMN_REASON,
	NCOLUMNS
};
static const struct rep_column columns[NCOLUMNS] = {
    [COLUMN_ROW] = {.name = "row", .kind = REP_TEXT},
    [COLUMN_ID] = {.name = "id", .kind = REP_ID},
    [COLUMN_NAME] = {.name = "name", .kind = REP_TEXT},
    [COLUMN_FROM] = {.name = "from_ns", .kind = REP_NS},
    [COLUMN_TO] = {.name = "to_ns", .kind = REP_NS},
    [COLUMN_RUNNING] = {.name = "running_ns", .kind = REP_NS},
    [COLUMN_RUNNABLE] = {.name = "runnable_ns", .kind = REP_NS},
    [COLUMN_SYSCALL] = {.name = "syscall_ns", .kind = REP_NS},
    [COLUMN_BLOCKED] = {.name = "blocked_ns", .kind = REP_NS},
    [COLUMN_LOST] = {.name = "lost_ns", .kind = REP_NS},
    [COLUMN_IDLE] = {.name = "idle_ns", .kind = REP_NS},
    [COLUMN_SPANS] = {.name = "spans", .kind = REP_COUNT},
    [COLUMN_REASON] = {.name = "reason", .kind = REP_TEXT},
};

static int put_cell(const struct timeline *s, const struct rep_lane *lane, int i,
		    const struct rep_cell *cell, struct rep_output *out, struct tp_err *err)
{
	const struct tl_reason *reason = tl_picture_reason(&s->picture, cell->reason);
	char id[REP_GOID_SIZE];
	struct rep_value row[NCOLUMNS] = {
	    [COLUMN_ROW] = rep_str(rep_lane_kinds[lane->kind]),
	    [COLUMN_ID] = lane->kind == REP_LANE_GROUP ? rep_null()
			  : lane->kind == REP_LANE_GOROUTINE && lane->goid.life
			      ? rep_str(rep_goid_text(&lane->goid, id))
			      : rep_int(lane->id),
	    [COLUMN_NAME] = rep_text(lane->name, lane->name_size),
	    [COLUMN_FROM] = rep_int(tl_window_at(&s->window, i)),
	    [COLUMN_TO] = rep_int(tl_window_at(&s->window, i + 1)),
	    [COLUMN_SPANS] = rep_int(cell->spans),
	    [COLUMN_REASON] = reason ? rep_text(reason->text, reason->size) : rep_null(),
	};

	for (enum tl_show what = 0; what < TL_SHOW_NOTHING; what++)
		row[COLUMN_RUNNING + (int)what] = rep_int(tl_shown_ns(cell, what));
	return rep_output_row(out, row, err);
}

static int put_csv(const struct timeline *s, const struct rep_sink *sink, struct tp_err *err)
{
	const struct rep_output_options opt = {.format = REP_FORMAT_CSV, .sink = *sink};
	struct rep_output *out = NULL;
	int code = rep_output_new(&out, &opt, err);

	if (!code)
		code = rep_output_begin(out, "timeline", columns, NCOLUMNS, err);
	for (size_t row = 0; row < tl_shown_rows(s) && !code; row++) {
		const struct rep_lane *lane = s->list.row[s->top + row];

		for (int i = 0; i < s->window.cols && !code; i++) {
			const struct rep_cell *cell = cell_at(s, lane, i);

			if (cell && cell->spans)
				code = put_cell(s, lane, i, cell, out, err);
		}
	}
	if (!code)
		code = rep_output_end(out, err);
	if (!code)
		code = rep_output_finish(out, err);
	rep_output_free(out);
	return code;
}

/* ---- SVG ---- */

#define SVG_LABEL 220
#define SVG_CELL  6
#define SVG_ROW	  16

static const char *const colours[TL_NSHOWN] = {
    [TL_SHOW_RUNNING] = "#2ca02c", [TL_SHOW_RUNNABLE] = "#e6b800", [TL_SHOW_SYSCALL] = "#4a90d9",
    [TL_SHOW_BLOCKED] = "#e9b3ae", [TL_SHOW_LOST] = "#999999",	   [TL_SHOW_IDLE] = "#eeeeee",
    [TL_SHOW_NOTHING] = "none",
};

static int put(struct tp_buf *out, const char *text)
{
	return tp_buf_put(out, text, strlen(text));
}

static int put_text(struct tp_buf *out, int x, int y, const char *text, size_t size)
{
	char head[100];

	snprintf(head, sizeof(head), "<text x=\"%d\" y=\"%d\">", x, y);
	return put(out, head) | rep_escape(out, text, size, REP_ESCAPE_XML) | put(out, "</text>\n");
}

/* Writes the cells of a row. Adjacent cells of the same colour become one rectangle. */
static int put_cells(const struct timeline *s, const struct rep_lane *lane, int y,
		     struct tp_buf *out)
{
	int begin = 0, failed = 0;
	enum tl_show last = TL_SHOW_NOTHING;
	char text[200];

	for (int i = 0; i <= s->window.cols; i++) {
		const struct rep_cell *cell = i < s->window.cols ? cell_at(s, lane, i) : NULL;
		enum tl_show what = cell ? tl_show_of(cell) : TL_SHOW_NOTHING;

		if (what == last && i < s->window.cols)
			continue;
		if (last != TL_SHOW_NOTHING) {
			snprintf(text, sizeof(text),
				 "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\">"
				 "<title>%s</title></rect>\n",
				 SVG_LABEL + begin * SVG_CELL, y, (i - begin) * SVG_CELL,
				 SVG_ROW - 2, colours[last], tl_shown[last]);
			failed |= put(out, text);
		}
		begin = i;
		last = what;
	}
	return failed;
}

static int put_svg(const struct timeline *s, const struct rep_sink *sink, struct tp_err *err)
{
	size_t n = tl_shown_rows(s);
	int width = SVG_LABEL + s->window.cols * SVG_CELL, y = 2 * SVG_ROW, failed;
	struct tp_buf out = {0};
	char text[400], from[TUI_TIME_SIZE], to[TUI_TIME_SIZE];
	int code;

	snprintf(text, sizeof(text),
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		 "font-family=\"sans-serif\" font-size=\"11\">\n"
		 "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
		 width, (int)(n + 3) * SVG_ROW);
	failed = put(&out, text);
	snprintf(text, sizeof(text), "%s, from %s to %s", tl_kinds[s->list.kind],
		 tl_time_text(s, from, s->window.from),
		 tl_time_text(s, to, tl_window_to(&s->window)));
	failed |= put_text(&out, 4, SVG_ROW, text, strlen(text));
	for (size_t i = 0; i < n; i++, y += SVG_ROW) {
		const struct rep_lane *lane = s->list.row[s->top + i];
		char name[700];

		tl_lane_text(lane, name, sizeof(name));
		failed |=
		    put_text(&out, 4, y + SVG_ROW - 5, name, strlen(name) < 34 ? strlen(name) : 34);
		failed |= put_cells(s, lane, y, &out);
	}
	failed |= put(&out, "</svg>\n");
	code = failed ? tp_nomem(err) : sink->write(sink->ctx, out.data, out.size, err);
	tp_buf_release(&out);
	return code;
}

int tl_save(struct tui_view *v, const char *path, const struct rep_sink *sink, struct tp_err *err)
{
	struct timeline *s = v->state;
	const char *dot = strrchr(path, '.');

	if (!s->ready || !s->picture.window.cols)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE, "there is nothing to save yet");
	return dot && !strcmp(dot, ".svg") ? put_svg(s, sink, err) : put_csv(s, sink, err);
}

/* ---- $EDITOR ---- */

bool tl_source(struct tui_view *v, char *file, size_t size, int64_t *line)
{
	const struct timeline *s = v->state;
	const struct rep_lane *row = tl_row(s);
	const struct tl_frame *f = NULL;

	if (!row || !tl_detail_holds(&s->detail, row, s->ns) || !s->detail.there)
		return false;
	f = tl_stack_site(&s->detail.stack);
	if (!f)
		f = tl_stack_site(&s->detail.waker_stack);
	if (!f || !*f->file || strlen(f->file) >= size)
		return false;
	memcpy(file, f->file, strlen(f->file) + 1);
	*line = f->line;
	return true;
}
