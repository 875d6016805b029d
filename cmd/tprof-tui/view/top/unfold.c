/* Unfolds rows. The worker adds up the callers and callees of a function; a row with a stack unfolds into
 * its frames at once. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "top/top.h"
#include "tprof-tui/view/top/top.h"

#define MOST_VALUES 64 /* columns of a table that unfolds */

struct job {
	struct tui_job job;
	struct top_model *model;
	struct top_unfold unfold;
};

/* Returns the column with the stack of a row, or -1. */
static int stack_column(const struct rep_sheet *s)
{
	static const char *const names[] = {REP_TOP_FRAMES, "stack", "most_stack"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (rep_sheet_column(s, names[i]) >= 0)
			return rep_sheet_column(s, names[i]);
	return -1;
}

struct rep_sheet *top_sheet(struct top *top)
{
	return top->rows.cells.n ? top->rows.table.sheet : NULL;
}

int top_unfoldable(const struct top *top, struct rep_sheet *s)
{
	if (s->ncolumns > MOST_VALUES || (!top->result.model && stack_column(s) < 0))
		return 0;
	return rep_sheet_unfolds(s);
}

/* ---- rows ---- */

static void set(struct rep_sheet *s, struct rep_value *row, const char *column, struct rep_value v)
{
	int c = rep_sheet_column(s, column);

	if (c >= 0)
		row[c] = v;
}

/* Returns the column that names a row, the first visible text, or -1. */
static int naming(const struct rep_sheet *s)
{
	for (size_t i = 0; i < s->ncolumns; i++)
		if (s->columns[i].kind == REP_TEXT && !s->columns[i].right &&
		    !s->columns[i].raw_only)
			return (int)i;
	return -1;
}

static void show(struct tui *t, struct top *top)
{
	if (rep_sheet_index(top->rows.table.sheet) || !tui_table_grown(&top->rows.table))
		tui_nomem(t);
}

/* ---- stacks ---- */

struct frame {
	const char *name, *place;
	size_t name_size, place_size;
};

/* Reads the frame at `at`: with `lines`, a line "name<tab>place", otherwise a name up to a semicolon.
 * Returns the start of the next frame, NULL after the last. */
static const char *next_frame(const char *at, const char *end, bool lines, struct frame *f)
{
	const char *stop, *tab;

	while (at < end && *at == ' ')
		at++;
	stop = memchr(at, lines ? '\n' : ';', (size_t)(end - at));
	stop = stop ? stop : end;
	tab = lines ? memchr(at, '\t', (size_t)(stop - at)) : NULL;
	*f = (struct frame){at, tab ? tab + 1 : NULL, (size_t)((tab ? tab : stop) - at),
			    tab ? (size_t)(stop - tab - 1) : 0};
	return stop < end ? stop + 1 : NULL;
}

/* Returns a frame as text without the folders of its file: "main.f  shop.go:12". */
static struct rep_value frame_text(struct tp_arena *texts, const struct frame *f)
{
	const char *file = f->place;
	size_t size = f->place_size;
	char *text;

	for (size_t i = 0; i < f->place_size; i++) {
		if (f->place[i] == '/') {
			file = f->place + i + 1;
			size = f->place_size - i - 1;
		}
	}
	text = tp_arena_alloc(texts, f->name_size + size + 4);
	if (!text)
		return rep_null();
	memcpy(text, f->name, f->name_size);
	if (!size)
		return rep_text(text, f->name_size);
	memcpy(text + f->name_size, "  ", 2);
	memcpy(text + f->name_size + 2, file, size);
	return rep_text(text, f->name_size + 2 + size);
}

#define MOST_FRAMES 1000 /* of one stack */

static void unfold_stack(struct tui *t, struct top *top, struct rep_sheet *s, size_t row)
{
	int c = stack_column(s), name = naming(s);
	const struct rep_value *stack = c >= 0 ? rep_sheet_at(s, row, (size_t)c) : NULL;
	bool lines = c >= 0 && !strcmp(s->columns[c].name, REP_TOP_FRAMES);
	struct rep_value *rows = NULL;
	struct tp_arena texts = {0};
	size_t n = 0;
	bool failed = false;

	if (stack && stack->type == REP_TYPE_TEXT && stack->text.size && name >= 0) {
		const char *at = stack->text.data, *end = at + stack->text.size;

		rows = calloc(MOST_FRAMES * s->ncolumns, sizeof(*rows));
		failed = !rows;
		while (at && n < MOST_FRAMES && !failed) {
			struct rep_value *to = rows + n++ * s->ncolumns;
			struct frame f;

			at = next_frame(at, end, lines, &f);
			to[name] = frame_text(&texts, &f);
			set(s, to, "function", rep_text(f.name, f.name_size));
			if (f.place_size)
				set(s, to, "location", rep_text(f.place, f.place_size));
		}
	}
	if (!n && !failed)
		tui_message(t, "this line has no stack");
	if (failed || rep_sheet_add(&top->rows.cells, s, row, rows, n))
		tui_nomem(t);
	/* Frames do not unfold. */
	for (size_t i = s->nrows - n; i < s->nrows; i++)
		s->branch[i].asked = true;
	free(rows);
	tp_arena_clear(&texts);
	show(t, top);
}

/* ---- functions ---- */

static int work(struct tui_job *job, struct tp_store *store, struct tp_err *err)
{
	struct job *j = (struct job *)job;

	(void)store;
	return top_unfold_find(j->model, &j->unfold, err);
}

static void release(struct tui_job *job)
{
	struct job *j = (struct job *)job;

	top_unfold_release(&j->unfold);
	top_model_drop(j->model);
}

/* Returns "< main.f" for a caller of the row above, or "> main.f" for a callee. */
static struct rep_value way_text(struct tp_arena *texts, const struct rep_chain_next *n,
				 bool callers)
{
	char *text = tp_arena_alloc(texts, n->name.size + 3);

	if (!text)
		return rep_null();
	memcpy(text, callers ? "< " : "> ", 2);
	memcpy(text + 2, n->name.text, n->name.size);
	return rep_text(text, n->name.size + 2);
}

static struct rep_value keep(struct tp_arena *texts, const char *text)
{
	const char *copy = tp_arena_strndup(texts, text, strlen(text));

	return rep_str(copy);
}

static struct rep_value text_value(struct tp_text t)
{
	return t.size ? rep_text(t.text, t.size) : rep_null();
}

/* Fills in a row with the columns that rep_profile_top_print writes. */
static void fill_row(struct rep_sheet *s, struct rep_value *row, const struct rep_profile_top *top,
		     const struct rep_chain_next *n, bool callers, struct tp_arena *texts)
{
	const struct rep_profile_view *v = &top->view;
	char text[REP_MEASURE_SIZE], share[REP_PERCENTAGE_SIZE];

	set(s, row, "flat_shown", keep(texts, rep_view_row_label(v, n->flat, n->cum, text)));
	set(s, row, "cum_shown", keep(texts, rep_view_row_label(v, n->cum, n->cum, text)));
	set(s, row, "flat_share_shown",
	    keep(texts, rep_percentage_trimmed(share, n->flat, top->total)));
	set(s, row, "cum_share_shown",
	    keep(texts, rep_percentage_trimmed(share, n->cum, top->total)));
	set(s, row, "name_shown", way_text(texts, n, callers));
	set(s, row, "flat",
	    v->ratio == 1 ? rep_int(n->flat) : rep_float((double)n->flat * v->ratio));
	set(s, row, "cum", v->ratio == 1 ? rep_int(n->cum) : rep_float((double)n->cum * v->ratio));
	if (top->total) {
		set(s, row, "flat_share", rep_float((double)n->flat / (double)top->total));
		set(s, row, "cum_share", rep_float((double)n->cum / (double)top->total));
	}
	/* The table has no column name_shown: the column of functions names its rows. */
	if (rep_sheet_column(s, "name_shown") < 0 && naming(s) >= 0)
		row[naming(s)] = way_text(texts, n, callers);
	set(s, row, "sample_type", rep_str(v->type));
	set(s, row, "unit", rep_str(v->unit));
	set(s, row, "name", text_value(n->name));
	if (rep_sheet_column(s, "name_shown") >= 0)
		set(s, row, "function", text_value(n->info.name));
	set(s, row, "file", text_value(n->info.file));
	if (n->info.line)
		set(s, row, "line", rep_int(n->info.line));
	if (n->info.address)
		set(s, row, "address", rep_int((int64_t)n->info.address));
}

static bool grow_ways(struct top *top, size_t n)
{
	struct top_way *more;

	if (n <= top->nways)
		return true;
	more = realloc(top->way, n * sizeof(*more));
	if (!more)
		return false;
	memset(more + top->nways, 0, (n - top->nways) * sizeof(*more));
	top->way = more;
	top->nways = n;
	return true;
}

static void done(struct tui_view *v, struct tui_job *job)
{
	struct job *j = (struct job *)job;
	const struct top_unfold *u = &j->unfold;
	struct top *top = v->state;
	struct rep_sheet *s = top_sheet(top);
	struct tp_arena texts = {0};
	struct rep_value *rows;
	bool failed;

	if (job->code) {
		tui_error(v->tui, "%s", job->err.msg);
		return;
	}
	if (!s || u->row >= s->nrows || top->result.model != j->model)
		return;
	rows = calloc((u->nnext + 1) * s->ncolumns, sizeof(*rows));
	failed = !rows || !grow_ways(top, s->nrows + u->nnext);
	for (size_t i = 0; i < u->nnext && !failed; i++) {
		fill_row(s, rows + i * s->ncolumns, &j->model->top, &u->next[i], u->callers,
			 &texts);
		top->way[s->nrows + i] = (struct top_way){u->next[i].node, u->callers, false};
	}
	if (failed || rep_sheet_add(&top->rows.cells, s, u->row, rows, u->nnext))
		tui_nomem(v->tui);
	else
		top->way[u->row].below = u->callers;
	free(rows);
	tp_arena_clear(&texts);
	if (!failed && !u->nnext)
		tui_message(v->tui, u->callers ? "it has no callers: stacks begin here"
					       : "it calls no other function");
	show(v->tui, top);
}

/* Returns the model's row with the function of this row, or m->top.n if it has none. */
static size_t root_of(const struct top_model *m, const struct rep_sheet *s, size_t row)
{
	const struct rep_value *v = rep_sheet_cell(s, (long)row, "function");
	size_t i = v && v->type == REP_TYPE_TEXT ? 0 : m->top.n;

	while (i < m->top.n && (m->top.row[i].name.size != v->text.size ||
				memcmp(m->top.row[i].name.text, v->text.data, v->text.size) != 0))
		i++;
	return i;
}

/* Collects the chain of calls from a row up to its row in the folded table. Returns false if memory is
 * out. */
static bool chain_of(const struct top *top, const struct rep_sheet *s, size_t row,
		     struct top_unfold *u)
{
	size_t depth = s->branch[row].depth;

	u->before = calloc(depth + 1, sizeof(*u->before));
	u->behind = calloc(depth + 1, sizeof(*u->behind));
	if (!u->before || !u->behind)
		return false;
	while (s->branch[row].above) {
		const struct top_way *w = &top->way[row];

		/* The deepest caller is the outermost one; the deepest callee is the last one. */
		if (w->callers) {
			u->before[u->nbefore++] = w->node;
		} else {
			memmove(u->behind + 1, u->behind, u->nbehind++ * sizeof(*u->behind));
			u->behind[0] = w->node;
		}
		row = s->branch[row].above - 1;
	}
	u->root = top->result.model->by_name ? root_of(top->result.model, s, row) : row;
	return true;
}

static void ask(struct tui_view *v, struct rep_sheet *s, size_t row, bool callers)
{
	static const struct tui_job how = {.work = work, .done = done, .release = release};
	struct top *top = v->state;
	struct job *j = tui_job_new(v, sizeof(*j), &how);

	if (!j)
		return;
	if (!chain_of(top, s, row, &j->unfold)) {
		tui_job_free(&j->job);
		tui_nomem(v->tui);
		return;
	}
	j->unfold.row = (uint32_t)row;
	j->unfold.callers = callers;
	j->model = top_model_keep(top->result.model);
	tui_job_ask(&j->job);
}

void top_unfold(struct tui_view *v, bool callers)
{
	struct tui *t = v->tui;
	struct top *top = v->state;
	struct rep_sheet *s = top_sheet(top);
	long row = s ? tui_table_row(&top->rows.table) : -1;
	struct rep_branch *b;
	bool same;

	if (v->busy || row < 0) {
		tui_message(t, v->busy ? "the table is still being made"
				       : "there is nothing to unfold");
		return;
	}
	if (!s->branch) {
		tui_message(t, "only functions and lines with stacks unfold");
		return;
	}
	b = &s->branch[row];
	same = !top->result.model || !b->asked ||
	       ((size_t)row < top->nways && top->way[row].below == callers);
	if (b->asked && same) {
		b->open = !b->open;
		show(t, top);
	} else if (top->result.model) {
		ask(v, s, (size_t)row, callers);
	} else {
		unfold_stack(t, top, s, (size_t)row);
	}
}
