#include "tprof-tui/view/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "common/advice.h"
#include "common/draft.h"
#include "tprof-tui/prompt.h"

/* ---- filling ---- */

static void take(struct tui_view *v, struct tui_rows *r, struct rep_cells *cells)
{
	struct rep_cells old = r->cells;

	r->cells = *cells;
	*cells = (struct rep_cells){0};
	if (!tui_table_show(&r->table, tui_rows_sheet(r)))
		tui_nomem(v->tui);
	rep_cells_release(&old);
}

static int work(struct tui_job *job, struct tp_store *store, struct tp_err *err)
{
	struct tui_fill *f = (struct tui_fill *)job;
	struct rep_output *out = NULL;
	int code;

	f->cells.ticks = job->select.run && job->select.run->row.ticks;
	f->cells.chart_width = f->chart_width;
	f->cells.chart_ascii = tui_screen_ascii();
	code = rep_cells_output(&f->cells, &out, err);
	if (!code)
		code = f->fill(f, store, out, err);
	if (!code && !f->cells.cut) /* an output that was cut has ended already */
		code = rep_output_finish(out, err);
	rep_output_free(out);
	/* Index here, on the worker's thread, as it takes time. */
	for (size_t i = 0; i < f->cells.n && !code; i++)
		if (rep_sheet_index(&f->cells.sheet[i]))
			code = tp_nomem(err);
	return code;
}

static void ask_next(struct tui_view *v, struct tui_pieces *p)
{
	int piece = p->first;

	/* A view that is not shown makes nothing; it asks again when it is drawn. */
	if (p->doing >= 0 || !p->pending || !v->select.run || tui_current(v->tui) != v)
		return;
	if (!(p->pending >> piece & 1))
		for (piece = 0; !(p->pending >> piece & 1);)
			piece++;
	p->pending &= ~(1u << piece);
	p->doing = piece;
	p->ask(v, piece);
	if (!v->busy) { /* no memory */
		p->doing = -1;
		p->pending = 0;
	}
}

void tui_pieces_init(struct tui_pieces *p, struct tui_rows *rows, int n,
		     void (*ask)(struct tui_view *v, int piece))
{
	*p = (struct tui_pieces){.rows = rows, .n = n, .doing = -1, .ask = ask};
	for (int i = 0; i < n; i++)
		rows[i].table.sort = -1;
}

void tui_pieces_release(struct tui_pieces *p)
{
	for (int i = 0; i < p->n; i++)
		tui_rows_release(&p->rows[i]);
}

void tui_pieces_again(struct tui_view *v, struct tui_pieces *p, unsigned pieces)
{
	for (int i = 0; i < p->n; i++)
		if (p->rows[i].error || !p->rows[i].done)
			tui_pieces_ask(v, p, 1u << i & pieces);
}

void tui_pieces_ask(struct tui_view *v, struct tui_pieces *p, unsigned pieces)
{
	p->pending |= pieces;
	ask_next(v, p);
}

/* Handles a failure. A piece keeps its old table; the table of a view without pieces becomes empty. */
static void fail(struct tui_view *v, struct tui_fill *f)
{
	struct rep_cells none = {0};

	f->rows->error = strdup(f->job.err.msg);
	if (!f->pieces) {
		tui_error(v->tui, "%s", f->job.err.msg);
		take(v, f->rows, &none);
	} else if (f->job.code == TP_ECANCEL) {
		/* The user interrupted the whole view, so the remaining pieces are dropped, too. */
		f->pieces->pending = 0;
		tui_message(v->tui, "interrupted; press ^L to continue");
	}
}

static void done(struct tui_view *v, struct tui_job *job)
{
	struct tui_fill *f = (struct tui_fill *)job;
	struct tui_rows *r = f->rows;

	if (f->instead) {
		f->instead(v, f);
		return;
	}
	if (f->taken)
		f->taken(v, f);
	r->done = true;
	free(r->error);
	r->error = NULL;
	if (job->code)
		fail(v, f);
	else
		take(v, r, &f->cells);
	if (f->shown)
		f->shown(v, f);
	if (f->pieces) {
		f->pieces->doing = -1;
		ask_next(v, f->pieces);
	}
}

