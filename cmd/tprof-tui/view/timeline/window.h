/* The time that a timeline shows. A column covers a whole number of ns, so that its ends are exact at
 * every zoom, from the whole run to one nanosecond per column. */
#ifndef TUI_TIMELINE_WINDOW_H
#define TUI_TIMELINE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

struct tl_window {
	int64_t from;	/* start of the first column, in ns since the run began */
	int64_t cell;	/* ns per column, at least 1 */
	int cols;	/* at least 1 */
	int64_t lo, hi; /* the run: limits of the window */
};

/* The longest run that is shown, 73 years. A longer one is damaged and is cut, so that sums of times and
 * columns fit 64 bits. */
#define TL_WINDOW_MOST (INT64_MAX / 4)

/* Shows all of [lo, hi), cut at TL_WINDOW_MOST, with columns as narrow as possible. The last columns may
 * extend beyond `hi`. */
void tl_window_init(struct tl_window *w, int64_t lo, int64_t hi, int cols);
/* Shows [from, to) with columns as narrow as possible. */
void tl_window_show(struct tl_window *w, int64_t from, int64_t to);
/* Changes the number of columns but still shows the same time. */
void tl_window_resize(struct tl_window *w, int cols);
/* Makes columns `by` times narrower (by > 1) or -by times wider (by < -1). The time `around` keeps its
 * column. Returns false if nothing changed. */
bool tl_window_zoom(struct tl_window *w, int64_t around, int by);
/* Moves the window by columns, to the right if positive. Returns false if nothing changed. */
bool tl_window_pan(struct tl_window *w, int64_t columns);
/* Moves the window to have `ns` in its middle, unless it is visible already. */
void tl_window_reveal(struct tl_window *w, int64_t ns);

/* Returns the end of the last column. */
int64_t tl_window_to(const struct tl_window *w);
/* Returns the start of a column. */
int64_t tl_window_at(const struct tl_window *w, int col);
/* Returns the column of a time: -1 before the first column, `cols` after the last. */
int tl_window_col(const struct tl_window *w, int64_t ns);
bool tl_window_same(const struct tl_window *a, const struct tl_window *b);

#endif
