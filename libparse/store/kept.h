/* Statements that are prepared once and stepped for run after run: of thousands of small runs,
 * preparing them anew for each is most of what reading them costs. */
#ifndef TP_STORE_KEPT_H
#define TP_STORE_KEPT_H

#include <pthread.h>
#include <stddef.h>

struct sqlite3;
struct sqlite3_stmt;

/* More than merging uses. */
#define TP_KEPT_MOST 32

/* Those of a connection that nobody uses at this moment. */
struct tp_kept {
	pthread_mutex_t lock;
	size_t n;
	struct {
		const char *sql;
		struct sqlite3_stmt *stmt;
	} at[TP_KEPT_MOST];
};

void tp_kept_init(struct tp_kept *k);
/* Before the connection is closed. */
void tp_kept_release(struct tp_kept *k);

/* A statement for the caller alone, to be given back in every case (NULL, too). `sql` is known by
 * its address: a text that stays. k NULL: nothing is kept. What SQLite says; then *stmt is NULL. */
int tp_kept_take(struct tp_kept *k, struct sqlite3 *db, const char *sql,
		 struct sqlite3_stmt **stmt);
/* It is reset, so it holds no lock, and refers to nothing that was bound. */
void tp_kept_give(struct tp_kept *k, const char *sql, struct sqlite3_stmt *stmt);

struct tp_store;
/* The same of a store (store/reader.c); where the connection is another's to close, nothing is
 * kept. */
int tp_store_take(struct tp_store *s, const char *sql, struct sqlite3_stmt **stmt);
void tp_store_give(struct tp_store *s, const char *sql, struct sqlite3_stmt *stmt);

#endif
