/* Key figures: a grid of names and values, each with its report. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "mmu/utilisation.h"
#include "output/ops.h"
#include "tprof-tui/view/overview/inside.h"

#define CELL 26 /* least width of a figure */
#define TEXT 120

/* A key figure. `value` formats it for display, or returns false if it is not known (yet). */
struct fact {
	const char *name;
	const char *view, *arg; /* Enter opens this; NULL: nothing */
	bool (*value)(const struct overview *o, const struct fact *f, char text[TEXT]);
	enum ov_piece piece; /* the piece that it is computed from */
	const char *column;  /* the column */
	const char *with;    /* only rows whose name begins like this; NULL: all rows */
	bool of_run;	     /* covers the whole run: ignores all filters but the time range */
	bool of_gc;	     /* left out if the program has no collector */
};

static bool put(char text[TEXT], enum rep_kind kind, struct rep_value v)
{
	rep_value_shown(&v, kind, text, TEXT);
	return true;
}

static enum rep_kind times(const struct overview *o)
{
	return o->view->select.run->row.ticks ? REP_COUNT : REP_NS;
}

static bool is_done(const struct overview *o, enum ov_piece piece)
{
	return o->piece[piece].done && !o->piece[piece].error;
}

/* ---- figures of a trace ---- */

static int64_t length_of(const struct overview *o)
{
	const struct tui_select *s = &o->view->select;
	int64_t from = s->from_ns > 0 ? s->from_ns : 0, to = s->run->row.duration_ns;

	if (s->to_ns < to)
		to = s->to_ns;
	return to > from ? to - from : 0;
}

static bool length(const struct overview *o, const struct fact *f, char text[TEXT])
{
	(void)f;
	tui_length_text(o->view->select.run, length_of(o), text);
	return true;
}

/* Writes the number of events or goroutines. That of the whole run is known without a job. */
static bool counted(const struct overview *o, const struct fact *f, char text[TEXT])
{
	const struct tui_select *s = &o->view->select;
	const struct ov_result *part = &o->result[OV_PICTURE];
	bool events = !strcmp(f->name, "events");
	int64_t n = events ? part->events : part->goroutines;

	if (s->from_ns == INT64_MIN && s->to_ns == INT64_MAX)
		n = events ? s->run->row.events : s->run->row.goroutines;
	else if (!is_done(o, OV_PICTURE))
		return false;
	return put(text, REP_COUNT, rep_int(n));
}

struct sums {
	int64_t rows, most; /* most: -1 if no row has a number */
	double sum, count;  /* sums of the figure's column and of the column "count" */
};

/* Sums up the rows of a figure. Returns false if they are not known yet. */
static bool sum_up(const struct overview *o, const struct fact *f, struct sums *to)
{
	const struct rep_sheet *s = ov_sheet(o, f->piece);

	*to = (struct sums){.most = -1};
	for (size_t i = 0; s && i < s->nrows; i++) {
		const struct rep_value *name = ov_cell(o, f->piece, i, "name");
		const struct rep_value *v = ov_cell(o, f->piece, i, f->column);

		if (f->with && !(rep_value_is_text(name) && name->text.size >= strlen(f->with) &&
				 !memcmp(name->text.data, f->with, strlen(f->with))))
			continue;
		to->rows++;
		to->sum += rep_value_number(v);
		to->count += rep_value_number(ov_cell(o, f->piece, i, "count"));
		if (v && v->type == REP_TYPE_INT && v->i > to->most)
			to->most = v->i;
	}
	return is_done(o, f->piece);
}

static bool rows(const struct overview *o, const struct fact *f, char text[TEXT])
{
	struct sums s;

	return sum_up(o, f, &s) && put(text, REP_COUNT, rep_int(s.rows));
}

static bool mean(const struct overview *o, const struct fact *f, char text[TEXT])
{
	struct sums s;

	return sum_up(o, f, &s) && s.rows &&
	       put(text, REP_SHARE, rep_float(s.sum / (double)s.rows));
}

static bool most(const struct overview *o, const struct fact *f, char text[TEXT])
{
	bool heap = f->piece == OV_HEAP;
	struct sums s;

	if (!sum_up(o, f, &s))
		return false;
	return s.most < 0 ? snprintf(text, TEXT, heap ? "not known" : "none") > 0
			  : put(text, heap ? REP_BYTES : times(o), rep_int(s.most));
}

