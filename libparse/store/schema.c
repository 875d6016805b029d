#include "store/schema.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "store/describe.h"
#include "store/plain.h"
#include "store/query.h"
#include "store/sqlerr.h"
#include "store/store.h"

/* The comments are part of the statements, so `.schema` of a plain sqlite3 shows them. The first column of a
 * table with rows of runs is `run`, and no row refers to another run, so a run is copied from store to store by
 * changing that number. */
const char tp_schema_sql[] =
    "CREATE TABLE meta( -- properties of the store itself\n"
    "  key TEXT PRIMARY KEY, -- created_by, min_reader\n"
    "  value\n"
    ") WITHOUT ROWID;\n"
    "CREATE TABLE run( -- one imported dump\n"
    "  id INTEGER PRIMARY KEY, -- number of the run within this store\n"
    "  kind TEXT NOT NULL, -- 'trace' or 'profile'\n"
    "  name TEXT NOT NULL, -- name that the user gave it\n"
    "  source TEXT NOT NULL, -- name of the file it came from, without folders\n"
    "  hash TEXT NOT NULL UNIQUE, -- XXH3-128 of the uncompressed dump, 32 hex digits\n"
    "  format TEXT NOT NULL, -- 'go 1.22'\n"
    "  start_ns INTEGER NOT NULL, -- trace clock at the first event; all times count from it\n"
    "  duration_ns INTEGER NOT NULL, -- time from the first to the last event\n"
    "  ticks INTEGER NOT NULL, -- 1: no clock frequency was found, every 'ns' is a tick\n"
    "  wall_ns INTEGER, -- Unix time of the first event in ns; NULL if unknown\n"
    "  events INTEGER NOT NULL, -- number of stored events\n"
    "  inferred INTEGER NOT NULL, -- how many of them salvage inferred\n"
    "  generations INTEGER NOT NULL, -- number of generations of the trace\n"
    "  goroutines INTEGER NOT NULL, -- number of goroutines seen\n"
    "  size_in INTEGER NOT NULL, -- size of the dump in bytes, as given\n"
    "  lost_bytes INTEGER NOT NULL, -- bytes of the dump that could not be used\n"
    "  lost_events INTEGER NOT NULL, -- events lost, as far as they could be counted\n"
    "  imported_ns INTEGER NOT NULL -- Unix time of the import in ns\n"
    ");\n"
    "CREATE TABLE label( -- labels that the user gave a run\n"
    "  run INTEGER NOT NULL, -- run.id\n"
    "  key TEXT NOT NULL, -- left of the =\n"
    "  value TEXT NOT NULL, -- right of the =\n"
    "  PRIMARY KEY(run, key)\n"
    ") WITHOUT ROWID;\n"
    "CREATE TABLE loss( -- what of a dump could not be used, and why\n"
    "  run INTEGER NOT NULL, -- run.id\n"
    "  offset INTEGER NOT NULL, -- in the uncompressed dump; 0: unknown\n"
    "  bytes INTEGER NOT NULL, -- bytes lost; 0: none, or an unknown number\n"
    "  from_ns INTEGER, -- ns since run.start_ns; NULL if unknown\n"
    "  to_ns INTEGER, -- ns since run.start_ns; NULL if unknown\n"
    "  events INTEGER NOT NULL, -- events lost, as far as they could be counted\n"
    "  reason TEXT NOT NULL -- a sentence\n"
    ");\n"
    "CREATE INDEX loss_run ON loss(run);\n"
    "CREATE TABLE notice( -- what a reader of the run should know\n"
    "  run INTEGER NOT NULL, -- run.id\n"
    "  severity INTEGER NOT NULL, -- 0 information, 1 warning, 2 damage\n"
    "  offset INTEGER, -- byte of the uncompressed dump; NULL if none\n"
    "  text TEXT NOT NULL -- a sentence\n"
    ");\n"
    "CREATE INDEX notice_run ON notice(run);\n"
    "CREATE TABLE wire( -- how often each event of the file format occurs\n"
    "  run INTEGER NOT NULL, -- run.id\n"
    "  name TEXT NOT NULL, -- name in the format\n"
    "  events INTEGER NOT NULL, -- number of these events\n"
    "  with_stack INTEGER NOT NULL, -- how many of them have a stack\n"
    "  bytes INTEGER NOT NULL, -- their size in the dump; 0 if it was not measured\n"
    "  PRIMARY KEY(run, name)\n"
    ") WITHOUT ROWID;\n"
    "CREATE TABLE clock( -- moments at which several clocks were read\n"
    "  run INTEGER NOT NULL, -- run.id\n"
    "  ts_ns INTEGER NOT NULL, -- ns since run.start_ns\n"
    "  mono_ns INTEGER NOT NULL, -- CLOCK_MONOTONIC of the program in ns; 0: wall_sec is the "
    "file's time\n"
    "  wall_sec INTEGER NOT NULL, -- Unix time in seconds\n"
    "  wall_nsec INTEGER NOT NULL -- and ns\n"
    ");\n"
    "CREATE INDEX clock_run ON clock(run, ts_ns);\n"
    "CREATE TABLE segment( -- parts of the run that have sums of their own\n"
    "  run INTEGER NOT NULL, -- run.id\n"
    "  id INTEGER NOT NULL, -- 0, 1, ... in order of time\n"
    "  first_block INTEGER NOT NULL, -- block.part of its first block of events\n"
    "  blocks INTEGER NOT NULL, -- blocks of events in it\n"
    "  from_ns INTEGER NOT NULL, -- time of its first event, ns since run.start_ns\n"
    "  to_ns INTEGER NOT NULL, -- time of the next segment's first event, or the end of the run\n"
    "  events INTEGER NOT NULL, -- events in it\n"
    "  PRIMARY KEY(run, id)\n"
    ") WITHOUT ROWID;\n"
    "CREATE TABLE block( -- most data of a run, packed; virtual tables show it as rows\n"
    "  run INTEGER NOT NULL, -- run.id; negative: a dictionary that runs share\n"
    "  stream TEXT NOT NULL, -- 'event', 'string', 'dict', or the name of a packed table\n"
    "  part INTEGER NOT NULL, -- 0, 1, ... within the stream; dict: which dictionary\n"
    "  rows INTEGER NOT NULL, -- rows in this block\n"
    "  first_ts INTEGER, -- time of the first event, ns since run.start_ns\n"
    "  last_ts INTEGER, -- time of the last event\n"
    "  codec INTEGER NOT NULL, -- compression: 0 none, 1 lz4, 2 zstd\n"
    "  raw_size INTEGER NOT NULL, -- bytes before compression\n"
    "  data BLOB NOT NULL -- codec, version, columns; little-endian\n"
    ");\n"
    "CREATE UNIQUE INDEX block_key ON block(run, stream, part);\n";

