/* Draws the timeline: axis, bands, rows, legend. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "chart/scale.h"
#include "mmu/utilisation.h"
#include "tprof-tui/view/timeline/timeline.h"

/* ---- layout ---- */

static int between(int value, int least, int most)
{
	return value < least ? least : value > most ? most : value;
}

void tl_lay_out(struct tl_layout *l, struct tui_area area)
{
	int rows = area.rows;

	*l = (struct tl_layout){.area = area};
	l->label = between(area.cols * 3 / 10, 12, 44);
	l->cols = area.cols - l->label > 0 ? area.cols - l->label : 1;
	l->axis = rows >= 3;
	l->band = rows >= 9;
	l->notes = rows >= 16;
	l->legend = rows >= 12;
	l->panel = rows >= 12 ? between(rows * 2 / 5, 4, 24) : rows >= 4 ? 1 : 0;
	l->chart = rows - l->axis - l->band - l->notes - l->legend - l->panel;
	if (l->chart < 1)
		l->chart = 1;
}

/* ---- names ---- */

static const char *const prefix[REP_NLANE_KINDS] = {[REP_LANE_GOROUTINE] = "g",
						    [REP_LANE_PROC] = "P ",
						    [REP_LANE_THREAD] = "M ",
						    [REP_LANE_TASK] = "#"};

static bool is_member(const struct timeline *s, const struct rep_lane *row)
{
	const struct tl_roster *r = &s->roster;
	size_t group =
	    row->kind == REP_LANE_GOROUTINE ? tl_roster_group_of(r, row->index) : r->ngroups;

	return group < r->ngroups && r->first[group + 1] - r->first[group] > 1;
}

void tl_lane_text(const struct rep_lane *row, char *text, size_t size)
{
	int n = row->name_size < 300 ? (int)row->name_size : 300;
	struct rep_goid id = {row->id, 0};
	char number[REP_GOID_SIZE];

	if (row->kind == REP_LANE_GOROUTINE)
		id = row->goid;
	*text = '\0';
	if (row->kind == REP_LANE_GROUP)
		snprintf(text, size, "%.*s", n ? n : 9, n ? row->name : "(unknown)");
	else if (row->kind < REP_NLANE_KINDS)
		snprintf(text, size, "%s%s%s%.*s", prefix[row->kind], rep_goid_text(&id, number),
			 n ? " " : "", n, row->name);
}

void tl_goroutine_text(const struct timeline *s, uint32_t goroutine, struct rep_goid id, char *text,
		       size_t size)
{
	const struct rep_lane *lane = tl_roster_goroutine(&s->roster, goroutine);
	char number[REP_GOID_SIZE];

	if (lane)
		tl_lane_text(lane, text, size);
	else if (rep_goid_is(&id))
		snprintf(text, size, "g%s", rep_goid_text(&id, number));
	else
		snprintf(text, size, "another goroutine");
}

/* Draws the name of a row: "▸ main.worker       12", "  g17", "g1 main.main", "P 0". */
static void draw_label(const struct timeline *s, size_t at, int row)
{
	const struct tl_layout *l = &s->layout;
	const struct rep_lane *lane = s->list.row[at];
	enum tui_style style = at == s->row ? TUI_STYLE_CURSOR : TUI_STYLE_NORMAL;
	int col = l->area.col, room = l->label - 1, used = 0;
	char text[400], count[32] = "", number[REP_GOID_SIZE];

	if (at == s->row)
		tui_fill(row, col, room, style);
	if (lane->kind == REP_LANE_GROUP) {
		bool unfolded = s->list.unfolded[lane - s->roster.group];

		tui_glyph(row, col, style, unfolded ? "▾" : "▸", unfolded ? '-' : '+');
		used = 2;
		snprintf(count, sizeof(count), "%" PRId64, lane->id);
	} else if (is_member(s, lane)) {
		/* The group above shows the function's name. */
		snprintf(text, sizeof(text), "g%s", rep_goid_text(&lane->goid, number));
		tui_say(row, col + 4, room - 4, style, text);
		return;
	}
	tl_lane_text(lane, text, sizeof(text));
	room -= used + (*count ? (int)strlen(count) + 1 : 0);
	tui_put(row, col + used, room, style,
		lane->kind == REP_LANE_GROUP ? REP_SHORTEN_FUNCTION : REP_SHORTEN_RIGHT, text,
		strlen(text));
	if (*count)
		tui_say(row, col + used + room + 1, (int)strlen(count),
			at == s->row ? style : TUI_STYLE_DIM, count);
}

