/* The view diff: the run against another, or the runs of one label against those of another, with
 * the numbers and verdicts of tprof-diff. If no run is marked, it lists the runs and
 * sets that the run can be compared with. */
#include <stdlib.h>
#include <string.h>

#include "tprof-tui/prompt.h"
#include "tprof-tui/view/diff/diff.h"
#include "tprof-tui/view/views.h"

#define MOST_NOTES 4

/* ---- asking ---- */

static void taken(struct tui_view *v, struct tui_fill *f)
{
	struct diff *d = v->state;
	struct diff_ask *a = (struct diff_ask *)f;

	rep_cells_release(&d->lines);
	if (f->job.code)
		return;
	tp_buf_release(&d->result.types);
	d->result = a->result;
	a->result.types = (struct tp_buf){0};
}

struct diff_ask *diff_ask_new(struct tui_view *v, const struct tui_fill *how)
{
	struct diff *d = v->state;
	struct diff_ask *a = tui_fill_new(v, sizeof(*a), how);
	struct tp_err err;
	size_t size = sizeof(a->result.against);

	if (!a)
		return NULL;
	if (diff_sides(&v->tui->cmd->all, &v->select, d->arg, &a->old, &a->new, &err)) {
		tui_error(v->tui, "%s", err.msg);
		tui_job_free(&a->fill.job);
		return NULL;
	}
	if (a->old.n < 2)
		snprintf(a->result.against, size, "%s", a->old.run[0].row.name);
	else
		snprintf(a->result.against, size, "%.280s (%zu)", a->old.run[0].row.name, a->old.n);
	memcpy(d->result.against, a->result.against, size);
	diff_rows_at(tui_is_trace(&v->select), d->at, &a->rows);
	a->how = d->how;
	return a;
}

static bool ask(struct tui_view *v)
{
	struct diff *d = v->state;
	const struct tui_fill how = {
	    .rows = &d->rows, .fill = diff_compare, .taken = taken, .release = diff_ask_release};
	struct diff_ask *a = diff_ask_new(v, &how);

	if (a)
		tui_job_ask(&a->fill.job);
	return a != NULL;
}

static void ask_from_top(struct tui_view *v)
{
	struct diff *d = v->state;

	d->rows.table.cursor = d->rows.table.top = 0;
	d->rows.table.first = 0;
	ask(v);
}

/* ---- opening ---- */

static enum tui_style tint(const struct rep_sheet *s, size_t row, size_t column)
{
	static const enum tui_style styles[] = {[REP_TONE_NORMAL] = TUI_STYLE_NORMAL,
						[REP_TONE_MORE] = TUI_STYLE_MORE,
						[REP_TONE_LESS] = TUI_STYLE_LESS};
	const struct rep_value *v = rep_sheet_at(s, row, column);

	if (!strcmp(s->columns[column].name, "VERDICT"))
		return !rep_sheet_unchanged(s, (long)row) ? TUI_STYLE_STRONG
		       : rep_value_is(v, "too few")	  ? TUI_STYLE_DIM
							  : TUI_STYLE_NORMAL;
	return styles[v->tone];
}

static bool list(struct tui_view *v)
{
	struct diff *d = v->state;
	struct diff_choices choices = {.all = &v->tui->cmd->all, .run = v->select.run};

	d->choosing = true;
	return tui_rows_fill(v, &d->rows, diff_choices_fill, &choices);
}

static bool open_view(struct tui_view *v, const char *arg)
{
	struct diff *d = v->state;

	d->rows.table.sort = -1;
	d->rows.table.tint = tint;
	if (!v->select.run) {
		tui_error(v->tui, TUI_NO_RUNS);
		return false;
	}
	if (!diff_take_options(v, &arg))
		return false;
	if (arg) {
		d->arg = strdup(arg);
		if (!d->arg) {
			tui_nomem(v->tui);
			return false;
		}
	}
	if (arg || (v->select.other && v->select.other->row.id != v->select.run->row.id))
		return ask(v);
	return list(v);
}

