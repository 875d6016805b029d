/* Finds the next place that a text describes: a row by its name or id; else a cell by its state or the reason
 * of its blocked time, in the window, then in the whole run; else a mark by its text; else a span or a CPU
 * sample with such a function in its stack, likewise. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/cells.h"
#include "tprof-web/lanes_inside.h"

#define AT_ONCE	      64 /* rows drawn at a time */
#define MOST_SEARCHED 20000
#define MARK_PARTS    64

struct search {
	const struct web_ask *ask;
	const char *text; /* in lower case */
	struct web_window window;
	int64_t row, ns; /* the cursor's */
	bool back;
	int64_t begin;	 /* of the part in which marks are searched */
	uint32_t states; /* bit per enum web_show whose name has the text */

	bool found;
	int64_t found_row, found_ns, found_step;
	uint32_t goroutine;

	uint8_t *stack;	  /* by stack: whether it has such a function (enum known) */
	int64_t from, to; /* where spans are looked for */
};

enum known { UNKNOWN, LACKS, HAS };

static bool row_matches(const struct search *s, const struct rep_lane *row)
{
	char id[REP_GOID_SIZE];

	if (rep_text_holds(row->name, row->name_size, s->text))
		return true;
	return row->kind == REP_LANE_GOROUTINE && !strcmp(rep_goid_text(&row->goid, id), s->text);
}

static bool cell_matches(const struct search *s, const struct rep_cell *cell)
{
	const struct tp_dict *dict = rep_lanes_dict(s->ask->run->lanes);
	struct tp_text reason = tp_dict_text(dict, cell->reason);
	int64_t ns[WEB_NSHOWN];
	enum web_show most;

	if (cell->reason && rep_text_holds(reason.text, reason.size, s->text))
		return true;
	web_show_cell(cell, ns);
	most = web_show_most(ns);
	return most != WEB_NSHOWN && s->states >> most & 1;
}

static void take(struct search *s, int64_t row, int64_t ns)
{
	s->found = true;
	s->found_row = row;
	s->found_ns = ns;
	s->found_step = s->window.step;
}

/* ---- rows by name ---- */

static void find_row(struct search *s)
{
	const struct rep_lane_rows *rows = &s->ask->run->rows;

	for (int64_t i = s->row + (s->back ? -1 : 1); i >= 0 && (uint64_t)i < rows->n && !s->found;
	     i += s->back ? -1 : 1) {
		if (row_matches(s, &rows->row[i]))
			take(s, i, s->ns);
	}
}

/* ---- cells ---- */

/* Returns the first matching column of a row in the direction of the search from `col` on; -1. */
static int find_column(const struct search *s, const struct rep_cell *cell, int col)
{
	for (; col >= 0 && col < s->window.cols; col += s->back ? -1 : 1) {
		if (cell_matches(s, &cell[col]))
			return col;
	}
	return -1;
}

/* Searches n drawn rows; `first` is the number of the first one. */
static void find_cell(struct search *s, const struct rep_picture *p, int64_t first)
{
	for (int64_t k = 0; k < (int64_t)p->nrows && !s->found; k++) {
		int64_t i = s->back ? (int64_t)p->nrows - 1 - k : k;
		int64_t at = (s->ns - s->window.from) / s->window.step + (s->back ? -1 : 1);
		int col = s->back ? s->window.cols - 1 : 0;

		/* In the cursor's row only what follows the cursor counts. */
		if (first + i == s->row)
			col = at < -1 ? -1 : at > s->window.cols ? s->window.cols : (int)at;
		col = find_column(s, p->cell + i * p->cols, col);
		if (col >= 0)
			take(s, first + i, s->window.from + col * s->window.step);
	}
}

static int find_cells(struct search *s, struct tp_err *err)
{
	struct rep_picture p = {.from = s->window.from,
				.to = s->window.from + s->window.step * s->window.cols,
				.cols = s->window.cols};
	int64_t at = s->row, n = (int64_t)s->ask->run->rows.n, searched = 0;
	int code = 0;

	while (!code && !s->found && at >= 0 && at < n && searched < MOST_SEARCHED) {
		int64_t count = s->back ? at + 1 : n - at;

		count = count < AT_ONCE ? count : AT_ONCE;
		at = s->back ? at + 1 - count : at;
		p.nrows = (size_t)count;
		code = web_lanes_draw(s->ask, &p, (size_t)at, err);
		if (!code)
			find_cell(s, &p, at);
		at += s->back ? -1 : count;
		searched += count;
	}
	free(p.cell);
	return code;
}

