/* The heat map: one row for each P (or for several Ps, if not all fit) or for each of the busiest
 * groups of goroutines. Two rows above them show mark phases and stop-the-world pauses, if there is a
 * collector. A denser glyph means a larger share of the time. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "chart/scale.h"
#include "mmu/utilisation.h"
#include "output/ops.h"
#include "tprof-tui/view/overview/inside.h"

int ov_bands(const struct overview *o)
{
	const struct rep_run *run = o->view->select.run; /* NULL: the store has none */

	return run && rep_gc_has_none(&run->row) ? 0 : 2;
}

static const struct rep_time *time_of(const struct overview *o, enum ov_piece piece)
{
	return &o->result[piece].time;
}

static bool of_groups(const struct overview *o)
{
	return o->heat.kind == OV_OF_GROUPS;
}

/* Returns the number of Ps or groups. */
static int things(const struct overview *o)
{
	return of_groups(o) ? (int)time_of(o, OV_GROUPS)->ngroups
			    : (int)time_of(o, OV_PICTURE)->nprocs;
}

/* Returns how many Ps share a row, given the number of rows. */
static int per_row(const struct overview *o, int rows)
{
	int n = things(o);

	return of_groups(o) || rows < 1 || n <= rows ? 1 : (n + rows - 1) / rows;
}

static int label_width(const struct overview *o, int cols)
{
	return of_groups(o) ? (cols > 120 ? 40 : cols > 60 ? 24 : 12) : 8;
}

static void row_name(const struct overview *o, int row, int each, char text[64])
{
	const struct rep_time *t = time_of(o, OV_PICTURE);
	size_t first = (size_t)(row - ov_bands(o)) * (size_t)each, last = first + (size_t)each - 1;

	if (row < ov_bands(o)) {
		snprintf(text, 64, "%s", row ? "STW" : "GC mark");
		return;
	}
	/* The Ps may not be loaded yet, and a damaged store has no Ps. */
	if (first >= t->nprocs) {
		snprintf(text, 64, "P ?");
		return;
	}
	if (last >= t->nprocs)
		last = t->nprocs - 1;
	if (first == last)
		snprintf(text, 64, "P %" PRId64, t->proc_id[first]);
	else
		snprintf(text, 64, "P %" PRId64 "-%" PRId64, t->proc_id[first], t->proc_id[last]);
}

/* ---- values of cells ---- */

/* Returns the mean over n series of their share of the column's time. */
static double mean(const struct rep_bins *b, const struct rep_binned *s, size_t n, int col,
		   int cols)
{
	size_t from = b->n * (size_t)col / (size_t)cols,
	       to = b->n * ((size_t)col + 1) / (size_t)cols;

	if (to <= from)
		to = from + 1;
	if (to > b->n || !n || !s->ns)
		return NAN;
	return fmin(rep_binned_means(b, s, n, from, to) / (double)n, 1);
}

/* Returns the mean of the bin at the column's middle, since bins of groups may be as long as segments. */
static double mean_at(const struct overview *o, const struct rep_bins *b,
		      const struct rep_binned *s, int col, int cols)
{
	int64_t from, to;

	if (!b->n || !s->ns)
		return NAN;
	ov_column(o, col, cols, &from, &to);
	return rep_binned_mean(b, s, rep_bin_of(b, from + (to - from) / 2));
}

/* Returns the share of a cell; NaN if it is unknown. */
static double share(const struct overview *o, int row, int each, int col, int cols)
{
	const struct rep_time *t = time_of(o, OV_PICTURE), *gc = time_of(o, OV_GC);
	size_t first, n;
	double sum;

	if (row < ov_bands(o))
		return mean(&gc->fine, row ? &gc->stw : &gc->mark, 1, col, cols);
	first = (size_t)(row - ov_bands(o)) * (size_t)each;
	if (of_groups(o)) {
		n = t->nprocs ? t->nprocs : 1;
		t = time_of(o, OV_GROUPS);
		if (first >= t->ngroups)
			return NAN;
		sum = mean_at(o, &t->bins, &t->group[first].series[REP_TIME_RUNNING], col, cols);
		return fmin(sum / (double)n, 1);
	}
	if (first >= t->nprocs)
		return NAN;
	n = t->nprocs - first < (size_t)each ? t->nprocs - first : (size_t)each;
	return mean(&t->fine, &t->proc[first], n, col, cols);
}

