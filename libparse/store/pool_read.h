/* Reads the dictionaries of runs that share a pool (store/pool.h).
 *
 * Only the chunks with entries that the run lists are decoded. They are cached in the store's handle for the next run,
 * those of one pool at a time. */
#ifndef TP_STORE_POOL_READ_H
#define TP_STORE_POOL_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/store.h"

/* Fills in `dict`, which tp_dict_new_stored has made, with the entries that the run lists; if the run has its own
 * dictionary, does nothing and sets *pooled to false. Returns 0, TP_ESTORE, TP_EVERSION or TP_ENOMEM; after an error the
 * dictionary can only be freed. Safe to call from several threads. */
int tp_pool_load(struct tp_store *s, int64_t run, struct tp_dict *dict, bool *pooled,
		 struct tp_err *err);

/* Sets *pool to the number of the run's pool; 0 if it has its own dictionary. */
int tp_pool_of(struct tp_store *s, int64_t run, int64_t *pool, struct tp_err *err);

/* Returns whether a pool can have this table instead of a run. */
bool tp_pool_has_table(enum tp_table_id table);

/* The cache, which a store keeps between calls (reader.c). */
struct tp_pool_cache;
struct tp_pool_cache *tp_pool_cache_new(void); /* NULL: no memory */
void tp_pool_cache_free(struct tp_pool_cache *c);
/* Returns the cache of a store; NULL if there is no memory. */
struct tp_pool_cache *tp_store_pool_cache(struct tp_store *s);

#endif
