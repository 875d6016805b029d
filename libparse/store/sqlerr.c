#include "store/sqlerr.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NO_ROOM 1 /* only cause() returns it: TP_EIO because the disk is full */

/* Returns the errno of the last system call that failed on the store's file or its journal; 0 if
 * none did. COMMIT loses what sqlite3_system_errno() says. */
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

/* Returns the errno that belongs to an SQLite code; 0 if it was not a system call that failed. */
static int system_errno(struct sqlite3 *db, int rc, int last)
{
	int number = sqlite3_system_errno(db);

	switch (rc & 0xff) {
	case SQLITE_IOERR:
		if (!number)
			number = file_errno(db);
		return number ? number : tp_is_full(last) ? last : EIO;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		/* SQLite takes a page that cannot be read for a damaged one. */
		number = file_errno(db);
		if (!number) /* if the file is closed already */
			number = last;
		return number == EIO || number == ENXIO ? number : 0;
	default:
		return number;
	}
}

/* Describes the cause in a few words, and returns its code. */
static int cause(struct sqlite3 *db, const char *path, int last, char *why, size_t room)
{
	int rc = db ? sqlite3_extended_errcode(db) : SQLITE_NOMEM;
	int number = db ? system_errno(db, rc, last) : 0;

	/* A failure without an error on the connection is an allocation that failed. */
	if (rc == SQLITE_IOERR_NOMEM || number == ENOMEM || !rc)
		rc = SQLITE_NOMEM;
	switch (rc & 0xff) {
	case SQLITE_NOMEM:
		snprintf(why, room, "out of memory");
		return TP_ENOMEM;
	case SQLITE_FULL: /* SQLite uses it for ENOSPC only */
		number = tp_is_full(number) ? number : ENOSPC;
		break;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		snprintf(why, room, "another program is using it");
		return TP_EBUSY;
	case SQLITE_INTERRUPT:
		snprintf(why, room, "interrupted");
		return TP_ECANCEL;
	case SQLITE_NOTADB:
		if (number)
			break;
		snprintf(why, room, "not a tprof store");
		return TP_ESTORE;
	case SQLITE_CORRUPT:
		if (number)
			break;
		snprintf(why, room, "the store is damaged (%s)", sqlite3_errmsg(db));
		return TP_ESTORE;
	case SQLITE_READONLY:
		/* The file was replaced or removed: its name no longer refers to the open file. */
		if (rc == SQLITE_READONLY_DBMOVED) {
			/* Or stat failed, which SQLite takes for the same. */
			if (path && access(path, F_OK) && errno != ENOENT) {
				number = errno;
				break;
			}
			snprintf(why, room, "it was replaced or moved meanwhile");
			return TP_EBUSY;
		}
		/* The system did not let SQLite open it for writing, and the errno is lost. */
		if (!number && path && access(path, W_OK) && errno != ENOENT)
			number = errno;
		if (number)
			break;
		snprintf(why, room, "it could be opened for reading only");
		return TP_EIO;
	case SQLITE_CANTOPEN:
		/* ENOENT may be SQLite's last errno without being the reason, if the file exists. */
		if (number && (number != ENOENT || !path || access(path, F_OK)))
			break;
		snprintf(why, room, "it, or a file beside it, could not be opened");
		return TP_EIO;
	case SQLITE_PERM: /* vfs.c */
		snprintf(
		    why, room,
		    "the journal beside it names another file, which SQLite would delete; tprof "
		    "does not write such journals: move it away");
		return TP_ESTORE;
	case SQLITE_IOERR:
		if (number)
			break;
		snprintf(why, room, "%s", sqlite3_errmsg(db));
		return TP_EIO;
	default:
		snprintf(why, room, "%s", sqlite3_errmsg(db));
		return TP_ESTORE;
	}
	snprintf(why, room, "%s", strerror(number));
	return tp_is_full(number) ? NO_ROOM : number == ENOENT ? TP_ENOENT : TP_EIO;
}

int tp_sql_unread(struct sqlite3 *db)
{
	int number = file_errno(db);

	return number == EIO || number == ENXIO ? number : 0;
}

int(tp_sql_err)(struct tp_err *err, struct sqlite3 *db, const char *path, const char *doing)
{
	char why[200];
	int rc, code = cause(db, path, errno, why, sizeof(why));

	switch (code) {
	case NO_ROOM:
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "disk full while writing %s: %s",
				  path, why);
	case TP_ENOMEM:
		return tp_err_set(err, code, TP_OFFSET_NONE, "%s: %s", path, why);
	case TP_ECANCEL:
		return tp_err_set(err, code, TP_OFFSET_NONE, "%s", why);
	case TP_ESTORE:
		rc = db ? sqlite3_errcode(db) & 0xff : 0;
		if (rc == SQLITE_NOTADB || rc == SQLITE_CORRUPT || rc == SQLITE_PERM)
			return tp_err_set(err, code, TP_OFFSET_NONE, "%s: %s", path, why);
	}
	return tp_err_set(err, code, TP_OFFSET_NONE, "%s %s: %s", doing, path, why);
}

int tp_sql_cause(struct tp_err *err, struct sqlite3 *db, const char *doing)
{
	char why[200];
	int code = cause(db, db ? sqlite3_db_filename(db, "main") : NULL, errno, why, sizeof(why));

	if (code == TP_ECANCEL)
		return tp_err_set(err, code, TP_OFFSET_NONE, "%s", why);
	return tp_err_set(err, code == NO_ROOM ? TP_EIO : code, TP_OFFSET_NONE, "%s: %s", doing,
			  why);
}
