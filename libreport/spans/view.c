#include "spans/view.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/many.h"
#include "base/sum.h"
#include "store/sqlerr.h"
#include "store/stream.h"

/* Returns whether a segment's blocks follow the previous one's. If a damaged store had segments
 * with shared blocks, every event could be read as often as there are segments. */
static bool follows(const struct tp_segment *s, size_t n)
{
	int64_t next = n ? s[n - 1].first_block + s[n - 1].blocks : s[n].first_block;

	return s[n].id == (int64_t)n && s[n].first_block == next && next >= 0 && s[n].blocks >= 0 &&
	       next < INT32_MAX && s[n].blocks < INT32_MAX;
}

/* Returns the limit on steps, by the size of the store. */
static uint64_t most_steps(struct tp_store *store)
{
	struct stat st;

	if (stat(tp_store_path(store), &st) || st.st_size < 2 << 20)
		return REP_VIEW_MOST_STEPS;
	return (uint64_t)(st.st_size >> 20) * REP_VIEW_MOST_STEPS;
}

int rep_view_spend(struct rep_view *v, uint64_t steps, struct tp_err *err)
{
	v->steps += steps;
	if (v->steps <= REP_VIEW_MOST_STEPS || v->steps <= most_steps(v->store))
		return 0;
	return tp_err_set(
	    err, TP_ELIMIT, TP_OFFSET_NONE,
	    "run %lld: too many spans or goroutines for its %zu segments; the store is "
	    "damaged, import the dump again",
	    (long long)v->run->row.id, v->nsegments);
}

static int load_segments(struct rep_view *v, struct tp_err *err)
{
	static const char sql[] = "SELECT id, first_block, blocks, from_ns, to_ns, events "
				  "FROM segment WHERE run = ? ORDER BY id";
	sqlite3 *db = tp_store_db(v->store);
	sqlite3_stmt *st = NULL;
	size_t room = 0;
	int code, rc;

	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) || sqlite3_bind_int64(st, 1, v->run->row.id))
		goto fail;
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		if (tp_grow(&v->segments, &room, v->nsegments, sizeof(*v->segments))) {
			sqlite3_finalize(st);
			return tp_nomem(err);
		}
		v->segments[v->nsegments] = (struct tp_segment){
		    .id = sqlite3_column_int64(st, 0),
		    .first_block = sqlite3_column_int64(st, 1),
		    .blocks = sqlite3_column_int64(st, 2),
		    .from_ns = sqlite3_column_int64(st, 3),
		    .to_ns = sqlite3_column_int64(st, 4),
		    .events = sqlite3_column_int64(st, 5),
		};
		if (!follows(v->segments, v->nsegments)) {
			sqlite3_finalize(st);
			return tp_err_set(
			    err, TP_ESTORE, TP_OFFSET_NONE,
			    "run %lld: segment %zu is missing, or does not follow the "
			    "one before it",
			    (long long)v->run->row.id, v->nsegments);
		}
		v->nsegments++;
	}
	if (rc != SQLITE_DONE)
		goto fail;
	sqlite3_finalize(st);
	return 0;
fail:
	code = tp_sql_cause(err, db, "cannot read the segments");
	sqlite3_finalize(st);
	return code;
}

int rep_view_init(struct rep_view *v, struct tp_store *store, const struct rep_run *run,
		  const struct rep_filter *filter, struct tp_dict *common, struct tp_err *err)
{
	struct rep_clock clock = {0};
	bool moments = rep_filter_needs_clock(&filter->text);
	int code = moments ? rep_clock_load(store, run, &clock, err) : 0;

	memset(v, 0, sizeof(*v));
	v->store = store;
	v->run = run;
	v->filter = filter;
	if (!code)
		code = rep_filter_range_at(&filter->text, run->row.duration_ns,
					   moments ? &clock : NULL, &v->from, &v->to, err);
	rep_clock_release(&clock);
	v->whole = v->from == INT64_MIN && v->to == INT64_MAX;
	if (!code)
		code = load_segments(v, err);
	if (!code)
		code = tp_dict_load(store, run->row.id, &v->dict, err);
	if (code)
		return code;
	if (common) {
		v->common = common;
		v->string_map = calloc(tp_dict_strings(v->dict) + (size_t)1, sizeof(uint32_t));
		v->stack_map = calloc(tp_dict_stacks(v->dict) + (size_t)1, sizeof(uint32_t));
		if (!v->string_map || !v->stack_map)
			return tp_nomem(err);
	}
	return rep_matcher_init(&v->match, filter, v->dict, err);
}

