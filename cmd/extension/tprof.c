/* tprof.so: the virtual tables and functions of a store for any program with SQLite.
 *
 *	$ sqlite3 web.tprof
 *	sqlite> .load /usr/local/lib/tprof/tprof
 *	sqlite> select type, count(*) from event group by type;
 */
#include <sqlite3ext.h>

#include "store/store.h"

SQLITE_EXTENSION_INIT1

/* The oldest SQLite whose functions are all that is called; newer ones are asked for by version. */
#define OLDEST 3031000

/* SQLite finds it by the name of the file. */
__attribute__((visibility("default"))) int sqlite3_tprof_init(sqlite3 *db, char **message,
							      const sqlite3_api_routines *api);

int sqlite3_tprof_init(sqlite3 *db, char **message, const sqlite3_api_routines *api)
{
	int rc;

	SQLITE_EXTENSION_INIT2(api);
	if (sqlite3_libversion_number() < OLDEST) {
		*message = sqlite3_mprintf("tprof needs SQLite 3.31 or later, this is %s",
					   sqlite3_libversion());
		return SQLITE_ERROR;
	}
	rc = tp_store_register(db);
	if (rc)
		*message = sqlite3_mprintf("tprof: %s", sqlite3_errmsg(db));
	return rc;
}
