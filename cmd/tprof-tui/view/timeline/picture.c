#include "tprof-tui/view/timeline/picture.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"

void tl_picture_release(struct tl_picture *p)
{
	free(p->row);
	free(p->cell);
	free(p->on);
	free(p->band);
	free(p->mark);
	free(p->reason);
	tp_arena_clear(&p->texts);
	*p = (struct tl_picture){0};
}

/* ---- marks ---- */

/* Returns how many ns of a column a mark covers. */
static int64_t overlap(const struct tl_window *w, int col, const struct rep_mark *mark)
{
	int64_t from = tl_window_at(w, col), to = from + w->cell;

	if (from < mark->from)
		from = mark->from;
	if (to > mark->to)
		to = mark->to;
	return to > from ? to - from : 0;
}

static void add_to_band(struct tl_picture *p, const struct rep_mark *mark, int first, int last)
{
	for (int i = first; i <= last; i++) {
		p->band[i].any |= (uint16_t)(1u << mark->kind);
		if (mark->kind <= REP_MARK_ASSIST)
			tp_sum(&p->band[i].ns[mark->kind], overlap(&p->window, i, mark));
	}
}

static void add_to_row(struct tl_picture *p, const struct rep_mark *mark, size_t row, int first,
		       int last)
{
	uint16_t *on = p->on + row * (size_t)p->window.cols;

	for (int i = first; i <= last; i++)
		if (overlap(&p->window, i, mark) >= p->window.cell - p->window.cell / 2)
			on[i] |= (uint16_t)(1u << mark->kind);
}

/* Returns the row of a goroutine, or -1. */
static long row_of(const struct tl_picture *p, uint32_t goroutine)
{
	return tl_picture_row(p,
			      &(struct rep_lane){.kind = REP_LANE_GOROUTINE, .index = goroutine});
}

void tl_picture_add_mark(struct tl_picture *p, const struct rep_mark *mark)
{
	const struct tl_window *w = &p->window;
	int64_t to = mark->to > mark->from ? mark->to - 1 : mark->from;
	int first = tl_window_col(w, mark->from), last = tl_window_col(w, to);
	long row;

	if (last < 0 || first >= w->cols)
		return;
	if (first < 0)
		first = 0;
	if (last >= w->cols)
		last = w->cols - 1;
	add_to_band(p, mark, first, last);
	/* The mark is too short to cover half of a column. */
	if (mark->goroutine == TP_NONE || tp_minus(mark->to, mark->from) < w->cell / 2)
		return;
	row = row_of(p, mark->goroutine);
	if (row >= 0)
		add_to_row(p, mark, (size_t)row, first, last);
}

struct marking {
	struct tl_picture *picture;
	bool no_memory;
};

/* Adds a mark to the list, unless its row is not shown: it would use up the limit on marks. Returns 0 or
 * TP_ENOMEM. */
static int keep_mark(struct marking *m, const struct rep_mark *mark)
{
	struct tl_picture *p = m->picture;
	struct rep_mark *to;

	if (mark->kind >= REP_MARK_REGION && row_of(p, mark->goroutine) < 0)
		return 0;
	if (p->nmarks == TL_MOST_MARKS) {
		p->more_marks = true;
		return 0;
	}
	if (tp_grow(&p->mark, &p->room, p->nmarks, sizeof(*p->mark)))
		return TP_ENOMEM;
	to = &p->mark[p->nmarks];
	*to = *mark;
	to->text =
	    tp_arena_strndup(&p->texts, mark->text ? mark->text : "", mark->text ? mark->size : 0);
	if (!to->text)
		return TP_ENOMEM;
	p->nmarks++;
	return 0;
}

static int on_mark(void *ctx, const struct rep_mark *mark)
{
	struct marking *m = ctx;

	tl_picture_add_mark(m->picture, mark);
	m->no_memory = keep_mark(m, mark) != 0;
	return m->no_memory;
}

/* There are many short sweeps, so they are shown only when zoomed in. */
#define SWEEPS_BELOW 100000 /* ns per column, inclusive */

static int add_marks(struct tl_picture *p, struct rep_lanes *lanes, const atomic_bool *stop,
		     struct tp_err *err)
{
	struct marking m = {.picture = p};
	uint32_t kinds = 1u << REP_MARK_STW | 1u << REP_MARK_GC | 1u << REP_MARK_ASSIST |
			 1u << REP_MARK_REGION | 1u << REP_MARK_LOG | 1u << REP_MARK_TASK;
	int code;

