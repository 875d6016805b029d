/* The part of time that a timeline shows: columns of a whole number of ns each, so that a column's
 * ends are exact at every zoom, from the whole run to one nanosecond per column. */
#ifndef TUI_TIMELINE_WINDOW_H
#define TUI_TIMELINE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

struct tl_window {
	int64_t from;	/* ns since the run began: where the first column begins */
	int64_t cell;	/* ns per column, at least 1 */
	int cols;	/* at least 1 */
	int64_t lo, hi; /* what there is to see: [lo, hi) */
};

/* No run lasts for 73 years, whatever a damaged store says; what is longer is cut, so that sums of
 * times and of columns fit 64 bits. */
#define TL_WINDOW_MOST (INT64_MAX / 4)

/* All of [lo, hi), which lie between 0 and TL_WINDOW_MOST, in columns that are as narrow as that
 * allows. What is behind `hi`, of the last columns, is nothing. */
void tl_window_init(struct tl_window *w, int64_t lo, int64_t hi, int cols);
/* So that [from, to) fills it as nearly as whole columns do. */
void tl_window_show(struct tl_window *w, int64_t from, int64_t to);
/* Another number of columns for the same time. */
void tl_window_resize(struct tl_window *w, int cols);
/* Columns `by` times as narrow (by > 1), or as wide (by < -1), with `around` at its place. False:
 * it is at the end. */
bool tl_window_zoom(struct tl_window *w, int64_t around, int by);
/* To the right by columns, or the left where negative. False: it is at the end. */
bool tl_window_pan(struct tl_window *w, int64_t columns);
/* Moves until `ns` can be seen: not at all where it can, else it comes to the middle. */
void tl_window_reveal(struct tl_window *w, int64_t ns);

/* Behind the last column. */
int64_t tl_window_to(const struct tl_window *w);
/* Where a column begins. */
int64_t tl_window_at(const struct tl_window *w, int col);
/* The column of a time: -1 left of all, `cols` right of them. */
int tl_window_col(const struct tl_window *w, int64_t ns);
bool tl_window_same(const struct tl_window *a, const struct tl_window *b);

#endif