static void release_packed(struct rep_view *v, enum tp_table_id table)
{
	for (size_t c = 0; v->packed[table] && c < TP_MAX_COLUMNS; c++)
		rep_packed_release(&v->packed[table][c]);
	free(v->packed[table]);
	v->packed[table] = NULL;
}

void rep_view_release(struct rep_view *v)
{
	rep_matcher_release(&v->match);
	for (size_t i = 0; i < v->nloaded; i++)
		tp_rows_release(&v->loaded[i]);
	for (size_t t = 0; t < TP_NTABLES; t++)
		release_packed(v, (enum tp_table_id)t);
	free(v->loaded);
	free(v->segments);
	free(v->string_map);
	free(v->stack_map);
	free(v->path);
	rep_goids_release(&v->goids);
	tp_dict_free(v->dict);
	memset(v, 0, sizeof(*v));
}

/* ---- loading ---- */

static int differ(enum tp_table_id table, struct tp_err *err)
{
	return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "table %s: its columns differ in length",
			  tp_tables[table].name);
}

static int load_raw(struct rep_view *v, enum tp_table_id table, uint32_t missing,
		    struct tp_err *err)
{
	struct tp_rows *more = tp_more(v->loaded, v->nloaded + 1, sizeof(*more));
	int code;

	if (!more)
		return tp_nomem(err);
	v->loaded = more;
	memset(&more[v->nloaded], 0, sizeof(*more));
	code = tp_rows_load(v->store, v->run->row.id, table, missing, &more[v->nloaded], err);
	if (code)
		return code;
	if (v->seen[table] && v->nrows[table] != more[v->nloaded].nrows) {
		tp_rows_release(&more[v->nloaded]);
		return differ(table, err);
	}
	v->nrows[table] = more[v->nloaded].nrows;
	for (unsigned c = 0; c < tp_tables[table].ncolumns; c++) {
		if (missing >> c & 1)
			v->col[table][c] = more[v->nloaded].col[c];
	}
	v->nloaded++;
	return 0;
}

struct packing {
	struct rep_packed *packed; /* by column */
	uint32_t columns;
	size_t rows;
};

static int pack_rows(void *ctx, const struct tp_rows *rows, size_t first, struct tp_err *err)
{
	struct packing *p = ctx;

	p->rows = first + rows->nrows;
	for (uint32_t left = p->columns; left; left &= left - 1) {
		int c = __builtin_ctz(left);

		if (rep_packed_put(&p->packed[c], rows->col[c], rows->nrows))
			return tp_nomem(err);
	}
	return 0;
}

static int load_packed(struct rep_view *v, enum tp_table_id table, uint32_t missing,
		       struct tp_err *err)
{
	struct packing p = {.columns = missing};
	const struct tp_rows_visitor visitor = {.rows = pack_rows, .ctx = &p};
	int code = 0;

	if (!v->packed[table])
		v->packed[table] = calloc(TP_MAX_COLUMNS, sizeof(*v->packed[table]));
	p.packed = v->packed[table];
	if (!p.packed)
		code = tp_nomem(err);
	if (!code)
		code = tp_rows_visit(v->store, v->run->row.id, table, missing, &visitor, err);
	if (!code && v->seen[table] && v->nrows[table] != p.rows)
		code = differ(table, err);
	/* Half a column must not pass for one that is loaded. */
	for (unsigned c = 0; code && p.packed && c < TP_MAX_COLUMNS; c++)
		if (missing >> c & 1)
			rep_packed_release(&p.packed[c]);
	if (!code)
		v->nrows[table] = p.rows;
	return code;
}

static int count_rows(struct rep_view *v, enum tp_table_id table, int64_t *rows, struct tp_err *err)
{
	int64_t parts;
	int code =
	    tp_stream_count(v->store, v->run->row.id, tp_tables[table].name, rows, &parts, err);

	if (code)
		tp_err_prefix(err, "run %lld, table %s", (long long)v->run->row.id,
			      tp_tables[table].name);
	return code;
}

