/* The virtual table `event`: the blocks of events as rows.
 *
 * xBestIndex puts each constraint it takes into two characters of idxStr, in the order of xFilter's
 * arguments: 'a' + column, then what is compared ('=', '<', 'L' <=, '>', 'G' >=, 'i' IN). idxNum
 * holds the columns of the block that the query needs (enum tp_block_column) and the PLAN_ bits.
 *
 * A block is filtered before it is decoded in full: time and position pick blocks, then the columns
 * that are compared are decoded and give the positions that match; only where there are some, the
 * other columns follow.
 *
 * GROUP BY (or ORDER BY) type or kind needs no sorting by SQLite: the rows of one type after those
 * of the other, in order of their names, one pass over the blocks for each type that occurs. Where
 * the query looks at nothing else, its rows cannot be told apart, so the first pass just counts. */
#include "store/sql/sql.h"

#include <stdlib.h>
#include <string.h>

#include "store/block.h"
#include "store/sql/describe.h"
#include "store/stream.h"

#define MASK_WORDS 4 /* a set of event types: any byte, as a damaged block may hold any */

enum {
	PLAN_COLUMNS = TP_BC_ALL,
	PLAN_BY_TYPE = 1 << 16,
	PLAN_BY_KIND = 1 << 17,
	PLAN_DESC = 1 << 18,
	PLAN_COUNT = 1 << 19, /* with the two above: nothing but run, type and kind is used */
};

struct type_set {
	uint64_t bits[MASK_WORDS];
};

struct event_cursor {
	sqlite3_vtab_cursor base;
	struct tp_sql *sql;
	struct tp_block_decoder *block;

	/* what is asked for */
	uint32_t columns; /* of the block, beside those compared */
	uint32_t filter;  /* of the block, to compare */
	int64_t run_from, run_to, seq_from, seq_to, ts_from, ts_to;
	struct type_set types;
	bool want[3];	    /* goroutine, m, p are given … */
	int64_t want_id[3]; /* … as these ids */
	bool count;

	/* passes over the runs: the types of each, by name; one pass without grouping */
	struct type_set *passes;
	size_t npasses, pass;
	struct type_set *seen; /* types in each part, in the order met by the first pass */
	size_t nseen, seen_room;
	size_t nth; /* parts met in this pass */
	uint64_t (*counts)[256]; /* PLAN_COUNT: events by run and type */

	/* where it is */
	size_t run_pos; /* position in the list of runs */
	int64_t run_id;
	struct tp_sql_run *run;
	struct tp_stream *stream;
	uint32_t want_index[3]; /* in this run */
	int64_t part;
	uint32_t at, n; /* the current row is sel[at], at < n */
	uint16_t *sel;
	uint64_t left; /* PLAN_COUNT: rows like this one that are still to come */
	uint8_t counted_type;
	bool eof;

	/* for results, loaded when first needed in a run */
	const struct tp_dict *dict;
	bool have_ids[3];
	struct tp_sql_ids ids[3];
};

static const enum tp_column_kind id_kinds[3] = {TP_COL_G, TP_COL_M, TP_COL_P};

static bool has_type(const struct type_set *s, uint8_t type)
{
	return s->bits[type >> 6] >> (type & 63) & 1;
}

static void add_type(struct type_set *s, uint8_t type)
{
	s->bits[type >> 6] |= UINT64_C(1) << (type & 63);
}

static const char *type_name(uint8_t type)
{
	return type < TP_NEVENT_TYPES ? tp_event_descs[type].wire : NULL;
}

static const char *kind_name(uint8_t type)
{
	return type_name(type) ? tp_kind_names[tp_event_descs[type].kind] : NULL;
}

/* ---- planning ---- */

