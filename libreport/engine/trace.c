/* A trace's tables of sums, and its events, from the engine: texts and ids become the numbers that
 * a store has in their place. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/random.h"
#include "base/seed.h"
#include "base/table.h"
#include "engine/fetching.h"
#include "store/dictfile.h"

struct building;

/* From the id of a goroutine, M or P to the row it has in its table. */
struct index {
	struct building *of;
	int64_t *id; /* by row */
	size_t n, room;
	struct tp_table by_id; /* the first row of each id */
	uint64_t seed;
};

enum who { WHO_G, WHO_M, WHO_P, WHO_N };

#define EVENTS 4096
#define STRING 16 /* of the dictionary, besides its bytes */
#define ENTRY  32

struct building {
	const struct rep_fetching *f;
	size_t run;
	struct tp_store_run *to;
	struct tp_dict *dict;
	struct index of[WHO_N];
	enum tp_table_id table;
	uint32_t next; /* row */
	struct tp_event *event;
	size_t nevents;
	int64_t last_ts;
	size_t held;   /* bytes of its dictionary, and of who there is */
	bool no_lives; /* the engine's goroutines have neither goid nor life */
};

static int hold(struct building *b, size_t size, struct tp_err *err)
{
	int code = rep_held_add(b->f->held, size, err);

	b->held += code ? 0 : size;
	return code;
}

static int damaged(struct tp_err *err, enum tp_table_id table)
{
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "the engine's answer cannot be: table %s does not fit the trace",
			  tp_tables[table].name);
}

/* ---- who ---- */

static bool find(const struct index *x, int64_t id, uint32_t *row)
{
	uint64_t hash = tp_mix64(x->seed, (uint64_t)id);

	for (struct tp_probe p = {0}; tp_table_next(&x->by_id, hash, &p);) {
		if (x->id[p.row] == id) {
			*row = p.row;
			return true;
		}
	}
	return false;
}

static int on_id(void *ctx, struct tp_cursor *c, struct tp_err *err)
{
	struct index *x = ctx;
	int64_t id = rep_row_get_int(c);
	uint32_t first;
	int code;

	if (c->failed)
		return 0;
	/* The array may be twice as large as what is in it, the table four times. */
	if (hold(x->of, 2 * sizeof(*x->id) + 4 * sizeof(struct tp_table_slot), err))
		return err->code;
	code = tp_grow_raw(&x->id, &x->room, x->n, sizeof(*x->id));
	if (!code && !find(x, id, &first))
		code = tp_table_add(&x->by_id, tp_mix64(x->seed, (uint64_t)id), x->n);
	if (code == TP_ELIMIT)
		return rep_fetch_odd(err, "too many goroutines");
	if (code)
		return rep_engine_no_memory(err);
	x->id[x->n++] = id;
	return 0;
}

static int64_t look_up(const struct index *x, int64_t id)
{
	uint32_t row;

	if (id == TP_NULL)
		return TP_NULL;
	return find(x, id, &row) ? (int64_t)row : -1;
}

#define GOROUTINES ((enum rep_engine_table_id)(REP_ENGINE_PACKED + TP_TABLE_GOROUTINE))

/* Columns that tables of an earlier form do not have are NULL: there is one life. */
static void put_goroutine_columns(struct rep_sql *s)
{
	const struct tp_table_desc *t = &tp_tables[TP_TABLE_GOROUTINE];

	for (unsigned c = 0; c < t->ncolumns; c++) {
		rep_sql_put(s, "%s", c ? ", " : "");
		if (c < TP_COL(GOROUTINE, goid))
			rep_sql_name(s, t->columns[c].name);
		else
			rep_sql_put(s, "CAST(NULL AS Nullable(Int64))");
	}
}

static void put_table(struct building *b, struct rep_sql *s, enum rep_engine_table_id table,
		      const char *columns)
{
	rep_sql_put(s, "SELECT ");
	if (columns)
		rep_sql_put(s, "%s", columns);
	else if (b->no_lives && table == GOROUTINES)
		put_goroutine_columns(s);
	else
		rep_engine_put_columns(s, table, 3);
	rep_sql_put(s, " FROM ");
	rep_engine_put_table(s, b->f->at, table, false);
	rep_sql_put(s, " WHERE load = %llu ORDER BY row FORMAT RowBinary",
		    (unsigned long long)b->f->runs->run[b->run].load);
}

