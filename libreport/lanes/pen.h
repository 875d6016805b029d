/* Cells while they are being filled: sums by class, for every row and column; private to
 * libreport/lanes. */
#ifndef REP_LANES_PEN_H
#define REP_LANES_PEN_H

#include "lanes/inside.h"
#include "lanes/segment.h"

struct rep_pen {
	const struct rep_lanes *l;
	int64_t *bound; /* of columns: cols + 1, not decreasing */
	int cols;
	size_t rows;
	uint32_t
	    nclasses; /* TP_NSTATES where there is no room for all: then reasons are not told */
	bool fold;
	int64_t *ns;	 /* by row, column, class */
	uint32_t *spans; /* by row, column */
	/* Of rows of Ps and Ms: the longest time of one goroutine, and which. */
	int64_t *longest;
	uint32_t *whose;
};

/* TP_ENOMEM, TP_ELIMIT; to be released in every case. */
int rep_pen_init(struct rep_pen *p, const struct rep_lanes *l, const struct rep_picture *picture);
void rep_pen_release(struct rep_pen *p);

/* The column of a time, which lies in the picture. */
int rep_pen_column(const struct rep_pen *p, int64_t t);
/* A span of a goroutine (TP_NONE: of none, it is no one's), as far as it lies in [lo, hi) and in
 * the picture; *col is a column that is not behind its beginning. */
void rep_pen_span(struct rep_pen *p, size_t row, int *col, const struct rep_lane_span *span,
		  int64_t lo, int64_t hi);
/* The spans of a goroutine's list, as far as they lie in [lo, hi). */
void rep_pen_list(struct rep_pen *p, size_t row, const struct rep_lane_segment *s,
		  const struct rep_lane_list *list, int64_t lo, int64_t hi);
/* Those of P or M `index`. */
void rep_pen_places(struct rep_pen *p, size_t row, const struct rep_lane_segment *s, bool proc,
		    uint32_t index);
/* What is only known as a sum, spread over [lo, hi), of which [from, to) counts. */
void rep_pen_sum(struct rep_pen *p, size_t row, const struct rep_lane_sum *sum, int64_t lo,
		 int64_t hi, int64_t from, int64_t to);
void rep_pen_cells(const struct rep_pen *p, struct rep_cell *cell);

#endif
