/* Pictures. The answer to /lanes/cells:
 *
 *	SIZE            MEANING
 *	4               size of the head, little endian
 *	head            JSON: what the picture shows, and its rows
 *	2 * cols        by column: 255ths of it in a mark phase of the GC, and in a stop of the world
 *	rows * cols * 8 by row, then column: 255ths of the cell's height that each way of enum web_show
 *	                takes; the reason of its blocked time (0: none, else its place in the head's
 *	                list, from 1); its marks, a bit each: region, log, task, sample, assist
 *	rows * cols * 4 only of Ps and Ms: the goroutine's index + 1, little endian; 0: none
 *
 * A cell of one goroutine, P or M is as high as the time in which it existed, that of several together as
 * the column's width: a full one means one busy at any time. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "keys.h"
#include "output/output.h"
#include "tprof-web/lanes_inside.h"

#define MOST_ROWS    400
#define MOST_CELLS   ((size_t)1 << 20) /* some 100 MB; fewer rows are drawn instead */
#define KEPT_CELLS   ((size_t)1 << 16) /* for the next picture */
#define MOST_REASONS 255
#define MOST_NAMES   1000
#define CELL	     8
#define REASON	     6
#define MARKS	     7

struct picture {
	const struct web_ask *ask;
	struct web_window window;
	struct rep_picture p;
	size_t first;
	uint8_t *cell, *gc, *stw;
	uint32_t *whose;
	uint32_t reason[MOST_REASONS];
	size_t nreasons;
	int64_t *gc_ns, *stw_ns;
	struct rep_keys places; /* by row: its kind, and its index */
	size_t nmarks;
	bool too_many_marks;
};

/* ---- cells ---- */

static uint8_t reason_of(struct picture *p, uint32_t reason)
{
	size_t i = 0;

	if (!reason)
		return 0;
	while (i < p->nreasons && p->reason[i] != reason)
		i++;
	if (i == MOST_REASONS)
		return 0;
	if (i == p->nreasons)
		p->reason[p->nreasons++] = reason;
	return (uint8_t)(i + 1);
}

/* A share above 0 is at least 1. */
static uint8_t share(int64_t part, int64_t all)
{
	double s = all > 0 ? (double)part / (double)all * 255 : 0;

	return s >= 255 ? 255 : s > 0 && s < 1 ? 1 : (uint8_t)s;
}

static void put_cell(struct picture *p, const struct rep_cell *from, uint8_t *to)
{
	int64_t ns[WEB_NSHOWN], all = 0, busy = 0;

	web_show_cell(from, ns);
	for (int i = 0; i < WEB_NSHOWN; i++) {
		tp_sum(&all, ns[i]);
		tp_sum(&busy, i <= WEB_SYSCALL ? ns[i] : 0);
	}
	all = all > p->window.step ? p->window.step : all;
	all = busy > all ? busy : all;
	for (int i = 0; i < WEB_NSHOWN; i++)
		to[i] = share(ns[i], all);
	to[REASON] = reason_of(p, from->reason);
}

static void put_cells(struct picture *p)
{
	size_t cols = (size_t)p->p.cols;

	for (size_t i = 0; i < p->p.nrows * cols; i++) {
		put_cell(p, &p->p.cell[i], &p->cell[i * CELL]);
		if (p->whose)
			p->whose[i] = p->p.cell[i].g == TP_NONE ? 0 : p->p.cell[i].g + 1;
	}
}

/* ---- marks ---- */

static int column(const struct picture *p, int64_t ns)
{
	/* Marks may begin and end at any number, so the difference may not fit elsewhere. */
	return ns <= p->p.from ? 0
	       : ns >= p->p.to ? p->window.cols - 1
			       : (int)((ns - p->p.from) / p->window.step);
}

/* Adds the mark's time to the columns that it overlaps. */
static void put_band(const struct picture *p, int64_t *ns, const struct rep_mark *mark)
{
	for (int c = column(p, mark->from); c <= column(p, mark->to); c++) {
		int64_t from = p->window.from + c * p->window.step, to = from + p->window.step;

		from = mark->from > from ? mark->from : from;
		to = mark->to < to ? mark->to : to;
		tp_sum(&ns[c], to > from ? to - from : 0);
	}
}