static int load_ids(struct building *b, struct tp_err *err)
{
	static const enum tp_table_id tables[WHO_N] = {TP_TABLE_GOROUTINE, TP_TABLE_THREAD,
						       TP_TABLE_PROC};
	int code = 0;

	for (int i = 0; i < WHO_N && !code; i++) {
		struct rep_sql s = {0};

		put_table(b, &s, (enum rep_engine_table_id)(REP_ENGINE_PACKED + (int)tables[i]),
			  "id");
		b->of[i].seed = tp_seed();
		code = rep_fetch_ask(b->f->link, &s, on_id, &b->of[i], err);
	}
	return code;
}

/* ---- the dictionary ---- */

static int checked(int code, struct tp_err *err, enum tp_table_id table)
{
	return code == TP_ENOMEM ? rep_engine_no_memory(err) : code ? damaged(err, table) : 0;
}

/* The first strings are those that every dictionary begins with. */
static int on_string(void *ctx, struct tp_cursor *c, struct tp_err *err)
{
	struct building *b = ctx;
	struct tp_slice s = rep_row_get_text(c);
	struct tp_text have;
	uint32_t id;

	if (c->failed)
		return 0;
	if (b->next >= tp_dict_strings(b->dict)) {
		if (hold(b, STRING + s.size, err))
			return err->code;
		b->next++;
		return checked(tp_dict_append_string(b->dict, s.data, s.size, &id), err,
			       TP_TABLE_FUNCTION);
	}
	have = tp_dict_text(b->dict, b->next++);
	return have.size == s.size && !memcmp(have.text, s.data, s.size)
		   ? 0
		   : rep_fetch_odd(err, "a dictionary that begins as none does");
}

static int load_strings(struct building *b, struct tp_err *err)
{
	struct rep_sql s = {0};

	b->next = 0;
	put_table(b, &s, REP_ENGINE_STRING, NULL);
	return rep_fetch_ask(b->f->link, &s, on_string, b, err);
}

/* ---- packed tables ---- */

static int get_string(struct building *b, struct tp_slice s, int64_t *v, struct tp_err *err)
{
	uint32_t id = 0, before = tp_dict_strings(b->dict);
	int code = s.data ? tp_dict_string(b->dict, s.data, s.size, &id) : 0;

	*v = s.data ? (int64_t)id : TP_NULL;
	if (!code && tp_dict_strings(b->dict) != before)
		return hold(b, STRING + s.size, err);
	return code ? checked(code, err, b->table) : 0;
}

static int64_t state_of(struct tp_slice s)
{
	static const char *const names[] = {
#define TP_X(name, text) [TP_ST_##name] = text,
	    TP_STATES(TP_X)
#undef TP_X
	};

	for (int i = 0; i < TP_NSTATES && s.data; i++)
		if (strlen(names[i]) == s.size && !memcmp(names[i], s.data, s.size))
			return i;
	return s.data ? 0 : TP_NULL;
}

/* A row's values; those of strings only once the row is known to be whole. */
static int get_row(struct building *b, struct tp_cursor *c, int64_t *values, struct tp_err *err)
{
	const struct tp_table_desc *t = &tp_tables[b->table];
	struct tp_slice text[TP_MAX_COLUMNS] = {{0}};
	int code = 0;

	for (unsigned i = 0; i < t->ncolumns; i++) {
		enum tp_column_kind kind = t->columns[i].kind;

		if (kind == TP_COL_STR)
			text[i] = rep_row_get_text_or_null(c);
		else if (kind == TP_COL_STATE)
			values[i] = state_of(rep_row_get_text_or_null(c));
		else if (kind == TP_COL_G)
			values[i] = look_up(&b->of[WHO_G], rep_row_get_int(c));
		else if (kind == TP_COL_M)
			values[i] = look_up(&b->of[WHO_M], rep_row_get_int(c));
		else if (kind == TP_COL_P)
			values[i] = look_up(&b->of[WHO_P], rep_row_get_int(c));
		else
			values[i] = rep_row_get_int(c);
	}
	if (b->table == TP_TABLE_STACK)
		tp_cursor_bytes(c, REP_STACK_HASH);
	for (unsigned i = 0; i < t->ncolumns && !c->failed && !code; i++) {
		if (t->columns[i].kind == TP_COL_STR)
			code = get_string(b, text[i], &values[i], err);
		/* Of nobody who is there: it would be taken for NULL less one. */
		if (values[i] == -1 &&
		    (t->columns[i].kind == TP_COL_G || t->columns[i].kind == TP_COL_M ||
		     t->columns[i].kind == TP_COL_P))
			code = damaged(err, b->table);
	}
	return code;
}

