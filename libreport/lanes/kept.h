/* Rows of exact cells that were drawn before, so that whoever comes back to a picture, or scrolls
 * in one, need not wait again; private to libreport/lanes. */
#ifndef REP_LANES_KEPT_H
#define REP_LANES_KEPT_H

#include "lanes/inside.h"

/* The cells of a row of a picture, picture->cols of them, or NULL. */
const struct rep_cell *rep_kept_find(struct rep_lanes *l, const struct rep_picture *picture,
				     const struct rep_lane *row);
/* Remembers them, if there is memory. */
void rep_kept_put(struct rep_lanes *l, const struct rep_picture *picture,
		  const struct rep_lane *row, const struct rep_cell *cell);
void rep_kept_release(struct rep_lanes *l);

#endif
