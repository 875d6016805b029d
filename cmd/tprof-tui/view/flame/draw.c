#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "flame/name.h"
#include "output/text.h"
#include "task/inside.h"
#include "tprof-tui/view/flame/flame.h"
#include "tprof-tui/view/rows.h"

#define LEAST_SHARE 3 /* the fewest cells in which a label is drawn */

struct drawing {
	struct flame *f;
	struct tui_area area; /* of the bars */
	bool ascii, coloured, compared;
};

/* ---- words ---- */

/* Writes the change from old to new: "+12.3%", "new", "gone"; "" if nothing changed. */
static char *change(char text[REP_FLAME_WORDS], const int64_t value[REP_FLAME_SIDES])
{
	double now = (double)value[REP_FLAME_NEW], old = (double)value[REP_FLAME_OLD];
	char by[REP_FLAME_WORDS], *share;

	text[0] = '\0';
	if (value[REP_FLAME_NEW] == value[REP_FLAME_OLD])
		return text;
	if (!value[REP_FLAME_OLD] || !value[REP_FLAME_NEW]) {
		snprintf(text, REP_FLAME_WORDS, "%s", value[REP_FLAME_NEW] ? "new" : "gone");
		return text;
	}
	share = rep_flame_percent(by, (now - old) / (old < 0 ? -old : old));
	snprintf(text, REP_FLAME_WORDS, "%s%.*s", now > old ? "+" : "", REP_FLAME_WORDS - 2, share);
	return text;
}

/* Writes the difference, "+1.2s" or "-3.4ms". */
static char *difference(char text[REP_FLAME_WORDS], const struct rep_flame_measure *m,
			const int64_t value[REP_FLAME_SIDES])
{
	char by[REP_FLAME_WORDS];
	int64_t d;

	if (__builtin_sub_overflow(value[REP_FLAME_NEW], value[REP_FLAME_OLD], &d))
		d = value[REP_FLAME_NEW] < 0 ? INT64_MIN : INT64_MAX;
	snprintf(text, REP_FLAME_WORDS, "%s%.*s", d > 0 ? "+" : "", REP_FLAME_WORDS - 2,
		 rep_flame_human(by, m, d));
	return text;
}

static char *share_of(char text[REP_FLAME_WORDS], int64_t value, int64_t whole)
{
	return rep_flame_percent(text, whole ? (double)value / (double)whole : 0);
}

/* Writes the value of a bar, or both values of a comparison: "1.2s", "1s before, 1.2s now". */
static void put_values(const struct flame *f, const int64_t value[REP_FLAME_SIDES], char *text,
		       size_t size)
{
	char now[REP_FLAME_WORDS], old[REP_FLAME_WORDS], by[REP_FLAME_WORDS];
	char rel[REP_FLAME_WORDS];
	const struct rep_flame_measure *m = &f->pic->measure;

	rep_flame_human(now, m, value[REP_FLAME_NEW]);
	if (!f->pic->tree.opt.compared) {
		snprintf(text, size, "%s", now);
		return;
	}
	rep_flame_human(old, m, value[REP_FLAME_OLD]);
	difference(by, m, value);
	change(rel, value);
	snprintf(text, size, "%s before, %s now, %s%s%s%s", old, now, by, *rel ? " (" : "", rel,
		 *rel ? ")" : "");
}

/* ---- bars ---- */

static enum tui_style style_of(const struct drawing *d, const struct rep_flame_bar *b, bool cursor,
			       unsigned mark, uint32_t place)
{
	const struct flame *f = d->f;
	struct rep_flame_name n;

	if (cursor)
		return TUI_STYLE_CURSOR;
	if (mark & (b->count ? REP_FLAME_HOLDS : REP_FLAME_MATCHES))
		return TUI_STYLE_FOUND;
	if (b->count)
		return TUI_STYLE_MERGED;
	if (d->compared)
		return b->step > 0   ? (enum tui_style)((int)TUI_STYLE_MORE1 + b->step - 1)
		       : b->step < 0 ? (enum tui_style)((int)TUI_STYLE_LESS1 - b->step - 1)
				     : TUI_STYLE_ALIKE;
	if (!b->what.node)
		return (enum tui_style)((int)TUI_STYLE_HUE0 + 2 * REP_FLAME_GREY + 1);
	n = rep_flame_name((const char *)f->name.data, f->name.size);
	/* Siblings alternate between two shades. */
	return (enum tui_style)((uint32_t)TUI_STYLE_HUE0 + 2u * n.hue + place % 2);
}

/* Writes the name of a bar, escaped, to f->name. */
static bool take_name(struct flame *f, const struct rep_flame_bar *b)
{
	struct tp_text name = flame_name(f, b->what.node);

	f->name.size = 0;
	return !rep_escape(&f->name, name.text, name.size, REP_ESCAPE_SHOWN);
}