/* ---- marks ---- */

static int on_mark(void *ctx, const struct rep_mark *mark)
{
	struct search *s = ctx;

	if (mark->goroutine == TP_NONE || mark->from < s->begin ||
	    (s->back ? mark->from >= s->ns : mark->from <= s->ns) ||
	    !rep_text_holds(mark->text, mark->size, s->text))
		return 0;
	take(s, -1, mark->from);
	s->goroutine = mark->goroutine;
	return !s->back; /* the last one before the cursor */
}

/* Searches a part of the time after the other, those that begin in it, and lets other requests in between. */
static int find_mark(struct search *s, struct tp_err *err)
{
	const uint32_t kinds = 1u << REP_MARK_REGION | 1u << REP_MARK_LOG | 1u << REP_MARK_TASK;
	int64_t part = rep_lanes_duration(s->ask->run->lanes) / MARK_PARTS + 1;
	int code = 0;

	for (int i = 0; i < MARK_PARTS && !s->found && !code; i++) {
		int at = s->back ? MARK_PARTS - 1 - i : i;
		int64_t end = at == MARK_PARTS - 1 ? INT64_MAX : (at + 1) * part;

		/* Damaged ones may begin before the run or after it. */
		s->begin = at ? at * part : INT64_MIN;
		if (s->back ? s->begin >= s->ns : end <= s->ns)
			continue;
		code = web_lanes_let(s->ask, err);
		if (!code)
			code = rep_lanes_marks(s->ask->run->lanes, kinds, s->begin, end, on_mark, s,
					       s->ask->stop, err);
	}
	return code;
}

/* ---- stacks ---- */

static bool stack_matches(struct search *s, uint32_t stack)
{
	const struct tp_dict *dict = rep_lanes_dict(s->ask->run->lanes);
	uint32_t at = stack;
	enum known known = LACKS;

	if (!stack || stack >= tp_dict_stacks(dict))
		return false;
	while (at && known == LACKS && s->stack[at] != LACKS) {
		struct tp_stack_node node = tp_dict_stack_at(dict, at);
		struct tp_frame frame = tp_dict_frame_at(dict, node.frame);
		struct tp_text name =
		    tp_dict_text(dict, tp_dict_function_at(dict, frame.function).name);

		if (s->stack[at] == HAS || rep_text_holds(name.text, name.size, s->text))
			known = HAS;
		at = node.parent < at ? node.parent : 0;
	}
	s->stack[stack] = (uint8_t)known;
	return known == HAS;
}

/* Takes a place of the row that is searched if none is nearer to where the search begins. */
static void take_nearer(struct search *s, uint32_t goroutine, int64_t ns)
{
	if (s->found && (s->back ? ns <= s->found_ns : ns >= s->found_ns))
		return;
	take(s, -1, ns);
	s->goroutine = goroutine;
}

static int on_span(void *ctx, const struct tp_span *span)
{
	struct search *s = ctx;

	/* A runnable goroutine has the stack of its waker. */
	if (span->start >= s->from && span->state != TP_ST_RUNNABLE &&
	    stack_matches(s, span->stack))
		take_nearer(s, s->goroutine, span->start);
	return 0;
}

/* Searches [from, to) of a row, or of the goroutines of a group. */
static int find_span(struct search *s, const struct rep_lane *row, struct tp_err *err)
{
	struct rep_lanes *lanes = s->ask->run->lanes;
	uint32_t found = TP_NONE;
	int code = 0;

	for (uint32_t g = 0; g < rep_lanes_goroutines(lanes) && !code && s->from < s->to; g++) {
		int64_t before = s->found ? s->found_ns : INT64_MIN;

		if (row->kind == REP_LANE_GOROUTINE ? g != row->index
						    : rep_lanes_entry(lanes, g) != row->index)
			continue;
		s->goroutine = g;
		code = rep_lanes_spans(lanes, g, s->from, s->to, on_span, s, s->ask->stop, err);
		if (s->found && s->found_ns != before)
			found = g;
		/* What is too long to be read has no match that is near. */
		code = code == TP_ELIMIT ? 0 : code;
	}
	s->goroutine = found;
	return code;
}

