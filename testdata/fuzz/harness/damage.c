#include "damage.h"

#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

#include "base/cursor.h"
#include "blob.h"
#include "fuzz.h"
#include "sound.h"

/* First bytes: below this the first four of enum sound; … */
#define BESIDE 64
/* … below this a store that is then merged with one that is beside it; else the merged four. */
#define MERGED 128

/* Which is damaged, and which, sound, goes with it; SOUNDS: none. */
static const struct {
	enum sound damaged, beside;
} pairs[] = {
    {SOUND_STORY, SOUNDS},	  {SOUND_STORY, SOUND_OTHER},	 {SOUND_OTHER, SOUND_STORY},
    {SOUND_TRACES, SOUND_STORY},  {SOUND_OTHER, SOUND_TRACES},	 {SOUND_ERRANDS, SOUND_TWO},
    {SOUND_TRACES, SOUND_TRACES}, {SOUND_PROFILES, SOUND_TWO},	 {SOUND_TWO, SOUND_ERRANDS},
    {SOUND_STORY, SOUND_TRACES},  {SOUND_STORY, SOUND_STORY},	 {SOUND_TRACES, SOUND_PROFILES},
    {SOUND_TWO, SOUND_PROFILES},  {SOUND_COUNTER, SOUND_TRACES}, {SOUND_PROFILES, SOUND_CATALOG},
    {SOUND_TRACES, SOUND_OTHER},
};

#define PAIRS (sizeof(pairs) / sizeof(pairs[0]))

enum damage_kind {
	DAMAGE_COLUMN,
	DAMAGE_HEAD,
	DAMAGE_FIELD,
	DAMAGE_VALUE,
	DAMAGE_ROW,
	DAMAGE_PAGE,
	DAMAGE_SIZE,
	DAMAGE_SCHEMA,
	DAMAGE_KINDS
};

static const char *const fields[] = {"run",	 "stream",  "part",  "rows",
				     "first_ts", "last_ts", "codec", "raw_size"};
static const char *const tables[] = {"run",   "label",	 "loss", "notice", "wire",
				     "clock", "segment", "meta", "block"};
static const char *const columns[][18] = {
    {"id", "kind", "name", "source", "hash", "format", "start_ns", "duration_ns", "ticks",
     "wall_ns", "events", "inferred", "generations", "goroutines", "size_in", "lost_bytes",
     "lost_events", "imported_ns"},
    {"run", "key", "value"},
    {"run", "offset", "bytes", "from_ns", "to_ns", "events", "reason"},
    {"run", "severity", "offset", "text"},
    {"run", "name", "events", "with_stack", "bytes"},
    {"run", "ts_ns", "mono_ns", "wall_sec", "wall_nsec"},
    {"run", "id", "first_block", "blocks", "from_ns", "to_ns", "events"},
    {"key", "value"},
    {"run", "stream", "part", "rows", "first_ts", "last_ts", "codec", "raw_size", "data"},
};
static const char *const schemas[] = {
    "drop table segment",
    "drop table block",
    "drop table run",
    "drop table meta",
    "drop index block_key",
    "drop table clock; create view clock as select 1 run, 2 ts_ns, 3 mono_ns, 4 wall_sec, "
    "5 wall_nsec",
    "create table event(a, b)",
    "create trigger t after insert on run begin delete from block; end",
    "alter table block add column more",
    "alter table run rename column events to e",
    "pragma user_version = 1",
    "pragma user_version = 4",
    "pragma application_id = 1",
    "create view goroutine as select 1",
    "drop table label; create table label(run, key, value)",
    "insert into segment select run, id + 1000, first_block, blocks, from_ns, to_ns, events from "
    "segment",
};

#define MOST 24 /* changes of one input */