/* Writes the label of a bar to f->label. */
static bool make_label(const struct drawing *d, const struct rep_flame_bar *b, size_t room)
{
	struct flame *f = d->f;
	char share[REP_FLAME_WORDS] = "", text[80];
	int64_t whole = rep_flame_weight(&f->pic->tree, 0);

	f->label.size = 0;
	if (b->count && !b->level) {
		snprintf(text, sizeof(text), "%u frames of ", b->count);
		if (tp_buf_put(&f->label, text, strlen(text)))
			return false;
		room -= room > strlen(text) ? strlen(text) : room;
	} else if (b->count) {
		snprintf(text, sizeof(text), "%s %u frames", d->ascii ? ".." : "…", b->count);
		if (rep_text_width(text, strlen(text)) > room)
			snprintf(text, sizeof(text), "%s%u", d->ascii ? "." : "…", b->count);
		if (rep_text_width(text, strlen(text)) > room)
			snprintf(text, sizeof(text), "%s", d->ascii ? "." : "…");
		return !tp_buf_put(&f->label, text, strlen(text));
	}
	if (d->compared) {
		const char *sign = b->step > 0 ? "+" : b->step < 0 ? "-" : "";

		change(share, b->value);
		if (room && tp_buf_put(&f->label, sign, strlen(sign)))
			return false;
		room -= room && *sign ? 1 : 0;
	} else {
		share_of(share, b->weight, whole);
	}
	return room < LEAST_SHARE || !rep_flame_label(&f->label, (const char *)f->name.data,
						      f->name.size, share, room, d->ascii);
}

/* Without colours, an edge separates a bar from the previous one, and a star marks a match. */
static void draw_edge(int row, int col, enum tui_style style, bool found)
{
	if (found)
		tui_glyph(row, col, style, "*", '*');
	else
		tui_glyph(row, col, style, "│", '|');
}

static void draw_bar(const struct drawing *d, uint32_t at, int row)
{
	struct flame *f = d->f;
	const struct rep_flame_bar *b = &f->cells.bar[at], *up = &f->cells.bar[b->parent];
	bool cursor = at == f->bar, last = at + 1 == f->cells.level[b->level + 1];
	unsigned mark = flame_mark(f, b);
	int col = d->area.col + (int)b->first, cells = (int)b->cells, edge, room;
	enum tui_style style;

	if (!cells) {
		/* The bar is too narrow for a cell; it is shown only while the cursor is on it. */
		if (cursor && b->first)
			tui_glyph(row, col - 1, TUI_STYLE_CURSOR, "…", '.');
		return;
	}
	if (!take_name(f, b))
		return;
	style = style_of(d, b, cursor, mark, at - up->child);
	tui_fill(row, col, cells, style);
	edge = !d->coloured;
	room = cells - edge;
	if (edge)
		draw_edge(row, col, style, style == TUI_STYLE_FOUND);
	/* Leave a gap on the right if there is room. */
	if (!edge && cells > 2 && !b->count) {
		tui_fill(row, col + cells - 1, 1, cursor ? style : TUI_STYLE_NORMAL);
		room--;
	}
	if (room > 0 && make_label(d, b, (size_t)room))
		tui_put(row, col + edge, room, style, REP_SHORTEN_RIGHT,
			(const char *)f->label.data, f->label.size);
	/* Draw the right edge unless the next bar is adjacent. */
	if (edge && (last || f->cells.bar[at + 1].first > b->first + b->cells))
		tui_glyph(row, col + cells, TUI_STYLE_NORMAL, "│", '|');
}

static void draw_level(const struct drawing *d, uint32_t level, int row)
{
	const struct rep_flame_cells *c = &d->f->cells;

	for (uint32_t i = c->level[level]; i < c->level[level + 1]; i++)
		draw_bar(d, i, row);
	/* If the bar under the cursor has no cell, draw it over its neighbour. */
	if (d->f->bar >= c->level[level] && d->f->bar < c->level[level + 1] &&
	    !c->bar[d->f->bar].cells)
		draw_bar(d, d->f->bar, row);
}

static void draw_bars(const struct drawing *d)
{
	const struct flame *f = d->f;

	for (uint32_t i = 0; i < f->levels && f->top + i < f->cells.nlevels; i++) {
		int row =
		    f->upwards ? d->area.row + d->area.rows - 1 - (int)i : d->area.row + (int)i;

		draw_level(d, f->top + i, row);
	}
}

/* ---- lines around the bars ---- */

