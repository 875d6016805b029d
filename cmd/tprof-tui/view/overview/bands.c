/* Lays a page of stacked bands out on a screen. The screen shows whole bands from one of them on; only
 * the last one may be cut. */
#include "tprof-tui/view/overview/inside.h"

#define CUT 4 /* fewest rows that are shown of a band that does not fit */

void ov_bands_fit(struct ov_band *band, int n, int top, int rows)
{
	int left = rows, shown = top, more = 1;

	for (int i = 0; i < n; i++)
		band[i].rows = 0;
	for (; shown < n && left > 0; shown++) {
		struct ov_band *b = &band[shown];

		b->rows = b->least;
		if (b->least > left)
			b->rows = shown == top || left >= CUT ? left : 0;
		left -= b->rows;
		if (b->rows < b->least)
			break;
	}
	while (more && left > 0) {
		more = 0;
		for (int i = top; i < shown && left > 0; i++) {
			if (band[i].rows >= band[i].most)
				continue;
			band[i].rows++;
			left--;
			more = 1;
		}
	}
}

/* Returns the first band from which all bands to the end of the page fit. */
static int last_top(const struct ov_band *band, int n, int rows)
{
	int top = n;

	while (top > 0 && band[top - 1].least <= rows) {
		rows -= band[top - 1].least;
		top--;
	}
	return top < n ? top : n - 1;
}

int ov_bands_top(struct ov_band *band, int n, int top, int here, int rows)
{
	int last = last_top(band, n, rows);

	if (top > here)
		top = here;
	if (top > last)
		top = last;
	if (top < 0)
		top = 0;
	for (ov_bands_fit(band, n, top, rows); top < here && band[here].rows < band[here].least;)
		ov_bands_fit(band, n, ++top, rows);
	return top;
}

int ov_bands_turn(struct ov_band *band, int n, int top, int rows, int down)
{
	int to = top, used = 0;

	if (!down) {
		while (to > 0 && used + band[to - 1].least <= rows)
			used += band[--to].least;
		return to < top || !top ? to : top - 1;
	}
	ov_bands_fit(band, n, top, rows);
	while (to + 1 < n && band[to].rows >= band[to].least)
		to++;
	/* A band that does not fit on any screen is skipped. */
	return to > top || to + 1 >= n ? to : top + 1;
}