/* Columns of the block behind a column of the table. */
static uint32_t block_columns(int column)
{
	static const uint32_t behind[TP_SQL_EVENT_NCOLUMNS] = {
	    [TP_SQL_EVENT_ts_ns] = TP_BC_TS,
	    [TP_SQL_EVENT_type] = TP_BC_TYPE,
	    [TP_SQL_EVENT_kind] = TP_BC_TYPE,
	    [TP_SQL_EVENT_goroutine] = TP_BC_G,
	    [TP_SQL_EVENT_m] = TP_BC_M,
	    [TP_SQL_EVENT_p] = TP_BC_P,
	    [TP_SQL_EVENT_subject_kind] = TP_BC_TYPE | TP_BC_SUBJECT,
	    [TP_SQL_EVENT_subject] = TP_BC_TYPE | TP_BC_SUBJECT,
	    [TP_SQL_EVENT_from_state] = TP_BC_FROM,
	    [TP_SQL_EVENT_to_state] = TP_BC_TO,
	    [TP_SQL_EVENT_text] = TP_BC_TYPE | TP_BC_STR,
	    [TP_SQL_EVENT_text2] = TP_BC_TYPE | TP_BC_STR2,
	    [TP_SQL_EVENT_stack] = TP_BC_STACK,
	    [TP_SQL_EVENT_stack2] = TP_BC_TYPE | TP_BC_STR2,
	    [TP_SQL_EVENT_arg0] = TP_BC_TYPE | TP_BC_ARG0,
	    [TP_SQL_EVENT_arg1] = TP_BC_TYPE | TP_BC_ARG1,
	    [TP_SQL_EVENT_arg2] = TP_BC_TYPE | TP_BC_ARG2,
	    [TP_SQL_EVENT_inferred] = TP_BC_FLAGS,
	    [TP_SQL_EVENT_lost] = TP_BC_FLAGS,
	};

	return column >= 0 && column < TP_SQL_EVENT_NCOLUMNS ? behind[column] : 0;
}

/* Can this constraint be taken, and how is it written into idxStr? 0 if not. */
static char constraint_op(sqlite3_index_info *info, int i)
{
	char op = tp_sql_op_char(info->aConstraint[i].op);

	switch (info->aConstraint[i].iColumn) {
	case TP_SQL_EVENT_run:
	case TP_SQL_EVENT_seq:
	case TP_SQL_EVENT_ts_ns:
		return op;
	case TP_SQL_EVENT_type:
	case TP_SQL_EVENT_kind:
		if (op != '=' || strcmp(sqlite3_vtab_collation(info, i), "BINARY"))
			return 0;
		return tp_sql_take_in(info, i) ? 'i' : op;
	case TP_SQL_EVENT_goroutine:
	case TP_SQL_EVENT_m:
	case TP_SQL_EVENT_p:
		return op == '=' ? op : 0;
	default:
		return 0;
	}
}

/* Rows that are expected, and what they cost: a scan looks at every event of the blocks it reads
 * but hands only those that match to SQLite. */
static void estimate(struct tp_sql *sql, sqlite3_index_info *info, const char *plan)
{
	double rows = (double)tp_sql_stream_rows(sql, "event") + 1, scanned;

	for (const char *p = plan; *p; p += 2)
		if (p[0] - 'a' == TP_SQL_EVENT_run && p[1] == '=' && tp_sql_nruns(sql) > 1)
			rows /= (double)tp_sql_nruns(sql);
		else if (p[0] - 'a' == TP_SQL_EVENT_seq && p[1] == '=')
			rows = 1;
		else if (p[0] - 'a' == TP_SQL_EVENT_seq || p[0] - 'a' == TP_SQL_EVENT_ts_ns)
			rows /= 4;
	scanned = rows < TP_BLOCK_EVENTS ? TP_BLOCK_EVENTS : rows;
	for (const char *p = plan; *p; p += 2)
		if (p[0] - 'a' == TP_SQL_EVENT_type || p[0] - 'a' == TP_SQL_EVENT_kind)
			rows /= 8;
		else if (p[0] - 'a' == TP_SQL_EVENT_goroutine)
			rows /= 1000;
		else if (p[0] - 'a' == TP_SQL_EVENT_m || p[0] - 'a' == TP_SQL_EVENT_p)
			rows /= 4;
	info->estimatedRows = (sqlite3_int64)rows + 1;
	info->estimatedCost = 100 + scanned / 16 + rows;
}

