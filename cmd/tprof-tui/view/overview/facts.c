/* Key figures: a grid of names and values, each with its report. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "output/ops.h"
#include "tprof-tui/view/lead.h"
#include "tprof-tui/view/overview/inside.h"

#define CELL 26 /* least cells of a figure */
#define TEXT 120
#define STOP "stop-the-world" /* prefix of the names of stops */

/* A key figure. `value` writes it as shown to people, or returns false if it is not known (yet). */
struct fact {
	const char *name;
	const char *view, *arg; /* Enter opens this; NULL: nothing */
	bool (*value)(const struct overview *o, char text[TEXT]);
	enum ov_piece piece; /* that has it */
	bool of_run;	     /* of the whole run: obeys only the time range */
};

static bool count(char text[TEXT], int64_t n)
{
	const struct rep_value v = rep_int(n);

	rep_value_shown(&v, REP_COUNT, text, TEXT);
	return true;
}

static bool share(char text[TEXT], double part)
{
	const struct rep_value v = rep_float(part);

	rep_value_shown(&v, REP_SHARE, text, TEXT);
	return true;
}

static bool ns(const struct overview *o, char text[TEXT], int64_t t)
{
	tui_moment_text(o->view->select.run, t, text);
	return true;
}

static bool is_done(const struct overview *o, enum ov_piece piece)
{
	return o->piece[piece].done && !o->piece[piece].error;
}

/* ---- of a trace ---- */

static int64_t length_of(const struct overview *o)
{
	const struct tui_select *s = &o->view->select;
	int64_t from = s->from_ns > 0 ? s->from_ns : 0, to = s->run->row.duration_ns;

	if (s->to_ns < to)
		to = s->to_ns;
	return to > from ? to - from : 0;
}

static bool is_whole(const struct overview *o)
{
	return o->view->select.from_ns == INT64_MIN && o->view->select.to_ns == INT64_MAX;
}

static bool length(const struct overview *o, char text[TEXT])
{
	tui_length_text(o->view->select.run, length_of(o), text);
	return true;
}

static bool events(const struct overview *o, char text[TEXT])
{
	if (is_whole(o))
		return count(text, o->view->select.run->row.events);
	return is_done(o, OV_PICTURE) && count(text, o->result[OV_PICTURE].events);
}

static bool goroutines(const struct overview *o, char text[TEXT])
{
	if (is_whole(o))
		return count(text, o->view->select.run->row.goroutines);
	return is_done(o, OV_PICTURE) && count(text, o->result[OV_PICTURE].goroutines);
}

static size_t rows_of(const struct overview *o, enum ov_piece piece)
{
	const struct rep_sheet *s = ov_sheet(o, piece);

	return s ? s->nrows : 0;
}

static bool procs(const struct overview *o, char text[TEXT])
{
	return is_done(o, OV_PROCS) && count(text, (int64_t)rows_of(o, OV_PROCS));
}

/* The mean of the utilisations in tprof-top procs. */
static bool busy(const struct overview *o, char text[TEXT])
{
	size_t n = rows_of(o, OV_PROCS);
	double sum = 0;

	if (!is_done(o, OV_PROCS) || !n)
		return false;
	for (size_t i = 0; i < n; i++)
		sum += rep_value_number(ov_cell(o, OV_PROCS, i, "utilisation"));
	return share(text, sum / (double)n);
}

static bool begins(const struct rep_value *v, const char *with)
{
	return v && v->type == REP_TYPE_TEXT && v->text.size >= strlen(with) &&
	       !memcmp(v->text.data, with, strlen(with));
}

/* Returns the total time of the rows of gc with this prefix, and sets *n to their count. */
static double collector(const struct overview *o, const char *with, double *n)
{
	double sum = 0;

	*n = 0;
	for (size_t i = 0; i < rows_of(o, OV_GC); i++) {
		if (!begins(ov_cell(o, OV_GC, i, "name"), with))
			continue;
		sum += rep_value_number(ov_cell(o, OV_GC, i, "total_ns"));
		*n += rep_value_number(ov_cell(o, OV_GC, i, "count"));
	}
	return sum;
}

static bool of_length(const struct overview *o, const char *with, char text[TEXT])
{
	double n, sum = collector(o, with, &n), all = (double)length_of(o);
	char part[TEXT], times[TEXT];

	if (!is_done(o, OV_GC) || !(all > 0))
		return false;
	share(part, sum / all);
	count(times, (int64_t)n);
	snprintf(text, TEXT, n > 0 ? "%.20s (%.20s)" : "none", part, times);
	return true;
}

static bool marking(const struct overview *o, char text[TEXT])
{
	return of_length(o, "GC concurrent mark phase", text);
}

static bool stopped(const struct overview *o, char text[TEXT])
{
	return of_length(o, STOP, text);
}

static bool longest_stop(const struct overview *o, char text[TEXT])
{
	int64_t most = -1;

	if (!is_done(o, OV_GC))
		return false;
	for (size_t i = 0; i < rows_of(o, OV_GC); i++) {
		const struct rep_value *v = ov_cell(o, OV_GC, i, "max_ns");

		if (begins(ov_cell(o, OV_GC, i, "name"), STOP) && v && v->type == REP_TYPE_INT &&
		    v->i > most)
			most = v->i;
	}
	return most < 0 ? snprintf(text, TEXT, "none") > 0 : ns(o, text, most);
}