/* Writes the search result: "'Read': 1m24s, 23.0% of this in 118 frames". */
static void put_found(const struct flame *f, char *text, size_t size)
{
	char values[400], share[REP_FLAME_WORDS];

	if (!f->found.frames) {
		snprintf(text, size, "'%.60s' was not found", f->search);
		return;
	}
	put_values(f, f->found.value, values, sizeof(values));
	snprintf(text, size, "'%.60s': %s, %s%s in %u frame%s", f->search, values,
		 share_of(share, f->found.weight, f->cells.bar[0].weight),
		 f->zoom.node || f->zoom.from ? " of this" : "", f->found.frames,
		 f->found.frames == 1 ? "" : "s");
}

/* Draws the total ("6m07s in 5,464 stacks"), the levels on the screen if not all fit, the tasks that
 * are counted, and the search result. */
static void draw_heading(const struct flame *f, struct tui_area a)
{
	const struct rep_flame_tree *t = &f->pic->tree;
	const int64_t all[] = {rep_flame_total(t, 0, REP_FLAME_NEW),
			       rep_flame_total(t, 0, REP_FLAME_OLD)};
	char text[600], members[REP_MEMBERS_SIZE], found[600], n[REP_FLAME_WORDS];
	uint32_t shown = f->levels < f->cells.nlevels ? f->levels : f->cells.nlevels;
	int used;

	put_values(f, all, text, sizeof(text));
	if (!t->opt.compared)
		tui_add(text, sizeof(text), " ", "in %s stack%s",
			tp_fmt_count(n, (int64_t)t->stacks[REP_FLAME_NEW]),
			t->stacks[REP_FLAME_NEW] == 1 ? "" : "s");
	if (f->levels < f->cells.nlevels)
		tui_add(text, sizeof(text), ", ", "levels %u-%u of %u", f->top + 1, f->top + shown,
			f->cells.nlevels);
	if (*rep_members_say(&f->pic->members, members, sizeof(members)))
		tui_add(text, sizeof(text), "; ", "%s", members);
	used = (int)rep_text_width(text, strlen(text));
	if (f->search) {
		put_found(f, found, sizeof(found));
		/* If both do not fit, only the search result is shown. */
		if (used + 2 + (int)rep_text_width(found, strlen(found)) > a.cols)
			used = -2;
		tui_put_right(a.row, a.col + used + 2, a.cols - used - 2, TUI_STYLE_STRONG, found,
			      strlen(found));
	}
	if (used > 0)
		tui_say(a.row, a.col, a.cols, TUI_STYLE_DIM, text);
}

/* Draws the callers of the frame that is zoomed into. */
static void draw_path(struct flame *f, struct tui_area a)
{
	const struct rep_flame_tree *t = &f->pic->tree;
	uint32_t node[REP_FLAME_MAX_DEPTH], n = 0;
	uint32_t at = f->zoom.from ? f->zoom.node : t->node[f->zoom.node].parent;

	f->label.size = 0;
	for (; at && n < REP_FLAME_MAX_DEPTH; at = t->node[at].parent)
		node[n++] = at;
	if (tp_buf_put(&f->label, "in total", 8))
		return;
	while (n-- > 0) {
		struct tp_text name = flame_name(f, node[n]);
		struct rep_flame_name parts = rep_flame_name(name.text, name.size);

		if (tp_buf_put(&f->label, " > ", 3) ||
		    tp_buf_put(&f->label, name.text + parts.brief, name.size - parts.brief))
			return;
	}
	tui_put(a.row, a.col, a.cols, TUI_STYLE_DIM, REP_SHORTEN_FUNCTION,
		(const char *)f->label.data, f->label.size);
}

/* Appends the value with all its digits if there is room. */
static void put_exact(const struct flame *f, const int64_t value[REP_FLAME_SIDES], char *text,
		      size_t size)
{
	char now[REP_FLAME_WORDS], old[REP_FLAME_WORDS];

	tp_fmt_count(now, value[REP_FLAME_NEW]);
	tp_fmt_count(old, value[REP_FLAME_OLD]);
	if (f->pic->measure.kind == REP_FLAME_COUNT)
		return;
	if (f->pic->tree.opt.compared)
		tui_add(text, size, ", ", "exactly %s and %s %s", old, now, f->pic->measure.noun);
	else
		tui_add(text, size, " ", "(%s %s)", now, f->pic->measure.noun);
}