static void run_sql(sqlite3 *db, const char *sql)
{
	if (db)
		sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static void take(sqlite3 *db, struct tp_buf *file)
{
	sqlite3_int64 size;
	unsigned char *bytes = sqlite3_serialize(db, "main", &size, 0);

	file->size = 0;
	if (bytes)
		MUST(!tp_buf_put(file, bytes, (size_t)size));
	sqlite3_free(bytes);
}

/* ---- changes ---- */

struct change {
	struct tp_cursor c;
	sqlite3 *db;
	struct tp_buf *file;
};

static unsigned u8(struct change *x)
{
	return tp_cursor_u8(&x->c);
}

static unsigned u16(struct change *x)
{
	unsigned low = u8(x);

	return low | u8(x) << 8;
}

/* As many bytes as are there, of those that a byte asks for. */
static struct tp_slice some(struct change *x)
{
	unsigned n = u8(x);
	size_t left = tp_cursor_left(&x->c);

	return tp_cursor_bytes(&x->c, n < left ? n : left);
}

struct value {
	int type; /* SQLITE_INTEGER … */
	int64_t number;
	struct tp_slice bytes;
};

static struct value value(struct change *x)
{
	struct value v = {.type = SQLITE_INTEGER};
	unsigned how = u8(x) % 6;
	uint64_t bits = 0;

	if (how < 3) {
		for (int i = 0; i < (how ? 8 : 2); i++)
			bits |= (uint64_t)u8(x) << 8 * i;
		v.number = (int64_t)bits;
	} else if (how < 5) {
		v.type = how == 3 ? SQLITE_TEXT : SQLITE_BLOB;
		v.bytes = some(x);
	} else {
		v.type = SQLITE_NULL;
	}
	return v;
}

/* `sql` with one value for ?1, taken from the input. */
static void set(struct change *x, const char *sql)
{
	struct value v = value(x);
	sqlite3_stmt *s;

	if (!x->db || sqlite3_prepare_v2(x->db, sql, -1, &s, NULL))
		return;
	if (v.type == SQLITE_INTEGER)
		sqlite3_bind_int64(s, 1, v.number);
	else if (v.type == SQLITE_TEXT)
		sqlite3_bind_text(s, 1, (const char *)v.bytes.data, (int)v.bytes.size,
				  SQLITE_STATIC);
	else if (v.type == SQLITE_BLOB)
		sqlite3_bind_blob(s, 1, v.bytes.data, (int)v.bytes.size, SQLITE_STATIC);
	sqlite3_step(s);
	sqlite3_finalize(s);
}

static enum blob_kind kind_of(const char *stream)
{
	static const struct {
		const char *stream;
		enum blob_kind kind;
	} kinds[] = {{"event", BLOB_EVENTS}, {"string", BLOB_STRINGS}, {"dict", BLOB_LIST}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(stream, kinds[i].stream))
			return kinds[i].kind;
	return BLOB_ROWS;
}

/* From here on a number of a block is one of a list of a pool's entries, or of a chunk of a pool,
 * where there are such. */
#define SPECIAL 192

/* The row of the i-th block and what is in it. */
static bool load(struct change *x, unsigned i, sqlite3_int64 *row, enum blob_kind *kind,
		 struct tp_buf *data)
{
	static const char special[] = "where run < 0 or stream = 'dict' ";
	sqlite3_stmt *s = NULL;
	char sql[320];
	bool found = false;

	for (int all = i < SPECIAL; all < 2 && !found; all++) {
		const char *where = all ? "" : special;

		snprintf(sql, sizeof(sql),
			 "select rowid, stream, data from block %sorder by 1 limit 1 "
			 "offset %u %% max(1, (select count(*) from block %s))",
			 where, i, where);
		sqlite3_finalize(s);
		s = NULL;
		if (!x->db || sqlite3_prepare_v2(x->db, sql, -1, &s, NULL))
			return false;
		found = sqlite3_step(s) == SQLITE_ROW && sqlite3_column_type(s, 1) == SQLITE_TEXT;
	}
	if (found) {
		*row = sqlite3_column_int64(s, 0);
		*kind = kind_of((const char *)sqlite3_column_text(s, 1));
		MUST(!tp_buf_put(data, sqlite3_column_blob(s, 2),
				 (size_t)sqlite3_column_bytes(s, 2)));
	}
	sqlite3_finalize(s);
	return found;
}

static void keep(struct change *x, sqlite3_int64 row, const struct tp_buf *data)
{
	sqlite3_stmt *s;

	if (sqlite3_prepare_v2(x->db, "update block set data = ?1 where rowid = ?2", -1, &s, NULL))
		return;
	sqlite3_bind_blob(s, 1, data->data, (int)data->size, SQLITE_STATIC);
	sqlite3_bind_int64(s, 2, row);
	sqlite3_step(s);
	sqlite3_finalize(s);
}

/* Replaces n bytes (of `old` that are there) at a place. */
static void splice(struct tp_buf *b, size_t at, size_t old, struct tp_slice new)
{
	struct tp_buf out = {0};

	at = b->size ? at % (b->size + 1) : 0;
	old = old < b->size - at ? old : b->size - at;
	MUST(!tp_buf_put(&out, b->data, at) && !tp_buf_put(&out, new.data, new.size));
	MUST(!tp_buf_put(&out, b->data + at + old, b->size - at - old));
	tp_buf_release(b);
	*b = out;
}

/* Adds to the at-th of the numbers (varints) that a column consists of, mostly. */
static void add(struct tp_buf *b, size_t at, struct tp_slice more)
{
	struct tp_buf new = {0};
	struct tp_cursor c;
	size_t n = 0, start = 0;
	uint64_t v = 0;

	for (size_t i = 0; i < b->size; i++)
		n += b->data[i] < 128;
	at = n ? at % n : 0;
	for (size_t i = 0; i < b->size && at; i++) {
		at -= b->data[i] < 128;
		start = i + 1;
	}
	c = tp_cursor(b->data + start, b->size - start);
	for (size_t i = 0; i < more.size && i < 8; i++)
		v |= (uint64_t)more.data[i] << 8 * i;
	/* By 1 where it is not said by how much. */
	v = tp_cursor_uvarint(&c) + (more.size ? v : 1);
	if (c.failed)
		return;
	MUST(!tp_buf_put_uvarint(&new, v));
	splice(b, start, (size_t)(c.at - (b->data + start)), (struct tp_slice){new.data, new.size});
	tp_buf_release(&new);
}

static void change_column(struct change *x)
{
	unsigned i = u8(x), column = u8(x), at = u16(x), how = u8(x);
	struct tp_slice new = some(x);
	struct tp_buf data = {0}, out = {0};
	enum blob_kind kind;
	sqlite3_int64 row;
	struct blob b;

	if (load(x, i, &row, &kind, &data)) {
		if (blob_init(&b, kind, data.data, data.size) && b.ncolumns) {
			struct blob_column *c = &b.column[column % b.ncolumns];

			if (how >= 192)
				add(&c->bytes, at, new);
			else if (how & 64)
				c->tag = (uint8_t)((c->tag & 0xf0) | (how & 3));
			else
				splice(&c->bytes, at,
				       how & 1	 ? 0
				       : how & 2 ? how >> 3
						 : new.size,
				       new);
			blob_put(&b, &out);
			keep(x, row, &out);
		}
		blob_release(&b);
	}
	tp_buf_release(&data);
	tp_buf_release(&out);
}

static void change_head(struct change *x)
{
	unsigned i = u8(x), at = u8(x);
	struct tp_slice new = some(x);
	struct tp_buf data = {0};
	enum blob_kind kind;
	sqlite3_int64 row;

	if (load(x, i, &row, &kind, &data)) {
		splice(&data, at % 64, new.size, new);
		keep(x, row, &data);
	}
	tp_buf_release(&data);
}

static void change_field(struct change *x)
{
	const char *field = fields[u8(x) % (sizeof(fields) / sizeof(fields[0]))];
	char sql[200];

	snprintf(
	    sql, sizeof(sql),
	    "update block set %s = ?1 where rowid = (select rowid from block limit 1 offset %u "
	    "%% max(1, (select count(*) from block)))",
	    field, u8(x));
	set(x, sql);
}

static void change_value(struct change *x)
{
	unsigned table = u8(x) % (sizeof(tables) / sizeof(tables[0])), column = u8(x), n = 0;
	const char *key = table == 1 || table == 4 || table == 7 ? "key" : "rowid";
	char sql[300];

	while (n < 18 && columns[table][n])
		n++;
	if (table == 4)
		key = "name";
	if (table == 6)
		key = "id";
	snprintf(sql, sizeof(sql),
		 "update %s set %s = ?1 where %s = (select %s from %s limit 1 offset %u %% max(1, "
		 "(select count(*) from %s)))",
		 tables[table], columns[table][column % n], key, key, tables[table], u8(x),
		 tables[table]);
	set(x, sql);
}

static void change_row(struct change *x)
{
	const char *table = tables[u8(x) % (sizeof(tables) / sizeof(tables[0]))];
	unsigned row = u8(x), how = u8(x);
	char sql[300];

	if (how % 3 == 0)
		snprintf(sql, sizeof(sql),
			 "delete from %s where rowid = (select rowid from %s limit 1 offset %u)",
			 table, table, row);
	else if (how % 3 == 1)
		snprintf(sql, sizeof(sql),
			 "insert or replace into block select run, stream, part + %u, rows, "
			 "first_ts, last_ts, codec, raw_size, data from block limit 1 offset %u",
			 how / 3, row);
	else
		snprintf(sql, sizeof(sql), "insert into %s select * from %s limit 1 offset %u",
			 table, table, row);
	run_sql(x->db, sql);
}

static void change_page(struct change *x)
{
	size_t at = u16(x) | (size_t)u8(x) << 16;
	struct tp_slice new = some(x);

	if (!x->file->size)
		return;
	at %= x->file->size;
	for (size_t i = 0; i < new.size &&at + i < x->file->size; i++)
		x->file->data[at + i] = new.data[i];
}

/* ---- all of it ---- */

static sqlite3 *open_sound(const struct tp_buf *file)
{
	unsigned char *bytes = sqlite3_malloc64(file->size);
	sqlite3 *db;

	MUST(bytes);
	memcpy(bytes, file->data, file->size);
	MUST(!sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE, NULL));
	MUST(!sqlite3_deserialize(db, "main", bytes, (sqlite3_int64)file->size,
				  (sqlite3_int64)file->size,
				  SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE));
	return db;
}

