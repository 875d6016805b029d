/* Lists of free places that threads share without a lock. A head holds index + 1 in its low half
 * (0: empty) and a count of changes in its high one, so that a head that was taken and put back in
 * between is seen to have changed. `next` is the link of place 0, `stride` the bytes between
 * places.
 */
#ifndef RECORD_CORE_LIST_H
#define RECORD_CORE_LIST_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

static inline _Atomic uint32_t *rec_link(_Atomic uint32_t *next, size_t stride, uint32_t at)
{
	return (_Atomic uint32_t *)(void *)((char *)next + stride * (at - 1));
}

/* Index + 1, 0 when there is none. */
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
