#include "store/vfs.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Set once, before a connection uses it. */
static sqlite3_vfs *the_system, ours;

/* The end of a journal with a name (https://www.sqlite.org/fileformat2.html, "The Rollback
 * Journal"; its code: pager.c, readSuperJournal). Numbers are big-endian.
 *
 *   OFFSET   SIZE  MEANING
 *   -16 - n  n     the name
 *   -16      4     n
 *   -12      4     sum of its bytes
 *   -8       8     d9 d5 05 f9 20 a1 63 d7 */
#define TAIL 16
static const uint8_t magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};

static int names_a_file(sqlite3_file *journal, bool *named)
{
	uint8_t tail[TAIL];
	sqlite3_int64 size = 0;
	int rc = journal->pMethods->xFileSize(journal, &size);

	*named = false;
	if (rc || size < TAIL)
		return rc;
	rc = journal->pMethods->xRead(journal, tail, TAIL, size - TAIL);
	*named = !rc && !memcmp(tail + 8, magic, 8) && (tail[0] | tail[1] | tail[2] | tail[3]);
	return rc;
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
		     int *out_flags)
{
	bool named;
	int rc;

	(void)vfs;
	file->pMethods = NULL;
	/* A file that took the journal's place after it was checked. */
	if (flags & SQLITE_OPEN_SUPER_JOURNAL)
		return SQLITE_PERM;
	rc = the_system->xOpen(the_system, name, file, flags, out_flags);
	if (rc || !(flags & SQLITE_OPEN_MAIN_JOURNAL))
		return rc;
	rc = names_a_file(file, &named);
	if (!rc && !named)
		return SQLITE_OK;
	file->pMethods->xClose(file);
	file->pMethods = NULL;
	return rc ? rc : SQLITE_PERM;
}

static bool make(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static bool made;
	bool is;

	pthread_mutex_lock(&mutex);
	if (!made && (the_system = sqlite3_vfs_find(NULL))) {
		ours = *the_system;
		ours.zName = "tprof";
		ours.pNext = NULL;
		ours.xOpen = open_file;
		made = !sqlite3_vfs_register(&ours, 0);
	}
	is = made;
	pthread_mutex_unlock(&mutex);
	return is;
}

int tp_sql_open(const char *name, struct sqlite3 **db, int flags)
{
	*db = NULL;
	/* Only SQLite's first allocation can fail. */
	return make() ? sqlite3_open_v2(name, db, flags, ours.zName) : SQLITE_NOMEM;
}
