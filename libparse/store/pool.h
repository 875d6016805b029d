/* Pools: dictionaries that several runs of a store share.
 *
 * Dumps of one service hold nearly the same strings, functions and stacks, and these are most of a
 * small profile's run. In a store that was merged (store/merge), runs have a common dictionary, a
 * pool, and each keeps only a list of which of its entries are its own, in its own order. What is
 * read back is the dictionary that the run had, number by number; nobody above store/ sees a
 * difference.
 *
 * A pool is a dictionary like a run's: the streams 'string', 'function', 'location', 'frame' and
 * 'stack', in smaller chunks, under a run number of its own, -1 for pool 1. Entries lie in the
 * order of the first run that uses them, so that the dumps of one service are in few chunks. It is
 * not changed once its store is there: merging makes new ones.
 *
 * The list of a run is the only row of its stream 'dict', part being the pool's number, and rows
 * the number of entries that the run's dictionary has:
 *
 *   codec    u8        compression of the numbers: enum tp_codec
 *   version  u8        1
 *   n        uvarint   five times: strings, functions, locations, frames, stacks, without the
 *                      first of each, which is the first of the pool's as well
 *   raw      uvarint   bytes of the numbers
 *   stored   uvarint   bytes as stored; == raw: not compressed
 *   stored bytes of: the numbers of the pool's entries, one kind after the other; each as
 *                    zigzag(number - the one before of its kind) (uvarint)
 *
 * No entry is listed twice (so what unpacks is no more than the pool), and what an entry names is
 * listed, too; of a stack's parent: before it. */
#ifndef TP_STORE_POOL_H
#define TP_STORE_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "store/codec.h"
#include "store/tables.h"

#define TP_POOL_STREAM "dict"

enum tp_pool_kind {
	TP_POOL_STRING,
	TP_POOL_FUNCTION,
	TP_POOL_LOCATION,
	TP_POOL_FRAME,
	TP_POOL_STACK,
	TP_POOL_KINDS
};

/* The stream of a kind, and its table (strings have none: TP_NTABLES). */
extern const char *const tp_pool_streams[TP_POOL_KINDS];
extern const enum tp_table_id tp_pool_tables[TP_POOL_KINDS];

/* What is read: how many entries, of all kinds together, a pool and a run's list may have. Writers
 * have half of it (store/pool_write.h). As many runs can name the same entries, a small file could
 * otherwise ask for any amount of work. */
#define TP_POOL_MOST	  ((uint32_t)1 << 21)
#define TP_POOL_LIST_MOST ((uint32_t)1 << 18)

/* Which entries of a pool a run has: id[k][1 … n[k]) are their numbers in the pool; id[k][0] is
 * 0. */
struct tp_pool_list {
	uint32_t *id[TP_POOL_KINDS];
	uint32_t n[TP_POOL_KINDS]; /* with the first */
};

/* Room for n[k] of each kind; 0 or TP_ENOMEM. */
int tp_pool_list_alloc(struct tp_pool_list *l, const uint32_t n[TP_POOL_KINDS]);
void tp_pool_list_release(struct tp_pool_list *l);

/* Appends the list to out; *raw_size: bytes of its numbers. 0 or TP_ENOMEM. */
int tp_pool_list_pack(const struct tp_pool_list *l, struct tp_packer *packer, struct tp_buf *out,
		      size_t *raw_size);

/* The inverse of it: TP_ESTORE, TP_EVERSION, TP_ENOMEM, and nothing to be released. Numbers may
 * still be of entries that no pool has, but they are below TP_POOL_MOST. */
int tp_pool_list_unpack(struct tp_pool_list *l, const void *data, size_t size, struct tp_err *err);

#endif
