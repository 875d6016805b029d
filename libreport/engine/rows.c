/* Tables of a run as rows of the engine: numbers that stand for something become what they stand
 * for, as tprof-query shows them. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "engine/binary.h"
#include "engine/inside.h"
#include "store/sqlerr.h"

#define SPILL_EVERY 4096 /* rows */

static const char *const state_names[] = {
#define TP_X(name, text) [TP_ST_##name] = text,
    TP_STATES(TP_X)
#undef TP_X
};

static const char *const type_names[TP_NEVENT_TYPES] = {
#define TP_X(name, number, wire, kind, subject, str, str2, a0, a1, a2) [number] = wire,
    TP_EVENT_TYPES(TP_X)
#undef TP_X
};

enum who { WHO_G, WHO_M, WHO_P };

int rep_load_begin_row(struct rep_loading *l, enum rep_engine_table_id table)
{
	struct tp_buf *b = &l->table[table];

	l->row_at = b->size;
	return rep_row_put(b, l->day, 2) || rep_row_put(b, l->load, 8) ||
		       rep_row_put(b, l->rows[table]++, 4)
		   ? TP_ENOMEM
		   : 0;
}

int rep_load_end_row(struct rep_loading *l, enum rep_engine_table_id table, struct tp_err *err)
{
	struct tp_buf *b = &l->table[table];
	size_t size = b->size - l->row_at;

	if (size <= REP_ANSWER_ROW_MOST)
		return 0;
	l->refused = true;
	b->size = l->row_at;
	return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE,
			  "run %lld is not loaded: a row of its table %s would have %zu MiB, and "
			  "reports read none of more than %zu MiB back; keep this run in a store",
			  (long long)l->run->row.id, rep_engine_name(table), size >> 20,
			  REP_ANSWER_ROW_MOST >> 20);
}

static int put_string(const struct rep_loading *l, struct tp_buf *b, int64_t id)
{
	struct tp_text t;

	if (id == TP_NULL || id < 0 || id >= tp_dict_strings(l->dict))
		return rep_row_put_text_or_null(b, NULL, 0);
	t = tp_dict_text(l->dict, (uint32_t)id);
	return rep_row_put_text_or_null(b, t.text, t.size);
}

static int put_state(struct tp_buf *b, int64_t state)
{
	const char *name = state >= 0 && state < TP_NSTATES ? state_names[state] : NULL;

	return rep_row_put_text_or_null(b, name, name ? strlen(name) : 0);
}

static int put_id(const struct rep_loading *l, struct tp_buf *b, enum who who, int64_t index)
{
	const struct tp_rows *ids = &l->ids[who];

	return rep_row_put_int(b, index >= 0 && (uint64_t)index < ids->nrows && ids->col[0]
				      ? ids->col[0][index]
				      : TP_NULL);
}

static int put_value(const struct rep_loading *l, struct tp_buf *b, enum tp_column_kind kind,
		     int64_t v)
{
	switch (kind) {
	case TP_COL_STR:
		return put_string(l, b, v);
	case TP_COL_STATE:
		return put_state(b, v);
	case TP_COL_G:
		return put_id(l, b, WHO_G, v);
	case TP_COL_M:
		return put_id(l, b, WHO_M, v);
	case TP_COL_P:
		return put_id(l, b, WHO_P, v);
	default:
		return rep_row_put_int(b, v);
	}
}

/* ---- packed tables ---- */

struct visit {
	struct rep_loading *l;
	enum tp_table_id table;
};