/* Is the order that is asked for the one in which rows come anyway, or one we can give? */
static int take_order(sqlite3_index_info *info, bool one_run)
{
	uint64_t others = ~(UINT64_C(1) << TP_SQL_EVENT_run | UINT64_C(1) << TP_SQL_EVENT_type |
			    UINT64_C(1) << TP_SQL_EVENT_kind);
	int n = info->nOrderBy, first = info->aOrderBy[0].iColumn;
	bool desc = info->aOrderBy[0].desc, by_run = first == TP_SQL_EVENT_run && !desc;

	if (n == 1 && (first == TP_SQL_EVENT_type || first == TP_SQL_EVENT_kind)) {
		info->orderByConsumed = 1;
		return (first == TP_SQL_EVENT_type ? PLAN_BY_TYPE : PLAN_BY_KIND) |
		       (desc ? PLAN_DESC : 0) | (info->colUsed & others ? 0 : PLAN_COUNT);
	}
	if (by_run || one_run) {
		int time = by_run ? 1 : 0; /* `run, seq` or just `seq` */
		int column = n > time ? info->aOrderBy[time].iColumn : TP_SQL_EVENT_seq;

		info->orderByConsumed =
		    n <= time + 1 && (n == time || !info->aOrderBy[time].desc) &&
		    (column == TP_SQL_EVENT_seq || column == TP_SQL_EVENT_ts_ns || n == time);
	}
	return 0;
}

static int event_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	struct tp_sql *sql = ((struct tp_sql_vtab *)vtab)->sql;
	bool one_run = false;
	char *plan;
	int n = 0;

	plan = sqlite3_malloc(2 * info->nConstraint + 1);
	if (!plan)
		return SQLITE_NOMEM;
	for (int i = 0; i < info->nConstraint; i++) {
		char op;

		if (!info->aConstraint[i].usable)
			continue;
		op = constraint_op(info, i);
		if (!op)
			continue;
		one_run |= info->aConstraint[i].iColumn == TP_SQL_EVENT_run && op == '=';
		plan[2 * n] = (char)('a' + info->aConstraint[i].iColumn);
		plan[2 * n + 1] = op;
		info->aConstraintUsage[i].argvIndex = ++n;
		info->aConstraintUsage[i].omit = 1; /* compared exactly here */
	}
	plan[2 * n] = 0;
	info->idxStr = plan;
	info->needToFreeIdxStr = 1;
	for (int c = 0; c < TP_SQL_EVENT_NCOLUMNS; c++)
		if (info->colUsed >> c & 1)
			info->idxNum |= (int)block_columns(c);
	if (info->nOrderBy)
		info->idxNum |= take_order(info, one_run);
	estimate(sql, info, plan);
	return SQLITE_OK;
}

/* ---- the cursor ---- */

static int event_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out)
{
	struct event_cursor *c = calloc(1, sizeof(*c));

	if (!c)
		return SQLITE_NOMEM;
	c->sql = ((struct tp_sql_vtab *)vtab)->sql;
	c->block = tp_block_decoder_new();
	c->sel = malloc(TP_BLOCK_EVENTS * sizeof(*c->sel));
	if (!c->block || !c->sel) {
		tp_block_decoder_free(c->block);
		free(c->sel);
		free(c);
		return SQLITE_NOMEM;
	}
	tp_sql_cursor_opened(c->sql);
	*out = &c->base;
	return SQLITE_OK;
}

static void leave_run(struct event_cursor *c)
{
	tp_stream_close(c->stream);
	c->stream = NULL;
	tp_sql_run_put(c->run);
	c->run = NULL;
	c->dict = NULL;
	memset(c->have_ids, 0, sizeof(c->have_ids));
	c->at = c->n = 0;
}

static int event_close(sqlite3_vtab_cursor *base)
{
	struct event_cursor *c = (struct event_cursor *)base;

	leave_run(c);
	tp_sql_cursor_closed(c->sql);
	tp_block_decoder_free(c->block);
	free(c->passes);
	free(c->counts);
	free(c->seen);
	free(c->sel);
	free(c);
	return SQLITE_OK;
}

/* The index of an id in this run, TP_NONE if it has none. */
static int find_index(struct event_cursor *c, int i, struct tp_err *err)
{
	static const enum tp_table_id tables[3] = {TP_TABLE_GOROUTINE, TP_TABLE_THREAD,
						   TP_TABLE_PROC};
	const uint32_t *order;
	size_t from, to;
	int code = tp_sql_rows_find(c->run, tables[i], 0, c->want_id[i], &order, &from, &to, err);

	c->want_index[i] = !code && from < to ? order[from] : TP_NONE;
	return code;
}

