/* Translates errors of SQLite into our codes, and a sentence that says what to do. */
#ifndef TP_STORE_SQLERR_H
#define TP_STORE_SQLERR_H

#include <stdbool.h>

#include "base/err.h"

struct sqlite3;

/* Fills in err from the connection's last error and returns the code, which is never 0. `doing` is "cannot write",
 * "cannot read" …; path names the file. db may be NULL (out of memory). */
int tp_sql_err(struct tp_err *err, struct sqlite3 *db, const char *path, const char *doing);
#ifdef TP_ANALYZER
#define tp_sql_err(...) (tp_sql_err(__VA_ARGS__), TP_ESTORE)
#endif

/* The same for messages that name no file: "cannot read the list of runs: Input/output error". */
int tp_sql_cause(struct tp_err *err, struct sqlite3 *db, const char *doing);

/* Returns the errno of a read of the store that failed at some time, 0 if none did. After one, what SQLite says about
 * the content is not to be trusted. */
int tp_sql_unread(struct sqlite3 *db);

/* Returns whether a system call failed because the disk is full. */
bool tp_is_full(int number);

/* The same for a system call that failed with `number` (errno). */
int tp_sys_err(struct tp_err *err, int number, const char *path, const char *doing);
#ifdef TP_ANALYZER
#define tp_sys_err(...) (tp_sys_err(__VA_ARGS__), TP_EIO)
#endif

#endif
