#include "lanes/grid.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/search.h"

#define MOST_BYTES ((size_t)96 << 20) /* of sums by reason */
#define KEPT_BYTES ((size_t)12 << 20) /* of them, kept for the next picture */

/* Makes room for n items in *at, with any content. */
static int reserve(void *at, size_t *room, size_t n, size_t size)
{
	void **array = at;

	if (n <= *room)
		return 0;
	free(*array);
	*array = tp_many(n, size);
	*room = *array ? n : 0;
	return *array ? 0 : TP_ENOMEM;
}

int rep_grid_init(struct rep_grid *p, const struct rep_lanes *l, const struct rep_picture *picture)
{
	size_t rows = picture->nrows, cols = (size_t)picture->cols, cells, room = p->cell_room;
	size_t longest_room = room, whose_room = room;
	uint64_t width = (uint64_t)picture->to - (uint64_t)picture->from;

	if (rows > SIZE_MAX / 1024 / cols)
		return TP_ELIMIT;
	cells = rows * cols;
	p->l = l;
	p->rows = rows;
	p->cols = picture->cols;
	p->nclasses = l->nclasses;
	p->fold = cells > MOST_BYTES / sizeof(int64_t) / l->nclasses;
	if (p->fold)
		p->nclasses = TP_NSTATES;
	if (reserve(&p->bound, &p->bound_room, cols + 1, sizeof(*p->bound)) ||
	    reserve(&p->ns, &p->room, cells * p->nclasses + 1, sizeof(*p->ns)) ||
	    reserve(&p->spans, &room, cells + 1, sizeof(*p->spans)) ||
	    reserve(&p->longest, &longest_room, cells + 1, sizeof(*p->longest)) ||
	    reserve(&p->whose, &whose_room, cells + 1, sizeof(*p->whose))) {
		rep_grid_release(p);
		return TP_ENOMEM;
	}
	p->cell_room = room;
	memset(p->ns, 0, cells * p->nclasses * sizeof(*p->ns));
	memset(p->spans, 0, cells * sizeof(*p->spans));
	memset(p->longest, 0, cells * sizeof(*p->longest));
	memset(p->whose, 0xff, cells * sizeof(*p->whose));
	/* width * c / cols, without overflow */
	for (size_t c = 0; c <= cols; c++)
		p->bound[c] =
		    tp_plus(picture->from, (int64_t)(width / cols * c + width % cols * c / cols));
	return 0;
}

void rep_grid_release(struct rep_grid *p)
{
	free(p->bound);
	free(p->ns);
	free(p->spans);
	free(p->longest);
	free(p->whose);
	memset(p, 0, sizeof(*p));
}

void rep_grid_shrink(struct rep_grid *p)
{
	if (p->room > KEPT_BYTES / sizeof(*p->ns))
		rep_grid_release(p);
}

int rep_grid_column(const struct rep_grid *p, int64_t t)
{
	int col = 1; /* after the last column that begins by then */

	TP_SEARCH(col, p->cols, i, p->bound[i] <= t);
	return col - 1;
}

/* A damaged clock may have moments further apart than 64 bits hold. */
static int64_t between(int64_t from, int64_t to)
{
	int64_t ns;

	return __builtin_sub_overflow(to, from, &ns) ? INT64_MAX : ns;
}

static int64_t *sums_of(const struct rep_grid *p, size_t row, int col)
{
	return p->ns + (row * (size_t)p->cols + (size_t)col) * p->nclasses;
}

void rep_grid_span(struct rep_grid *p, size_t row, int *col, const struct rep_lane_span *span,
		   int64_t lo, int64_t hi)
{
	int64_t start = span->start > lo ? span->start : lo;
	int64_t end = span->end < hi ? span->end : hi;
	unsigned class = p->fold ? p->l->class_state[span->class] : span->class;
	int c = *col;

	if (span->start >= hi || (span->end <= lo && span->start < lo))
		return;
	while (c + 1 < p->cols && p->bound[c + 1] <= start)
		c++;
	*col = c;
	for (;;) {
		int64_t to = end < p->bound[c + 1] ? end : p->bound[c + 1];
		int64_t from = start > p->bound[c] ? start : p->bound[c];
		size_t cell = row * (size_t)p->cols + (size_t)c;

		if (p->bound[c] < p->bound[c + 1] && p->spans[cell] < UINT32_MAX)
			p->spans[cell]++;
		if (to > from) {
			tp_sum(&sums_of(p, row, c)[class], between(from, to));
			if (span->goroutine != TP_NONE && between(from, to) > p->longest[cell]) {
				p->longest[cell] = between(from, to);
				p->whose[cell] = span->goroutine;
			}
		}
		if (c + 1 == p->cols || end <= p->bound[c + 1])
			break;
		c++;
	}
}

/* Returns the first span of a list (through `order`, if given) that may overlap what begins at
 * lo. */