/* Opens the run at run_pos or the next one that is wanted; run stays NULL when there is none. */
static int enter_run(struct event_cursor *c, struct tp_err *err)
{
	for (; c->run_pos < tp_sql_nruns(c->sql); c->run_pos++) {
		struct tp_stream_range range = {0, INT64_MAX, c->ts_from, INT64_MAX};
		bool nothing = false;
		int code;

		c->run_id = tp_sql_run_id(c->sql, c->run_pos);
		if (c->run_id < c->run_from || c->run_id > c->run_to)
			continue;
		code = tp_sql_run_get(c->sql, c->run_id, &c->run, err);
		for (int i = 0; i < 3 && !code; i++)
			if (c->want[i]) {
				code = find_index(c, i, err);
				nothing |= c->want_index[i] == TP_NONE;
			}
		if (code)
			return code;
		if (nothing) {
			leave_run(c);
			continue;
		}
		range.first_part = c->seq_from / TP_BLOCK_EVENTS;
		range.parts = c->seq_to / TP_BLOCK_EVENTS - range.first_part + 1;
		if (c->ts_to < INT64_MAX)
			range.to_ns = c->ts_to + 1; /* the range of a stream is half open */
		return tp_stream_open(&c->stream, tp_sql_db(c->sql), c->run_id, "event", &range,
				      err);
	}
	return 0;
}

/* The positions of the decoded block that match, into sel. */
static void select_rows(struct event_cursor *c, const struct type_set *types)
{
	const struct tp_block_decoder *b = c->block;
	int64_t base = c->part * TP_BLOCK_EVENTS;
	int64_t from = c->seq_from > base ? c->seq_from - base : 0;
	int64_t to = c->seq_to - base < (int64_t)b->n ? c->seq_to - base + 1 : (int64_t)b->n;
	uint32_t n = 0;

	c->at = 0;
	if (c->filter & TP_BC_TYPE) {
		uint8_t wanted[256];

		for (unsigned t = 0; t < 256; t++)
			wanted[t] = has_type(types, (uint8_t)t);
		for (int64_t i = from; i < to; i++) {
			c->sel[n] = (uint16_t)i;
			n += wanted[b->type[i]];
		}
	} else {
		for (int64_t i = from; i < to; i++)
			c->sel[n++] = (uint16_t)i;
	}
	if (c->filter & TP_BC_TS) {
		uint32_t kept = 0;

		for (uint32_t k = 0; k < n; k++) {
			int64_t ts = b->ts[c->sel[k]];

			c->sel[kept] = c->sel[k];
			kept += ts >= c->ts_from && ts <= c->ts_to;
		}
		n = kept;
	}
	for (int w = 0; w < 3; w++) {
		const uint32_t *col = w == 0 ? b->g : w == 1 ? b->m : b->p;
		uint32_t kept = 0;

		if (!c->want[w])
			continue;
		for (uint32_t k = 0; k < n; k++) {
			c->sel[kept] = c->sel[k];
			kept += col[c->sel[k]] == c->want_index[w];
		}
		n = kept;
	}
	c->n = n;
}

static bool types_meet(const struct type_set *a, const struct type_set *b)
{
	uint64_t both = 0;

	for (size_t i = 0; i < MASK_WORDS; i++)
		both |= a->bits[i] & b->bits[i];
	return both;
}

/* First pass: remembers which types the decoded part has. */
static int note_types(struct event_cursor *c, struct tp_err *err)
{
	struct type_set *set;

	if (c->nseen == c->seen_room) {
		size_t room = c->seen_room ? c->seen_room * 2 : 256;

		set = realloc(c->seen, room * sizeof(*set));
		if (!set)
			return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
		c->seen = set;
		c->seen_room = room;
	}
	set = &c->seen[c->nseen++];
	memset(set, 0, sizeof(*set));
	for (uint32_t i = 0; i < c->block->n; i++)
		add_type(set, c->block->type[i]);
	return 0;
}

/* Does any part have something for this pass? */
static bool pass_is_empty(const struct event_cursor *c)
{
	for (size_t i = 0; i < c->nseen; i++)
		if (types_meet(&c->seen[i], &c->passes[c->pass]))
			return false;
	return true;
}

