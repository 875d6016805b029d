/* Finds the next place that a text describes: a row by its name or id; else a cell by its state or the reason
 * of its blocked time, in the window, then in the whole run; else a mark by its text; else a span or a CPU
 * sample whose stack has a function of that name, in the window, then in the whole run. */
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

	uint8_t *stack; /* by stack: whether it has such a function */
	uint32_t nstacks;
	uint32_t *row_of; /* by goroutine: its row + 1; 0: none */
	uint32_t ngoroutines;
	uint32_t *first; /* by segment: the first row with such a stack in it, + 1; 0: none */
	size_t nsegments;
	int64_t from, to; /* where spans are looked for */
};

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
	int64_t n = (int64_t)s->ask->run->rows.n, searched = 0;
	int64_t at = !s->back && s->row < 0 ? 0 : s->back && s->row >= n ? n - 1 : s->row;
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

/* Searches the marks by parts of the time, and lets other requests be answered between two parts. */
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

/* Marks the stacks with such a function. Returns whether there are any. */
static bool mark_stacks(struct search *s, uint8_t *named)
{
	const struct tp_dict *dict = rep_lanes_dict(s->ask->run->lanes);
	bool any = false;

	for (uint32_t f = 0; f < tp_dict_functions(dict); f++) {
		struct tp_text name = tp_dict_text(dict, tp_dict_function_at(dict, f).name);

		named[f] = rep_text_holds(name.text, name.size, s->text);
	}
	for (uint32_t i = 1; i < s->nstacks; i++) {
		struct tp_stack_node node = tp_dict_stack_at(dict, i);

		s->stack[i] = (node.parent < i && s->stack[node.parent]) ||
			      named[tp_dict_frame_at(dict, node.frame).function];
		any |= s->stack[i];
	}
	return any;
}

/* Sets the rows of goroutines: their own, or that of their folded group, which is in `folded` by its string. */
static void place_rows(struct search *s, uint32_t *folded)
{
	const struct rep_lanes *lanes = s->ask->run->lanes;
	const struct rep_lane_rows *rows = &s->ask->run->rows;
	uint32_t strings = tp_dict_strings(rep_lanes_dict(s->ask->run->lanes));

	for (size_t i = 0; i < rows->n; i++) {
		const struct rep_lane *row = &rows->row[i];
		bool unfolded = i + 1 < rows->n && row[1].depth;

		if (row->kind == REP_LANE_GROUP && !unfolded && row->index < strings)
			folded[row->index] = (uint32_t)i + 1;
		else if (row->kind == REP_LANE_GOROUTINE && row->index < s->ngoroutines)
			s->row_of[row->index] = (uint32_t)i + 1;
	}
	for (uint32_t g = 0; g < s->ngoroutines; g++) {
		uint32_t entry = rep_lanes_entry(lanes, g);

		if (!s->row_of[g] && entry < strings)
			s->row_of[g] = folded[entry];
	}
}

/* Returns whether the search comes to a place before it comes to another one. */
static bool is_before(const struct search *s, int64_t row, int64_t ns, int64_t than,
		      int64_t than_ns)
{
	if (row != than)
		return s->back ? row > than : row < than;
	return s->back ? ns > than_ns : ns < than_ns;
}

/* Returns the row of a goroutine that does what has such a function in its stack; -1. */
static int64_t row_with(const struct search *s, int64_t goroutine, int64_t state, int64_t stack)
{
	/* A runnable goroutine has the stack of its waker. */
	if (goroutine < 0 || goroutine >= s->ngoroutines || stack < 0 || stack >= s->nstacks ||
	    !s->stack[stack] || state == TP_ST_RUNNABLE)
		return -1;
	return (int64_t)s->row_of[goroutine] - 1;
}

/* Takes the first place that follows the cursor. */
static void on_span(void *ctx, const struct tp_span *span)
{
	struct search *s = ctx;
	int64_t row = row_with(s, span->goroutine, span->state, span->stack);

	if (row < 0 || span->start < s->from || span->start >= s->to ||
	    !is_before(s, s->row, s->ns, row, span->start) ||
	    (s->found && !is_before(s, row, span->start, s->found_row, s->found_ns)))
		return;
	take(s, row, span->start);
	s->goroutine = span->goroutine;
}

/* Notes for each segment the first row that has such a stack in it. */
static int on_times(void *ctx, const struct tp_rows *rows, size_t first, struct tp_err *err)
{
	struct search *s = ctx;
	int64_t *const *col = rows->col;

	(void)first;
	(void)err;
	for (size_t i = 0; i < rows->nrows; i++) {
		uint64_t segment = (uint64_t)col[TP_COL(GOROUTINE_TIME, segment)][i];
		int64_t row = row_with(s, col[TP_COL(GOROUTINE_TIME, goroutine)][i],
				       col[TP_COL(GOROUTINE_TIME, state)][i],
				       col[TP_COL(GOROUTINE_TIME, stack)][i]);

		if (row < 0 || segment >= s->nsegments || is_before(s, row, 0, s->row, 0))
			continue;
		if (!s->first[segment] || is_before(s, row, 0, (int64_t)s->first[segment] - 1, 0))
			s->first[segment] = (uint32_t)row + 1;
	}
	return 0;
}

