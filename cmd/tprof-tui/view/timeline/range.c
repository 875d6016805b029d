/* Selects and clears time ranges. */
#include "tprof-tui/view/timeline/timeline.h"

#include "base/sum.h"

void tl_range(const struct timeline *s, int64_t *from, int64_t *to)
{
	const struct tui_select *select = &s->view->select;

	*from = select->from_ns == INT64_MIN ? 0 : select->from_ns;
	*to = select->to_ns == INT64_MAX ? s->duration : select->to_ns;
	/* Include events at the very end of the run. */
	if (*to >= s->duration)
		*to = s->duration + 1;
	if (*from < 0 || *from >= *to)
		*from = 0;
}

/* Returns the start of the column that contains a time. */
static int64_t column_start(const struct timeline *s, int64_t ns)
{
	int64_t off = tp_minus(ns, s->window.from) % s->window.cell;

	return tp_minus(ns, off < 0 ? off + s->window.cell : off);
}

void tl_selecting(const struct timeline *s, int64_t *from, int64_t *to)
{
	bool forward = s->anchor < s->ns;
	bool loose_from = forward ? s->anchor_loose : s->loose;
	bool loose_to = forward ? s->loose : s->anchor_loose;

	*from = forward ? s->anchor : s->ns;
	*to = forward ? s->ns : s->anchor;
	if (loose_from)
		*from = column_start(s, *from);
	if (loose_to || *to <= *from)
		*to = tp_plus(column_start(s, *to), s->window.cell);
	if (*from < 0)
		*from = 0;
}

void tl_end_range(struct tui *t, struct timeline *s)
{
	struct tui_view *v = s->view;
	int64_t from, to;
	char a[TUI_TIME_SIZE], b[TUI_TIME_SIZE];

	tl_selecting(s, &from, &to);
	s->anchor = INT64_MIN;
	v->select.from_ns = t->select.from_ns = from;
	v->select.to_ns = t->select.to_ns = to >= s->duration ? INT64_MAX : to;
	s->waits_known = false;
	tui_message(
	    t, "every view now shows only %s to %s; press c to clear the range, 0 to zoom to it",
	    tl_time_text(s, a, from), tl_time_text(s, b, to < s->duration ? to : s->duration));
}

void tl_begin_range(struct tui *t, struct timeline *s)
{
	if (s->anchor != INT64_MIN) {
		tl_end_range(t, s);
		return;
	}
	s->anchor = s->ns;
	s->anchor_loose = s->loose;
	tui_message(t, "a time range begins here; move, then v or Enter ends it, Esc cancels it");
}

/* Leaves the range alone if filters are set: all views clear these in the same way. */
bool tl_clear_range(struct tui *t, struct timeline *s)
{
	struct tui_view *v = s->view;

	s->anchor = INT64_MIN;
	if (v->select.goroutine || v->select.task || v->select.region || v->select.focus ||
	    v->select.reason || v->select.state)
		return false;
	v->select.from_ns = t->select.from_ns = INT64_MIN;
	v->select.to_ns = t->select.to_ns = INT64_MAX;
	s->waits_known = false;
	if (s->highlight.text)
		tl_highlight(t, s, "");
	return true;
}

void tl_column(const struct timeline *s, int64_t *from, int64_t *to)
{
	const struct rep_lane *row = tl_row(s);
	int col = tl_window_col(&s->window, s->ns);

	*from = *to = 0;
	if (!s->loose || !row || row->kind != REP_LANE_GOROUTINE || col < 0 ||
	    col >= s->window.cols)
		return;
	*from = tl_window_at(&s->window, col);
	*to = *from + s->window.cell;
}