/* Decodes the part and selects from it; c->n is 0 when nothing matches. */
static int take_part(struct event_cursor *c, const struct tp_part *part, struct tp_err *err)
{
	int code = 0;

	c->part = part->part;
	c->n = 0;
	if (part->rows < 1 || part->rows > TP_BLOCK_EVENTS || part->part < 0 ||
	    part->part > INT64_MAX / TP_BLOCK_EVENTS - 1)
		return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE,
				  "run %lld: block %lld of events is damaged", (long long)c->run_id,
				  (long long)part->part);
	c->block->n = (uint32_t)part->rows;
	/* Later passes know which parts have something for them. */
	if (c->pass > 0 && !types_meet(&c->seen[c->nth++], &c->passes[c->pass]))
		return 0;
	if (c->filter)
		code = tp_block_decode(c->block, part->data, part->size, part->rows,
				       c->pass > 0 ? c->filter | c->columns : c->filter, err);
	if (!code && c->pass == 0 && c->npasses > 1)
		code = note_types(c, err);
	if (!code)
		select_rows(c, &c->passes[c->pass]);
	if (!code && c->n && c->pass == 0 && c->columns & ~c->filter)
		code = tp_block_decode(c->block, part->data, part->size, part->rows, c->columns,
				       err);
	if (code)
		tp_err_prefix(err, "run %lld: block %lld of events", (long long)c->run_id,
			      (long long)part->part);
	return code;
}

/* To the next block, run or pass with a row that matches, or the end. */
static int next_rows(struct event_cursor *c, struct tp_err *err)
{
	for (;;) {
		struct tp_part part;
		int code;

		if (!c->run) {
			code = enter_run(c, err);
			if (code)
				return code;
		}
		if (!c->run) { /* this pass is over */
			do
				c->pass++;
			while (c->pass < c->npasses && pass_is_empty(c));
			c->nth = 0;
			c->run_pos = 0;
			if (c->pass < c->npasses)
				continue;
			c->eof = true;
			return 0;
		}
		code = tp_stream_next(c->stream, &part, err);
		if (code < 0)
			return code;
		if (code == 0) {
			leave_run(c);
			c->run_pos++;
			continue;
		}
		code = take_part(c, &part, err);
		if (code || c->n)
			return code;
	}
}

/* PLAN_COUNT: one look at every run gives the numbers of rows by run and type. */
static int count_types(struct event_cursor *c, struct tp_err *err)
{
	size_t nruns = tp_sql_nruns(c->sql);

	c->counts = calloc(nruns ? nruns : 1, sizeof(*c->counts));
	if (!c->counts)
		return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
	while (!c->eof && !c->pass) {
		int code;

		for (; c->at < c->n; c->at++)
			c->counts[c->run_pos][c->block->type[c->sel[c->at]]]++;
		code = next_rows(c, err);
		if (code)
			return code;
	}
	return 0;
}

/* PLAN_COUNT: to the next type of the pass, run and pass with rows. */
static void next_count(struct event_cursor *c)
{
	unsigned type = c->counted_type;

	for (; c->pass < c->npasses; c->pass++, c->run_pos = 0)
		for (; c->run_pos < tp_sql_nruns(c->sql); c->run_pos++, type = 0)
			for (; type < 256; type++) {
				uint64_t *n = &c->counts[c->run_pos][type];

				if (!*n || !has_type(&c->passes[c->pass], (uint8_t)type))
					continue;
				c->left = *n;
				*n = 0;
				c->counted_type = (uint8_t)type;
				c->run_id = tp_sql_run_id(c->sql, c->run_pos);
				return;
			}
	c->eof = true;
}