/* Sets *packed if a table is packed when it is loaded. */
static int is_packed(struct rep_view *v, enum tp_table_id table, bool *packed, struct tp_err *err)
{
	int64_t rows = 0;
	int code = 0;

	*packed = v->packed[table] != NULL;
	if ((table != TP_TABLE_TASK && table != TP_TABLE_REGION && table != TP_TABLE_LOG) ||
	    v->seen[table])
		return 0;
	code = count_rows(v, table, &rows, err);
	*packed = rows > REP_PACKED_ROWS;
	return code;
}

int rep_view_load(struct rep_view *v, enum tp_table_id table, uint32_t columns, struct tp_err *err)
{
	uint32_t missing = 0;
	bool packed;
	int code;

	for (unsigned c = 0; c < tp_tables[table].ncolumns; c++) {
		if (columns >> c & 1 && !rep_view_has(v, table, (int)c))
			missing |= 1u << c;
	}
	if (!missing || (v->seen[table] && !v->nrows[table]))
		return 0;
	code = is_packed(v, table, &packed, err);
	if (!code)
		code =
		    packed ? load_packed(v, table, missing, err) : load_raw(v, table, missing, err);
	if (code)
		return code;
	v->seen[table] = true;
	return table == TP_TABLE_GOROUTINE && missing & REP_BIT(GOROUTINE, id)
		   ? rep_view_goids(v, err)
		   : 0;
}

void rep_view_unload(struct rep_view *v, enum tp_table_id table)
{
	for (size_t i = 0; i < v->nloaded; i++)
		if (v->loaded[i].table == table)
			tp_rows_release(&v->loaded[i]);
	release_packed(v, table);
	memset(v->col[table], 0, sizeof(v->col[table]));
	v->nrows[table] = 0;
	v->seen[table] = false;
}

int rep_view_goids(struct rep_view *v, struct tp_err *err)
{
	return v->goids.n ? 0 : rep_goids_load(&v->goids, v->store, v->run->row.id, err);
}

/* ---- part by part ---- */

#define SHORT_CELLS ((int64_t)1 << 19) /* 4 MiB: several reports of a page use such a table */

struct visit {
	struct rep_view *v;
	rep_view_fn fn;
	void *ctx;
};

static int on_rows(void *ctx, const struct tp_rows *rows, size_t first, struct tp_err *err)
{
	struct visit *visit = ctx;
	struct rep_view *v = visit->v;
	enum tp_table_id table = rows->table;
	const int64_t *loaded[TP_MAX_COLUMNS];
	size_t nrows = v->nrows[table];
	int code;

	memcpy(loaded, v->col[table], sizeof(loaded));
	for (unsigned c = 0; c < TP_MAX_COLUMNS; c++)
		v->col[table][c] = rows->col[c];
	v->nrows[table] = rows->nrows;
	code = visit->fn(visit->ctx, v, first, err);
	memcpy(v->col[table], loaded, sizeof(loaded));
	v->nrows[table] = nrows;
	return code;
}

/* Returns 1 if all of these columns are loaded or few enough to be, 0, or an error. */
static int is_short(struct rep_view *v, enum tp_table_id table, uint32_t columns,
		    struct tp_err *err)
{
	int64_t rows, ncolumns = 0;
	bool loaded = true;
	int code;

	for (unsigned c = 0; c < tp_tables[table].ncolumns; c++) {
		ncolumns += columns >> c & 1;
		loaded = loaded && (!(columns >> c & 1) || rep_view_has(v, table, (int)c));
	}
	if (loaded || (v->seen[table] && !v->nrows[table]))
		return 1;
	code = count_rows(v, table, &rows, err);
	return code ? code : rows <= SHORT_CELLS / ncolumns;
}

/* Visits a table that is packed. */
static int visit_packed(struct visit *visit, enum tp_table_id table, uint32_t columns,
			struct tp_err *err)
{
	struct rep_view *v = visit->v;
	size_t total = v->nrows[table];
	struct tp_rows rows = {.table = table};
	int64_t *value =
	    tp_many((uint64_t)__builtin_popcount(columns) * REP_PACKED_ROWS, sizeof(*value));
	int code = value ? 0 : tp_nomem(err);