const struct tp_schema_table tp_schema_tables[] = {
    {"label", "key, value"},
    {"loss", "offset, bytes, from_ns, to_ns, events, reason"},
    {"notice", "severity, offset, text"},
    {"wire", "name, events, with_stack, bytes"},
    {"clock", "ts_ns, mono_ns, wall_sec, wall_nsec"},
    {"segment", "id, first_block, blocks, from_ns, to_ns, events"},
    {"block", "stream, part, rows, first_ts, last_ts, codec, raw_size, data"},
    {NULL, NULL},
};

int tp_schema_create(struct sqlite3 *db, const char *path, struct tp_err *err)
{
	char sql[512];

	if (sqlite3_exec(db, tp_schema_sql, NULL, NULL, NULL))
		return tp_sql_err(err, db, path, "cannot write");
	/* min_reader: the oldest program that reads a store of this version. A version that only
	 * adds tables keeps the one before. */
	snprintf(sql, sizeof(sql),
		 "PRAGMA application_id = %d; PRAGMA user_version = %d;"
		 "INSERT INTO meta VALUES('created_by', 'tprof " TPROF_VERSION "'),"
		 "('min_reader', %d);",
		 TP_STORE_APPLICATION_ID, TP_STORE_VERSION, 1);
	if (sqlite3_exec(db, sql, NULL, NULL, NULL))
		return tp_sql_err(err, db, path, "cannot write");
	return 0;
}

/* Sets *value to the first column of the first row, or to `missing` if there is no row. */
static int query_int(struct sqlite3 *db, const char *sql, int missing, int *value)
{
	struct tp_query q = tp_query(NULL, db, sql, "");

	*value = tp_query_row(&q) ? sqlite3_column_int(q.stmt, 0) : missing;
	return tp_query_done(&q);
}

int tp_schema_harden(struct sqlite3 *db)
{
	sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
	return sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL) ||
	       sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL) ||
	       sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL) ||
	       sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL) ||
	       sqlite3_exec(db, "PRAGMA cell_size_check = 1", NULL, NULL, NULL);
}

#define OURS "('meta','run','label','loss','notice','wire','clock','segment','block')"

/* Finds the first of our tables and their indexes that computes something. Returns an SQLite code. */
static int find_odd(struct sqlite3 *db, const char *schema, char odd[TP_SCHEMA_NAME])
{
	/* Names of tables are the same in upper and lower case. */
	char *sql = sqlite3_mprintf("SELECT name, sql, type = 'index' FROM %s.sqlite_schema WHERE "
				    "tbl_name COLLATE NOCASE IN " OURS
				    " AND type IN ('table', 'index') AND sql IS NOT NULL",
				    schema);
	struct tp_query q = tp_query(NULL, db, sql, "");
	int rc;

	while (!*odd && tp_query_row(&q)) {
		const char *name = (const char *)sqlite3_column_text(q.stmt, 0);
		const char *text = (const char *)sqlite3_column_text(q.stmt, 1);

		if (!name || !text)
			q.rc = SQLITE_NOMEM;
		else if (!tp_schema_plain(text, sqlite3_column_int(q.stmt, 2)))
			snprintf(odd, TP_SCHEMA_NAME, "%s", *name ? name : "?");
	}
	rc = tp_query_done(&q);
	sqlite3_free(sql);
	return rc;
}

