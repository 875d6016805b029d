/* Dictionaries of runs that share one (store/pool.h), read back.
 *
 * Of a pool only the chunks are decoded that hold what a run lists, and they are kept for the next
 * run, with the handle of the store; those of one pool at a time. */
#ifndef TP_STORE_POOL_READ_H
#define TP_STORE_POOL_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/store.h"

struct sqlite3;

/* Fills `dict`, which is as tp_dict_new_stored makes it, with what the run lists of its pool;
 * *pooled false, and nothing done, where it has a dictionary of its own. TP_ESTORE, TP_EVERSION,
 * TP_ENOMEM; the dictionary is then only good for being freed. May be called by several threads. */
int tp_pool_load(struct tp_store *s, int64_t run, struct tp_dict *dict, bool *pooled,
		 struct tp_err *err);

/* The number of the pool that the run's dictionary is in, 0: it has its own. */
int tp_pool_of(struct sqlite3 *db, int64_t run, int64_t *pool, struct tp_err *err);

/* Is that one of the tables that a pool has instead of a run? */
bool tp_pool_has_table(enum tp_table_id table);

/* What a store keeps between calls (reader.c). */
struct tp_pool_cache;
struct tp_pool_cache *tp_pool_cache_new(void); /* NULL: no memory */
void tp_pool_cache_free(struct tp_pool_cache *c);
/* That of a store. NULL: no memory. */
struct tp_pool_cache *tp_store_pool_cache(struct tp_store *s);

#endif