static int on_mark(void *ctx, const struct rep_mark *mark)
{
	static const uint8_t bit[REP_NMARK_KINDS] = {[REP_MARK_REGION] = 1,
						     [REP_MARK_LOG] = 2,
						     [REP_MARK_TASK] = 4,
						     [REP_MARK_SAMPLE] = 8,
						     [REP_MARK_ASSIST] = 16};
	struct picture *p = ctx;
	const struct web_run *r = p->ask->run;
	uint32_t entry = rep_lanes_entry(r->lanes, mark->goroutine), place[2];
	bool has[2] = {false, false};

	if (p->nmarks++ == WEB_MOST_MARKS) {
		p->too_many_marks = true;
		return 1;
	}
	if (mark->kind == REP_MARK_GC || mark->kind == REP_MARK_STW) {
		put_band(p, mark->kind == REP_MARK_GC ? p->gc_ns : p->stw_ns, mark);
		return 0;
	}
	if (entry != TP_NONE) {
		has[0] =
		    rep_keys_find(&p->places, REP_LANE_GOROUTINE, mark->goroutine, 0, 0, &place[0]);
		has[1] = rep_keys_find(&p->places, REP_LANE_GROUP, entry, 0, 0, &place[1]);
	}
	for (int i = 0; i < 2; i++) {
		int c = column(p, mark->from), last = column(p, mark->to);

		/* A task is marked where it begins. */
		if (mark->kind == REP_MARK_TASK) {
			if (mark->from < p->window.from)
				continue;
			last = c;
		}
		for (; has[i] && c <= last; c++)
			p->cell[(place[i] * (size_t)p->p.cols + (size_t)c) * CELL + MARKS] |=
			    bit[mark->kind];
	}
	return 0;
}

static int put_marks_of(struct picture *p, uint32_t kinds, struct tp_err *err)
{
	p->nmarks = 0;
	if (rep_lanes_marks_least(p->ask->run->lanes, kinds, p->p.from, p->p.to) > WEB_MOST_MARKS) {
		p->too_many_marks = true;
		return 0;
	}
	return rep_lanes_marks(p->ask->run->lanes, kinds, p->p.from, p->p.to, on_mark, p,
			       p->ask->stop, err);
}

static int put_marks(struct picture *p, struct tp_err *err)
{
	const uint32_t bands = 1u << REP_MARK_GC | 1u << REP_MARK_STW;
	size_t cols = (size_t)p->p.cols;
	int code;

	/* Marks of the whole run are read once; a first picture does not wait for that. */
	if (p->p.coarse && !rep_lanes_marks_are_ready(p->ask->run->lanes)) {
		p->p.exact = false;
		return 0;
	}
	p->gc_ns = calloc(cols, sizeof(*p->gc_ns));
	p->stw_ns = calloc(cols, sizeof(*p->stw_ns));
	if (!p->gc_ns || !p->stw_ns)
		return tp_nomem(err);
	for (size_t i = 0; i < p->p.nrows; i++) {
		uint32_t at;

		if (rep_keys_add(&p->places, p->p.row[i].kind, p->p.row[i].index, 0, 0, &at))
			return tp_nomem(err);
	}
	code = put_marks_of(p, bands, err);
	for (size_t c = 0; c < cols && !code; c++) {
		p->gc[c] = share(p->gc_ns[c], p->window.step);
		p->stw[c] = share(p->stw_ns[c], p->window.step);
	}
	if (code || p->p.row[0].kind > REP_LANE_GOROUTINE)
		return code;
	code = put_marks_of(p, REP_MARKS_ALL & ~bands & ~(1u << REP_MARK_SWEEP), err);
	/* A part of them would mislead. */
	for (size_t i = 0; p->too_many_marks && i < p->p.nrows * cols; i++)
		p->cell[i * CELL + MARKS] = 0;
	return code;
}

/* ---- the answer ---- */

/* Appends the names of the goroutines of long spans on Ps and Ms: {"17":{"index":17,"id":…}, …}. */
static void put_names(struct picture *p)
{
	struct rep_keys known = {0};
	uint32_t at;

	tp_buf_text(p->ask->out, "],\"names\":{");
	for (size_t i = 1; p->whose && i < p->p.nrows * (size_t)p->p.cols && known.n < MOST_NAMES;
	     i++) {
		size_t before = known.n;

		/* One column is too narrow for a name. */
		if (!p->whose[i] || p->whose[i] != p->whose[i - 1] ||
		    rep_keys_add(&known, p->whose[i], 0, 0, 0, &at) || known.n == before)
			continue;
		tp_buf_printf(p->ask->out, "%s\"%" PRIu32 "\":", before ? "," : "",
			      p->whose[i] - 1);
		web_rows_put_goroutine(p->ask->out, p->ask->run, p->whose[i] - 1);
	}
	tp_buf_text(p->ask->out, "}");
	rep_keys_release(&known);
}

static void put_head(struct picture *p)
{
	const struct tp_dict *dict = rep_lanes_dict(p->ask->run->lanes);
	struct tp_buf *out = p->ask->out;

	tp_buf_printf(out,
		      "{\"duration\":%" PRId64 ",\"total\":%zu,\"first\":%zu,\"from\":%" PRId64
		      ",\"step\":%" PRId64 ",\"cols\":%d,\"exact\":%s,\"marks\":%s,\"reasons\":[",
		      rep_lanes_duration(p->ask->run->lanes), p->ask->run->rows.n, p->first,
		      p->window.from, p->window.step, p->window.cols, p->p.exact ? "true" : "false",
		      p->too_many_marks ? "false" : "true");
	for (size_t i = 0; i < p->nreasons; i++) {
		struct tp_text text = tp_dict_text(dict, p->reason[i]);

		tp_buf_text(out, i ? "," : "");
		rep_put_json(out, text.text, text.size);
	}
	tp_buf_text(out, "],\"rows\":[");
	for (size_t i = 0; i < p->p.nrows; i++) {
		tp_buf_text(out, i ? "," : "");
		web_rows_put(out, &p->p.row[i]);
	}
	put_names(p);
	tp_buf_text(out, "}");
}

