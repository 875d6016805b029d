#include "store/kept.h"

#include <sqlite3.h>

void tp_kept_init(struct tp_kept *k)
{
	*k = (struct tp_kept){.n = 0};
	pthread_mutex_init(&k->lock, NULL);
}

void tp_kept_release(struct tp_kept *k)
{
	for (size_t i = 0; i < k->n; i++)
		sqlite3_finalize(k->at[i].stmt);
	k->n = 0;
	pthread_mutex_destroy(&k->lock);
}

int tp_kept_take(struct tp_kept *k, sqlite3 *db, const char *sql, sqlite3_stmt **stmt)
{
	*stmt = NULL;
	if (k) {
		pthread_mutex_lock(&k->lock);
		for (size_t i = 0; i < k->n && !*stmt; i++) {
			if (k->at[i].sql != sql)
				continue;
			*stmt = k->at[i].stmt;
			k->at[i] = k->at[--k->n];
		}
		pthread_mutex_unlock(&k->lock);
	}
	return *stmt ? SQLITE_OK : sqlite3_prepare_v2(db, sql, -1, stmt, NULL);
}

void tp_kept_give(struct tp_kept *k, const char *sql, sqlite3_stmt *stmt)
{
	if (k && stmt) {
		pthread_mutex_lock(&k->lock);
		if (k->n < TP_KEPT_MOST) {
			/* The connection still has the statement's error afterwards. */
			sqlite3_reset(stmt);
			sqlite3_clear_bindings(stmt);
			k->at[k->n].sql = sql;
			k->at[k->n++].stmt = stmt;
			stmt = NULL;
		}
		pthread_mutex_unlock(&k->lock);
	}
	if (stmt)
		sqlite3_finalize(stmt);
}