/* ---- time ---- */

/* Makes as many ticks as fit. Labels get longer as columns get shorter, up to "12.345678901s". */
static void make_scale(const struct timeline *s, struct rep_scale *scale)
{
	const struct tl_window *w = &s->window;
	const struct rep_chart_axis axis = {.kind = s->view->select.run->row.ticks ? REP_COUNT
										   : REP_NS};

	for (unsigned want = (unsigned)between(w->cols / 8, 2, REP_TICKS - 2); want >= 2; want--) {
		size_t widest = 0;

		rep_scale_init(scale, &axis, (double)w->from, (double)tl_window_to(w), want, false);
		for (size_t i = 0; i < scale->nticks; i++)
			if (strlen(scale->ticks[i].text) > widest)
				widest = strlen(scale->ticks[i].text);
		if (scale->nticks * (widest + 3) <= (size_t)w->cols)
			return;
	}
}

static void draw_axis(const struct timeline *s, int row)
{
	const struct tl_layout *l = &s->layout;
	const struct tl_window *w = &s->window;
	struct rep_scale scale;
	int left = l->area.col + l->label, free_from = 0;

	make_scale(s, &scale);
	for (size_t i = 0; i < scale.nticks; i++) {
		int col = tl_window_col(w, (int64_t)scale.ticks[i].value);
		int width = (int)strlen(scale.ticks[i].text) + 1;

		if (col < free_from || col >= l->cols)
			continue;
		tui_glyph(row, left + col, TUI_STYLE_DIM, "╷", '|');
		if (col + width > l->cols)
			continue;
		tui_say(row, left + col + 1, width - 1, TUI_STYLE_NORMAL, scale.ticks[i].text);
		free_from = col + width + 1;
	}
}

/* Draws the range that is being selected, and the cursor. */
static void draw_cursor(const struct timeline *s, int row)
{
	const struct tl_layout *l = &s->layout;
	const struct tl_window *w = &s->window;
	int left = l->area.col + l->label, col = tl_window_col(w, s->ns);
	int64_t from = 0, to = 0;
	char text[TUI_TIME_SIZE + 4], took[TUI_TIME_SIZE];

	if (s->anchor != INT64_MIN)
		tl_selecting(s, &from, &to);
	for (int i = 0; s->anchor != INT64_MIN && i < w->cols; i++)
		if (tl_window_at(w, i) + w->cell > from && tl_window_at(w, i) < to)
			tui_glyph(row, left + i, TUI_STYLE_MATCH, "═", '=');
	if (s->anchor != INT64_MIN && w->cols > 20) {
		snprintf(text, sizeof(text), " %s ",
			 tui_length_text(s->view->select.run, to - from, took));
		tui_put_right(row, left, w->cols, TUI_STYLE_MATCH, text, strlen(text));
	}
	if (col >= 0 && col < w->cols)
		tui_glyph(row, left + col, TUI_STYLE_CURSOR, "▼", 'v');
}

/* ---- bands ---- */

/* Returns the look of a column of the band: stop-the-world pauses if they take a relevant part of it, else
 * the share of the mark phase as a height, else other marks. */
static struct tl_look band_look(const struct tl_band *b, int64_t width)
{
	int64_t gc = b->ns[REP_MARK_GC] < width ? b->ns[REP_MARK_GC] : width;
	struct rep_cell share = {.ns = {[TP_ST_RUNNING] = gc, [TP_ST_WAITING] = width - gc}};
	struct tl_look look = {" ", ' ', TUI_STYLE_NORMAL};

	if (b->ns[REP_MARK_STW] > width / 20 || (b->any >> REP_MARK_STW & 1 && !gc)) {
		look = (struct tl_look){"!", '!', TUI_STYLE_ERROR};
	} else if (gc) {
		look = tl_look_of(&share, width);
		look.style = TUI_STYLE_GC;
	} else if (b->any >> REP_MARK_ASSIST & 1) {
		look = (struct tl_look){"a", 'a', TUI_STYLE_GC};
	} else if (b->any >> REP_MARK_SWEEP & 1) {
		look = (struct tl_look){"w", 'w', TUI_STYLE_GC};
	}
	return look;
}

static const char *band_legend(int cols)
{
	bool ascii = tui_screen_ascii();

	if (cols >= 29)
		return ascii ? "GC # STW ! assist a sweep w" : "GC █ STW ! assist a sweep w";
	if (cols >= 20)
		return ascii ? "GC # STW ! assist a" : "GC █ STW ! assist a";
	return "GC, STW";
}