/* One pass over everything, or one per name of type or kind, in order of the names. */
static int plan_passes(struct event_cursor *c, int plan, const struct type_set *types)
{
	const char *names[256];
	struct type_set *passes = calloc(256, sizeof(*passes));
	size_t n = 0;

	if (!passes)
		return TP_ENOMEM;
	c->passes = passes;
	c->npasses = 1;
	passes[0] = *types;
	if (!(plan & (PLAN_BY_TYPE | PLAN_BY_KIND)))
		return 0;
	memset(&passes[0], 0, sizeof(passes[0]));
	for (unsigned t = 0; t < 256; t++) {
		const char *name =
		    plan & PLAN_BY_TYPE ? type_name((uint8_t)t) : kind_name((uint8_t)t);
		size_t i = 0;

		if (!has_type(types, (uint8_t)t))
			continue;
		name = name ? name : ""; /* NULLs come first */
		while (i < n &&
		       (plan & PLAN_DESC ? strcmp(names[i], name) > 0 : strcmp(names[i], name) < 0))
			i++;
		if (i == n || strcmp(names[i], name)) {
			memmove(&names[i + 1], &names[i], (n - i) * sizeof(names[0]));
			memmove(&passes[i + 1], &passes[i], (n - i) * sizeof(passes[0]));
			names[i] = name;
			memset(&passes[i], 0, sizeof(passes[i]));
			n++;
		}
		add_type(&passes[i], (uint8_t)t);
	}
	c->npasses = n ? n : 1;
	return 0;
}

/* Keeps of `types` those whose type or kind has this name. */
static void keep_named(struct type_set *types, struct type_set *named, bool kind,
		       sqlite3_value *value)
{
	const char *want = sqlite3_value_type(value) == SQLITE_TEXT
			       ? (const char *)sqlite3_value_text(value)
			       : NULL;

	for (unsigned t = 0; want && t < 256; t++) {
		const char *name = kind ? kind_name((uint8_t)t) : type_name((uint8_t)t);

		if (name && has_type(types, (uint8_t)t) && !strcmp(name, want))
			add_type(named, (uint8_t)t);
	}
}

/* Takes in one constraint of the plan; false when no row can match. */
static bool apply(struct event_cursor *c, const char *plan, sqlite3_value *value)
{
	int column = plan[0] - 'a', op = tp_sql_op_of_char(plan[1]);
	struct type_set named = {{0}};
	bool kind = column == TP_SQL_EVENT_kind;
	int which = column == TP_SQL_EVENT_goroutine ? 0 : column == TP_SQL_EVENT_m ? 1 : 2;

	switch (column) {
	case TP_SQL_EVENT_run:
		return tp_sql_narrow(op, value, &c->run_from, &c->run_to);
	case TP_SQL_EVENT_seq:
		return tp_sql_narrow(op, value, &c->seq_from, &c->seq_to);
	case TP_SQL_EVENT_ts_ns:
		c->filter |= TP_BC_TS;
		return tp_sql_narrow(op, value, &c->ts_from, &c->ts_to);
	case TP_SQL_EVENT_type:
	case TP_SQL_EVENT_kind:
		if (plan[1] == 'i') {
			sqlite3_value *item = NULL;

			for (int rc = sqlite3_vtab_in_first(value, &item); rc == SQLITE_OK && item;
			     rc = sqlite3_vtab_in_next(value, &item))
				keep_named(&c->types, &named, kind, item);
		} else {
			keep_named(&c->types, &named, kind, value);
		}
		c->filter |= TP_BC_TYPE;
		c->types = named;
		return true;
	default: { /* goroutine, m, p */
		int64_t id;

		if (!tp_sql_want_int(value, &id) || (c->want[which] && c->want_id[which] != id))
			return false;
		c->want[which] = true;
		c->want_id[which] = id;
		c->filter |= which == 0 ? TP_BC_G : which == 1 ? TP_BC_M : TP_BC_P;
		return true;
	}
	}
}

static int event_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
			sqlite3_value **argv)
{
	struct event_cursor *c = (struct event_cursor *)base;
	struct tp_err err = {0};
	bool some = true;
	int code;

	leave_run(c);
	free(c->passes);
	free(c->counts);
	c->passes = NULL;
	c->counts = NULL;
	c->columns = (uint32_t)plan & PLAN_COLUMNS;
	c->filter = 0;
	c->run_from = c->ts_from = INT64_MIN;
	c->seq_from = 0;
	c->run_to = c->seq_to = c->ts_to = INT64_MAX;
	memset(&c->types, 0xff, sizeof(c->types));
	memset(c->want, 0, sizeof(c->want));
	c->nseen = c->nth = 0;
	c->run_pos = c->pass = 0;
	c->left = 0;
	c->counted_type = 0;
	c->eof = false;
	c->count = (plan & PLAN_COUNT) != 0;
	for (int i = 0; i < argc && some; i++)
		some = apply(c, text + 2 * i, argv[i]);
	if (!some) {
		c->eof = true;
		return SQLITE_OK;
	}
	code = tp_sql_refresh(c->sql, &err);
	if (!code && plan_passes(c, plan, &c->types))
		return SQLITE_NOMEM;
	if (plan & (PLAN_BY_TYPE | PLAN_BY_KIND))
		c->filter |= TP_BC_TYPE;
	if (!code && c->count) {
		struct type_set *passes = c->passes;
		size_t npasses = c->npasses;

		c->passes = &c->types; /* all of them in one pass */
		c->npasses = 1;
		code = count_types(c, &err);
		c->passes = passes;
		c->npasses = npasses;
		c->pass = c->run_pos = 0;
		c->eof = false;
		if (!code)
			next_count(c);
	} else if (!code) {
		code = next_rows(c, &err);
	}
	return code ? tp_sql_fail(base->pVtab, &err) : SQLITE_OK;
}

