/* The files of a store, as SQLite is let at them: all there is of the system's, but a journal that
 * names a further file. SQLite writes such names where one transaction changes several databases,
 * and removes what is named once it has put a store back; nothing here changes several, so only a
 * stranger's journal has one, and any file of the user's could be named. */
#ifndef TP_STORE_VFS_H
#define TP_STORE_VFS_H

struct sqlite3;

/* sqlite3_open_v2. A store whose journal names a further file cannot be read then: SQLITE_PERM. *db
 * may be NULL after an error (SQLITE_NOMEM); where it is not, the caller closes it. */
int tp_sql_open(const char *name, struct sqlite3 **db, int flags);

#endif