static void draw_band(const struct timeline *s, int row)
{
	const struct tl_layout *l = &s->layout;
	const struct tl_picture *p = &s->picture;

	if (!rep_gc_has_none(&s->view->select.run->row))
		tui_say(row, l->area.col, l->label - 1, TUI_STYLE_DIM, band_legend(l->label));
	for (int i = 0; i < l->cols; i++) {
		int col = tl_picture_col(p, tl_window_at(&s->window, i) + s->window.cell / 2);
		struct tl_look look;

		if (col < 0)
			continue;
		look = band_look(&p->band[col], p->window.cell);
		if (look.glyph[0] != ' ')
			tui_glyph(row, l->area.col + l->label + i, look.style, look.glyph,
				  look.ascii);
	}
}

/* Draws the end of a region, and the text of a region or log as far as it fits before the column
 * `next`. */
static void draw_note(const struct timeline *s, int row, const struct rep_mark *m, int next)
{
	const struct tl_layout *l = &s->layout;
	int first = tl_window_col(&s->window, m->from);
	int last = tl_window_col(&s->window, m->to > m->from ? m->to - 1 : m->from);
	int left = l->area.col + l->label;
	bool region = m->kind == REP_MARK_REGION;

	if (last < 0 || first >= l->cols)
		return;
	if (region && last < l->cols && last > first)
		tui_glyph(row, left + last, TUI_STYLE_HEADING, "]", ']');
	first = first < 0 ? 0 : first + 1;
	last = region && last < next ? last : next;
	if (last - first >= 3)
		tui_put(row, left + first, last - first, TUI_STYLE_HEADING, REP_SHORTEN_RIGHT,
			m->text, m->size);
}

static bool is_note(const struct rep_mark *m, uint32_t g)
{
	return m->goroutine == g && (m->kind == REP_MARK_REGION || m->kind == REP_MARK_LOG);
}

/* Draws the regions and logs of the cursor's goroutine: "[checkout    ]  'paid". Starts with the last
 * one, as a text ends where the next note begins. Draws the beginnings last, so that ends do not hide
 * them. */
static void draw_notes(const struct timeline *s, int row)
{
	const struct tl_layout *l = &s->layout;
	const struct rep_lane *lane = tl_row(s);
	uint32_t g = lane && lane->kind == REP_LANE_GOROUTINE ? lane->index : TP_NONE;
	int at = l->cols, next = l->cols;

	tui_say(row, l->area.col, l->label - 1, TUI_STYLE_DIM, "regions, logs");
	for (size_t i = s->picture.nmarks; g != TP_NONE && i-- > 0;) {
		const struct rep_mark *m = &s->picture.mark[i];
		int col = tl_window_col(&s->window, m->from);

		if (!is_note(m, g))
			continue;
		if (col < at) {
			next = at;
			at = col;
		}
		draw_note(s, row, m, next < l->cols ? next : l->cols);
	}
	for (size_t i = 0; g != TP_NONE && i < s->picture.nmarks; i++) {
		const struct rep_mark *m = &s->picture.mark[i];
		int col = tl_window_col(&s->window, m->from);
		char c = m->kind == REP_MARK_REGION ? '[' : '\'';

		if (is_note(m, g) && col >= 0 && col < l->cols)
			tui_glyph(row, l->area.col + l->label + col, TUI_STYLE_HEADING,
				  c == '[' ? "[" : "'", c);
	}
}

/* ---- rows ---- */

const struct rep_cell *tl_cell(const struct timeline *s)
{
	const struct rep_lane *lane = tl_row(s);
	long row = lane ? tl_picture_row(&s->picture, lane) : -1;
	int col = tl_picture_col(&s->picture, s->ns);

	if (row < 0 || col < 0 || s->picture.window.cell != s->window.cell)
		return NULL;
	return &s->picture.cell[row * s->picture.window.cols + col];
}

/* Replaces the look of a cell's state by that of a mark. Marks are few and short, so states stay visible.
 * Returns false if the cell has no such mark. */
static bool marked(const struct timeline *s, long row, int col, struct tl_look *look)
{
	const struct tl_picture *p = &s->picture;
	unsigned on = p->on[row * p->window.cols + col];

	if (on >> REP_MARK_ASSIST & 1)
		*look = (struct tl_look){"a", 'a', TUI_STYLE_GC};
	else if (on >> REP_MARK_SWEEP & 1)
		*look = (struct tl_look){"w", 'w', TUI_STYLE_GC};
	else
		return false;
	return true;
}

