/* A run that is a part: some generations of a trace, to be joined with the others (merge/stitch.c).
 *
 * It is a run like others, of the events of these generations, and has one block more, of the
 * stream "cut". Its hash is not that of the dump but of the dump's hash and its generations.
 *
 *   OFFSET  MEANING
 *   0       codec (1: lz4)
 *   1       version: 1
 *   2       varint: bytes unpacked
 *   …       packed: what tp_cut_put wrote (order/cut.c) */
#ifndef TP_STORE_CUT_H
#define TP_STORE_CUT_H

#include "order/cut.h"
#include "store/store.h"

#define TP_CUT_STREAM "cut"

/* The hash of a part of the dump with this hash. */
void tp_cut_hash(const uint8_t dump[16], uint32_t first, uint32_t last, uint8_t hash[16]);
/* As 32 hex digits. */
void tp_hash_text(const uint8_t hash[16], char text[33]);

/* Of a run whose events have all been put. Errors of tp_store_put_events. */
int tp_store_put_cut(struct tp_store_run *run, const struct tp_trace *trace, struct tp_err *err);
/* 1 and *trace (all 0 before; to be released in every case) as tp_cut_get has it, 0 where the run
 * is no part, or an error code. */
int tp_store_load_cut(struct tp_store *s, int64_t run, struct tp_trace *trace, struct tp_err *err);
/* The same, but only what tp_cut_peek reads. */
int tp_store_peek_cut(struct tp_store *s, int64_t run, struct tp_cut *cut, struct tp_err *err);

#endif
