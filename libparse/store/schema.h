/* The ordinary tables of a store, their versions, and the migrations between them. tprof-store(5) documents
 * every table and column; make check-docs compares it with the schema. */
#ifndef TP_STORE_SCHEMA_H
#define TP_STORE_SCHEMA_H

#include <stdbool.h>

#include "base/err.h"

struct sqlite3;

/* The statements that create an empty store of version TP_STORE_VERSION. */
extern const char tp_schema_sql[];

/* The tables with rows of runs, in the order in which a run is published, and their columns but `run`. NULL ends
 * the list. */
struct tp_schema_table {
	const char *name;
	const char *columns; /* comma-separated, without `run` */
};
extern const struct tp_schema_table tp_schema_tables[];

/* Creates the tables in an empty database and sets application_id, user_version and meta. */
int tp_schema_create(struct sqlite3 *db, const char *path, struct tp_err *err);

/* Sets the connection up for a store that may be hostile: nothing in its schema is trusted, and triggers, which a
 * store does not need, are off. Returns an SQLite code. */
int tp_schema_harden(struct sqlite3 *db);

/* Sets *whole if the database of this name ("main", or an attached one) has all tables of a store and they only
 * hold rows. `odd` becomes the name of a table or index that computes something, or that would be read in place
 * of a virtual table (a view called "event"); "" if there is none. Returns an SQLite code. */
#define TP_SCHEMA_NAME 64
int tp_schema_whole(struct sqlite3 *db, const char *schema, bool *whole, char odd[TP_SCHEMA_NAME]);

/* Returns 0 if this is a store of a version that this program reads, and sets *version to its user_version.
 * TP_ESTORE: it is not a store; TP_EVERSION: it is too new. */
int tp_schema_check(struct sqlite3 *db, const char *path, int *version, struct tp_err *err);

/* Brings an older store to TP_STORE_VERSION, within the caller's transaction. Blocks stay as they are: each has
 * its own version byte. */
int tp_schema_migrate(struct sqlite3 *db, const char *path, int version, struct tp_err *err);

#endif