void ov_column(const struct overview *o, int col, int cols, int64_t *from, int64_t *to)
{
	const struct rep_bins *b = &time_of(o, OV_PICTURE)->fine;
	size_t first, last;

	*from = *to = 0;
	if (!b->n || cols < 1)
		return;
	first = b->n * (size_t)col / (size_t)cols;
	last = b->n * ((size_t)col + 1) / (size_t)cols;
	if (first >= b->n)
		first = b->n - 1;
	if (last <= first)
		last = first + 1;
	if (last > b->n)
		last = b->n;
	*from = b->edge[first];
	*to = b->edge[last];
}

/* ---- drawing ---- */

/* Returns the level of a share. Every share above 0 gets a visible glyph. */
static int shade(double share)
{
	return !(share > 0) ? 0 : share >= 0.875 ? 4 : 1 + (int)(share * 4 * 0.857);
}

static void draw_cell(int row, int col, enum tui_style style, double share)
{
	static const char *const glyphs[] = {" ", "░", "▒", "▓", "█"};
	static const char ascii[] = " .:*#";
	int s = shade(share);

	if (isnan(share))
		tui_glyph(row, col, style == TUI_STYLE_CURSOR ? style : TUI_STYLE_DIM, "·", '\'');
	else
		tui_glyph(row, col, style, glyphs[s], ascii[s]);
}

static enum tui_style style_of(const struct overview *o, int row)
{
	return row >= ov_bands(o) ? TUI_STYLE_RUNNING : row ? TUI_STYLE_BLOCKED : TUI_STYLE_GC;
}

static void draw_axis(const struct overview *o, struct tui_area a, int left)
{
	const struct rep_bins *b = &time_of(o, OV_PICTURE)->fine;
	struct rep_chart_axis axis = {.kind = o->view->select.run->row.ticks ? REP_COUNT : REP_NS};
	int cols = a.cols - left, end = -1;
	struct rep_scale s;

	if (!b->n)
		return;
	rep_scale_init(&s, &axis, (double)b->edge[0], (double)b->edge[b->n],
		       (unsigned)(cols / 16 + 2), false);
	for (size_t i = 0; i < s.nticks; i++) {
		int width = (int)strlen(s.ticks[i].text);
		int at = (int)lround(rep_scale_at(&s, s.ticks[i].value) * (cols - 1));
		int col = at - width / 2;

		col = col < 0 ? 0 : col + width > cols ? cols - width : col;
		if (col <= end)
			continue;
		tui_say(a.row, a.col + left + col, width, TUI_STYLE_DIM, s.ticks[i].text);
		end = col + width;
	}
}

/* Writes the details of the cell under the cursor: "P 3, 1.2s to 1.25s: 87% busy". */
static void describe(const struct overview *o, int each, int cols, char *text, size_t size)
{
	const struct ov_heat *h = &o->heat;
	bool group = of_groups(o) && h->row >= ov_bands(o);
	const struct rep_bins *bins = &time_of(o, OV_GROUPS)->bins;
	const struct rep_value v = rep_float(share(o, h->row, each, h->col, cols));
	char from[TUI_TIME_SIZE], to[TUI_TIME_SIZE], name[64];
	const struct rep_run *run = o->view->select.run;
	char busy[40] = "?";
	int64_t start, end;

	ov_column(o, h->col, cols, &start, &end);
	/* In a long run, bins of groups are longer than columns. */
	if (group && bins->n) {
		size_t bin = rep_bin_of(bins, start + (end - start) / 2);

		start = bins->edge[bin];
		end = bins->edge[bin + 1];
	}
	row_name(o, h->row, each, name);
	if (!isnan(v.f))
		rep_value_shown(&v, REP_SHARE, busy, sizeof(busy));
	snprintf(text, size, "%s%s%s%s to %s: %s%s %s",
		 h->mark_ns != INT64_MIN ? "range begun; " : "", group ? "" : name,
		 group ? "" : ", ", tui_moment_text(run, start, from),
		 tui_moment_text(run, end, to), group ? "runs on " : "", busy,
		 group			 ? "of all Ps"
		 : h->row >= ov_bands(o) ? "busy"
		 : h->row		 ? "stopped"
					 : "marking");
}

static void height(const struct overview *o, const struct ov_section *s, int cols, int *least,
		   int *most)
{
	int n = things(o);

	(void)s;
	(void)cols;
	/* Title, bands, rows, axis. */
	*least = 2 + ov_bands(o) + (n > 8 ? 8 : n < 1 ? 1 : n);
	*most = 2 + ov_bands(o) + (n < 1 ? 1 : n);
}

