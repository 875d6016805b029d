/* Lock-free lists of free places. The low half of a head is the index + 1 of the first place (0: the list
 * is empty); the high half counts changes, so that a place that was taken and given back in between is
 * noticed. `next` is the link of place 0, and `stride` the number of bytes from one place to the next. */
#ifndef RECORD_CORE_LIST_H
#define RECORD_CORE_LIST_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

static inline _Atomic uint32_t *rec_link(_Atomic uint32_t *next, size_t stride, uint32_t at)
{
	return (_Atomic uint32_t *)(void *)((char *)next + stride * (at - 1));
}

/* Takes a place. Returns its index + 1, or 0 if the list is empty. */
static inline uint32_t rec_list_take(_Atomic uint64_t *head, _Atomic uint32_t *next, size_t stride)
{
	uint64_t was = atomic_load_explicit(head, memory_order_acquire), now;

	do {
		uint32_t at = (uint32_t)was;

		if (!at)
			return 0;
		now = ((was >> 32) + 1) << 32 |
		      atomic_load_explicit(rec_link(next, stride, at), memory_order_relaxed);
	} while (!atomic_compare_exchange_weak_explicit(head, &was, now, memory_order_acquire,
							memory_order_acquire));
	return (uint32_t)was;
}

static inline void rec_list_give(_Atomic uint64_t *head, _Atomic uint32_t *next, size_t stride,
				 uint32_t at)
{
	uint64_t was = atomic_load_explicit(head, memory_order_relaxed), now;

	do {
		atomic_store_explicit(rec_link(next, stride, at), (uint32_t)was,
				      memory_order_relaxed);
		now = ((was >> 32) + 1) << 32 | at;
	} while (!atomic_compare_exchange_weak_explicit(head, &was, now, memory_order_release,
							memory_order_relaxed));
}

#endif
