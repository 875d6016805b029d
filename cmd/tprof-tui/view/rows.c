#include "tprof-tui/view/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "tprof-tui/prompt.h"
#include "tprof-tui/save.h"

/* ---- filling ---- */

static void take(struct tui_view *v, struct tui_cells *cells)
{
	struct tui_rows *r = v->state;
	struct tui_cells old = r->cells;

	r->cells = *cells;
	*cells = (struct tui_cells){0};
	if (!tui_table_show(&r->table, r->cells.n ? &r->cells.sheet[0] : NULL))
		tui_nomem(v->tui);
	if (r->wish && r->table.n)
		r->table.cursor = (size_t)r->wish <= r->table.n ? (size_t)r->wish - 1 : 0;
	r->wish = 0;
	tui_cells_release(&old);
}

static void set_error(struct tui_rows *r, const char *text)
{
	free(r->error);
	r->error = text ? strdup(text) : NULL;
}

static int work(struct tui_job *job, struct tp_store *store, struct tp_err *err)
{
	struct tui_fill *f = (struct tui_fill *)job;
	struct rep_output *out = NULL;
	int code;

	f->cells.ticks = f->select.run && f->select.run->row.ticks;
	code = f->chart_width ? tui_cells_output_charts(&f->cells, f->chart_width,
							tui_screen_ascii(), &out, err)
			      : tui_cells_output(&f->cells, &out, err);
	if (!code)
		code = f->fill(f, store, out, err);
	if (!code)
		code = rep_output_finish(out, err);
	rep_output_free(out);
	/* Who has to wait for it waits here. */
	for (size_t i = 0; i < f->cells.n && !code; i++)
		if (tui_sheet_index(&f->cells.sheet[i]))
			code = tp_nomem(err);
	return code;
}

static void done(struct tui_view *v, struct tui_job *job)
{
	struct tui_fill *f = (struct tui_fill *)job;
	struct tui_rows *r = v->state;

	v->busy = false;
	if (f->instead) {
		f->instead(v, f);
		return;
	}
	if (f->taken)
		f->taken(v, f);
	set_error(r, job->code ? job->err.msg : NULL);
	if (job->code) {
		tui_error(v->tui, "%s", job->err.msg);
		tui_cells_release(&f->cells);
	}
	take(v, &f->cells);
}

static void release(struct tui_job *job)
{
	struct tui_fill *f = (struct tui_fill *)job;

	tui_cells_release(&f->cells);
	tui_select_release(&f->select);
	if (f->more)
		f->free_more(f->more);
	free(f->arg);
	free(f);
}

void tui_rows_ask(struct tui *t, struct tui_view *v,
		  int (*fill)(struct tui_fill *, struct tp_store *, struct rep_output *,
			      struct tp_err *),
		  int which, const char *arg)
{
	tui_rows_ask_with(t, v, &(struct tui_ask){.fill = fill, .which = which, .arg = arg});
}

void tui_rows_ask_with(struct tui *t, struct tui_view *v, const struct tui_ask *ask)
{
	struct tui_fill *f = calloc(1, sizeof(*f));

	if (f)
		f->arg = ask->arg ? strdup(ask->arg) : NULL;
	if (!f || (ask->arg && !f->arg) || !tui_select_copy(&f->select, &v->select)) {
		if (f)
			free(f->arg);
		free(f);
		if (ask->more)
			ask->free_more(ask->more);
		tui_nomem(t);
		return;
	}
	f->job = (struct tui_job){
	    .work = work, .done = done, .release = release, .view = v, .statement = ask->statement};
	f->fill = ask->fill;
	f->which = ask->which;
	f->more = ask->more;
	f->free_more = ask->free_more;
	f->taken = ask->taken;
	f->instead = ask->instead;
	f->chart_width = ask->chart_width;
	v->busy = true;
	tui_worker_ask(t->worker, &f->job);
}

bool tui_rows_fill(struct tui *t, struct tui_view *v,
		   int (*fill)(void *ctx, struct rep_output *out, struct tp_err *err), void *ctx)
{
	struct tui_cells cells = {0};
	struct rep_output *out = NULL;
	struct tp_err err;
	int code = tui_cells_output(&cells, &out, &err);

	if (!code)
		code = fill(ctx, out, &err);
	if (!code)
		code = rep_output_finish(out, &err);
	rep_output_free(out);
	if (code) {
		tui_error(t, "%s", err.msg);
		tui_cells_release(&cells);
		return false;
	}
	take(v, &cells);
	return true;
}

