/* The state of the timeline's data; private to lanes*.c.
 *
 * Rows are those of rep_lanes_rows() for the parameters `kind`, `unfold` (entry functions of unfolded groups,
 * as strings of the run, separated by commas), `lo` and `hi` (only rows that existed then). A row's number is
 * its place among them. Times are in ns since the run began. */
#ifndef WEB_LANES_INSIDE_H
#define WEB_LANES_INSIDE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "lanes/lanes.h"
#include "spans/view.h"
#include "tprof-web/lanes.h"

/* An opened run, maybe limited to the goroutines of a selection. */
struct web_run {
	const struct rep_run *run;
	char *goroutine, *task, *region; /* the selection; "": not given */
	struct rep_filter filter;
	struct rep_lanes *lanes;

	/* The rows of the last request, and its parameters. */
	struct rep_lane_rows rows;
	struct rep_lanes_options listed;
	char *unfold;

	struct rep_cell *cell; /* `room` cells of the last picture, for the next one */
	size_t room;

	bool read_ahead; /* nothing is left to be read in advance */
	uint64_t used;
	int users;   /* requests that are not yet answered */
	bool closed; /* no longer among the open runs: its users are to end */
};

/* A request. Its run is locked. */
struct web_ask {
	struct web_lanes *lanes;
	struct tp_store *store;
	struct web_run *run;
	const struct web_query *query;
	struct tp_buf *out;
	const char **type;
	const atomic_bool *stop;
};

/* Sets *value to the whole number of that name in a query, or to `missing` if there is none. Returns 0, or
 * TP_EFORMAT with a sentence if it is not one, or outside of [least, most]. */
int web_number(const struct web_query *q, const char *name, int64_t missing, int64_t least,
	       int64_t most, int64_t *value, struct tp_err *err);
/* Does that for several. */
struct web_number {
	const char *name;
	int64_t missing, least, most, *value;
};
int web_numbers(const struct web_query *q, const struct web_number *number, size_t n,
		struct tp_err *err);
#define WEB_MOST_NS (INT64_MAX / 4) /* limit of times in queries, so that sums of some fit */

/* lanes.c */

/* Draws rows of the list from `first` on, exactly or not, as rep_lanes_draw does; p->row is set. Reading events may
 * take seconds, so other requests are answered in between, and may use ask->run. TP_ECANCEL: the reader has left, or
 * the run was closed. */
int web_lanes_draw(const struct web_ask *ask, struct rep_picture *p, size_t first,
		   struct tp_err *err);
/* Lets other requests in, if any wait, and lists the rows again. Errors are those of web_rows_list, or TP_ECANCEL. */
int web_lanes_let(const struct web_ask *ask, struct tp_err *err);

/* lanes_rows.c */

/* Lists the rows that a request asks for in ask->run->rows. Errors: TP_EFORMAT, TP_ENOMEM, TP_ESTORE. */
int web_rows_list(const struct web_ask *ask, struct tp_err *err);
/* Appends [kind, index, "g17", depth, from, to, busy_ns, goroutines, "main.worker"]. */
void web_rows_put(struct tp_buf *out, const struct rep_lane *row);
/* Appends {"index":…,"id":"17","name":…}, or null for TP_NONE. */
void web_rows_put_goroutine(struct tp_buf *out, const struct web_run *r, uint32_t goroutine);

/* How states are shown: as tprof-tui shows them. */
enum web_show {
	WEB_RUNNING,
	WEB_RUNNABLE,
	WEB_SYSCALL,
	WEB_BLOCKED,
	WEB_LOST,
	WEB_IDLE,
	WEB_NSHOWN
};
extern const char *const web_shown[WEB_NSHOWN];
/* Returns how a state is shown; WEB_NSHOWN: not at all. */
enum web_show web_show_of(unsigned state);
/* Returns the states that are shown so, a bit per enum tp_state. */
uint32_t web_show_states(enum web_show shown);
/* Sums a cell's time by the way it is shown. */
void web_show_cell(const struct rep_cell *cell, int64_t ns[WEB_NSHOWN]);
/* Returns the state to name for a cell: the longest of the busy ones if it has any, as in tprof-tui. */
enum web_show web_show_most(const int64_t ns[WEB_NSHOWN]);

/* The window of a picture: `cols` columns of `step` ns from `from` on. */
struct web_window {
	int64_t from, step;
	int cols;
};
int web_window_read(const struct web_ask *ask, struct web_window *w, struct tp_err *err);

/* The answers. */
int web_answer_cells(const struct web_ask *ask, struct tp_err *err);  /* lanes_cells.c */
int web_answer_rows(const struct web_ask *ask, struct tp_err *err);   /* lanes_rows.c */
int web_answer_marks(const struct web_ask *ask, struct tp_err *err);  /* lanes_marks.c */
int web_answer_tracks(const struct web_ask *ask, struct tp_err *err); /* lanes_marks.c */
int web_answer_moment(const struct web_ask *ask, struct tp_err *err); /* lanes_moment.c */
int web_answer_chain(const struct web_ask *ask, struct tp_err *err);
int web_answer_stacks(const struct web_ask *ask, struct tp_err *err);
int web_answer_find(const struct web_ask *ask, struct tp_err *err); /* lanes_find.c */

/* Of the marks in a window, the most that one answer looks at. */
#define WEB_MOST_MARKS 100000

#endif
