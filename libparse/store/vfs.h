/* Opens SQLite files, but refuses a rollback journal that names another file. SQLite writes such a name when one
 * transaction changes several databases, and deletes the named file once it has rolled the journal back. tprof never
 * changes several, so only an attacker's journal has a name, and it could be any file of the user. */
#ifndef TP_STORE_VFS_H
#define TP_STORE_VFS_H

struct sqlite3;

/* Like sqlite3_open_v2; reading a store with such a journal fails with SQLITE_PERM. After an error *db may be NULL
 * (SQLITE_NOMEM); otherwise the caller closes it. */
int tp_sql_open(const char *name, struct sqlite3 **db, int flags);

#endif
