/* The cursor of the virtual table `span`, shared by span.c (planning, the module, values),
 * span_scan.c (moving between segments) and span_group.c (keeping rows by group). */
#ifndef TP_SQL_SPAN_H
#define TP_SQL_SPAN_H

#include "sql/sql.h"
#include "store/block.h"
#include "store/stream.h"
#include "timeline/span.h"

/* An inclusive range of int64. */
struct tp_bounds {
	int64_t from, to;
};

#define TP_SPAN_KEYS 3 /* columns that rows can be grouped by: run, state, reason */

/* A column that rows come in the order of. */
struct tp_span_key {
	int column; /* TP_SQL_SPAN_run, _state or _reason */
	bool desc;
};

struct tp_span_groups;

struct tp_span_cursor {
	sqlite3_vtab_cursor base;
	struct tp_sql *sql;
	struct tp_block_decoder *block;
	struct tp_event *events; /* of the decoded block */

	/* the query */
	uint32_t columns; /* of the block */
	struct tp_bounds run, start, end, dur;
	bool want_g, want_open;
	int64_t want_g_id, want_open_value;
	uint32_t states; /* set of enum tp_state */
	uint32_t used;	 /* columns of the table, as bits */
	struct tp_span_key key[TP_SPAN_KEYS];
	unsigned nkeys;		       /* 0: rows come in the order of the trace */
	struct tp_span_groups *groups; /* if nkeys is not 0 */

	/* the position: the run, then its events, then the spans open after them */
	size_t run_pos;
	int64_t run_id, run_start;
	struct tp_sql_run *run_ref;
	uint32_t g_index;
	struct tp_spans *spans;
	struct tp_stream *stream;
	uint32_t fed;		     /* events of the block that the machine has */
	size_t crossing, ncrossings; /* rows of span_crossing still to come */
	int64_t last_segment;	     /* the last read; -1: all, so open spans end with the run */
	const struct tp_sql_rows *crossings;
	size_t ng, nm, np; /* goroutines, Ms and Ps of the run */

	struct tp_span *out; /* rows out[at … n) */
	size_t at, n, room;
	bool eof;
};

/* Times of a damaged store may be anything, so sums and differences wrap around. */
static inline int64_t tp_time_plus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t tp_time_minus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* Closes everything of the current run; xFilter can then be called again. */
void tp_span_leave_run(struct tp_span_cursor *c);
/* Refills out[] from the cursor's position, or sets eof. */
int tp_span_next_rows(struct tp_span_cursor *c, struct tp_err *err);

/* ---- span_group.c ---- */

/* Does the same with rows in the order of c->key. The first call reads all rows. */
int tp_span_next_grouped(struct tp_span_cursor *c, struct tp_err *err);
/* Makes sure that the columns of which the row id is made are kept. At the first row of a query this
 * reads all rows again: xBestIndex cannot know that SQLite will ask for the row id. */
int tp_span_keep_key(struct tp_span_cursor *c, struct tp_err *err);
void tp_span_groups_free(struct tp_span_groups *g);
/* Bytes of kept rows from which they move to a temporary file; tests set less. */
extern size_t tp_span_groups_most;

#endif