/* Returns whether a column overlaps the selected range. Other columns are dimmed. */
static bool is_selected(const struct timeline *s, int col)
{
	const struct tui_select *select = &s->view->select;
	int64_t from = tl_window_at(&s->window, col);

	return from + s->window.cell > select->from_ns && from < select->to_ns;
}

static void draw_cells(const struct timeline *s, size_t at, int row)
{
	const struct tl_layout *l = &s->layout;
	const struct tl_picture *p = &s->picture;
	const struct rep_lane *lane = s->list.row[at];
	long from = tl_picture_row(p, lane);
	int cursor = at == s->row ? tl_window_col(&s->window, s->ns) : -1;
	int left = l->area.col + l->label;

	for (int i = 0; i < l->cols; i++) {
		int64_t ns = tl_window_at(&s->window, i) + s->window.cell / 2;
		int col = from >= 0 ? tl_picture_col(p, ns) : -1;
		struct tl_look look = {" ", ' ', TUI_STYLE_NORMAL};
		bool there = lane->from <= tl_window_at(&s->window, i) + s->window.cell - 1 &&
			     lane->to >= tl_window_at(&s->window, i);

		if (col >= 0) {
			look = tl_look_of(&p->cell[from * p->window.cols + col], p->window.cell);
			if (look.style != TUI_STYLE_NORMAL)
				marked(s, from, col, &look);
			if ((s->highlight.text && !tl_lit(s, (size_t)from, col)) ||
			    !is_selected(s, i))
				look.style = TUI_STYLE_DIM;
		} else if (there) {
			/* The row exists here, but its cells are not made yet. */
			look = (struct tl_look){"╌", '~', TUI_STYLE_DIM};
		}
		if (i == cursor)
			look.style = TUI_STYLE_CURSOR;
		else if (look.glyph[0] == ' ')
			continue;
		tui_glyph(row, left + i, look.style, look.glyph, look.ascii);
	}
}

/* ---- legend ---- */

static void draw_legend(const struct timeline *s, int row)
{
	const struct tl_layout *l = &s->layout;
	int col = l->area.col, cols = l->area.cols;
	char place[80];
	int room;

	snprintf(place, sizeof(place), "%zu/%zu", s->list.n ? s->row + 1 : 0, s->list.n);
	room = (int)strlen(place) + 1;
	tui_fill(row, col, cols, TUI_STYLE_NORMAL);
	for (enum tl_show i = TL_SHOW_RUNNING; i < TL_SHOW_IDLE; i++) {
		struct tl_look look = tl_look_plain(i);
		/* This state has two different glyphs. */
		bool two = i == TL_SHOW_SYSCALL;
		const char *which = two && cols >= 80 ? " (part, all)" : "";
		int width = (int)(strlen(tl_shown[i]) + strlen(which)) + (two ? 6 : 4);

		if (col + width > l->area.col + cols - room)
			break;
		if (two)
			tui_say(row, col, 1, look.style, "s");
		tui_glyph(row, col + 2 * two, look.style, look.glyph, look.ascii);
		tui_sayf(row, col + 2 * two + 2, width - 3, TUI_STYLE_DIM, "%s%s", tl_shown[i],
			 which);
		col += width;
	}
	if (s->highlight.text)
		tui_sayf(row, col, l->area.col + cols - room - col, TUI_STYLE_MATCH, " %s ",
			 s->highlight.text);
	tui_put_right(row, l->area.col, cols, TUI_STYLE_DIM, place, strlen(place));
}

void tl_draw(struct timeline *s)
{
	const struct tl_layout *l = &s->layout;
	int row = l->area.row;

	if (l->axis) {
		tui_sayf(row, l->area.col, l->label - 1, TUI_STYLE_DIM, "%s%s",
			 tl_kinds[s->list.kind], s->list.all ? " (all)" : "");
		draw_axis(s, row);
		draw_cursor(s, row++);
	}
	if (l->band)
		draw_band(s, row++);
	if (l->notes)
		draw_notes(s, row++);
	if (!s->list.n)
		tui_sayf(row, l->area.col, l->area.cols, TUI_STYLE_DIM,
			 "there are no %s here; press x for other rows, 0 for the whole run",
			 tl_kinds[s->list.kind]);
	for (int i = 0; i < l->chart && s->top + (size_t)i < s->list.n; i++) {
		draw_label(s, s->top + (size_t)i, row + i);
		draw_cells(s, s->top + (size_t)i, row + i);
	}
	row += l->chart;
	if (l->legend)
		draw_legend(s, row++);
	if (l->panel)
		tl_draw_panel(s, row, l->panel);
}