static uint32_t first_from(const struct rep_lane_segment *s, const uint32_t *order,
			   const struct rep_lane_list *list, int64_t lo)
{
	uint32_t from = list->first;

	if (s->odd || list->odd)
		return from;
	TP_SEARCH(from, list[1].first, i, rep_lane_segment_start(s, order ? order[i] : i) < lo);
	return from > list->first ? from - 1 : from;
}

/* Records that the goroutine of span `at` took this much of a cell. */
static void claim(struct rep_grid *p, size_t row, int col, const struct rep_lane_segment *s,
		  uint32_t at, int64_t longest)
{
	size_t cell = row * (size_t)p->cols + (size_t)col;

	if (at == TP_NONE || longest <= p->longest[cell])
		return;
	p->longest[cell] = longest;
	p->whose[cell] = rep_lane_segment_owner(s, at)->owner;
}

/* Adds whole blocks of a list from i on that lie in one column. Returns where to continue. */
static uint32_t add_blocks(struct rep_grid *p, size_t row, int col,
			   const struct rep_lane_segment *s, const struct rep_lane_lists *lists,
			   const struct rep_lane_list *list, uint32_t i, int64_t hi)
{
	uint32_t blocks = (list[1].first - list->first) / REP_SEGMENT_BLOCK;
	uint32_t k = (i - list->first) / REP_SEGMENT_BLOCK, to = k;
	int64_t limit = hi < p->bound[col + 1] ? hi : p->bound[col + 1];
	int64_t *sum = sums_of(p, row, col);
	const int64_t *before, *after;

	for (; to < blocks; to++) {
		uint32_t last = list->first + (to + 1) * REP_SEGMENT_BLOCK - 1;
		uint32_t longest = lists->longest[list->sums + to];

		if (rep_lane_segment_end(s, lists->order ? lists->order[last] : last) >= limit)
			break;
		if (lists->order)
			claim(p, row, col, s, longest,
			      between(rep_lane_segment_start(s, longest),
				      rep_lane_segment_end(s, longest)));
	}
	before = lists->sum + ((size_t)list->sums + k) * lists->nclasses;
	after = lists->sum + ((size_t)list->sums + to) * lists->nclasses;
	for (uint32_t c = 0; c < lists->nclasses && to > k; c++)
		tp_sum(&sum[c], tp_minus(after[c], before[c]));
	p->spans[row * (size_t)p->cols + (size_t)col] += (to - k) * REP_SEGMENT_BLOCK;
	return list->first + to * REP_SEGMENT_BLOCK;
}

/* Adds a span with a length that lies in one column, as most do. */
static void add_whole(struct rep_grid *p, size_t row, int col, const struct rep_lane_span *span)
{
	size_t cell = row * (size_t)p->cols + (size_t)col;
	int64_t *sum =
	    &p->ns[cell * p->nclasses + (p->fold ? p->l->class_state[span->class] : span->class)];

	tp_sum(sum, between(span->start, span->end));
	if (p->spans[cell] < UINT32_MAX)
		p->spans[cell]++;
}

void rep_grid_list(struct rep_grid *p, size_t row, const struct rep_lane_segment *s,
		   const struct rep_lane_list *list, int64_t lo, int64_t hi)
{
	uint32_t i, n = list[1].first;
	bool blocks = list->sums != TP_NONE && !p->fold;
	int col = 0;

	lo = lo > p->bound[0] ? lo : p->bound[0];
	hi = hi < p->bound[p->cols] ? hi : p->bound[p->cols];
	if (lo >= hi ||
	    (!s->odd && (rep_lane_segment_start(s, list->first) >= hi || list->end < lo)))
		return;
	i = first_from(s, NULL, list, lo);
	for (bool begun = false; i < n; i++) {
		struct rep_lane_span span = {
		    .start = rep_lane_segment_start(s, i),
		    .goroutine = TP_NONE,
		    .class = rep_lane_segment_class(s, i),
		};

		if (span.start >= hi && !s->odd)
			break;
		if (!begun || s->odd)
			col = rep_grid_column(p, span.start > lo ? span.start : lo);
		begun = true;
		if (blocks && (i - list->first) % REP_SEGMENT_BLOCK == 0 && span.start >= lo) {
			uint32_t next;

			while (col + 1 < p->cols && p->bound[col + 1] <= span.start)
				col++;
			next = add_blocks(p, row, col, s, &s->by_g, list, i, hi);
			if (next > i) {
				i = next - 1;
				continue;
			}
		}
		/* The same as rep_lane_segment_end, which has to search for the list. */
		span.end = s->end      ? s->end[i]
			   : i + 1 < n ? rep_lane_segment_start(s, i + 1)
				       : list->end;
		if (span.start >= lo && span.start >= p->bound[col] && span.start < span.end &&
		    span.end <= hi && span.end <= p->bound[col + 1])
			add_whole(p, row, col, &span);
		else
			rep_grid_span(p, row, &col, &span, lo, hi);
	}
}