/* Searches [from, to) of the rows. */
static int find_spans(struct search *s, int64_t from, int64_t to, struct tp_err *err)
{
	const struct rep_lane_rows *rows = &s->ask->run->rows;
	int64_t at = s->row < 0 ? 0 : s->row;
	int code = 0;

	for (int searched = 0;
	     !code && !s->found && at >= 0 && (uint64_t)at < rows->n && searched < MOST_SEARCHED;
	     at += s->back ? -1 : 1, searched++) {
		const struct rep_lane *row;
		bool unfolded;

		code = web_lanes_let(s->ask, err);
		if (code)
			return code;
		row = &rows->row[at];
		unfolded = row->kind == REP_LANE_GROUP && (uint64_t)at + 1 < rows->n &&
			   rows->row[at + 1].depth;
		if (row->kind > REP_LANE_GOROUTINE)
			return 0;
		/* In the cursor's row only what follows the cursor counts. */
		s->from = at == s->row && !s->back && s->ns >= from ? s->ns + 1 : from;
		s->to = at == s->row && s->back && s->ns < to ? s->ns : to;
		if (!unfolded)
			code = find_span(s, row, err);
		if (s->found)
			s->found_row = row->kind == REP_LANE_GOROUTINE ? at : -1;
	}
	return code;
}

static int find_stacks(struct search *s, const struct web_window *shown, struct tp_err *err)
{
	struct rep_lanes *lanes = s->ask->run->lanes;
	int64_t end = shown->from + shown->step * shown->cols;
	int code;

	s->stack = calloc((size_t)tp_dict_stacks(rep_lanes_dict(lanes)) + 1, 1);
	if (!s->stack)
		return tp_nomem(err);
	code = find_spans(s, shown->from, end, err);
	if (!code && !s->found)
		code = find_spans(s, 0, rep_lanes_duration(lanes) + 1, err);
	free(s->stack);
	return code;
}

/* ---- all ---- */

static int read_search(struct search *s, struct tp_err *err)
{
	const struct web_query *q = s->ask->query;
	int64_t back;
	const struct web_number numbers[] = {{"row", -1, -1, INT64_MAX, &s->row},
					     {"ns", 0, -WEB_MOST_NS, WEB_MOST_NS, &s->ns},
					     {"back", 0, 0, 1, &back}};
	int code = web_window_read(s->ask, &s->window, err);

	if (!code)
		code = web_numbers(q, numbers, 3, err);
	if (!code)
		code = web_rows_list(s->ask, err);
	if (code)
		return code;
	s->back = back != 0;
	for (int i = 0; i < WEB_NSHOWN; i++)
		s->states |= (uint32_t)rep_text_holds(web_shown[i], strlen(web_shown[i]), s->text)
			     << i;
	return 0;
}

static int find(struct search *s, struct tp_err *err)
{
	int64_t duration = rep_lanes_duration(s->ask->run->lanes);
	const struct web_window shown = s->window;
	int code = 0;

	find_row(s);
	if (!s->found)
		code = find_cells(s, err);
	if (!code && !s->found && s->window.step * s->window.cols < duration) {
		s->window.from = 0;
		s->window.step = duration / s->window.cols + 1;
		code = find_cells(s, err);
	}
	if (!code && !s->found)
		code = find_mark(s, err);
	if (!code && !s->found)
		code = find_stacks(s, &shown, err);
	return code;
}

/* {"row":…,"ns":…,"step":…,"g":…}: the row, -1 if the goroutine `g` of a mark has none among those asked
 * for; TP_ENOENT with a sentence. */
int web_answer_find(const struct web_ask *ask, struct tp_err *err)
{
	const char *text = web_query_get(ask->query, "text");
	char *lower = rep_text_lower(text ? text : "");
	struct search s = {.ask = ask, .text = lower, .goroutine = TP_NONE};
	int code = lower ? read_search(&s, err) : tp_nomem(err);

	if (!code && !*lower)
		code =
		    tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE, "text: there is nothing to find");
	if (!code)
		code = find(&s, err);
	if (!code && !s.found)
		code = tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "nothing %s the cursor contains '%.80s'",
				  s.back ? "before" : "after", text);
	if (!code) {
		if (s.found_row >= 0 && ask->run->rows.row[s.found_row].kind == REP_LANE_GOROUTINE)
			s.goroutine = ask->run->rows.row[s.found_row].index;
		tp_buf_printf(ask->out,
			      "{\"row\":%" PRId64 ",\"ns\":%" PRId64 ",\"step\":%" PRId64 ",\"g\":",
			      s.found_row, s.found_ns, s.found_step);
		web_rows_put_goroutine(ask->out, ask->run, s.goroutine);
		tp_buf_text(ask->out, "}");
	}
	free(lower);
	return code;
}
