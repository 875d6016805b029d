/* The layout of a page of bands, one below the other, on a screen. It shows whole bands from a
 * first one on; only the last one may be cut. */
#ifndef TUI_OVERVIEW_BANDS_H
#define TUI_OVERVIEW_BANDS_H

struct ov_band {
	int least, most; /* rows that it needs, and rows that it can use */
	int rows;	 /* result: the rows that it gets; 0: it is not shown */
};

/* Gives rows to the bands from `top` on, and spreads the rest evenly over those that can use it. */
void ov_bands_fit(struct ov_band *band, int n, int top, int rows);
/* Returns the first band to show, as near to `top` as possible, so that the band `here` has the
 * rows that it needs or is the first one. The end of the page is not above the end of the
 * screen, if the page is long enough. */
int ov_bands_top(struct ov_band *band, int n, int top, int here, int rows);
/* Returns the first band after scrolling by a screen, down or up. */
int ov_bands_turn(struct ov_band *band, int n, int top, int rows, int down);

#endif
