/* The view sql: a statement at the top and its result below. In the statement every key is text; Enter
 * runs it, Esc moves to the table, and i moves back. */
#include <curses.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "tprof-tui/prompt.h"
#include "tprof-tui/state.h"
#include "tprof-tui/view/lead.h"
#include "tprof-tui/view/sql/sql.h"
#include "tprof-tui/view/views.h"
#include "tprof-tui/widget/line.h"

#define HISTORY "sql"

struct sql {
	struct tui_rows rows;
	struct tui_line line;
	bool typing;
	struct tui_menu menu; /* of completions */
	size_t stem;	      /* start of the word that is being completed */
	char *asked;	      /* the statement whose result is shown */
	size_t sheet;	      /* which of its results is shown */
};

/* ---- running statements ---- */

static void show_sheet(struct sql *s, size_t i)
{
	s->sheet = i;
	s->rows.table.cursor = s->rows.table.top = 0;
	s->rows.table.first = 0;
	tui_table_show(&s->rows.table, &s->rows.cells.sheet[i]);
}

static void taken(struct tui_view *v, struct tui_fill *f)
{
	struct sql *s = v->state;
	const struct sql_answer *a = (const struct sql_answer *)f;
	bool slow = a->took_ns > 1000000000;
	char took[TP_UNITS_SIZE];

	s->sheet = 0;
	if (!f->job.code) {
		if (a->cut)
			tui_error(v->tui,
				  "the result is cut at %zu rows or %zu MiB of text; use `limit` "
				  "or `where`",
				  SQL_MOST_ROWS, SQL_MOST_BYTES >> 20);
		else
			tui_message(
			    v->tui, "%zu row%s%s%s%s", f->cells.rows, f->cells.rows == 1 ? "" : "s",
			    slow ? " in " : "", slow ? tp_fmt_ns(took, a->took_ns) : "",
			    f->cells.n > 1 ? "; several results: press x for the next" : "");
		return;
	}
	/* Move the cursor to the error, unless the text has changed since. */
	if (!strcmp(s->line.text, a->text)) {
		s->line.at = a->place <= s->line.size ? a->place : s->line.size;
		s->typing = true;
	}
}

static void release(struct tui_fill *f)
{
	free(((struct sql_answer *)f)->text);
}

static void ask(struct tui_view *v)
{
	struct sql *s = v->state;
	const struct tui_fill how = {.job.statement = true,
				     .rows = &s->rows,
				     .fill = sql_answer,
				     .taken = taken,
				     .release = release};
	struct sql_answer *a;

	if (!s->line.text[strspn(s->line.text, " \n")])
		return;
	tui_history_add(&s->line, HISTORY);
	/* A new statement resets the table; the same one keeps the cursor. */
	if (!s->asked || strcmp(s->asked, s->line.text) != 0) {
		s->rows.table.cursor = s->rows.table.top = 0;
		s->rows.table.first = 0;
		s->rows.table.sort = -1;
		s->rows.table.turned = false;
		tui_table_filter(&s->rows.table, "");
	}
	free(s->asked);
	s->asked = strdup(s->line.text);
	a = tui_fill_new(v, sizeof(*a), &how);
	if (!a)
		return;
	a->text = strdup(s->line.text);
	if (a->text) {
		tui_job_ask(&a->fill.job);
	} else {
		tui_job_free(&a->fill.job);
		tui_nomem(v->tui);
	}
}

static bool open_view(struct tui_view *v, const char *arg)
{
	struct sql *s = v->state;

	s->rows.table.sort = -1;
	s->menu.at = -1;
	s->typing = true;
	s->line.multiline = true;
	tui_history_load(&s->line, HISTORY);
	tui_line_begin(&s->line, arg ? arg : "");
	if (arg)
		ask(v);
	return true;
}

static void close_view(struct tui_view *v)
{
	struct sql *s = v->state;

	tui_line_release(&s->line);
	tui_menu_release(&s->menu);
	free(s->asked);
	tui_rows_close(v);
}

/* ---- completion ---- */

static size_t common(const struct tui_menu *m)
{
	size_t n = strlen(m->item[0].word);

	for (size_t i = 1; i < m->n; i++) {
		size_t k = 0;

		while (k < n && m->item[i].word[k] == m->item[0].word[k])
			k++;
		n = k;
	}
	return n;
}

static void put_word(struct sql *s, const char *word, size_t size)
{
	tui_line_cut(&s->line, s->stem, s->line.at);
	tui_line_insert(&s->line, word, size);
}

static void complete(struct tui_view *v, int step)
{
	struct sql *s = v->state;
	const struct rep_query_options opt = {.run = TP_NULL, .fleeting = true};
	struct rep_query *q = NULL;
	struct tp_err err;
	const char *word;

	if (s->menu.n) {
		word = tui_menu_turn(&s->menu, step);
		put_word(s, word, strlen(word));
		return;
	}
	s->stem = sql_word_start(s->line.text, s->line.at);
	if (rep_query_new(&q, v->tui->cmd->store, &opt, &err) ||
	    sql_complete(q, s->line.text, s->line.at, &s->menu, &err))
		tui_error(v->tui, "%s", err.msg);
	else if (!s->menu.n)
		tui_message(v->tui, "nothing begins like that; .tables lists the tables");
	rep_query_free(q);
	if (s->menu.n == 1) {
		put_word(s, s->menu.item[0].word, strlen(s->menu.item[0].word));
		tui_menu_clear(&s->menu);
	} else if (s->menu.n && common(&s->menu) > s->line.at - s->stem) {
		put_word(s, s->menu.item[0].word, common(&s->menu));
	}
}