static void release(struct tui_job *job)
{
	struct tui_fill *f = (struct tui_fill *)job;

	rep_cells_release(&f->cells);
	if (f->release)
		f->release(f);
}

void *tui_fill_new(struct tui_view *v, size_t size, const struct tui_fill *how)
{
	const struct tui_job job = {
	    .work = work, .done = done, .release = release, .statement = how->job.statement};
	struct tui_fill *f = tui_job_new(v, size, &job);

	if (f) {
		struct tui_job own = f->job;

		*f = *how;
		f->job = own;
	}
	return f;
}

/* ---- tables filled at once ---- */

bool tui_rows_fill(struct tui_view *v, struct tui_rows *r,
		   int (*fill)(void *ctx, struct rep_output *out, struct tp_err *err), void *ctx)
{
	struct rep_cells cells = {0};
	struct rep_output *out = NULL;
	struct tp_err err;
	int code = rep_cells_output(&cells, &out, &err);

	if (!code)
		code = fill(ctx, out, &err);
	if (!code)
		code = rep_output_finish(out, &err);
	rep_output_free(out);
	if (code) {
		tui_error(v->tui, "%s", err.msg);
		rep_cells_release(&cells);
		return false;
	}
	take(v, r, &cells);
	return true;
}

void tui_rows_release(struct tui_rows *r)
{
	tui_table_release(&r->table);
	rep_cells_release(&r->cells);
	free(r->error);
}

void tui_rows_close(struct tui_view *v)
{
	tui_rows_release(v->state);
}

struct tui_table *tui_rows_table(struct tui_view *v)
{
	return &((struct tui_rows *)v->state)->table;
}

/* ---- drawing ---- */

int tui_draw_lines(struct tui_area a, const char *text, size_t size)
{
	int row = 0;

	for (; row < a.rows && size; row++) {
		const char *end = memchr(text, '\n', size);
		size_t n = end ? (size_t)(end - text) : size;

		tui_put(a.row + row, a.col, a.cols, TUI_STYLE_NORMAL, REP_SHORTEN_RIGHT, text, n);
		n += end != NULL;
		text += n;
		size -= n;
	}
	return row;
}

int tui_draw_sentence(struct tui_area a, enum tui_style style, const char *text, int indent)
{
	int row = 0;

	for (; row < a.rows && *text; row++) {
		size_t n = strlen(text), cut = n;
		int in = row ? indent : 0;

		/* Break at the last blank that fits, unless that leaves half of the line empty. Bytes
		 * are counted, not cells: an escaped character takes more cells than bytes. */
		while (row + 1 < a.rows && cut > (size_t)(a.cols - in)) {
			size_t blank = cut;

			while (blank && text[blank - 1] != ' ')
				blank--;
			if (blank <= (size_t)(a.cols - in) / 2) {
				cut = n;
				break;
			}
			cut = blank - 1;
		}
		tui_put(a.row + row, a.col + in, a.cols - in, style, REP_SHORTEN_RIGHT, text, cut);
		text += cut;
		text += *text == ' ';
	}
	return row;
}

void tui_rows_draw(struct tui_rows *r, struct tui_area a, bool waiting, const char *empty)
{
	if (r->error)
		tui_draw_sentence(a, TUI_STYLE_ERROR, r->error, 0);
	else if (!r->table.sheet)
		tui_say(a.row, a.col, a.cols, TUI_STYLE_DIM,
			waiting ? "reading the rows..." : "there is nothing to show");
	else if (empty && !r->table.sheet->nrows)
		tui_say(a.row, a.col, a.cols, TUI_STYLE_DIM, empty);
	else
		tui_table_draw(&r->table, a);
}

/* ---- the table under the cursor ---- */

struct tui_table *tui_table_of(struct tui_view *v)
{
	return v->ops->table ? v->ops->table(v) : NULL;
}