static void close_view(struct tui_view *v)
{
	struct diff *d = v->state;

	free(d->arg);
	tp_buf_release(&d->result.types);
	rep_cells_release(&d->lines);
	tui_rows_close(v);
}

/* ---- drawing ---- */

/* Draws the sides and the options of the comparison above the table; fewer lines on small screens. */
static int draw_notes(const struct diff *d, struct tui_area a)
{
	const struct rep_cells *cells = &d->rows.cells;
	int most = a.rows / 4 < MOST_NOTES ? a.rows / 4 : MOST_NOTES, n = 0;

	for (int strong = 1; strong >= 0; strong--)
		for (size_t i = 0; i < cells->nnotes && n < most; i++)
			if (cells->strong[i] == (strong > 0) && *cells->note[i])
				tui_say(a.row + n++, a.col, a.cols,
					strong ? TUI_STYLE_STRONG : TUI_STYLE_DIM, cells->note[i]);
	return n;
}

static void draw(struct tui_view *v, struct tui_area area)
{
	struct diff *d = v->state;
	int notes = 0;

	if (d->choosing)
		notes = diff_choices_draw(&v->select, d->rows.table.n, area);
	else if (!d->rows.error)
		notes = draw_notes(d, area);
	area.row += notes;
	area.rows -= notes;
	tui_rows_draw(&d->rows, area, v->busy, NULL);
}

static void title(struct tui_view *v, char *text, size_t size)
{
	const struct diff *d = v->state;
	struct diff_rows rows;

	if (d->choosing) {
		snprintf(text, size, "compare with");
		return;
	}
	diff_rows_at(tui_is_trace(&v->select), d->at, &rows);
	snprintf(text, size, "%s%s%s%s%s%s, was %s", rows.name,
		 rows.kind != DIFF_METRICS && *d->result.type ? " " : "",
		 rows.kind != DIFF_METRICS ? d->result.type : "",
		 rows.kind != DIFF_METRICS && d->how.cum ? " cum" : "",
		 rows.kind == DIFF_METRICS && d->how.per ? " per " : "",
		 rows.kind == DIFF_METRICS && d->how.per ? rep_pers[d->how.per] : "",
		 d->result.against);
}

/* ---- keys ---- */

static void turn(struct tui_view *v, int step)
{
	struct diff *d = v->state;
	bool traces = tui_is_trace(&v->select);
	struct diff_rows rows;
	int n = 0;

	while (diff_rows_at(traces, n, &rows))
		n++;
	if (!n)
		return;
	d->at = (d->at + step + n) % n;
	ask_from_top(v);
}

static void next_type(struct tui_view *v)
{
	struct diff *d = v->state;
	const char *first = (const char *)d->result.types.data;
	size_t at = 0;

	if (!d->result.types.size) {
		tui_message(v->tui, "only profiles have sample types");
		return;
	}
	while (at < d->result.types.size && strcmp(first + at, d->result.type) != 0)
		at += strlen(first + at) + 1;
	if (at < d->result.types.size)
		at += strlen(first + at) + 1;
	snprintf(d->how.type, sizeof(d->how.type), "%s",
		 at < d->result.types.size ? first + at : first);
	if (!strcmp(d->how.type, d->result.type))
		tui_message(v->tui, "%s is the only sample type that both sides have", d->how.type);
	else
		ask(v);
}

static void choose(struct tui_view *v)
{
	struct tui *t = v->tui;
	struct diff *d = v->state;
	const struct rep_value *sides = tui_table_cell(&d->rows.table, "sides");
	const struct rep_value *id = tui_table_cell(&d->rows.table, "id");
	char arg[400];

	if (!sides)
		return;
	if (id && id->type == REP_TYPE_INT) {
		t->select.other = tui_run_find(&t->cmd->all, id->i);
		tui_open(t, v->ops, NULL);
		return;
	}
	snprintf(arg, sizeof(arg), "%.*s", (int)sides->text.size, sides->text.data);
	tui_open(t, v->ops, arg);
}

static bool is_metrics(const struct tui_view *v)
{
	const struct diff *d = v->state;
	struct diff_rows rows;

	return diff_rows_at(tui_is_trace(&v->select), d->at, &rows) && rows.kind == DIFF_METRICS;
}