static bool of_length(const struct overview *o, const struct fact *f, char text[TEXT])
{
	double all = (double)length_of(o);
	char part[TEXT], count[TEXT];
	struct sums s;

	if (!sum_up(o, f, &s) || !(all > 0))
		return false;
	put(part, REP_SHARE, rep_float(s.sum / all));
	put(count, REP_COUNT, rep_int((int64_t)s.count));
	snprintf(text, TEXT, s.count > 0 ? "%.20s (%.20s)" : "none", part, count);
	return true;
}

#define WINDOW 10000000

/* Writes the MMU for the longest window of at most 10 ms. */
static bool utilisation(const struct overview *o, const struct fact *f, char text[TEXT])
{
	const struct rep_value *best = NULL, *length = NULL;
	const struct rep_sheet *s = ov_sheet(o, OV_MMU);
	char part[TEXT], window[TUI_TIME_SIZE];

	if (!is_done(o, OV_MMU))
		return false;
	for (size_t i = 0; s && i < s->nrows; i++) {
		const struct rep_value *w = ov_cell(o, OV_MMU, i, "window_ns");

		if (w && w->type == REP_TYPE_INT && w->i <= WINDOW &&
		    (!length || w->i > length->i)) {
			length = w;
			best = ov_cell(o, OV_MMU, i, f->column);
		}
	}
	if (!best)
		return snprintf(text, TEXT, "not known") > 0;
	put(part, REP_SHARE, rep_float(rep_value_number(best)));
	snprintf(text, TEXT, "%.20s in %s", part,
		 tui_moment_text(o->view->select.run, length->i, window));
	return true;
}

static bool lost(const struct overview *o, const struct fact *f, char text[TEXT])
{
	const struct rep_run *run = o->view->select.run;

	(void)f;
	if (run->losses)
		snprintf(text, TEXT, "%" PRId64 " loss%s, see below", run->losses,
			 run->losses == 1 ? "" : "es");
	else
		snprintf(text, TEXT, "nothing");
	return true;
}

/* clang-format off */
static const struct fact of_trace[] = {
    {"length", "timeline", NULL, length, OV_PICTURE, NULL, NULL, false, false},
    {"events", "sql", NULL, counted, OV_PICTURE, NULL, NULL, false, false},
    {"goroutines", "top", "goroutines", counted, OV_PICTURE, NULL, NULL, false, false},
    {"Ps", "top", "procs", rows, OV_PROCS, "utilisation", NULL, false, false},
    {"busy", "top", "procs", mean, OV_PROCS, "utilisation", NULL, false, false}, /* the mean of all Ps */
    {"longest latency", "top", "sched", most, OV_READY, "dur_ns", NULL, false, false},
    {"GC marks", "top", "gc", of_length, OV_GC, "total_ns", "GC concurrent mark phase", true, true},
    {"STW", "top", "pauses", of_length, OV_GC, "total_ns", "stop-the-world", true, true},
    {"longest pause", "top", "stops", most, OV_GC, "max_ns", "stop-the-world", true, true},
    {"MMU", "top", "mmu", utilisation, OV_MMU, "mmu", NULL, false, true},
    {"max heap", "top", "heap", most, OV_HEAP, "heap_bytes", NULL, false, false},
    {"lost", "runs", NULL, lost, OV_PICTURE, NULL, NULL, false, false},
};
/* clang-format on */

/* ---- figures of a profile: the rows of its first table ---- */

/* Returns figure i of those of a trace that are shown, NULL if there are not so many. */
static const struct fact *trace_fact(const struct overview *o, int i)
{
	bool no_gc = rep_gc_has_none(&o->view->select.run->row);

	for (size_t at = 0; at < sizeof(of_trace) / sizeof(of_trace[0]); at++)
		if (!(no_gc && of_trace[at].of_gc) && i-- == 0)
			return &of_trace[at];
	return NULL;
}

static int facts_of(const struct overview *o)
{
	const struct rep_sheet *s = ov_sheet(o, OV_TYPES);
	int n = 0;

	while (!o->profile && trace_fact(o, n))
		n++;
	return o->profile && s ? (int)s->nrows : n;
}