static int on_rows(void *ctx, const struct tp_rows *rows, size_t first, struct tp_err *err)
{
	struct visit *v = ctx;
	struct rep_loading *l = v->l;
	const struct tp_table_desc *t = &tp_tables[v->table];
	enum rep_engine_table_id to = (enum rep_engine_table_id)(REP_ENGINE_PACKED + (int)v->table);
	struct tp_buf *b = &l->table[to];
	int code = 0;

	for (size_t i = 0; i < rows->nrows && !code; i++) {
		int failed = rep_load_begin_row(l, to);

		for (unsigned c = 0; c < t->ncolumns && !failed; c++)
			failed = put_value(l, b, t->columns[c].kind, rows->col[c][i]);
		if (v->table == TP_TABLE_STACK && !failed)
			failed = tp_buf_put(b, l->hashes.of[first + i], REP_STACK_HASH);
		code = failed ? rep_engine_no_memory(err) : rep_load_end_row(l, to, err);
		for (unsigned c = 0; c < t->ncolumns && !code && v->table != TP_TABLE_STACK; c++)
			if (t->columns[c].kind == TP_COL_STACK && rows->col[c][i] > 0 &&
			    rows->col[c][i] < tp_dict_stacks(l->dict))
				code = rep_load_stack(l, (uint32_t)rows->col[c][i], err);
		if (!code && i % SPILL_EVERY == 0)
			code = l->spill(l->spill_ctx, err);
	}
	return code;
}

int rep_load_packed(struct rep_loading *l, enum tp_table_id table, struct tp_err *err)
{
	struct visit v = {l, table};
	const struct tp_rows_visitor visitor = {.rows = on_rows, .ctx = &v};

	return tp_rows_visit(l->store, l->run->row.id, table, 0, &visitor, err);
}

int rep_load_strings(struct rep_loading *l, struct tp_err *err)
{
	int code = 0;

	for (uint32_t i = 0; i < tp_dict_strings(l->dict) && !code; i++) {
		struct tp_text t = tp_dict_text(l->dict, i);

		if (rep_load_begin_row(l, REP_ENGINE_STRING) ||
		    rep_row_put_text(&l->table[REP_ENGINE_STRING], t.text, t.size))
			return rep_engine_no_memory(err);
		code = rep_load_end_row(l, REP_ENGINE_STRING, err);
		if (!code && i % SPILL_EVERY == 0)
			code = l->spill(l->spill_ctx, err);
	}
	return code;
}

/* ---- events ---- */

static int put_index(const struct rep_loading *l, struct tp_buf *b, enum who who, uint32_t index)
{
	return put_id(l, b, who, index == TP_NONE ? TP_NULL : (int64_t)index);
}

/* What the subject and the second string are depends on the type (decode/event.h). */
static enum who subject_of(const struct tp_event *ev)
{
	static const char kinds[TP_NEVENT_TYPES] = {
#define TP_X(name, number, wire, kind, subject, str, str2, a0, a1, a2) [number] = subject[0],
	    TP_EVENT_TYPES(TP_X)
#undef TP_X
	};

	return ev->type < TP_NEVENT_TYPES && kinds[ev->type] == 'P' ? WHO_P : WHO_G;
}

static bool second_is_stack(const struct tp_event *ev)
{
	static const char kinds[TP_NEVENT_TYPES] = {
#define TP_X(name, number, wire, kind, subject, str, str2, a0, a1, a2) [number] = str2[0],
	    TP_EVENT_TYPES(TP_X)
#undef TP_X
	};

	return ev->type < TP_NEVENT_TYPES && kinds[ev->type] == 's';
}

static int put_event(struct rep_loading *l, const struct tp_event *ev, struct tp_err *err)
{
	struct tp_buf *b = &l->table[REP_ENGINE_EVENT];
	const char *type = ev->type < TP_NEVENT_TYPES ? type_names[ev->type] : NULL;
	bool stack = second_is_stack(ev);
	int failed = rep_load_begin_row(l, REP_ENGINE_EVENT);

	failed |= rep_row_put_int(b, ev->ts);
	failed |= rep_row_put_text_or_null(b, type, type ? strlen(type) : 0);
	failed |= put_index(l, b, WHO_G, ev->g);
	failed |= put_index(l, b, WHO_M, ev->m);
	failed |= put_index(l, b, WHO_P, ev->p);
	failed |= put_index(l, b, subject_of(ev), ev->subject);
	failed |= rep_row_put_int(b, ev->stack);
	failed |= put_string(l, b, ev->str);
	failed |= put_string(l, b, stack ? 0 : ev->str2);
	failed |= rep_row_put_int(b, stack ? ev->str2 : 0);
	failed |= put_state(b, ev->from);
	failed |= put_state(b, ev->to);
	failed |= rep_row_put_int(b, ev->flags);
	for (int i = 0; i < 3; i++)
		failed |= rep_row_put(b, ev->arg[i], 8);
	return failed ? rep_engine_no_memory(err) : rep_load_end_row(l, REP_ENGINE_EVENT, err);
}

