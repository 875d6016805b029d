/* Included before everything else in what the extension is made of: every call of SQLite then goes
 * to the one that loads it, be it the system's library or one built into the program. */
#ifndef EXTENSION_API_H
#define EXTENSION_API_H

#include <sqlite3ext.h>

SQLITE_EXTENSION_INIT3

#endif