static int put_picture(struct picture *p)
{
	struct tp_buf *out = p->ask->out;
	size_t cols = (size_t)p->p.cols, begin = out->size;
	uint8_t size[4] = {0};

	tp_buf_put(out, size, sizeof(size));
	put_head(p);
	for (int i = 0; i < 4 && !out->failed; i++)
		out->data[begin + (size_t)i] = (uint8_t)((out->size - begin - 4) >> 8 * i);
	tp_buf_put(out, p->gc, cols);
	tp_buf_put(out, p->stw, cols);
	tp_buf_put(out, p->cell, p->p.nrows * cols * CELL);
	for (size_t i = 0; p->whose && i < p->p.nrows * cols; i++) {
		uint32_t g = p->whose[i];
		const uint8_t bytes[4] = {(uint8_t)g, (uint8_t)(g >> 8), (uint8_t)(g >> 16),
					  (uint8_t)(g >> 24)};

		tp_buf_put(out, bytes, sizeof(bytes));
	}
	return out->failed ? TP_ENOMEM : 0;
}

static int read_picture(struct picture *p, struct tp_err *err)
{
	const struct web_ask *ask = p->ask;
	const struct rep_lane_rows *rows = &ask->run->rows;
	int64_t first, n, coarse;
	const struct web_number numbers[] = {{"first", 0, 0, INT64_MAX, &first},
					     {"rows", 0, 0, MOST_ROWS, &n},
					     {"coarse", 0, 0, 1, &coarse}};
	int code = web_window_read(ask, &p->window, err);

	if (!code)
		code = web_numbers(ask->query, numbers, 3, err);
	if (!code)
		code = web_rows_list(ask, err);
	if (code)
		return code;
	p->first = (uint64_t)first < rows->n ? (size_t)first : rows->n;
	p->p = (struct rep_picture){.from = p->window.from,
				    .to = p->window.from + p->window.step * p->window.cols,
				    .cols = p->window.cols,
				    .row = rows->row ? rows->row + p->first : NULL,
				    .nrows = rows->n - p->first,
				    .coarse = coarse != 0};
	if (p->p.nrows > (uint64_t)n)
		p->p.nrows = (size_t)n;
	if (p->p.nrows > MOST_CELLS / (size_t)p->window.cols)
		p->p.nrows = MOST_CELLS / (size_t)p->window.cols;
	return 0;
}

/* Keeps the cells for the next picture, unless there are others, or their run was closed. */
static void keep_cells(struct picture *p, int code)
{
	struct web_run *r = p->ask->run;

	if (code == TP_ECANCEL || p->p.room > KEPT_CELLS || r->cell) {
		free(p->p.cell);
		return;
	}
	r->cell = p->p.cell;
	r->room = p->p.room;
}

int web_answer_cells(const struct web_ask *ask, struct tp_err *err)
{
	struct picture p = {.ask = ask};
	struct web_run *r = ask->run;
	size_t cells;
	int code = read_picture(&p, err);

	if (code)
		return code;
	cells = p.p.nrows * (size_t)p.p.cols;
	p.cell = calloc(cells + 1, CELL);
	p.gc = calloc((size_t)p.p.cols, 1);
	p.stw = calloc((size_t)p.p.cols, 1);
	if (p.p.nrows && (p.p.row[0].kind == REP_LANE_PROC || p.p.row[0].kind == REP_LANE_THREAD))
		p.whose = calloc(cells + 1, sizeof(*p.whose));
	code = p.cell && p.gc && p.stw ? 0 : tp_nomem(err);
	/* Another request may draw meanwhile. */
	p.p.cell = r->cell;
	p.p.room = r->room;
	r->cell = NULL;
	if (!code)
		code = p.p.coarse ? rep_lanes_draw(r->lanes, &p.p, ask->stop, err)
				  : web_lanes_draw(ask, &p.p, p.first, err);
	if (!code) {
		put_cells(&p);
		code = p.p.nrows ? put_marks(&p, err) : 0;
	}
	*ask->type = "application/octet-stream";
	if (!code && put_picture(&p))
		code = tp_nomem(err);
	keep_cells(&p, code);
	free(p.cell);
	free(p.gc);
	free(p.stw);
	free(p.whose);
	free(p.gc_ns);
	free(p.stw_ns);
	rep_keys_release(&p.places);
	return code;
}