void tui_rows_click(struct tui_view *v, struct tui_table *table, int row, int col, bool twice)
{
	if (table && tui_table_click(table, row, col) && twice)
		tui_act(v->tui, TUI_DO_ENTER);
}

bool tui_search(struct tui_view *v, const char *text, int step)
{
	struct tui_table *table = tui_table_of(v);

	if (v->ops->search)
		return v->ops->search(v, text, step);
	return table && tui_table_find(table, text, step < 0 ? -1 : 1, !step);
}

void tui_filter(struct tui_view *v, const char *text)
{
	struct tui_table *table = tui_table_of(v);

	if (!table)
		tui_message(v->tui, "only tables can be filtered; Tab leads to one");
	else if (!tui_table_filter(table, text))
		tui_nomem(v->tui);
	else if (v->ops->filtered)
		v->ops->filtered(v);
}

int tui_yank(struct tui_view *v, bool all, struct tp_buf *out)
{
	struct tui_table *table = tui_table_of(v);

	if (v->ops->yank)
		return v->ops->yank(v, all, out);
	return table ? tui_table_yank(table, all, out) : 0;
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

int tui_table_save(struct tui_table *table, const char *path, const struct rep_sink *sink,
		   struct tp_err *err)
{
	const struct rep_output_options opt = {.format = format_of(path), .sink = *sink};

	return table && table->sheet
		   ? tui_table_write(table, &opt, err)
		   : tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE, "there is nothing to save yet");
}

/* Never replaces an existing file, since a name is easily mistyped. */
bool tui_save_view(struct tui_view *v, const char *path)
{
	struct cmd_draft draft;
	FILE *file = cmd_draft_open(&draft, path, CMD_DRAFT_KEEP);
	struct rep_sink sink;
	struct tp_err err;
	int code;

	if (!file) {
		tui_error(v->tui, "%.300s: %s%s", path, strerror(errno),
			  errno == EEXIST ? "; give another name" : cmd_advice(errno));
		return false;
	}
	sink = rep_sink_file(file);
	code = v->ops->save ? v->ops->save(v, path, &sink, &err)
			    : tui_table_save(tui_table_of(v), path, &sink, &err);
	if (cmd_draft_close(&draft, file, !code) && !code) {
		tui_error(v->tui, "%.300s: %s%s", path, strerror(errno), cmd_advice(errno));
		return false;
	}
	if (code)
		tui_error(v->tui, "%.300s: %s", path, err.msg);
	return !code;
}

/* ---- source lines ---- */

bool tui_split_place(const char *text, size_t n, char *file, size_t size, int64_t *line)
{
	size_t end = n;

	while (end && text[end - 1] != ':')
		end--;
	if (end < 2 || end - 1 >= size)
		return false;
	memcpy(file, text, end - 1);
	file[end - 1] = '\0';
	*line = 0;
	for (; end < n && text[end] >= '0' && text[end] <= '9' && *line < INT32_MAX; end++)
		*line = *line * 10 + (text[end] - '0');
	return true;
}

/* Finds the source line of the row under the cursor in the columns that name it. */
static bool source_of(const struct tui_table *table, char *file, size_t size, int64_t *line)
{
	const struct rep_value *place = tui_table_cell(table, "location");
	const struct rep_value *path = tui_table_cell(table, "file");
	const struct rep_value *number = tui_table_cell(table, "line");

	if (rep_value_is_text(place) &&
	    tui_split_place(place->text.data, place->text.size, file, size, line))
		return true;
	if (!rep_value_is_text(path) || path->text.size >= size)
		return false;
	memcpy(file, path->text.data, path->text.size);
	file[path->text.size] = '\0';
	*line = number && number->type == REP_TYPE_INT ? number->i : 0;
	return true;
}

bool tui_source(struct tui_view *v, char *file, size_t size, int64_t *line)
{
	const struct tui_table *table = tui_table_of(v);

	return (table && source_of(table, file, size, line)) ||
	       (v->ops->source && v->ops->source(v, file, size, line));
}