int rep_load_events(struct rep_loading *l, struct tp_err *err)
{
	struct tp_event_reader *r;
	const struct tp_event *ev;
	int code = tp_events_open(&r, l->store, l->run->row.id, NULL, err), more = 1;
	size_t n;

	while (!code && (more = tp_events_next(r, &ev, &n, err)) == 1) {
		for (size_t i = 0; i < n && !code; i++) {
			code = put_event(l, &ev[i], err);
			if (!code && ev[i].stack && ev[i].stack < tp_dict_stacks(l->dict))
				code = rep_load_stack(l, ev[i].stack, err);
		}
		if (!code)
			code = l->spill(l->spill_ctx, err);
	}
	tp_events_close(r);
	return code ? code : more < 0 ? more : 0;
}

/* ---- ordinary tables ---- */

static int put_cell(struct tp_buf *b, sqlite3_stmt *st, int c, const char *type)
{
	if (!strcmp(type, "Nullable(Int64)"))
		return rep_row_put_int(b, sqlite3_column_type(st, c) == SQLITE_NULL
					      ? TP_NULL
					      : sqlite3_column_int64(st, c));
	if (!strcmp(type, "Nullable(String)"))
		return rep_row_put_text_or_null(b, sqlite3_column_text(st, c),
						(size_t)sqlite3_column_bytes(st, c));
	return rep_row_put_text(b, sqlite3_column_text(st, c), (size_t)sqlite3_column_bytes(st, c));
}

int rep_load_ordinary(struct rep_loading *l, enum rep_engine_table_id table, struct tp_err *err)
{
	struct rep_engine_column column[REP_ENGINE_COLUMNS];
	unsigned n = rep_engine_columns(table, column);
	struct tp_buf *b = &l->table[table];
	sqlite3 *db = tp_store_db(l->store);
	sqlite3_stmt *st = NULL;
	char sql[512];
	int at, rc, code = 0;

	at = snprintf(sql, sizeof(sql), "SELECT ");
	for (unsigned c = 3; c < n; c++)
		at += snprintf(sql + at, sizeof(sql) - (size_t)at, "%s%s", c > 3 ? ", " : "",
			       column[c].name);
	/* The order in which rows were put; tables without rowid have one of their own. */
	snprintf(sql + at, sizeof(sql) - (size_t)at, " FROM %s WHERE run = ?1 ORDER BY %s",
		 rep_engine_name(table),
		 table == REP_ENGINE_LABEL     ? "key"
		 : table == REP_ENGINE_WIRE    ? "name"
		 : table == REP_ENGINE_SEGMENT ? "id"
					       : "rowid");
	rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL);
	if (!rc)
		rc = sqlite3_bind_int64(st, 1, l->run->row.id);
	while (!rc && !code && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		int failed = rep_load_begin_row(l, table);

		for (unsigned c = 3; c < n && !failed; c++)
			failed = put_cell(b, st, (int)c - 3, column[c].type);
		code = failed ? rep_engine_no_memory(err) : rep_load_end_row(l, table, err);
		if (!code)
			code = l->spill(l->spill_ctx, err);
		rc = 0;
	}
	if (!code && rc != SQLITE_DONE)
		code = tp_sql_cause(err, db, "cannot read the store");
	sqlite3_finalize(st);
	return code;
}
