/* Pools: dictionaries that several runs of a store share.
 *
 * Dumps of one service have nearly the same strings, functions and stacks, which are most of a small profile. In a
 * merged store (store/merge) such runs share a dictionary, the pool, and each run only has a list of the entries that
 * it uses, in its own order. Reading gives the dictionary that the run had, with the same numbers; code above store/
 * does not notice a difference.
 *
 * A pool is a dictionary like that of a run: the streams 'string', 'function', 'location', 'frame' and 'stack', in
 * smaller chunks, with a run number of its own, -1 for pool 1. Entries are in the order of the first run that uses
 * them, so those of one service are in few chunks. A pool never changes; merging makes new ones.
 *
 * The list of a run is the only row of its stream 'dict'. Its part is the number of the pool, and its rows are the
 * number of entries:
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
 * No entry is listed twice, so a list is never larger than its pool. What an entry refers to is listed, too, and the
 * parent of a stack before the stack. */
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

/* The stream of a kind, and its table (TP_NTABLES for strings, which have none). */
extern const char *const tp_pool_streams[TP_POOL_KINDS];
extern const enum tp_table_id tp_pool_tables[TP_POOL_KINDS];

/* Limits for reading: how many entries of all kinds a pool, and the list of a run, may have. Writers use at most half
 * (store/pool_write.h). Many runs can list the same entries, so without limits a small file could cause any amount of
 * work. */
#define TP_POOL_MOST	  ((uint32_t)1 << 21)
#define TP_POOL_LIST_MOST ((uint32_t)1 << 18)

/* The entries of a pool that a run uses: id[k][1 … n[k]) are their numbers in the pool; id[k][0] is 0. */
struct tp_pool_list {
	uint32_t *id[TP_POOL_KINDS];
	uint32_t n[TP_POOL_KINDS]; /* including id[k][0] */
};

/* Makes room for n[k] entries of each kind. Returns 0 or TP_ENOMEM. */
int tp_pool_list_alloc(struct tp_pool_list *l, const uint32_t n[TP_POOL_KINDS]);
void tp_pool_list_release(struct tp_pool_list *l);

/* Appends the list to out and sets *raw_size to the bytes of its numbers. Returns 0 or TP_ENOMEM. */
int tp_pool_list_pack(const struct tp_pool_list *l, struct tp_packer *packer, struct tp_buf *out,
		      size_t *raw_size);

/* Reads such a list. The numbers are below TP_POOL_MOST, but the pool may not have these entries. Returns 0, TP_ESTORE,
 * TP_EVERSION or TP_ENOMEM; after an error there is nothing to release. */
int tp_pool_list_unpack(struct tp_pool_list *l, const void *data, size_t size, struct tp_err *err);

#endif
