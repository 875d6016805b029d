/* Handles the mouse: a click places the cursor, dragging selects a range, and the wheel with Ctrl zooms. */
#include "tprof-tui/view/timeline/timeline.h"

/* Returns the list's row on a row of the screen, or -1. */
static long row_at(const struct timeline *s, int row)
{
	const struct tl_layout *l = &s->layout;
	int chart = l->area.row + l->axis + l->band + l->notes;

	if (row < chart || row >= chart + l->chart || (size_t)(row - chart) + s->top >= s->list.n)
		return -1;
	return (long)s->top + row - chart;
}

/* Sets *ns to the time of a column of the screen. Returns false for columns left of the chart. */
static bool time_at(const struct timeline *s, int col, int64_t *ns)
{
	int first = s->layout.area.col + s->layout.label;

	if (col < first)
		return false;
	*ns = tl_window_at(&s->window, col - first);
	return true;
}

static bool is_usable(struct timeline *s)
{
	s->playing = s->gave_up = false;
	return tl_usable(s);
}

/* A click moves the cursor; on the sign before a group's name it also folds or unfolds the group. A
 * double click zooms to the span; on a name it acts as Enter. */
void tl_click(struct tui_view *v, int row, int col, bool twice)
{
	struct timeline *s = v->state;
	const struct tl_layout *l = &s->layout;
	bool on_axis = l->axis && row < l->area.row + l->axis + l->band;
	long at = row_at(s, row);
	int64_t ns;

	if (!is_usable(s) || (at < 0 && !on_axis))
		return;
	if (at >= 0)
		tl_move_to_row(s, (size_t)at);
	if (time_at(s, col, &ns)) {
		tl_move_to(s, ns);
		s->loose = true;
		if (twice)
			tl_zoom_here(s);
	} else if (at >= 0 && (twice || (col < l->area.col + 2 && tl_row(s) &&
					 tl_row(s)->kind == REP_LANE_GROUP))) {
		tl_enter(v->tui, s);
	}
}

/* Selects the range between the places where the button was pressed and released. */
void tl_drag(struct tui_view *v, int row, int col)
{
	struct timeline *s = v->state;
	int64_t from, to;

	(void)row;
	if (!is_usable(s) || !time_at(s, v->tui->clicked_col, &from) || !time_at(s, col, &to) ||
	    v->tui->clicked_col == col)
		return;
	s->anchor = from;
	tl_move_to(s, to);
	s->loose = s->anchor_loose = true;
	tl_end_range(v->tui, s);
}

void tl_zoom_there(struct tui_view *v, int row, int col, int by)
{
	struct timeline *s = v->state;
	int64_t ns;

	(void)row;
	if (!is_usable(s) || !time_at(s, col, &ns))
		return;
	tl_move_to(s, ns);
	tl_zoom(s, by > 0 ? 2 : -2);
}