/* Searches [from, to): spans that cross segments, then each segment with a row that is not after the found one. */
static int find_spans(struct search *s, int64_t from, int64_t to, struct tp_err *err)
{
	struct rep_lanes *lanes = s->ask->run->lanes;
	const struct tp_segment *segments = rep_lanes_view(lanes)->segments;
	int code;

	s->from = from;
	s->to = to;
	code = rep_lanes_segment_spans(lanes, s->nsegments, on_span, s, err);
	for (size_t i = 0; i < s->nsegments && !code; i++) {
		if (!s->first[i] || segments[i].from_ns >= to || segments[i].to_ns < from ||
		    (s->found && is_before(s, s->found_row, 0, (int64_t)s->first[i] - 1, 0)))
			continue;
		code = web_lanes_let(s->ask, err);
		if (!code)
			code = rep_lanes_segment_spans(lanes, i, on_span, s, err);
	}
	return code;
}

static int find_stacks(struct search *s, const struct web_window *shown, struct tp_err *err)
{
	struct rep_view *v = rep_lanes_view(s->ask->run->lanes);
	const struct tp_rows_visitor visitor = {.rows = on_times, .ctx = s};
	const struct rep_lane_rows *rows = &s->ask->run->rows;
	uint8_t *named = calloc((size_t)tp_dict_functions(v->dict) + 1, 1);
	uint32_t *folded = calloc((size_t)tp_dict_strings(v->dict) + 1, sizeof(*folded));
	int code = 0;

	s->nstacks = tp_dict_stacks(v->dict);
	s->ngoroutines = rep_lanes_goroutines(s->ask->run->lanes);
	s->nsegments = v->nsegments;
	s->stack = calloc((size_t)s->nstacks + 1, 1);
	s->row_of = calloc((size_t)s->ngoroutines + 1, sizeof(*s->row_of));
	s->first = calloc(s->nsegments + 1, sizeof(*s->first));
	if (!named || !folded || !s->stack || !s->row_of || !s->first) {
		code = tp_nomem(err);
	} else if (mark_stacks(s, named)) {
		place_rows(s, folded);
		code = tp_rows_visit(
		    v->store, v->run->row.id, TP_TABLE_GOROUTINE_TIME,
		    REP_BIT(GOROUTINE_TIME, segment) | REP_BIT(GOROUTINE_TIME, goroutine) |
			REP_BIT(GOROUTINE_TIME, state) | REP_BIT(GOROUTINE_TIME, stack),
		    &visitor, err);
		if (!code)
			code = find_spans(s, shown->from, shown->from + shown->step * shown->cols,
					  err);
		if (!code && !s->found)
			code = find_spans(s, 0, INT64_MAX, err);
	}
	if (!code && s->found && rows->row[s->found_row].kind == REP_LANE_GROUP)
		s->found_row = -1;
	free(named);
	free(folded);
	free(s->stack);
	free(s->row_of);
	free(s->first);
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

/* Returns whether cells may have the text: as a state, or as a reason of the run. */
static bool cells_may_match(const struct search *s)
{
	const struct tp_dict *dict = rep_lanes_dict(s->ask->run->lanes);
	size_t n;
	const uint32_t *reason = rep_lanes_reasons(s->ask->run->lanes, &n);
	bool may = s->states != 0;

	for (size_t i = 0; i < n && !may; i++) {
		struct tp_text text = tp_dict_text(dict, reason[i]);

		may = rep_text_holds(text.text, text.size, s->text);
	}
	return may;
}

/* Returns whether the run has the text at all. */
static bool run_has_text(const struct search *s)
{
	const struct tp_dict *dict = rep_lanes_dict(s->ask->run->lanes);
	bool has = false;

	for (uint32_t i = 0; i < tp_dict_strings(dict) && !has; i++) {
		struct tp_text text = tp_dict_text(dict, i);

		has = rep_text_holds(text.text, text.size, s->text);
	}
	return has;
}

static int find(struct search *s, struct tp_err *err)
{
	int64_t duration = rep_lanes_duration(s->ask->run->lanes);
	const struct web_window shown = s->window;
	bool cells = cells_may_match(s), text = run_has_text(s);
	int code = 0;

	find_row(s);
	if (!s->found && cells)
		code = find_cells(s, err);
	if (!code && !s->found && cells && s->window.step * s->window.cols < duration) {
		s->window.from = 0;
		s->window.step = duration / s->window.cols + 1;
		code = find_cells(s, err);
	}
	if (!code && !s->found && text)
		code = find_mark(s, err);
	if (!code && !s->found && text)
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