static int event_next(sqlite3_vtab_cursor *base)
{
	struct event_cursor *c = (struct event_cursor *)base;
	struct tp_err err;

	if (++c->at < c->n)
		return SQLITE_OK;
	if (c->count) {
		if (!--c->left)
			next_count(c);
		return SQLITE_OK;
	}
	return next_rows(c, &err) ? tp_sql_fail(base->pVtab, &err) : SQLITE_OK;
}

static int event_eof(sqlite3_vtab_cursor *base)
{
	return ((struct event_cursor *)base)->eof;
}

/* ---- results ---- */

/* Names that Go's reader gives to what has none on the wire: ranges (Event.Range) and metrics
 * (Event.Metric), both in internal/trace/event.go. */
static const char *fixed_text(uint8_t type)
{
	switch (type) {
	case TP_EV_GC_ACTIVE:
	case TP_EV_GC_BEGIN:
	case TP_EV_GC_END:
		return "GC concurrent mark phase";
	case TP_EV_GC_SWEEP_ACTIVE:
	case TP_EV_GC_SWEEP_BEGIN:
	case TP_EV_GC_SWEEP_END:
		return "GC incremental sweep";
	case TP_EV_MARK_ASSIST_ACTIVE:
	case TP_EV_MARK_ASSIST_BEGIN:
	case TP_EV_MARK_ASSIST_END:
		return "GC mark assist";
	case TP_EV_PROCS_CHANGE:
		return "/sched/gomaxprocs:threads";
	case TP_EV_HEAP_ALLOC:
		return "/memory/classes/heap/objects:bytes";
	case TP_EV_HEAP_GOAL:
		return "/gc/heap/goal:bytes";
	default:
		return NULL;
	}
}

static void result_name(sqlite3_context *ctx, const char *name)
{
	if (name)
		sqlite3_result_text(ctx, name, -1, SQLITE_STATIC);
}

static int result_text(struct event_cursor *c, sqlite3_context *ctx, uint32_t string,
		       struct tp_err *err)
{
	int code = c->dict ? 0 : tp_sql_dict(c->run, &c->dict, err);

	if (!code)
		tp_sql_result_text(ctx, c->dict, string);
	return code;
}

static int result_id(struct event_cursor *c, sqlite3_context *ctx, int which, uint32_t index,
		     struct tp_err *err)
{
	if (index == TP_NONE)
		return 0;
	if (!c->have_ids[which]) {
		int code = tp_sql_ids(c->run, id_kinds[which], &c->ids[which], err);

		if (code)
			return code;
		c->have_ids[which] = true;
	}
	tp_sql_result_id(ctx, &c->ids[which], index);
	return 0;
}

/* Columns whose meaning depends on the type of the event. */
static int result_by_type(struct event_cursor *c, sqlite3_context *ctx, int column, uint32_t i,
			  struct tp_err *err)
{
	const struct tp_block_decoder *b = c->block;
	const struct tp_event_desc *desc;
	bool stack2;
	int arg = column - TP_SQL_EVENT_arg0;