static void flip(struct tui_view *v, enum tui_action action)
{
	struct tui *t = v->tui;
	struct diff *d = v->state;
	bool metrics = is_metrics(v);

	switch (action) {
	case TUI_DO_DIFF_PER:
		if (metrics) {
			d->how.per = (d->how.per + 1) % REP_NPER;
			tui_message(t, "counts and totals %s%s",
				    d->how.per == REP_PER_RUN ? "as they are" : "per ",
				    d->how.per == REP_PER_RUN ? "" : rep_pers[d->how.per]);
		} else {
			d->how.normalize = !d->how.normalize;
			tui_message(t, d->how.normalize
					   ? "the new side is scaled to the old one's total"
					   : "values are not scaled");
		}
		break;
	case TUI_DO_DIFF_CHANGED:
		d->how.changed = !d->how.changed;
		tui_message(t,
			    d->how.changed ? "only what changed is shown" : "everything is shown");
		break;
	case TUI_DO_DIFF_CUM:
		if (metrics) {
			tui_message(
			    t, "only profiles have flat and cum; Tab leads to views as profiles");
			return;
		}
		d->how.cum = !d->how.cum;
		tui_message(t, d->how.cum ? "ranked by cum: functions with everything they call"
					  : "ranked by flat: functions themselves");
		break;
	default:
		if (!metrics) {
			tui_message(t, "only metrics of traces have statistics");
			return;
		}
		d->how.every_stat = !d->how.every_stat;
		tui_message(t, d->how.every_stat ? "all statistics are shown"
						 : "the most important statistics are shown");
		break;
	}
	ask(v);
}

static bool act(struct tui_view *v, enum tui_action action)
{
	struct diff *d = v->state;

	if (d->choosing && action == TUI_DO_ENTER) {
		choose(v);
		return true;
	}
	if (d->choosing)
		return false;
	switch (action) {
	case TUI_DO_REPORT_NEXT:
	case TUI_DO_KIND:
		turn(v, 1);
		return true;
	case TUI_DO_REPORT_BACK:
		turn(v, -1);
		return true;
	case TUI_DO_FOLD:
		diff_unfold(v);
		return true;
	case TUI_DO_SAMPLE_TYPE:
		next_type(v);
		return true;
	case TUI_DO_DIFF_PER:
	case TUI_DO_DIFF_CHANGED:
	case TUI_DO_DIFF_CUM:
	case TUI_DO_DIFF_STATS:
		flip(v, action);
		return true;
	case TUI_DO_DIFF_OTHER:
		v->tui->select.other = NULL;
		tui_open(v->tui, v->ops, NULL);
		return true;
	case TUI_DO_ENTER:
		diff_lead(v, false);
		return true;
	case TUI_DO_FLAME:
		if (is_metrics(v) || !*d->result.type)
			return false;
		diff_lead(v, true);
		return true;
	default:
		return false;
	}
}

static void resume(struct tui_view *v)
{
	struct diff *d = v->state;

	if (d->choosing)
		list(v);
}

static const char *hints(struct tui_view *v)
{
	const struct diff *d = v->state;

	if (d->choosing)
		return "Enter compare\tf filter\t1 runs\tR refresh\tq back\t? help";
	if (is_metrics(v))
		return "Tab next rows\tEnter its report\tp per\t= changed\ta statistics\to other\t"
		       "f filter\t> sort\tEsc back\t? help";
	return "Tab next rows\tEnter flame\tSpace lines\tt type\t= changed\ti cum\tp scale\to "
	       "other\t"
	       "f filter\t> sort\t? help";
}

const struct tui_view_ops tui_diff = {
    .where = TUI_DIFF,
    .name = "diff",
    .arg = "[OPTION...] [OLD [NEW]]",
    .size = sizeof(struct diff),
    .open = open_view,
    .close = close_view,
    .resume = resume,
    .draw = draw,
    .act = act,
    .table = tui_rows_table,
    .keeps_line = true,
    .source = diff_source,
    .title = title,
    .keep = diff_keep,
    .offer = diff_offer,
    .hints = hints,
};
