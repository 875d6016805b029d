/* sql: a line of SQL at the top, its result below. Enter in the line asks; Tab goes back and forth
 * between line and table. */
#include <stdlib.h>
#include <string.h>

#include "query/query.h"
#include "tprof-tui/view/rows.h"
#include "tprof-tui/view/views.h"
#include "tprof-tui/widget/line.h"

struct sql {
	struct tui_rows rows;
	struct tui_line line;
	bool typing;
};

static int fill(struct tui_fill *f, struct tp_store *store, struct rep_output *out,
		struct tp_err *err)
{
	const struct rep_query_options opt = {.run =
						  f->select.run ? f->select.run->row.id : TP_NULL};
	struct rep_query *q = NULL;
	int code = rep_query_new(&q, store, &opt, err);

	if (!code)
		code = rep_query_run(q, f->arg, out, err);
	rep_query_free(q);
	return code;
}

static void ask(struct tui *t, struct tui_view *v)
{
	struct sql *s = v->state;

	if (!s->line.size)
		return;
	tui_line_remember(&s->line);
	s->rows.table.cursor = s->rows.table.top = 0;
	s->rows.table.first = 0;
	s->typing = false;
	tui_rows_ask(t, v, fill, 0, s->line.text);
}

static bool open_view(struct tui *t, struct tui_view *v, const char *arg)
{
	struct sql *s = v->state;

	s->rows.table.sort = -1;
	s->typing = true;
	tui_line_begin(&s->line, arg ? arg : "");
	if (arg)
		ask(t, v);
	else
		tui_message(t, "for example: select name, total_ns from goroutine where run = "
			       ":run order by 2 desc limit 20");
	return true;
}

static void close_view(struct tui *t, struct tui_view *v)
{
	struct sql *s = v->state;

	tui_line_release(&s->line);
	tui_rows_close(t, v);
}

static struct tui_area below(struct tui_area area)
{
	return (struct tui_area){area.row + 2, area.col, area.rows - 2, area.cols};
}

static void draw(struct tui *t, struct tui_view *v, struct tui_area area)
{
	struct sql *s = v->state;

	if (s->rows.table.sheet || s->rows.error || v->busy)
		tui_rows_draw(t, v, below(area));
	tui_line_draw(&s->line, area.row, area.col, area.cols, "sql> ");
	if (s->typing)
		tui_screen_cursor();
}

static bool key(struct tui *t, struct tui_view *v, int k)
{
	struct sql *s = v->state;

	if (!s->typing) {
		if (k != TUI_TAB && k != 'i')
			return false;
		s->typing = true;
		return true;
	}
	if (k == TUI_CTRL('z') || k == TUI_CTRL('l'))
		return false;
	switch (tui_line_key(&s->line, k)) {
	case TUI_LINE_DONE:
		ask(t, v);
		break;
	case TUI_LINE_COMPLETE:
		s->typing = !s->rows.table.sheet;
		break;
	case TUI_LINE_GIVEN_UP:
		s->typing = false;
		if (!s->rows.table.sheet)
			tui_back(t);
		break;
	case TUI_LINE_TYPED:
		break;
	}
	return true;
}

static bool act(struct tui *t, struct tui_view *v, enum tui_action action)
{
	struct sql *s = v->state;

	if (action != TUI_DO_ENTER)
		return tui_rows_act(t, v, action);
	s->typing = true;
	return true;
}

static void click(struct tui *t, struct tui_view *v, int row, int col, bool twice)
{
	struct sql *s = v->state;

	(void)t;
	(void)twice;
	s->typing = row == v->area.row;
	if (!s->typing)
		tui_table_click(&s->rows.table, below(v->area), row, col);
}

const struct tui_view_ops tui_sql = {
    .where = TUI_SQL,
    .name = "sql",
    .size = sizeof(struct sql),
    .open = open_view,
    .close = close_view,
    .draw = draw,
    .act = act,
    .key = key,
    .click = click,
    .search = tui_rows_search,
    .filter = tui_rows_filter,
    .yank = tui_rows_yank,
    .save = tui_rows_save,
};