	for (size_t first = 0; !code && first < total; first += rows.nrows) {
		int64_t *at = value;

		rows.nrows = total - first < REP_PACKED_ROWS ? total - first : REP_PACKED_ROWS;
		for (unsigned c = 0; c < TP_MAX_COLUMNS; c++) {
			if (!(columns >> c & 1))
				continue;
			rows.col[c] = at;
			for (size_t i = 0; i < rows.nrows; i++)
				*at++ = rep_packed_at(&v->packed[table][c], first + i);
		}
		code = on_rows(visit, &rows, first, err);
	}
	free(value);
	return code;
}

int rep_view_visit(struct rep_view *v, enum tp_table_id table, uint32_t columns, rep_view_fn fn,
		   void *ctx, struct tp_err *err)
{
	struct visit visit = {v, fn, ctx};
	const struct tp_rows_visitor visitor = {.rows = on_rows, .ctx = &visit};
	int code = is_short(v, table, columns, err);

	if (!code)
		return tp_rows_visit(v->store, v->run->row.id, table, columns, &visitor, err);
	if (code == 1)
		code = rep_view_load(v, table, columns, err);
	if (!code && v->packed[table])
		return visit_packed(&visit, table, columns, err);
	return code || !v->nrows[table] ? code : fn(ctx, v, 0, err);
}

int rep_view_string(struct rep_view *v, uint32_t id, uint32_t *common)
{
	struct tp_text text;
	int code;

	*common = id;
	if (!v->string_map)
		return 0;
	if (id >= tp_dict_strings(v->dict))
		id = 0;
	if (!v->string_map[id]) {
		text = tp_dict_text(v->dict, id);
		code = tp_dict_string(v->common, text.text, text.size, common);
		if (code)
			return code;
		v->string_map[id] = *common + 1;
	}
	*common = v->string_map[id] - 1;
	return 0;
}

/* Translates a function by name, file and line, without addresses: the same code in two runs is one
 * frame. */
static int common_frame(struct rep_view *v, uint32_t id, uint32_t *common)
{
	struct tp_frame frame = tp_dict_frame_at(v->dict, id);
	struct tp_function f = tp_dict_function_at(v->dict, frame.function);
	int code = rep_view_string(v, f.name, &f.name);

	f.system_name = 0;
	f.start_line = 0;
	if (!code)
		code = rep_view_string(v, f.file, &f.file);
	if (!code)
		code = tp_dict_function(v->common, &f, &frame.function);
	frame.location = 0;
	frame.inlined = 0;
	return code ? code : tp_dict_frame(v->common, &frame, common);
}

int rep_view_stack(struct rep_view *v, uint32_t id, uint32_t *common)
{
	uint32_t at = id;
	size_t n = 0;

	*common = id;
	if (!v->stack_map)
		return 0;
	*common = 0;
	if (id >= tp_dict_stacks(v->dict))
		return 0;
	/* Go from the leaf to a known node or above the root, then back. */
	while (at && !v->stack_map[at]) {
		uint32_t parent = tp_dict_stack_at(v->dict, at).parent;

		if (tp_grow(&v->path, &v->path_room, n, sizeof(*v->path)))
			return TP_ENOMEM;
		v->path[n++] = at;
		at = parent < at ? parent : 0;
	}
	if (at)
		*common = v->stack_map[at] - 1;
	while (n) {
		uint32_t frame;
		int code;

		at = v->path[--n];
		code = common_frame(v, tp_dict_stack_at(v->dict, at).frame, &frame);
		if (!code)
			code = tp_dict_stack(v->common, *common, frame, common);
		if (code)
			return code;
		v->stack_map[at] = *common + 1;
	}
	return 0;
}

int64_t rep_view_length(const struct rep_view *v)
{
	int64_t ns =
	    tp_minus(rep_view_clip_end(v, v->run->row.duration_ns), rep_view_clip_start(v, 0));

	return ns > 0 ? ns : 0;
}

bool rep_view_match_goroutine(struct rep_view *v, int64_t goroutine)
{
	if (v->filter->by_id) {
		if (goroutine < 0 || (uint64_t)goroutine >= v->nrows[TP_TABLE_GOROUTINE])
			return false;
		return rep_goids_match(&v->goids, &v->filter->id, rep_view_goid(v, goroutine));
	}
	return rep_match_goroutine(&v->match, rep_view_entry(v, goroutine));
}
