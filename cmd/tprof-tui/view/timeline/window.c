#include "tprof-tui/view/timeline/window.h"

#include "base/wide.h"

/* Returns value * by / of. The product may exceed 64 bits. The result does not, as no window is wider
 * than its run. */
static int64_t scale(int64_t value, int64_t by, int64_t of)
{
	uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value, scaled = 0;

	if (!tp_scale(size, (uint64_t)by, (uint64_t)of, &scaled) || scaled > INT64_MAX)
		scaled = INT64_MAX;
	return value < 0 ? -(int64_t)scaled : (int64_t)scaled;
}

static int64_t length(const struct tl_window *w)
{
	return w->hi - w->lo;
}

/* Returns the width of a column when the whole run is shown. */
static int64_t widest(const struct tl_window *w)
{
	int64_t cell = length(w) / w->cols + (length(w) % w->cols != 0);

	return cell > 0 ? cell : 1;
}

int64_t tl_window_to(const struct tl_window *w)
{
	return w->from + w->cell * w->cols;
}

static void clamp(struct tl_window *w)
{
	if (w->cell > widest(w))
		w->cell = widest(w);
	if (w->cell < 1)
		w->cell = 1;
	if (w->from > w->hi - w->cell * w->cols)
		w->from = w->hi - w->cell * w->cols;
	if (w->from < w->lo)
		w->from = w->lo;
}

void tl_window_init(struct tl_window *w, int64_t lo, int64_t hi, int cols)
{
	if (hi > TL_WINDOW_MOST)
		hi = TL_WINDOW_MOST;
	*w = (struct tl_window){.cols = cols > 0 ? cols : 1, .lo = lo, .hi = hi > lo ? hi : lo + 1};
	w->from = lo;
	w->cell = widest(w);
}

void tl_window_show(struct tl_window *w, int64_t from, int64_t to)
{
	int64_t size;

	if (from < w->lo)
		from = w->lo;
	if (to > w->hi)
		to = w->hi;
	size = to > from ? to - from : 1;
	w->cell = size / w->cols + (size % w->cols != 0);
	/* Whole columns may cover more than the range; divide the excess between both sides. */
	w->from = from - (w->cell * w->cols - size) / 2;
	clamp(w);
}

void tl_window_resize(struct tl_window *w, int cols)
{
	int64_t size = w->cell * w->cols;

	if (cols < 1)
		cols = 1;
	if (cols == w->cols)
		return;
	w->cols = cols;
	w->cell = size / cols + (size % cols != 0);
	clamp(w);
}

bool tl_window_zoom(struct tl_window *w, int64_t around, int by)
{
	struct tl_window before = *w;
	int64_t most = widest(w);

	if (by > 1)
		w->cell /= by;
	else if (by < -1)
		w->cell = w->cell > most / -by ? most : w->cell * -by;
	if (w->cell < 1)
		w->cell = 1;
	w->from = around - scale(around - before.from, w->cell, before.cell);
	clamp(w);
	return !tl_window_same(w, &before);
}

bool tl_window_pan(struct tl_window *w, int64_t columns)
{
	int64_t before = w->from;

	/* Limit the move to the length of the run. */
	if (columns > length(w) / w->cell)
		columns = length(w) / w->cell + 1;
	if (columns < -(length(w) / w->cell))
		columns = -(length(w) / w->cell) - 1;
	w->from += columns * w->cell;
	clamp(w);
	return w->from != before;
}

void tl_window_reveal(struct tl_window *w, int64_t ns)
{
	if (ns >= w->from && ns < tl_window_to(w))
		return;
	w->from = ns - w->cell * (w->cols / 2);
	clamp(w);
}

int64_t tl_window_at(const struct tl_window *w, int col)
{
	return w->from + w->cell * col;
}

int tl_window_col(const struct tl_window *w, int64_t ns)
{
	if (ns < w->from)
		return -1;
	if (ns >= tl_window_to(w))
		return w->cols;
	return (int)((ns - w->from) / w->cell);
}

bool tl_window_same(const struct tl_window *a, const struct tl_window *b)
{
	return a->from == b->from && a->cell == b->cell && a->cols == b->cols;
}