static bool heap(const struct overview *o, char text[TEXT])
{
	const struct rep_value *v = ov_cell(o, OV_HEAP, 0, "heap_bytes");

	if (!is_done(o, OV_HEAP))
		return false;
	if (!v || v->type != REP_TYPE_INT)
		return snprintf(text, TEXT, "not known") > 0;
	tp_fmt_bytes(text, v->i);
	return true;
}

#define WINDOW 10000000

/* The MMU of windows of 10 ms, or of the longest window. */
static bool utilisation(const struct overview *o, char text[TEXT])
{
	const struct rep_value *best = NULL, *length = NULL;
	char part[TEXT], window[TUI_TIME_SIZE];

	if (!is_done(o, OV_MMU))
		return false;
	for (size_t i = 0; i < rows_of(o, OV_MMU); i++) {
		const struct rep_value *w = ov_cell(o, OV_MMU, i, "window_ns");

		if (w && w->type == REP_TYPE_INT && w->i <= WINDOW &&
		    (!length || w->i > length->i)) {
			length = w;
			best = ov_cell(o, OV_MMU, i, "mmu");
		}
	}
	if (!best)
		return snprintf(text, TEXT, "not known") > 0;
	share(part, rep_value_number(best));
	snprintf(text, TEXT, "%.20s in %s", part,
		 tui_moment_text(o->view->select.run, length->i, window));
	return true;
}

/* The longest scheduling latency. */
static bool latency(const struct overview *o, char text[TEXT])
{
	const struct rep_value *v = ov_cell(o, OV_READY, 0, "dur_ns");

	if (!is_done(o, OV_READY))
		return false;
	if (!v || v->type != REP_TYPE_INT)
		return snprintf(text, TEXT, "none") > 0;
	return ns(o, text, v->i);
}

static bool lost(const struct overview *o, char text[TEXT])
{
	const struct rep_run *run = o->view->select.run;

	if (run->losses)
		snprintf(text, TEXT, "%" PRId64 " loss%s, see below", run->losses,
			 run->losses == 1 ? "" : "es");
	else
		snprintf(text, TEXT, "nothing");
	return true;
}

static const struct fact of_trace[] = {
    {"length", "timeline", NULL, length, OV_PICTURE, false},
    {"events", "sql", NULL, events, OV_PICTURE, false},
    {"goroutines", "top", "goroutines", goroutines, OV_PICTURE, false},
    {"Ps", "top", "procs", procs, OV_PROCS, false},
    {"busy", "top", "procs", busy, OV_PROCS, false},
    {"longest latency", "top", "sched", latency, OV_READY, false},
    {"GC marks", "top", "gc", marking, OV_GC, true},
    {"STW", "top", "pauses", stopped, OV_GC, true},
    {"longest pause", "top", "stops", longest_stop, OV_GC, true},
    {"MMU", "top", "mmu", utilisation, OV_MMU, false},
    {"max heap", "top", "heap", heap, OV_HEAP, false},
    {"lost", "runs", NULL, lost, OV_PICTURE, false},
};

/* ---- of a profile: what its first table says ---- */

static const struct rep_sheet *profile_sheet(const struct overview *o)
{
	return ov_sheet(o, OV_TYPES);
}

static int facts_of(const struct overview *o)
{
	const struct rep_sheet *s = profile_sheet(o);

	if (!o->profile)
		return (int)(sizeof(of_trace) / sizeof(of_trace[0]));
	return s ? (int)s->nrows : 0;
}

/* Writes name and value. Returns false if the value is not known yet. */
static bool fact_of(const struct overview *o, int i, char name[TEXT], char text[TEXT])
{
	const struct rep_sheet *s = profile_sheet(o);

	if (!o->profile) {
		snprintf(name, TEXT, "%s", of_trace[i].name);
		return of_trace[i].value(o, text);
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
			known						   ? text
			: o->profile || !o->piece[of_trace[i].piece].error ? "..."
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

/* Opens the table that has the figure. */
static void lead(const struct tui_view *v, const struct fact *f)
{
	struct tui_select select;
	bool fine;

	if (!f->of_run) {
		ov_open_at(v, f->view, f->arg, INT64_MIN);
		return;
	}
	fine = tui_select_copy(&select, &v->select);
	tui_select_clear(&select);
	select.from_ns = v->select.from_ns;
	select.to_ns = v->select.to_ns;
	tui_lead_open(v->tui, fine, &select, f->view, f->arg);
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
			lead(v, &of_trace[s->at]);
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
	int code = 0;

	for (int i = 0; i < facts_of(o) && !code; i++) {
		char name[TEXT], text[TEXT];

		if ((!all && i != s->at) || !fact_of(o, i, name, text))
			continue;
		code = rep_escape(out, name, strlen(name), REP_ESCAPE_TSV);
		if (!code)
			code = tp_buf_put(out, "\t", 1);
		if (!code)
			code = rep_escape(out, text, strlen(text), REP_ESCAPE_TSV);
		if (!code)
			code = tp_buf_put(out, "\n", 1);
	}
	return code;
}

const struct ov_section_ops ov_facts = {
    .height = height, .draw = draw, .act = act, .click = click, .yank = yank};