static bool is_id(int64_t v)
{
	return v >= 0 && v < UINT32_MAX;
}

static int append(struct building *b, const int64_t *v, struct tp_err *err)
{
	uint32_t id;
	int code = 0;

	if (!is_id(v[0]) || (b->table != TP_TABLE_LOCATION && !is_id(v[1])))
		return damaged(err, b->table);
	switch (b->table) {
	case TP_TABLE_FUNCTION:
		if (!is_id(v[2]))
			return damaged(err, b->table);
		code = tp_dict_append_function(
		    b->dict,
		    &(struct tp_function){(uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2], v[3]},
		    &id);
		break;
	case TP_TABLE_FRAME:
		code = tp_dict_append_frame(
		    b->dict,
		    &(struct tp_frame){(uint32_t)v[0], (uint32_t)v[1], v[2], v[3], v[4] != 0}, &id);
		break;
	default:
		code = tp_dict_append_stacks(b->dict, &v[0], &v[1], 1);
	}
	return checked(code, err, b->table);
}

/* Addresses have all 64 bits. */
static int append_location(struct building *b, const int64_t *v, struct tp_err *err)
{
	uint32_t id;

	if (!is_id(v[1]) || !is_id(v[2]))
		return damaged(err, b->table);
	return checked(tp_dict_append_location(
			   b->dict,
			   &(struct tp_location){(uint64_t)v[0], (uint32_t)v[1], (uint32_t)v[2]},
			   &id),
		       err, b->table);
}

/* Row 0 of each is there in every dictionary. */
static int on_entry(void *ctx, struct tp_cursor *c, struct tp_err *err)
{
	struct building *b = ctx;
	int64_t values[TP_MAX_COLUMNS] = {0};
	int code = get_row(b, c, values, err);

	if (c->failed || code || !b->next++)
		return code;
	code = hold(b, ENTRY, err);
	if (code)
		return code;
	return b->table == TP_TABLE_LOCATION ? append_location(b, values, err)
					     : append(b, values, err);
}

static int on_packed(void *ctx, struct tp_cursor *c, struct tp_err *err)
{
	struct building *b = ctx;
	int64_t values[TP_MAX_COLUMNS] = {0};
	int code = get_row(b, c, values, err);

	return c->failed || code ? code : tp_store_put_row(b->to, b->table, values, err);
}

static int load_table(struct building *b, enum tp_table_id table,
		      int (*row)(void *ctx, struct tp_cursor *c, struct tp_err *err),
		      struct tp_err *err)
{
	struct rep_sql s = {0};

	b->table = table;
	b->next = 0;
	put_table(b, &s, (enum rep_engine_table_id)(REP_ENGINE_PACKED + (int)table), NULL);
	return rep_fetch_ask(b->f->link, &s, row, b, err);
}

static bool is_of_dictionary(enum tp_table_id table)
{
	return table == TP_TABLE_FUNCTION || table == TP_TABLE_LOCATION ||
	       table == TP_TABLE_FRAME || table == TP_TABLE_STACK;
}

static int load_tables(struct building *b, struct tp_err *err)
{
	static const enum tp_table_id dictionary[] = {TP_TABLE_FUNCTION, TP_TABLE_LOCATION,
						      TP_TABLE_FRAME, TP_TABLE_STACK};
	int code = load_strings(b, err);

	if (!code)
		code =
		    rep_engine_lacks(b->f->link, b->f->at, GOROUTINES, "goid", &b->no_lives, err);
	for (size_t i = 0; i < sizeof(dictionary) / sizeof(dictionary[0]) && !code; i++)
		code = load_table(b, dictionary[i], on_entry, err);
	for (int t = 0; t < TP_NTABLES && !code; t++) {
		enum tp_table_id table = (enum tp_table_id)t;

		if (rep_engine_has((enum rep_engine_table_id)(REP_ENGINE_PACKED + t)) &&
		    !rep_engine_of_profile(table) && !is_of_dictionary(table))
			code = load_table(b, table, on_packed, err);
	}
	return code ? code : tp_dictfile_put(b->to, b->dict, err);
}

/* ---- events ---- */

static uint8_t type_of(struct tp_slice s)
{
	static const struct {
		const char *name;
		uint8_t type;
	} names[] = {
#define TP_X(name, number, wire, kind, subject, str, str2, a0, a1, a2) {wire, number},
	    TP_EVENT_TYPES(TP_X)
#undef TP_X
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && s.data; i++)
		if (strlen(names[i].name) == s.size && !memcmp(names[i].name, s.data, s.size))
			return names[i].type;
	return 0;
}

