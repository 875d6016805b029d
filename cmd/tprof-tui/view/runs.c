/* The view runs: the runs of the store. One run is selected; another can be marked for comparison. */
#include <string.h>

#include "tprof-tui/view/rows.h"
#include "tprof-tui/view/views.h"

enum {
	COLUMN_MARK,
	COLUMN_ID,
	COLUMN_NAME,
	COLUMN_KIND,
	COLUMN_FORMAT,
	COLUMN_DURATION,
	COLUMN_EVENTS,
	COLUMN_GOROUTINES,
	COLUMN_LOSSES,
	COLUMN_LABELS,
	NCOLUMNS
};

static const struct rep_column columns[NCOLUMNS] = {
    [COLUMN_MARK] = {.name = "mark", .title = " ", .kind = REP_TEXT},
    [COLUMN_ID] = {.name = "id", .title = "RUN", .kind = REP_ID},
    [COLUMN_NAME] = {.name = "name", .title = "NAME", .kind = REP_TEXT, .least = 20},
    [COLUMN_KIND] = {.name = "kind", .title = "KIND", .kind = REP_TEXT},
    [COLUMN_FORMAT] = {.name = "format", .title = "FORMAT", .kind = REP_TEXT, .drop = 2},
    [COLUMN_DURATION] = {.name = "duration_ns", .title = "DURATION", .kind = REP_NS},
    [COLUMN_EVENTS] = {.name = "events", .title = "EVENTS", .kind = REP_COUNT, .drop = 1},
    [COLUMN_GOROUTINES] = {.name = "goroutines",
			   .title = "GOROUTINES",
			   .kind = REP_COUNT,
			   .drop = 3},
    [COLUMN_LOSSES] = {.name = "losses", .title = "LOSSES", .kind = REP_COUNT},
    [COLUMN_LABELS] = {.name = "labels", .title = "LABELS", .kind = REP_TEXT},
};

static int fill(void *ctx, struct rep_output *out, struct tp_err *err)
{
	const struct tui *t = ctx;
	char labels[TUI_LABELS_SIZE];
	int code = rep_output_begin(out, "runs", columns, NCOLUMNS, err);

	for (size_t i = 0; i < t->cmd->all.n && !code; i++) {
		const struct rep_run *run = &t->cmd->all.run[i];
		bool trace = !strcmp(run->row.kind, "trace");

		code = rep_output_row(
		    out,
		    (struct rep_value[NCOLUMNS]){
			[COLUMN_MARK] = rep_str(run == t->select.other ? "*"
						: run == t->select.run ? ">"
								       : ""),
			[COLUMN_ID] = rep_int(run->row.id),
			[COLUMN_NAME] = rep_str(run->row.name),
			[COLUMN_KIND] = rep_str(run->row.kind),
			[COLUMN_FORMAT] = rep_str(run->row.format),
			[COLUMN_DURATION] =
			    run->row.ticks ? rep_null() : rep_int(run->row.duration_ns),
			[COLUMN_EVENTS] = trace ? rep_int(run->row.events) : rep_null(),
			[COLUMN_GOROUTINES] = trace ? rep_int(run->row.goroutines) : rep_null(),
			[COLUMN_LOSSES] = rep_int(run->losses),
			[COLUMN_LABELS] = rep_str(tui_labels_text(run, labels)),
		    },
		    err);
	}
	return code ? code : rep_output_end(out, err);
}

/* Selects a run, and clears the filters, since times and goroutines belong to the previous run. */
static void take_run(struct tui_select *s, const struct rep_run *run)
{
	if (run == s->run)
		return;
	tui_select_clear(s);
	s->run = run;
}

/* Selects the first run that --run would pick. Returns false with a message. */
static bool pick(struct tui_view *v, const char *spec)
{
	struct tui *t = v->tui;
	const struct rep_runs *all = &t->cmd->all;
	struct rep_runs picked = {0};
	struct tp_err err;
	int code;

	if (!all->n) {
		tui_error(t, TUI_NO_RUNS);
		return false;
	}
	code = rep_runs_select(all, spec, &picked, &err);
	if (code) {
		tui_error(t, "%s", err.msg);
	} else {
		const struct rep_run *run = tui_run_find(all, picked.run[0].row.id);

		take_run(&t->select, run);
		take_run(&v->select, run);
		if (picked.n > 1)
			tui_message(t, "'%.100s' matches %zu runs; this is the first", spec,
				    picked.n);
	}
	rep_runs_release(&picked);
	return !code;
}

static bool open_view(struct tui_view *v, const char *arg)
{
	struct tui_rows *r = v->state;

	if (arg && !pick(v, arg))
		return false;
	r->table.sort = -1;
	if (!tui_rows_fill(v, r, fill, v->tui))
		return false;
	for (size_t i = 0; i < r->table.n; i++)
		if (&v->tui->cmd->all.run[i] == v->tui->select.run)
			r->table.cursor = i;
	return true;
}

static void resume(struct tui_view *v)
{
	tui_rows_fill(v, v->state, fill, v->tui);
}

static void draw(struct tui_view *v, struct tui_area area)
{
	if (v->tui->cmd->all.n)
		tui_rows_draw(v->state, area, false, NULL);
	else
		tui_say(area.row, area.col, area.cols, TUI_STYLE_DIM, TUI_NO_RUNS);
}

static const struct rep_run *under_cursor(const struct tui *t, const struct tui_view *v)
{
	long row = tui_table_row(&((const struct tui_rows *)v->state)->table);

	return row >= 0 && (size_t)row < t->cmd->all.n ? &t->cmd->all.run[row] : NULL;
}

static bool act(struct tui_view *v, enum tui_action action)
{
	struct tui *t = v->tui;
	const struct rep_run *run = under_cursor(t, v);

	switch (action) {
	case TUI_DO_ENTER:
		if (!run)
			return true;
		take_run(&t->select, run);
		tui_open(t, tui_view_find("overview"), NULL);
		return true;
	case TUI_DO_MARK:
		t->select.other = run && run != t->select.other ? run : NULL;
		v->select.other = t->select.other;
		resume(v);
		return true;
	default:
		return false;
	}
}

const struct tui_view_ops tui_runs = {
    .where = TUI_RUNS,
    .name = "runs",
    .arg = "[RUN]",
    .size = sizeof(struct tui_rows),
    .open = open_view,
    .resume = resume,
    .draw = draw,
    .act = act,
    .table = tui_rows_table,
    .keeps_line = true,
};