	if (p->window.cell <= SWEEPS_BELOW)
		kinds |= 1u << REP_MARK_SWEEP;
	code = rep_lanes_marks(lanes, kinds, p->window.from, tl_window_to(&p->window), on_mark, &m,
			       stop, err);
	return !code && m.no_memory ? tp_nomem(err) : code;
}

/* ---- reasons ---- */

struct tl_reason *tl_picture_reason(const struct tl_picture *p, uint32_t id)
{
	for (size_t i = 0; id && i < p->nreasons; i++)
		if (p->reason[i].id == id)
			return &p->reason[i];
	return NULL;
}

static int add_reason(struct tl_picture *p, const struct tp_dict *dict, uint32_t id)
{
	struct tp_text text = tp_dict_text(dict, id);
	struct tl_reason *more = realloc(p->reason, (p->nreasons + 1) * sizeof(*more));

	if (!more)
		return TP_ENOMEM;
	p->reason = more;
	more[p->nreasons] = (struct tl_reason){
	    .id = id, .text = tp_arena_strndup(&p->texts, text.text, text.size), .size = text.size};
	return more[p->nreasons++].text ? 0 : TP_ENOMEM;
}

/* Limit on reasons. A run has a few dozen; in a hostile one, every cell may have another. */
#define MOST_REASONS 1000

static int add_reasons(struct tl_picture *p, const struct tp_dict *dict)
{
	size_t n = p->nrows * (size_t)p->window.cols;
	uint32_t last = 0;

	for (size_t i = 0; p->cell && i < n; i++) {
		uint32_t id = p->cell[i].reason;

		if (!id || id == last || p->nreasons >= MOST_REASONS)
			continue;
		last = id;
		if (!tl_picture_reason(p, id) && add_reason(p, dict, id))
			return TP_ENOMEM;
	}
	return 0;
}

/* ---- the picture ---- */

int tl_picture_make(struct tl_picture *p, struct rep_lanes *lanes, const struct tl_window *w,
		    const struct rep_lane *row, size_t nrows, bool coarse, const atomic_bool *stop,
		    struct tp_err *err)
{
	struct rep_picture picture = {.from = w->from,
				      .to = tl_window_to(w),
				      .cols = w->cols,
				      .nrows = nrows,
				      .coarse = coarse};
	int code;

	*p = (struct tl_picture){.window = *w, .nrows = nrows};
	p->row = calloc(nrows + 1, sizeof(*p->row));
	p->on = calloc(nrows * (size_t)w->cols + 1, sizeof(*p->on));
	p->band = calloc((size_t)w->cols, sizeof(*p->band));
	if (!p->row || !p->on || !p->band)
		return tp_nomem(err);
	if (nrows)
		memcpy(p->row, row, nrows * sizeof(*row));
	picture.row = p->row;
	code = rep_lanes_draw(lanes, &picture, stop, err);
	p->cell = picture.cell;
	p->exact = picture.exact;
	if (!code && !p->cell && nrows)
		code = tp_nomem(err);
	if (!code && add_reasons(p, rep_lanes_dict(lanes)))
		code = tp_nomem(err);
	if (!code)
		code = add_marks(p, lanes, stop, err);
	return code;
}

static bool same_lane(const struct rep_lane *a, const struct rep_lane *b)
{
	return a->kind == b->kind && a->index == b->index;
}

bool tl_picture_of(const struct tl_picture *p, const struct rep_lane *const *row, size_t nrows)
{
	if (!p->window.cols || p->nrows != nrows)
		return false;
	for (size_t i = 0; i < nrows; i++)
		if (!same_lane(&p->row[i], row[i]))
			return false;
	return true;
}

long tl_picture_row(const struct tl_picture *p, const struct rep_lane *lane)
{
	for (size_t i = 0; i < p->nrows; i++)
		if (same_lane(&p->row[i], lane))
			return (long)i;
	return -1;
}

int tl_picture_col(const struct tl_picture *p, int64_t ns)
{
	int col = p->window.cols ? tl_window_col(&p->window, ns) : -1;

	return col < p->window.cols ? col : -1;
}
