/* Tables that hold rows and do nothing else. SQLite works out computed columns when a row is read,
 * checks and defaults when one is written, and expressions of indexes at both, for as long as they
 * take; all of them are text in the file, which may be a stranger's. */
#ifndef TP_STORE_PLAIN_H
#define TP_STORE_PLAIN_H

#include <stdbool.h>

/* Has this CREATE TABLE or CREATE INDEX, as sqlite_schema keeps it, names, types, keys and comments
 * only? Nothing quoted is taken for a name, as none of ours has to be. */
bool tp_schema_plain(const char *sql, bool index);

#endif