static bool subject_is_p(uint8_t type)
{
	static const char kinds[TP_NEVENT_TYPES] = {
#define TP_X(name, number, wire, kind, subject, str, str2, a0, a1, a2) [number] = subject[0],
	    TP_EVENT_TYPES(TP_X)
#undef TP_X
	};

	return kinds[type] == 'P';
}

static uint32_t who(const struct building *b, enum who kind, int64_t id)
{
	int64_t index = look_up(&b->of[kind], id);

	return index < 0 ? TP_NONE : (uint32_t)index;
}

static uint32_t stack_at(const struct building *b, int64_t v)
{
	return v > 0 && v < tp_dict_stacks(b->dict) ? (uint32_t)v : 0;
}

static int flush_events(struct building *b, struct tp_err *err)
{
	int code = b->nevents ? tp_store_put_events(b->to, b->event, b->nevents, err) : 0;

	b->nevents = 0;
	return code;
}

static int on_event(void *ctx, struct tp_cursor *c, struct tp_err *err)
{
	struct building *b = ctx;
	struct tp_event ev = {0};
	int64_t ts = rep_row_get_int(c), id[4], second, str, str2, flags;
	struct tp_slice text, more, from, to;
	int code;

	ev.type = type_of(rep_row_get_text_or_null(c));
	for (int i = 0; i < 4; i++)
		id[i] = rep_row_get_int(c);
	ev.stack = stack_at(b, rep_row_get_int(c));
	text = rep_row_get_text_or_null(c);
	more = rep_row_get_text_or_null(c);
	second = rep_row_get_int(c);
	from = rep_row_get_text_or_null(c);
	to = rep_row_get_text_or_null(c);
	flags = rep_row_get_int(c);
	for (int i = 0; i < 3; i++)
		ev.arg[i] = rep_row_get(c, 8);
	if (c->failed)
		return 0;
	if (!ev.type || ts == TP_NULL || ts < b->last_ts)
		return rep_fetch_odd(err, "events that do not follow each other");
	b->last_ts = ts;
	/* Times of events count from the start in the engine, in a store's input they do not. */
	ev.ts = (int64_t)((uint64_t)ts + (uint64_t)b->f->runs->run[b->run].row.start_ns);
	ev.g = who(b, WHO_G, id[0]);
	ev.m = who(b, WHO_M, id[1]);
	ev.p = who(b, WHO_P, id[2]);
	ev.subject = who(b, subject_is_p(ev.type) ? WHO_P : WHO_G, id[3]);
	code = get_string(b, text, &str, err);
	if (!code)
		code = get_string(b, more, &str2, err);
	if (code)
		return code;
	ev.str = str > 0 ? (uint32_t)str : 0;
	ev.str2 = second ? stack_at(b, second) : str2 > 0 ? (uint32_t)str2 : 0;
	ev.from = (uint8_t)(from.data ? state_of(from) : 0);
	ev.to = (uint8_t)(to.data ? state_of(to) : 0);
	ev.flags = (uint8_t)(flags & 3);
	b->event[b->nevents++] = ev;
	return b->nevents == EVENTS ? flush_events(b, err) : 0;
}

static int load_events(struct building *b, struct tp_err *err)
{
	struct rep_sql s = {0};
	int code;

	b->event = tp_many(EVENTS, sizeof(*b->event));
	if (!b->event)
		return rep_engine_no_memory(err);
	b->last_ts = INT64_MIN;
	put_table(b, &s, REP_ENGINE_EVENT, NULL);
	code = rep_fetch_ask(b->f->link, &s, on_event, b, err);
	return code ? code : flush_events(b, err);
}

int rep_fetch_trace(const struct rep_fetching *f, size_t run, struct tp_store_run *to,
		    struct tp_err *err)
{
	struct building b = {.f = f, .run = run, .to = to, .dict = tp_dict_new_stored()};
	int code;

	for (int i = 0; i < WHO_N; i++)
		b.of[i].of = &b;
	code = b.dict ? load_ids(&b, err) : rep_engine_no_memory(err);

	if (!code)
		code = load_tables(&b, err);
	if (!code && f->opt->events && f->runs->run[run].has_events)
		code = load_events(&b, err);
	for (int i = 0; i < WHO_N; i++) {
		free(b.of[i].id);
		tp_table_release(&b.of[i].by_id);
	}
	free(b.event);
	tp_dict_free(b.dict);
	f->held->now -= b.held;
	return code;
}
