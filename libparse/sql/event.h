/* The cursor of the virtual table `event`, shared by event.c (planning, the module), event_scan.c
 * (moving between blocks) and event_row.c (values). */
#ifndef TP_SQL_EVENT_H
#define TP_SQL_EVENT_H

#include "sql/sql.h"
#include "store/block.h"
#include "store/stream.h"

#define MASK_WORDS 4 /* a set of event types: a bit for any byte, as damaged blocks may hold any */

enum {
	PLAN_COLUMNS = TP_BC_ALL,
	PLAN_BY_TYPE = 1 << 16,
	PLAN_BY_KIND = 1 << 17,
	PLAN_DESC = 1 << 18,
	PLAN_COUNT = 1 << 19, /* with BY_TYPE or BY_KIND: the query uses only run, type, kind */
};

struct tp_type_set {
	uint64_t bits[MASK_WORDS];
};

struct tp_event_cursor {
	sqlite3_vtab_cursor base;
	struct tp_sql *sql;
	struct tp_block_decoder *block;

	/* the query */
	uint32_t columns; /* of the block: for results */
	uint32_t filter;  /* of the block: for comparisons */
	int64_t run_from, run_to, seq_from, seq_to, ts_from, ts_to;
	struct tp_type_set types;
	bool want[3];	    /* goroutine, m, p must be … */
	int64_t want_id[3]; /* … these ids */
	bool count;

	/* passes over the runs: the types of each, by name; one pass without grouping */
	struct tp_type_set *passes;
	size_t npasses, pass;
	struct tp_type_set *seen; /* types in each part, in the order of the first pass */
	size_t nseen, seen_room;
	size_t nth;		 /* parts read in this pass */
	uint64_t (*counts)[256]; /* PLAN_COUNT: events by run and type */

	/* the position */
	size_t run_pos; /* position in the list of runs */
	int64_t run_id;
	struct tp_sql_run *run;
	struct tp_stream *stream;
	uint32_t want_index[3]; /* in this run */
	int64_t part;
	uint32_t at, n; /* the current row is sel[at], at < n */
	uint16_t *sel;
	uint64_t left; /* PLAN_COUNT: rows equal to this one still to come, with this one */
	uint8_t counted_type;
	bool eof;
};

static inline bool tp_has_type(const struct tp_type_set *s, uint8_t type)
{
	return s->bits[type >> 6] >> (type & 63) & 1;
}

static inline void tp_add_type(struct tp_type_set *s, uint8_t type)
{
	s->bits[type >> 6] |= UINT64_C(1) << (type & 63);
}

/* Return the names of a type and of its kind, NULL for an unknown type. */
static inline const char *tp_event_type_name(uint8_t type)
{
	return type < TP_NEVENT_TYPES ? tp_event_descs[type].wire : NULL;
}

static inline const char *tp_event_kind_name(uint8_t type)
{
	return tp_event_type_name(type) ? tp_kind_names[tp_event_descs[type].kind] : NULL;
}

/* ---- event_scan.c ---- */

/* Closes everything of the current run; xFilter can then be called again. */
void tp_event_leave_run(struct tp_event_cursor *c);
/* Moves to the next block, run or pass with a matching row, or sets eof. */
int tp_event_next_rows(struct tp_event_cursor *c, struct tp_err *err);
/* For PLAN_COUNT: counts rows by run and type in one pass over the runs. */
int tp_event_count_types(struct tp_event_cursor *c, struct tp_err *err);
/* For PLAN_COUNT: moves to the next type, run or pass with rows, or sets eof. */
void tp_event_next_count(struct tp_event_cursor *c);

/* ---- event_row.c ---- */

/* xColumn. */
int tp_event_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int column);

#endif
