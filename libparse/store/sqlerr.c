#include "store/sqlerr.h"

#include <errno.h>
#include <sqlite3.h>
#include <string.h>

static int is_full(int number)
{
	return number == ENOSPC || number == EDQUOT || number == EFBIG;
}

int tp_sys_err(struct tp_err *err, int number, const char *path, const char *doing)
{
	char text[128];

	if (number == ENOMEM)
		return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "%s: out of memory", path);
	if (is_full(number))
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "disk full while writing %s: %s",
				  path, strerror_r(number, text, sizeof(text)));
	return tp_err_set(err, number == ENOENT ? TP_ENOENT : TP_EIO, TP_OFFSET_NONE, "%s %s: %s",
			  doing, path, strerror_r(number, text, sizeof(text)));
}

int tp_sql_err(struct tp_err *err, struct sqlite3 *db, const char *path, const char *doing)
{
	int last = errno;
	int rc = db ? sqlite3_errcode(db) : SQLITE_NOMEM;
	int number = db ? sqlite3_system_errno(db) : 0;

	/* A write that fails at COMMIT leaves its number in errno at best, or is followed by the
	 * calls of a rollback. SQLITE_FULL stands for ENOSPC only. */
	if (!number && (rc & 0xff) == SQLITE_IOERR && is_full(last))
		number = last;
	if (!number && db && sqlite3_extended_errcode(db) == SQLITE_IOERR_WRITE)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
				  "disk full while writing %s: or a quota or limit was reached",
				  path);
	switch (rc & 0xff) {
	case SQLITE_NOMEM:
		return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "%s: out of memory", path);
	case SQLITE_FULL:
		return tp_sys_err(err, is_full(number) ? number : ENOSPC, path, doing);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return tp_err_set(err, TP_EBUSY, TP_OFFSET_NONE,
				  "%s %s: another program is using it", doing, path);
	case SQLITE_NOTADB:
		return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "%s: not a tprof store", path);
	case SQLITE_CORRUPT:
		return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "%s: the store is damaged (%s)",
				  path, sqlite3_errmsg(db));
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
	case SQLITE_READONLY:
		if (number)
			return tp_sys_err(err, number, path, doing);
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%s %s: %s", doing, path,
				  sqlite3_errmsg(db));
	default:
		return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "%s %s: %s", doing, path,
				  sqlite3_errmsg(db));
	}
}