static void draw_row(struct overview *o, struct tui_area a, int row, int line, int each, int left,
		     bool here)
{
	struct ov_heat *h = &o->heat;
	int cols = a.cols - left;
	char name[64];

	if (of_groups(o) && row >= ov_bands(o)) {
		const char *full = o->result[OV_GROUPS].name[row - ov_bands(o)];

		tui_put(line, a.col, left - 1, TUI_STYLE_DIM, REP_SHORTEN_FUNCTION, full,
			strlen(full));
	} else {
		row_name(o, row, each, name);
		tui_say(line, a.col, left - 1, TUI_STYLE_DIM, name);
	}
	for (int c = 0; c < cols; c++) {
		bool cursor = here && row == h->row && c == h->col, chosen = false;
		int64_t from;

		if (here && h->mark_ns != INT64_MIN && row >= ov_bands(o)) {
			int64_t cursor_from, end;

			ov_column(o, h->col, cols, &cursor_from, &end);
			ov_column(o, c, cols, &from, &end);
			chosen = h->mark_ns < cursor_from
				     ? from >= h->mark_ns && from <= cursor_from
				     : from >= cursor_from && from <= h->mark_ns;
		}
		draw_cell(line, a.col + left + c,
			  cursor || chosen ? TUI_STYLE_CURSOR : style_of(o, row),
			  share(o, row, each, c, cols));
	}
}

static void draw(struct overview *o, struct ov_section *s, struct tui_area a, bool here)
{
	struct ov_heat *h = &o->heat;
	int left = label_width(o, a.cols), cols = a.cols - left, fit = a.rows - 2 - ov_bands(o),
	    each, n;
	char text[200] = "";

	(void)s;
	if (cols < 4 || a.rows < 2)
		return;
	if (o->bins != cols) {
		o->bins = cols;
		tui_pieces_ask(o->view, &o->pieces,
			       1u << OV_PICTURE | 1u << OV_GC |
				   (of_groups(o) ? 1u << OV_GROUPS : 0));
	}
	each = per_row(o, fit);
	n = (things(o) + each - 1) / each;
	h->rows = ov_bands(o) + n;
	h->cols = cols;
	if (h->col >= cols)
		h->col = cols - 1;
	if (n && h->row >= h->rows)
		h->row = h->rows - 1;
	if (time_of(o, OV_PICTURE)->fine.n && here)
		describe(o, each, cols, text, sizeof(text));
	ov_title(&a, of_groups(o) ? "where groups of goroutines run" : "how busy the Ps are", here,
		 text);
	if (o->piece[OV_PICTURE].error) {
		tui_say(a.row + 1, a.col, a.cols, TUI_STYLE_ERROR, o->piece[OV_PICTURE].error);
		return;
	}
	/* Scroll to the cursor's row. Only groups may need more rows than fit, since Ps share rows. */
	if (h->row - ov_bands(o) < h->top)
		h->top = h->row < ov_bands(o) ? 0 : h->row - ov_bands(o);
	if (fit > 0 && h->row - ov_bands(o) >= h->top + fit)
		h->top = h->row - ov_bands(o) - fit + 1;
	for (int i = 0; i < ov_bands(o) + fit && i < a.rows - 1; i++) {
		int row = i < ov_bands(o) ? i : i + h->top;

		if (row < h->rows)
			draw_row(o, a, row, a.row + 1 + i, each, left, here);
	}
	if (!n && !of_groups(o) && o->piece[OV_PICTURE].done)
		tui_say(a.row + 1 + ov_bands(o), a.col, a.cols, TUI_STYLE_DIM,
			"the trace has no data on its Ps");
	else if (!n)
		tui_say(a.row + 1 + ov_bands(o), a.col, a.cols, TUI_STYLE_DIM,
			"reading the spans...");
	if (a.rows > 1 + ov_bands(o) + 1) {
		int used = ov_bands(o) + (n < fit ? n : fit);

		a.row += 1 + (used > ov_bands(o) + 1 ? used : ov_bands(o) + 1);
		draw_axis(o, a, left);
	}
}

/* ---- keys ---- */

static void choose_range(struct tui_view *v)
{
	struct overview *o = v->state;
	struct ov_heat *h = &o->heat;
	struct tui *t = v->tui;
	int64_t from, to;

	ov_column(o, h->col, h->cols, &from, &to);
	if (h->mark_ns == INT64_MIN) {
		h->mark_ns = from;
		tui_message(t, "a time range begins at the cursor; v ends it, Esc cancels it");
		return;
	}
	if (from < h->mark_ns) {
		int64_t first, last = to;

		/* The range includes the column in which it began, which is searched for because the
		 * columns may have changed since. */
		for (int c = 0; c < h->cols; c++) {
			ov_column(o, c, h->cols, &first, &last);
			if (last > h->mark_ns)
				break;
		}
		to = last;
	} else {
		from = h->mark_ns;
	}
	h->mark_ns = INT64_MIN;
	t->select.from_ns = from;
	t->select.to_ns = to;
	tui_open(t, v->ops, NULL);
}

