/* How a page of bands, one below the other, is shown on a screen of so many rows: by whole bands
 * from one on, so that nothing is cut at the top; the last one may be cut. */
#ifndef TUI_OVERVIEW_BANDS_H
#define TUI_OVERVIEW_BANDS_H

struct ov_band {
	int least, most; /* rows: that it has to have, and that it can use */
	int rows;	 /* result: that it gets; 0: it is not on the screen */
};

/* Gives rows to bands from `top` on. What is left over goes to those that can use it, evenly. */
void ov_bands_fit(struct ov_band *band, int n, int top, int rows);
/* The first band to show, so that the band `here` is on the screen with as much as it has to have
 * (or is the first one), that is nearest to `top`; the end of the page is at the end of the screen
 * where there is that much. */
int ov_bands_top(struct ov_band *band, int n, int top, int here, int rows);
/* The band a screen further down, or up, than those that are shown from `top` on. */
int ov_bands_turn(struct ov_band *band, int n, int top, int rows, int down);

#endif
