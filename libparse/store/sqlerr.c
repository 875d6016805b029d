#include "store/sqlerr.h"

#include <errno.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

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

/* The number of the system call that failed last at the store's file, or at its journal; 0 if none.
 * What sqlite3_system_errno() says is lost where COMMIT fails. */
static int file_errno(struct sqlite3 *db)
{
	sqlite3_file *journal = NULL;
	int number = 0;

	sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &number);
	if (number)
		return number;
	sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal);
	if (journal && journal->pMethods)
		journal->pMethods->xFileControl(journal, SQLITE_FCNTL_LAST_ERRNO, &number);
	return number;
}

/* errno as it may be after a failure of SQLite's with this code; 0 if the system has no part in it.
 */
static int system_errno(struct sqlite3 *db, int rc, int last)
{
	int number = sqlite3_system_errno(db);

	switch (rc & 0xff) {
	case SQLITE_IOERR:
		if (!number)
			number = file_errno(db);
		return number ? number : is_full(last) ? last : EIO;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		/* A page that cannot be read is as good as a damaged one to SQLite. */
		number = file_errno(db);
		return number == EIO || number == ENXIO ? number : 0;
	default:
		return number;
	}
}

int tp_sql_err(struct tp_err *err, struct sqlite3 *db, const char *path, const char *doing)
{
	int last = errno;
	int rc = db ? sqlite3_extended_errcode(db) : SQLITE_NOMEM;
	int number = db ? system_errno(db, rc, last) : 0;

	if (rc == SQLITE_IOERR_NOMEM)
		rc = SQLITE_NOMEM;
	switch (rc & 0xff) {
	case SQLITE_NOMEM:
		return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "%s: out of memory", path);
	case SQLITE_FULL: /* stands for ENOSPC only */
		return tp_sys_err(err, is_full(number) ? number : ENOSPC, path, doing);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return tp_err_set(err, TP_EBUSY, TP_OFFSET_NONE,
				  "%s %s: another program is using it", doing, path);
	case SQLITE_NOTADB:
		if (number)
			return tp_sys_err(err, number, path, doing);
		return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "%s: not a tprof store", path);
	case SQLITE_CORRUPT:
		if (number)
			return tp_sys_err(err, number, path, doing);
		return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "%s: the store is damaged (%s)",
				  path, sqlite3_errmsg(db));
	case SQLITE_READONLY:
		/* The system did not let SQLite open it for writing, and what it said is lost. */
		if (!number && access(path, W_OK))
			number = errno;
		if (!number)
			return tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
					  "%s %s: it could be opened for reading only", doing,
					  path);
		return tp_sys_err(err, number, path, doing);
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
		if (number)
			return tp_sys_err(err, number, path, doing);
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%s %s: %s", doing, path,
				  sqlite3_errmsg(db));
	default:
		return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "%s %s: %s", doing, path,
				  sqlite3_errmsg(db));
	}
}