static void turn(struct overview *o)
{
	o->heat.kind = of_groups(o) ? OV_OF_PROCS : OV_OF_GROUPS;
	o->heat.top = 0;
	o->heat.row = ov_bands(o);
	o->heat.rows = ov_bands(o); /* until it is drawn; keys may come earlier */
	o->bins = 0;		    /* make the picture again: the width of labels changed */
}

static bool act(struct tui_view *v, struct ov_section *s, enum tui_action action)
{
	struct overview *o = v->state;
	struct ov_heat *h = &o->heat;
	int64_t from, to;

	(void)s;
	switch (action) {
	case TUI_DO_UP:
		if (!h->row)
			return false;
		h->row--;
		return true;
	case TUI_DO_DOWN:
		if (h->row + 1 >= h->rows)
			return false;
		h->row++;
		return true;
	case TUI_DO_LEFT:
		h->col -= h->col > 0;
		return true;
	case TUI_DO_RIGHT:
		h->col += h->col + 1 < h->cols;
		return true;
	case TUI_DO_PAN_LEFT:
		h->col -= h->cols / 2 < h->col ? h->cols / 2 : h->col;
		return true;
	case TUI_DO_PAN_RIGHT:
		h->col += h->col + h->cols / 2 < h->cols ? h->cols / 2
			  : h->cols			 ? h->cols - 1 - h->col
							 : 0;
		return true;
	case TUI_DO_FIRST:
		h->col = 0;
		return true;
	case TUI_DO_LAST:
		h->col = h->cols ? h->cols - 1 : 0;
		return true;
	case TUI_DO_KIND:
		turn(o);
		return true;
	case TUI_DO_RANGE:
		choose_range(v);
		return true;
	case TUI_DO_BACK:
		if (h->mark_ns == INT64_MIN)
			return false;
		h->mark_ns = INT64_MIN;
		return true;
	case TUI_DO_ENTER:
	case TUI_DO_TIMELINE:
		ov_column(o, h->col, h->cols, &from, &to);
		ov_open_at(v, "timeline",
			   action != TUI_DO_ENTER || of_groups(o) || h->row < ov_bands(o) ? NULL
											  : "Ps",
			   from + (to - from) / 2);
		return true;
	default:
		return false;
	}
}

static void click(struct tui_view *v, struct ov_section *s, int row, int col)
{
	struct overview *o = v->state;
	struct ov_heat *h = &o->heat;
	int left = label_width(o, s->area.cols), at = row - s->area.row - 1;

	at = at < ov_bands(o) ? at : at + h->top;
	if (at >= 0 && at < h->rows)
		h->row = at;
	if (col - s->area.col >= left)
		h->col = col - s->area.col - left;
}

/* Writes row, time and share of the cell under the cursor, or of all cells. */
static int yank(struct overview *o, struct ov_section *s, bool all, struct tp_buf *buf)
{
	static const struct rep_column columns[] = {{.name = "row", .kind = REP_TEXT},
						    {.name = "from_ns", .kind = REP_NS},
						    {.name = "to_ns", .kind = REP_NS},
						    {.name = "share", .kind = REP_SHARE}};
	const struct rep_output_options opt = {.format = REP_FORMAT_TSV, .sink = rep_sink_buf(buf)};
	struct ov_heat *h = &o->heat;
	int each = per_row(o, s->area.rows - 2 - ov_bands(o));
	struct rep_output *out = NULL;
	struct tp_err err;
	int code = rep_output_new(&out, &opt, &err);

	if (!code)
		code = rep_output_begin(out, "heat", columns, 4, &err);
	for (int i = 0; i < h->rows * h->cols && !code; i++) {
		int row = i / h->cols, col = i % h->cols;
		double part = share(o, row, each, col, h->cols);
		int64_t from, to;
		char name[64];

		if (!all && (row != h->row || col != h->col))
			continue;
		ov_column(o, col, h->cols, &from, &to);
		row_name(o, row, each, name);
		code = rep_output_row(
		    out,
		    (struct rep_value[]){of_groups(o) && row >= ov_bands(o)
					     ? rep_str(o->result[OV_GROUPS].name[row - ov_bands(o)])
					     : rep_str(name),
					 rep_int(from), rep_int(to),
					 isnan(part) ? rep_null() : rep_float(part)},
		    &err);
	}
	if (!code)
		code = rep_output_end(out, &err);
	if (!code)
		code = rep_output_finish(out, &err);
	rep_output_free(out);
	return code;
}

const struct ov_section_ops ov_heat = {
    .height = height, .draw = draw, .act = act, .click = click, .yank = yank};
