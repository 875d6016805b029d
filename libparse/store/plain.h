/* Tables that hold rows and do nothing else. SQLite evaluates computed columns when a row is read, checks and
 * defaults when one is written, and expressions of indexes at both, however long that takes. All of them are text in
 * the file, which may be hostile. */
#ifndef TP_STORE_PLAIN_H
#define TP_STORE_PLAIN_H

#include <stdbool.h>

/* Returns whether a CREATE TABLE or CREATE INDEX, as sqlite_schema has it, consists of names, types, keys and
 * comments only. Quoted names are refused, as none of ours needs quotes. */
bool tp_schema_plain(const char *sql, bool index);

#endif
