/* What the amounts of rows went to, such as "select 93%, sync 7%" of a row's blocked time. Private
 * to libreport/top. Zero-initialised is valid and empty. */
#ifndef REP_TOP_SHARES_H
#define REP_TOP_SHARES_H

#include "top/report.h"

struct rep_shares {
	struct rep_keys what; /* string of the common dictionary, and whether it is a region */
	int64_t *ns;	      /* by `what`, of all rows */
	struct rep_keys cell; /* row, what */
	int64_t *cell_ns;

	/* private */
	size_t room, cell_room;
	uint32_t *order; /* cells by row, the largest first */
};

/* Adds to a row. Returns 0, TP_ENOMEM or TP_ELIMIT. */
int rep_shares_put(struct rep_shares *s, uint32_t row, uint32_t string, bool region, int64_t ns);
/* Returns the row to which the time of a goroutine (an index) counts; TP_NONE for none. */
typedef uint32_t (*rep_row_fn)(void *ctx, uint32_t goroutine);
/* Adds the time that goroutines were in each type of task (where in none, of region), within the
 * time range and inside --task and --region. */
int rep_shares_put_places(struct rep_shares *s, struct rep_view *v, rep_row_fn row, void *ctx,
			  struct tp_err *err);
/* Call after the last _put and before what follows. Returns 0 or TP_ENOMEM. */
int rep_shares_sort(struct rep_shares *s);

/* Returns what a row went to for the most part: up to three with their shares of `whole`; an empty name is `none`.
 * NULL if it went to nothing. */
struct rep_value rep_shares_text(struct rep_job *job, const struct rep_shares *s, uint32_t row,
				 int64_t whole, const char *none);
/* Columns of what rep_shares_put_places() added, and their values. */
#define REP_COLUMNS_INSIDE(drop_rank)                                                              \
	{.column = {.name = "inside_text",                                                         \
		    .title = "TASK/REGION",                                                        \
		    .kind = REP_TEXT,                                                              \
		    .table_only = true,                                                            \
		    .drop_blank = true,                                                            \
		    .drop = (drop_rank),                                                           \
		    .least = 11},                                                                  \
	 .doc = "types of tasks that they were in, where in none of regions, with shares of that " \
		"time"},                                                                           \
	    {.column = {.name = "inside", .kind = REP_TEXT, .raw_only = true},                     \
	     .doc = "type of the task, else region, that they were in most"},                      \
	    REP_COLUMN_RAW_NS("inside_ns", "time in that one"),                                    \
	    REP_COLUMN_RAW_NS("inside_all_ns", "time in any task or region")
enum { REP_INSIDE_TEXT, REP_INSIDE_MOST, REP_INSIDE_NS, REP_INSIDE_ALL, REP_NINSIDE };
struct rep_value rep_shares_inside(struct rep_job *job, const struct rep_shares *s, uint32_t row,
				   unsigned column);
void rep_shares_release(struct rep_shares *s);

#endif