/* ---- drawing ---- */

static int line_rows(const struct sql *s, struct tui_area area)
{
	int n = tui_line_count(&s->line), most = area.rows / 2;

	return n < most ? n : most > 1 ? most : 1;
}

static struct tui_area below(const struct sql *s, struct tui_area area)
{
	int used = line_rows(s, area) + 1;

	return (struct tui_area){area.row + used, area.col, area.rows - used, area.cols};
}

static void draw_first_steps(struct tui_area a)
{
	static const char *const lines[] = {
	    ".tables lists the tables, .schema TABLE their columns, .help functions",
	    "for example: select name, total_ns from goroutine where run = :run",
	    "             order by total_ns desc limit 20",
	    "Tab completes, ^J begins another line, Up and Down recall earlier statements",
	    ":run is the run that is shown; Enter on a row opens its goroutine, time or function",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]) && (int)i < a.rows; i++)
		tui_say(a.row + (int)i, a.col, a.cols, TUI_STYLE_DIM, lines[i]);
}

static void draw(struct tui_view *v, struct tui_area area)
{
	struct sql *s = v->state;
	struct tui_area rest = below(s, area);

	s->rows.table.idle = s->typing;
	if (s->rows.table.sheet || s->rows.error || v->busy || s->asked)
		tui_rows_draw(&s->rows, rest, v->busy, NULL);
	else
		draw_first_steps(rest);
	if (s->menu.n)
		tui_menu_draw(&s->menu, rest, false);
	tui_line_draw_multiline(
	    &s->line, (struct tui_area){area.row, area.col, line_rows(s, area), area.cols},
	    s->typing ? "sql> " : "sql: ", s->typing ? "...> " : "...: ");
	if (s->typing)
		tui_screen_cursor();
}

/* ---- keys ---- */

static bool key(struct tui_view *v, int k)
{
	struct sql *s = v->state;

	if (!s->typing || k == TUI_CTRL('z') || k == TUI_CTRL('l'))
		return false;
	/* These keys scroll the result. */
	if (k == KEY_NPAGE || k == KEY_PPAGE)
		return tui_table_act(&s->rows.table,
				     k == KEY_NPAGE ? TUI_DO_PAGE_DOWN : TUI_DO_PAGE_UP) ||
		       true;
	if (k == TUI_CTRL('c')) {
		tui_line_begin(&s->line, "");
		tui_menu_clear(&s->menu);
		return true;
	}
	/* In pasted text, or while a parenthesis or quote is open, Enter begins a new line. */
	if (k == TUI_ENTER && (v->tui->pasting || sql_is_open(s->line.text)))
		k = '\n';
	if (k == TUI_TAB && v->tui->pasting)
		k = ' ';
	if (k == TUI_BACK_TAB) {
		complete(v, -1);
		return true;
	}
	if (k != TUI_TAB && s->menu.n) {
		tui_menu_clear(&s->menu);
		if (k == TUI_ESCAPE)
			return true;
	}
	switch (tui_line_key(&s->line, k)) {
	case TUI_LINE_DONE:
		ask(v);
		break;
	case TUI_LINE_COMPLETE:
		complete(v, 1);
		break;
	case TUI_LINE_GIVEN_UP:
		if (k == TUI_ESCAPE || !s->rows.table.sheet) {
			s->typing = false;
			if (!s->rows.table.sheet)
				tui_back(v->tui);
		}
		break;
	case TUI_LINE_TYPED:
		break;
	}
	return true;
}

static bool act(struct tui_view *v, enum tui_action action)
{
	struct sql *s = v->state;

	switch (action) {
	case TUI_DO_SQL_TYPE:
		s->typing = true;
		return true;
	case TUI_DO_KIND:
		if (s->rows.cells.n > 1)
			show_sheet(s, (s->sheet + 1) % s->rows.cells.n);
		else
			tui_message(v->tui, "there is only one result");
		return true;
	default:
		return tui_lead_act(v, s->rows.table.sheet, tui_table_row(&s->rows.table), action);
	}
}

static void click(struct tui_view *v, int row, int col, bool twice)
{
	struct sql *s = v->state;

	tui_menu_clear(&s->menu);
	s->typing = row < below(s, v->area).row;
	if (!s->typing)
		tui_rows_click(v, &s->rows.table, row, col, twice);
}

static void title(struct tui_view *v, char *text, size_t size)
{
	const struct sql *s = v->state;
	char words[300];

	text[0] = '\0';
	if (s->rows.cells.n > 1)
		tui_add(text, size, "", "result %zu of %zu", s->sheet + 1, s->rows.cells.n);
	if (*tui_select_words(&v->select, words, sizeof(words)))
		tui_add(text, size, ", ", "filters are ignored");
}

static const char *hints(struct tui_view *v)
{
	const struct sql *s = v->state;

	if (!s->typing)
		return NULL;
	if (v->busy)
		return "^C interrupt";
	return s->rows.table.sheet ? "Enter run\tEsc to the table\tPgDn scroll it\tTab "
				     "complete\t^J new line\tUp history"
				   : "Enter run\tTab complete\t^J new line\tUp history\tEsc back";
}

const struct tui_view_ops tui_sql = {
    .where = TUI_SQL,
    .name = "sql",
    .arg = "[STATEMENT]",
    .size = sizeof(struct sql),
    .open = open_view,
    .close = close_view,
    .draw = draw,
    .act = act,
    .key = key,
    .click = click,
    .table = tui_rows_table,
    .title = title,
    .hints = hints,
};