/* Writes the name and the value of figure i. Returns false if the value is not known yet. */
static bool fact_of(const struct overview *o, int i, char name[TEXT], char text[TEXT])
{
	const struct rep_sheet *s = ov_sheet(o, OV_TYPES);

	if (!o->profile) {
		const struct fact *f = trace_fact(o, i);

		snprintf(name, TEXT, "%s", f->name);
		return f->value(o, f, text);
	}
	if (!s)
		return false;
	rep_value_shown(rep_sheet_at(s, (size_t)i, 0), REP_TEXT, name, TEXT);
	rep_value_shown(rep_sheet_at(s, (size_t)i, 1), REP_TEXT, text, TEXT);
	return true;
}

/* ---- the section ---- */

static int across(const struct overview *o, int cols)
{
	int n = o->profile ? cols / (3 * CELL) : cols / CELL;

	return n < 1 ? 1 : n;
}

static void height(const struct overview *o, const struct ov_section *s, int cols, int *least,
		   int *most)
{
	int n = across(o, cols), rows = (facts_of(o) + n - 1) / n;

	(void)s;
	*least = *most = rows > 0 ? rows : 1;
}

static void draw(struct overview *o, struct ov_section *s, struct tui_area a, bool here)
{
	int n = across(o, a.cols), width = a.cols / n, all = facts_of(o);

	if (s->at >= all)
		s->at = all ? all - 1 : 0;
	for (int i = 0; i < all && i / n < a.rows; i++) {
		int row = a.row + i / n, col = a.col + i % n * width, used;
		bool cursor = here && i == s->at;
		char name[TEXT], text[TEXT];
		bool known = fact_of(o, i, name, text);

		if (cursor)
			tui_fill(row, col, width - 1, TUI_STYLE_CURSOR);
		used =
		    tui_say(row, col, width - 1, cursor ? TUI_STYLE_CURSOR : TUI_STYLE_DIM, name);
		used += 1;
		tui_say(row, col + used, width - 1 - used,
			cursor ? TUI_STYLE_CURSOR : TUI_STYLE_STRONG,
			known							 ? text
			: o->profile || !o->piece[trace_fact(o, i)->piece].error ? "..."
										 : "not known");
	}
}

static bool move(struct ov_section *s, int by, int all)
{
	if (s->at + by < 0 || s->at + by >= all)
		return false;
	s->at += by;
	return true;
}

/* Opens the view that shows the figure in detail. */
static void lead(const struct tui_view *v, const struct fact *f)
{
	struct tui *t = v->tui;

	if (f->of_run) {
		tui_select_clear(&t->select);
		t->select.from_ns = v->select.from_ns;
		t->select.to_ns = v->select.to_ns;
	}
	tui_open(t, tui_view_find(f->view), f->arg);
}

static bool act(struct tui_view *v, struct ov_section *s, enum tui_action action)
{
	struct overview *o = v->state;
	int n = across(o, s->area.cols), all = facts_of(o);

	switch (action) {
	case TUI_DO_UP:
		return move(s, -n, all);
	case TUI_DO_DOWN:
		return move(s, n, all);
	case TUI_DO_LEFT:
		move(s, -1, all);
		return true;
	case TUI_DO_RIGHT:
		move(s, 1, all);
		return true;
	case TUI_DO_ENTER:
		if (o->profile)
			tui_message(v->tui, "this line has no details");
		else if (s->at < all)
			lead(v, trace_fact(o, s->at));
		return true;
	default:
		return false;
	}
}

static void click(struct tui_view *v, struct ov_section *s, int row, int col)
{
	struct overview *o = v->state;
	int n = across(o, s->area.cols), width = s->area.cols / n;
	int at = (row - s->area.row) * n + (col - s->area.col) / width;

	if (at < facts_of(o))
		s->at = at;
}

static int yank(struct overview *o, struct ov_section *s, bool all, struct tp_buf *out)
{
	for (int i = 0; i < facts_of(o); i++) {
		char name[TEXT], text[TEXT];

		if ((!all && i != s->at) || !fact_of(o, i, name, text))
			continue;
		rep_escape(out, name, strlen(name), REP_ESCAPE_TSV);
		tp_buf_text(out, "\t");
		rep_escape(out, text, strlen(text), REP_ESCAPE_TSV);
		tp_buf_text(out, "\n");
	}
	return tp_buf_text(out, "");
}

const struct ov_section_ops ov_facts = {
    .height = height, .draw = draw, .act = act, .click = click, .yank = yank};