/* Changes by SQL come first, whatever their order in the input: what is done to the bytes of the
 * file would keep SQLite from opening it. */
static void apply(struct change *x, bool bytes)
{
	struct tp_buf none = {0};

	for (int i = 0; i < MOST && tp_cursor_left(&x->c); i++) {
		unsigned kind = u8(x) % DAMAGE_KINDS, n;
		struct change skip = *x;

		if (kind == DAMAGE_PAGE || kind == DAMAGE_SIZE) {
			if (!bytes)
				skip.file = &none;
			if (kind == DAMAGE_PAGE) {
				change_page(&skip);
			} else {
				n = u16(&skip) * 64;
				if (n < skip.file->size)
					skip.file->size = n;
			}
			x->c = skip.c;
			continue;
		}
		switch (kind) {
		case DAMAGE_COLUMN:
			change_column(x);
			break;
		case DAMAGE_HEAD:
			change_head(x);
			break;
		case DAMAGE_FIELD:
			change_field(x);
			break;
		case DAMAGE_VALUE:
			change_value(x);
			break;
		case DAMAGE_ROW:
			change_row(x);
			break;
		default:
			n = u8(x);
			run_sql(x->db, schemas[n % (sizeof(schemas) / sizeof(schemas[0]))]);
			break;
		}
	}
}