/* Finds the first table or view with the name of one of our virtual tables, in whose place it would be read.
 * Returns an SQLite code. */
static int find_hiding(struct sqlite3 *db, const char *schema, char odd[TP_SCHEMA_NAME])
{
	char *sql = sqlite3_mprintf(
	    "SELECT name FROM %s.sqlite_schema WHERE type IN ('table', 'view')", schema);
	struct tp_query q = tp_query(NULL, db, sql, "");
	int rc;

	while (!*odd && tp_query_row(&q)) {
		const char *name = (const char *)sqlite3_column_text(q.stmt, 0);

		if (!name)
			q.rc = SQLITE_NOMEM;
		for (unsigned table = 0; table < TP_SQL_NTABLES && name; table++)
			if (!sqlite3_stricmp(name, tp_sql_table_name(table)))
				snprintf(odd, TP_SCHEMA_NAME, "%s", name);
	}
	rc = tp_query_done(&q);
	sqlite3_free(sql);
	return rc;
}

int tp_schema_whole(struct sqlite3 *db, const char *schema, bool *whole, char odd[TP_SCHEMA_NAME])
{
	/* A view or virtual table with one of our names is an attack, not a store. */
	char *sql =
	    sqlite3_mprintf("SELECT count(*) FROM %s.sqlite_schema WHERE type = 'table' AND "
			    "rootpage > 0 AND name IN " OURS,
			    schema);
	int tables = 0, rc = query_int(db, sql, 0, &tables);

	sqlite3_free(sql);
	*odd = '\0';
	if (!rc)
		rc = find_odd(db, schema, odd);
	if (!rc && !*odd)
		rc = find_hiding(db, schema, odd);
	*whole = tables == 9 && !*odd;
	return rc;
}

int tp_schema_check(struct sqlite3 *db, const char *path, int *version, struct tp_err *err)
{
	int app = 0, min_reader = 0;
	char odd[TP_SCHEMA_NAME];
	bool whole;

	if (query_int(db, "PRAGMA application_id", 0, &app) ||
	    query_int(db, "PRAGMA user_version", 0, version))
		return tp_sql_err(err, db, path, "cannot read");
	if (app != TP_STORE_APPLICATION_ID)
		return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE,
				  "%s: this is a SQLite file, but not a tprof store", path);
	if (tp_schema_whole(db, "main", &whole, odd))
		return tp_sql_err(err, db, path, "cannot read");
	if (*version > TP_STORE_VERSION) {
		if (query_int(db,
			      "SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'min_reader'",
			      *version, &min_reader))
			min_reader = *version;
		if (min_reader > TP_STORE_VERSION)
			return tp_err_set(err, TP_EVERSION, TP_OFFSET_NONE,
					  "%s was written by a newer tprof (store version %d; this "
					  "program reads up to %d): update tprof to read it",
					  path, *version, TP_STORE_VERSION);
	}
	if (*odd)
		return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE,
				  "%s: its table, view or index '%s' does more than hold rows, "
				  "which tprof never creates; import the dumps anew, or drop it "
				  "with sqlite3",
				  path, odd);
	if (*version < 1 || !whole)
		return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE,
				  "%s: this is a tprof store without its tables (version %d)", path,
				  *version);
	return 0;
}

/* migrations[v] brings version v to v + 1. Statements only; they run in the transaction that also
 * sets user_version, so a store is never between versions. Add a line, raise TP_STORE_VERSION,
 * extend tp_schema_sql, and keep a store of the old version under testdata/ for the test. Columns
 * that are added have no DEFAULT: older programs take nothing that computes (plain.h). */
static const char *const migrations[TP_STORE_VERSION] = {
    [0] = NULL, /* there is no version 0 */
    [1] = NULL, /* packed tables gc_work and metric, which runs of version 1 do not have */
    [2] = NULL, /* dictionaries in pools, which only merging makes (meta: min_reader is 3 then) */
    [3] = NULL, /* goroutine.goid and .life: runs of before have one row for all lives of an id */
};

int tp_schema_migrate(struct sqlite3 *db, const char *path, int version, struct tp_err *err)
{
	char sql[64];

	/* A newer program may write more than this one knows of. */
	if (version > TP_STORE_VERSION)
		return tp_err_set(
		    err, TP_EVERSION, TP_OFFSET_NONE,
		    "%s was written by a newer tprof (store version %d); this one can read "
		    "it, but cannot change it: update tprof",
		    path, version);
	if (version == TP_STORE_VERSION)
		return 0;
	for (int v = version; v < TP_STORE_VERSION; v++)
		if (migrations[v] && sqlite3_exec(db, migrations[v], NULL, NULL, NULL))
			return tp_sql_err(err, db, path, "cannot update");
	snprintf(sql, sizeof(sql), "PRAGMA user_version = %d", TP_STORE_VERSION);
	if (sqlite3_exec(db, sql, NULL, NULL, NULL))
		return tp_sql_err(err, db, path, "cannot update");
	return 0;
}