/* ---- what ops need ---- */

void tui_rows_close(struct tui *t, struct tui_view *v)
{
	struct tui_rows *r = v->state;

	(void)t;
	tui_table_release(&r->table);
	tui_cells_release(&r->cells);
	free(r->error);
}

/* A sentence on as many lines as it takes. */
static void draw_sentence(struct tui_area a, enum tui_style style, const char *text)
{
	for (int row = 0; row < a.rows && *text; row++) {
		size_t n = strlen(text), cut = n;

		/* Up to the last blank that leaves what fits. */
		while (rep_text_width(text, cut) > (size_t)a.cols) {
			size_t blank = cut;

			while (blank && text[blank - 1] != ' ')
				blank--;
			if (blank < 2) {
				cut = n;
				break;
			}
			cut = blank - 1;
		}
		tui_put(a.row + row, a.col, a.cols, style, REP_SHORTEN_RIGHT, text, cut);
		text += cut;
		text += *text == ' ';
	}
}

void tui_rows_draw(struct tui *t, struct tui_view *v, struct tui_area a)
{
	struct tui_rows *r = v->state;

	(void)t;
	if (r->error)
		draw_sentence(a, TUI_STYLE_ERROR, r->error);
	else if (!r->table.sheet)
		tui_say(a.row, a.col, a.cols, TUI_STYLE_DIM, v->busy ? "one moment" : "nothing");
	else
		tui_table_draw(&r->table, a);
}

bool tui_rows_act(struct tui *t, struct tui_view *v, enum tui_action action)
{
	struct tui_rows *r = v->state;

	(void)t;
	return tui_table_act(&r->table, action);
}

void tui_rows_click(struct tui *t, struct tui_view *v, int row, int col, bool twice)
{
	struct tui_rows *r = v->state;

	if (tui_table_click(&r->table, v->area, row, col) && twice)
		tui_act(t, TUI_DO_ENTER);
}

long tui_rows_cursor(struct tui *t, struct tui_view *v, long set)
{
	struct tui_rows *r = v->state;

	(void)t;
	if (set >= 0 && r->table.n)
		r->table.cursor = (size_t)set < r->table.n ? (size_t)set : 0;
	else if (set >= 0)
		r->wish = set + 1;
	return (long)r->table.cursor;
}

bool tui_rows_search(struct tui *t, struct tui_view *v, const char *text, int step)
{
	struct tui_rows *r = v->state;

	(void)t;
	return tui_table_find(&r->table, text, step < 0 ? -1 : 1, !step);
}

void tui_rows_filter(struct tui *t, struct tui_view *v, const char *text)
{
	struct tui_rows *r = v->state;

	if (!tui_table_filter(&r->table, text))
		tui_nomem(t);
}

int tui_rows_yank(struct tui *t, struct tui_view *v, bool all, struct tp_buf *out)
{
	struct tui_rows *r = v->state;

	(void)t;
	return tui_table_yank(&r->table, all, out);
}

/* ---- saving ---- */

static enum rep_format format_of(const char *path)
{
	static const struct {
		const char *ending;
		enum rep_format format;
	} endings[] = {{".csv", REP_FORMAT_CSV},
		       {".json", REP_FORMAT_JSON},
		       {".md", REP_FORMAT_MARKDOWN},
		       {".txt", REP_FORMAT_TABLE}};
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < sizeof(endings) / sizeof(endings[0]); i++)
		if (!strcmp(dot, endings[i].ending))
			return endings[i].format;
	return REP_FORMAT_TSV;
}

struct saved {
	struct tui_table *table;
	enum rep_format format;
};

static int write_table(void *ctx, FILE *file, struct tp_err *err)
{
	const struct saved *s = ctx;
	const struct rep_output_options opt = {.format = s->format, .sink = rep_sink_file(file)};

	return tui_table_write(s->table, &opt, err);
}

bool tui_table_save(struct tui *t, struct tui_table *table, const char *path)
{
	struct saved s = {table, format_of(path)};

	if (table->sheet)
		return tui_save(t, path, write_table, &s);
	tui_error(t, "there is nothing to save yet");
	return false;
}

bool tui_rows_save(struct tui *t, struct tui_view *v, const char *path)
{
	struct tui_rows *r = v->state;

	return tui_table_save(t, &r->table, path);
}