	if (!type_name(b->type[i]))
		return 0;
	desc = &tp_event_descs[b->type[i]];
	stack2 = desc->str2 && !strcmp(desc->str2, "stack");
	switch (column) {
	case TP_SQL_EVENT_type:
		result_name(ctx, desc->wire);
		return 0;
	case TP_SQL_EVENT_kind:
		result_name(ctx, tp_kind_names[desc->kind]);
		return 0;
	case TP_SQL_EVENT_subject_kind:
		if (desc->subject && b->subject[i] != TP_NONE)
			result_name(ctx, desc->subject == 'G' ? "G" : "P");
		return 0;
	case TP_SQL_EVENT_subject:
		if (!desc->subject)
			return 0;
		return result_id(c, ctx, desc->subject == 'G' ? 0 : 2, b->subject[i], err);
	case TP_SQL_EVENT_text:
		if (desc->str)
			return result_text(c, ctx, b->str[i], err);
		result_name(ctx, fixed_text(b->type[i]));
		return 0;
	case TP_SQL_EVENT_text2:
		return desc->str2 && !stack2 ? result_text(c, ctx, b->str2[i], err) : 0;
	case TP_SQL_EVENT_stack2:
		if (stack2)
			sqlite3_result_int64(ctx, b->str2[i]);
		return 0;
	default: /* arg0, arg1, arg2 */
		if (desc->arg[arg])
			sqlite3_result_int64(ctx, (sqlite3_int64)b->arg[arg][i]);
		return 0;
	}
}

static int event_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int column)
{
	struct event_cursor *c = (struct event_cursor *)base;
	const struct tp_block_decoder *b = c->block;
	struct tp_err err;
	uint32_t i;
	int code = 0;

	if (c->count) {
		if (column == TP_SQL_EVENT_run)
			sqlite3_result_int64(ctx, c->run_id);
		else
			result_name(ctx, column == TP_SQL_EVENT_type ? type_name(c->counted_type)
								     : kind_name(c->counted_type));
		return SQLITE_OK;
	}
	i = c->sel[c->at];
	switch (column) {
	case TP_SQL_EVENT_run:
		sqlite3_result_int64(ctx, c->run_id);
		break;
	case TP_SQL_EVENT_seq:
		sqlite3_result_int64(ctx, c->part * TP_BLOCK_EVENTS + i);
		break;
	case TP_SQL_EVENT_ts_ns:
		sqlite3_result_int64(ctx, b->ts[i]);
		break;
	case TP_SQL_EVENT_goroutine:
		code = result_id(c, ctx, 0, b->g[i], &err);
		break;
	case TP_SQL_EVENT_m:
		code = result_id(c, ctx, 1, b->m[i], &err);
		break;
	case TP_SQL_EVENT_p:
		code = result_id(c, ctx, 2, b->p[i], &err);
		break;
	case TP_SQL_EVENT_from_state:
		tp_sql_result_state(ctx, b->from[i]);
		break;
	case TP_SQL_EVENT_to_state:
		tp_sql_result_state(ctx, b->to[i]);
		break;
	case TP_SQL_EVENT_stack:
		sqlite3_result_int64(ctx, b->stack[i]);
		break;
	case TP_SQL_EVENT_inferred:
		sqlite3_result_int(ctx, (b->flags[i] & TP_EVF_INFERRED) != 0);
		break;
	case TP_SQL_EVENT_lost:
		sqlite3_result_int(ctx, (b->flags[i] & TP_EVF_LOST) != 0);
		break;
	default:
		code = result_by_type(c, ctx, column, i, &err);
	}
	return code ? tp_sql_fail(base->pVtab, &err) : SQLITE_OK;
}

static int event_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
	struct event_cursor *c = (struct event_cursor *)base;

	if (c->count) { /* SQLite does not say beforehand that it will ask */
		const struct tp_err err = {
		    .code = TP_ESTORE,
		    .msg = "event has no rowid in a query grouped by type: use max(seq)"};

		return tp_sql_fail(base->pVtab, &err);
	}
	*rowid = tp_sql_rowid(c->run_id, c->part * TP_BLOCK_EVENTS + c->sel[c->at]);
	return SQLITE_OK;
}

const sqlite3_module tp_sql_event_module = {
    .iVersion = 1,
    .xConnect = tp_sql_connect,
    .xBestIndex = event_best_index,
    .xDisconnect = tp_sql_disconnect,
    .xOpen = event_open,
    .xClose = event_close,
    .xFilter = event_filter,
    .xNext = event_next,
    .xEof = event_eof,
    .xColumn = event_column,
    .xRowid = event_rowid,
};
