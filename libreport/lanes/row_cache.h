/* A cache of rows of exact cells, so that a picture that was drawn before, or is scrolled, does not
 * have to be computed again. Private to libreport/lanes. */
#ifndef REP_LANES_ROW_CACHE_H
#define REP_LANES_ROW_CACHE_H

#include "lanes/inside.h"

/* Returns the picture->cols cells of a row if they are cached, else NULL. */
const struct rep_cell *rep_row_cache_find(struct rep_lanes *l, const struct rep_picture *picture,
					  const struct rep_lane *row);
/* Caches them if there is memory. */
void rep_row_cache_put(struct rep_lanes *l, const struct rep_picture *picture,
		       const struct rep_lane *row, const struct rep_cell *cell);
void rep_row_cache_release(struct rep_lanes *l);

#endif