/* Draws the details of the bar under the cursor on one line, or on two. */
static void draw_facts(struct flame *f, struct tui_area a, bool two)
{
	const struct rep_flame_tree *t = &f->pic->tree;
	const struct rep_flame_bar *b = flame_bar(f);
	struct rep_flame_place place = {0};
	struct tp_text name, file;
	int64_t whole = rep_flame_weight(t, 0), over;
	char text[600], n[REP_FLAME_WORDS], line[32];
	int used;

	if (!b)
		return;
	name = flame_name(f, b->what.node);
	put_values(f, b->value, text, sizeof(text));
	if (a.cols >= 120)
		put_exact(f, b->value, text, sizeof(text));
	tui_add(text, sizeof(text), "  ", "%s of all", share_of(n, b->weight, whole));
	if (b->what.node) {
		over = b->count ? b->what.node : t->node[b->what.node].parent;
		over = rep_flame_weight(t, (uint32_t)over);
		tui_add(text, sizeof(text), "  ", "%s of parent", share_of(n, b->weight, over));
	}
	if (!b->count) {
		place = f->pic->place[b->what.node];
		if (!t->opt.compared && rep_flame_self(t, b->what.node, REP_FLAME_NEW))
			tui_add(text, sizeof(text), "  ", "self %s",
				rep_flame_human(n, &f->pic->measure,
						rep_flame_self(t, b->what.node, REP_FLAME_NEW)));
	}
	if (!two) {
		used = tui_say(a.row, a.col, a.cols, TUI_STYLE_NORMAL, text);
		tui_put(a.row, a.col + used + 2, a.cols - used - 2, TUI_STYLE_STRONG,
			REP_SHORTEN_FUNCTION, name.text, name.size);
		return;
	}
	used = 0;
	if (b->count)
		used = tui_sayf(a.row, a.col, a.cols, TUI_STYLE_STRONG,
				b->level ? "%u frame%s narrower than a cell (Enter shows them) in "
					 : "%u frame%s of ",
				b->count, b->count == 1 ? "" : "s");
	tui_put(a.row, a.col + used, a.cols - used, TUI_STYLE_STRONG, REP_SHORTEN_MIDDLE, name.text,
		name.size);
	used = tui_say(a.row + 1, a.col, a.cols, TUI_STYLE_NORMAL, text);
	if (!place.file)
		return;
	file = tp_dict_text(f->pic->files, place.file);
	f->label.size = 0;
	snprintf(line, sizeof(line), ":%u", place.line);
	if (!tp_buf_put(&f->label, file.text, file.size) &&
	    !tp_buf_put(&f->label, line, place.line ? strlen(line) : 0))
		tui_put(a.row + 1, a.col + used + 2, a.cols - used - 2, TUI_STYLE_DIM,
			REP_SHORTEN_LEFT, (const char *)f->label.data, f->label.size);
}

/* ---- the view ---- */

static void draw_nothing(const struct tui_view *v, struct tui_area a)
{
	const struct flame *f = v->state;
	char words[8];
	struct tui_area below = {a.row + 3, a.col, a.rows - 3, a.cols};

	if (f->error) {
		tui_draw_sentence(a, TUI_STYLE_ERROR, f->error, 0);
		tui_draw_sentence(below, TUI_STYLE_DIM,
				  "press x to count something else, d to end a comparison, c to "
				  "clear the filters",
				  0);
	} else if (!f->pic) {
		tui_say(a.row, a.col, a.cols, TUI_STYLE_DIM,
			v->busy ? "adding up the stacks..." : "there is nothing to show");
	} else {
		tui_draw_sentence(a, TUI_STYLE_NORMAL, flame_why_empty(v), 0);
		if (!tui_is_profile(&v->select) &&
		    *tui_select_words(&v->select, words, sizeof(words)))
			tui_draw_sentence(below, TUI_STYLE_DIM,
					  "press c to clear the filters and the time range", 0);
	}
}

void flame_draw(struct tui_view *v, struct tui_area a)
{
	struct flame *f = v->state;
	struct drawing d = {.f = f, .ascii = tui_screen_ascii(), .coloured = tui_style_coloured()};
	bool zoomed = f->zoom.node || f->zoom.from, two = a.rows >= 8,
	     path = zoomed && a.rows >= 10;
	bool whole;

	if (!f->pic || f->error || !rep_flame_weight(&f->pic->tree, 0)) {
		draw_nothing(v, a);
		return;
	}
	d.compared = f->pic->tree.opt.compared;
	d.area = (struct tui_area){a.row + 1 + path, a.col, a.rows - 2 - two - path, a.cols};
	whole = f->levels != (uint32_t)d.area.rows;
	f->levels = (uint32_t)d.area.rows;
	f->first_row = d.area.row;
	if (!flame_lay(v->tui, f, (uint32_t)a.cols))
		return;
	if (whole)
		flame_scroll(f, 0);
	draw_heading(f, a);
	if (path)
		draw_path(f, (struct tui_area){a.row + 1, a.col, 1, a.cols});
	draw_bars(&d);
	draw_facts(f, (struct tui_area){a.row + a.rows - 1 - two, a.col, 1 + two, a.cols}, two);
}
