/* A cache of prepared statements. To read thousands of small runs, preparing statements for each takes more time
 * than running them. */
#ifndef TP_STORE_KEPT_H
#define TP_STORE_KEPT_H

#include <pthread.h>
#include <stddef.h>

struct sqlite3;
struct sqlite3_stmt;

/* More than merging needs. */
#define TP_KEPT_MOST 32

/* The statements of a connection that are not in use. */
struct tp_kept {
	pthread_mutex_t lock;
	size_t n;
	struct {
		const char *sql;
		struct sqlite3_stmt *stmt;
	} at[TP_KEPT_MOST];
};

void tp_kept_init(struct tp_kept *k);
/* Call it before the connection is closed. */
void tp_kept_release(struct tp_kept *k);

/* Sets *stmt to a statement that only the caller uses until tp_kept_give, which takes NULL, too. `sql` is compared
 * by address, so it must be a constant. Without a cache (k NULL) it is prepared anew. Returns an SQLite code; after
 * an error *stmt is NULL. */
int tp_kept_take(struct tp_kept *k, struct sqlite3 *db, const char *sql,
		 struct sqlite3_stmt **stmt);
/* Resets the statement and puts it back. */
void tp_kept_give(struct tp_kept *k, const char *sql, struct sqlite3_stmt *stmt);

struct tp_store;
/* Returns the cache of a store. If its connection is borrowed, nothing is kept: NULL. */
struct tp_kept *tp_store_kept(struct tp_store *s);

#endif
