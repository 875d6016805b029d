/* The cells of a picture while it is drawn: sums by class, for each row and column. Private to
 * libreport/lanes. */
#ifndef REP_LANES_GRID_H
#define REP_LANES_GRID_H

#include "lanes/inside.h"
#include "lanes/segment.h"

struct rep_grid {
	const struct rep_lanes *l;
	int64_t *bound; /* of the columns: cols + 1, not decreasing */
	int cols;
	size_t rows;
	uint32_t nclasses; /* TP_NSTATES with `fold` */
	bool fold;	   /* no room for all classes: reasons are ignored */
	int64_t *ns;	   /* by row, column, class */
	uint32_t *spans;   /* by row, column */
	/* Of rows of Ps and Ms: the longest span of one goroutine, and the goroutine. */
	int64_t *longest;
	uint32_t *whose;
	size_t room, cell_room, bound_room; /* of `ns`, of the arrays by cell, and of `bound` */
};

/* Makes an empty grid for a picture, in the memory of the last one: new pages cost more than the drawing.
 * *p is zeroed at first. Returns 0, TP_ENOMEM or TP_ELIMIT; *p must be released in every case. */
int rep_grid_init(struct rep_grid *p, const struct rep_lanes *l, const struct rep_picture *picture);
void rep_grid_release(struct rep_grid *p);
/* Frees what a large picture needed, so that lanes stay small. */
void rep_grid_shrink(struct rep_grid *p);

/* Returns the column of a time in the picture. */
int rep_grid_column(const struct rep_grid *p, int64_t t);
/* Adds the part of a span in [lo, hi) and in the picture; its goroutine may be TP_NONE. *col is a
 * column at or before the beginning of the span, and is moved to that. */
void rep_grid_span(struct rep_grid *p, size_t row, int *col, const struct rep_lane_span *span,
		   int64_t lo, int64_t hi);
/* Adds the parts in [lo, hi) of the spans of a goroutine's list. */
void rep_grid_list(struct rep_grid *p, size_t row, const struct rep_lane_segment *s,
		   const struct rep_lane_list *list, int64_t lo, int64_t hi);
/* Adds the spans on the P or M `index`. */
void rep_grid_places(struct rep_grid *p, size_t row, const struct rep_lane_segment *s, bool proc,
		     uint32_t index);
/* Adds a sum evenly spread over [lo, hi), as far as [from, to) goes. */
void rep_grid_sum(struct rep_grid *p, size_t row, const struct rep_lane_sum *sum, int64_t lo,
		  int64_t hi, int64_t from, int64_t to);
/* Writes the cells of all rows and columns. */
void rep_grid_cells(const struct rep_grid *p, struct rep_cell *cell);

#endif
