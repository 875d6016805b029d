/* The ordinary tables of a store, their versions, and the migrations between them. tprof-store(5)
 * documents every table and column; a test holds page and schema together. */
#ifndef TP_STORE_SCHEMA_H
#define TP_STORE_SCHEMA_H

#include <stdbool.h>

#include "base/err.h"

struct sqlite3;

/* The statements that make an empty store of version TP_STORE_VERSION. */
extern const char tp_schema_sql[];

/* The tables that hold rows of a run, in the order in which a run is published, each with the
 * columns after `run`. NULL ends the list. */
struct tp_schema_table {
	const char *name;
	const char *columns; /* comma-separated, without `run` */
};
extern const struct tp_schema_table tp_schema_tables[];

/* Makes the tables in an empty database and sets application_id, user_version and meta. */
int tp_schema_create(struct sqlite3 *db, const char *path, struct tp_err *err);

/* A store is input like any other: nothing in the schemas of this connection may do more than hold
 * rows. Triggers have no use in one: those of a stranger would run when its new owner changes a
 * row. SQLite's result code. */
int tp_schema_harden(struct sqlite3 *db);

/* Are the tables of a store in the database of this name ("main", or an attached one) tables that
 * only hold rows? `odd` is the name of one, or of an index, that computes something, or of one that
 * would be read in place of a virtual table (a view called "event"); "" for none.
 * SQLite's result code. */
#define TP_SCHEMA_NAME 64
int tp_schema_whole(struct sqlite3 *db, const char *schema, bool *whole, char odd[TP_SCHEMA_NAME]);

/* Is this a store, and of a version that is read? TP_ESTORE: not a store; TP_EVERSION: too new.
 * *version is its user_version. */
int tp_schema_check(struct sqlite3 *db, const char *path, int *version, struct tp_err *err);

/* Brings an older store to TP_STORE_VERSION, within the caller's transaction; blocks stay as they
 * are (their own version byte tells how to read them). */
int tp_schema_migrate(struct sqlite3 *db, const char *path, int version, struct tp_err *err);

#endif