static const struct tp_buf *begin(unsigned first, const struct tp_buf **beside)
{
	unsigned pair = first % PAIRS;

	*beside = NULL;
	if (first < BESIDE)
		return sound_store(first % SOUND_MERGED);
	if (first >= MERGED)
		return sound_store(SOUND_MERGED + first % SOUND_MERGED);
	if (pairs[pair].beside < SOUNDS)
		*beside = sound_store(pairs[pair].beside);
	return sound_store(pairs[pair].damaged);
}

void damage_apply(const uint8_t *data, size_t size, struct damaged *out)
{
	struct change x = {.file = &out->file};

	*out = (struct damaged){.changed = size > 1};
	if (size >= 16 && !memcmp(data, "SQLite format 3", 16)) {
		MUST(!tp_buf_put(&out->file, data, size));
		return;
	}
	out->merge = size && data[0] >= BESIDE && data[0] < MERGED;
	out->way = size ? data[0] / PAIRS % 4 : 0;
	x.db = open_sound(begin(size ? data[0] : 0, &out->beside));
	x.c = tp_cursor(data + (size > 0), size ? size - 1 : 0);
	apply(&x, false);
	take(x.db, x.file);
	sqlite3_close(x.db);
	x.db = NULL;
	x.c = tp_cursor(data + (size > 0), size ? size - 1 : 0);
	apply(&x, true);
}