void rep_grid_places(struct rep_grid *p, size_t row, const struct rep_lane_segment *s, bool proc,
		     uint32_t index)
{
	const struct rep_lane_lists *on = proc ? &s->on_p : &s->on_m;
	const struct rep_lane_list *list = on->list;
	const uint32_t *order = on->order;
	uint32_t at = rep_lane_segment_find(list, on->nlists, index);
	int64_t lo = p->bound[0], hi = p->bound[p->cols];
	int64_t longest = 0;	 /* of those in column col … */
	uint32_t best = TP_NONE; /* … this one */
	bool begun = false, odd;
	int col = 0;

	if (at == on->nlists)
		return;
	list += at;
	odd = s->odd || list->odd;
	for (uint32_t i = first_from(s, order, list, lo); i < list[1].first; i++) {
		struct rep_lane_span span = {.start = rep_lane_segment_start(s, order[i]),
					     .goroutine = TP_NONE,
					     .class = rep_lane_segment_class(s, order[i])};
		int next;

		if (span.start >= hi && !odd)
			break;
		next = !begun || odd ? rep_grid_column(p, span.start > lo ? span.start : lo) : col;
		while (next + 1 < p->cols && p->bound[next + 1] <= span.start)
			next++;
		if (next != col) {
			claim(p, row, col, s, best, longest);
			longest = 0;
			best = TP_NONE;
		}
		col = next;
		begun = true;
		if (list->sums != TP_NONE && (i - list->first) % REP_SEGMENT_BLOCK == 0 &&
		    span.start >= lo) {
			uint32_t to = add_blocks(p, row, col, s, on, list, i, hi);

			if (to > i) {
				i = to - 1;
				continue;
			}
		}
		span.end = rep_lane_segment_end(s, order[i]);
		if (span.start < lo || span.end > hi || span.end > p->bound[col + 1]) {
			span.goroutine = rep_lane_segment_owner(s, order[i])->owner;
		} else if (between(span.start, span.end) > longest) {
			longest = between(span.start, span.end);
			best = order[i];
		}
		rep_grid_span(p, row, &next, &span, lo, hi);
	}
	claim(p, row, col, s, best, longest);
}

/* Returns the part of a sum that lies before t. */
static int64_t part(int64_t sum, int64_t lo, int64_t hi, int64_t t)
{
	double share;

	if (t <= lo)
		return 0;
	share = ((double)t - (double)lo) / ((double)hi - (double)lo);
	if (t >= hi || !(share < 1))
		return sum;
	return (int64_t)((double)sum * share);
}

void rep_grid_sum(struct rep_grid *p, size_t row, const struct rep_lane_sum *sum, int64_t lo,
		  int64_t hi, int64_t from, int64_t to)
{
	unsigned class = p->fold ? p->l->class_state[sum->class] : sum->class;

	if (hi <= lo)
		hi = lo < INT64_MAX ? lo + 1 : lo;
	from = from > lo ? from : lo;
	from = from > p->bound[0] ? from : p->bound[0];
	to = to < hi ? to : hi;
	to = to < p->bound[p->cols] ? to : p->bound[p->cols];
	if (from >= to)
		return;
	for (int c = rep_grid_column(p, from); c < p->cols && p->bound[c] < to; c++) {
		int64_t a = from > p->bound[c] ? from : p->bound[c];
		int64_t b = to < p->bound[c + 1] ? to : p->bound[c + 1];
		size_t cell = row * (size_t)p->cols + (size_t)c;
		int64_t count = tp_minus(part(sum->count, lo, hi, b), part(sum->count, lo, hi, a));

		if (a >= b)
			continue;
		tp_sum(&sums_of(p, row, c)[class],
		       tp_minus(part(sum->total_ns, lo, hi, b), part(sum->total_ns, lo, hi, a)));
		p->spans[cell] += (uint32_t)(count < 1		      ? 1
					     : count > UINT32_MAX / 2 ? UINT32_MAX / 2
								      : count);
	}
}

void rep_grid_cells(const struct rep_grid *p, struct rep_cell *cell)
{
	size_t n = p->rows * (size_t)p->cols;

	for (size_t i = 0; i < n; i++) {
		const int64_t *ns = p->ns + i * p->nclasses;
		int64_t most = 0;

		cell[i] = (struct rep_cell){.spans = p->spans[i], .g = p->whose[i]};
		for (uint32_t c = 0; c < p->nclasses; c++) {
			uint8_t state = p->l->class_state[c];

			tp_sum(&cell[i].ns[state], ns[c]);
			if (state == TP_ST_WAITING && ns[c] > most) {
				most = ns[c];
				cell[i].reason = p->l->class_reason[c];
			}
		}
	}
}
