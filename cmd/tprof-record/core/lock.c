#include "tprof-record/core/inside.h"

#include <linux/futex.h>
#include <time.h>

enum { SPINS = 100, PATIENCE = 50 };
static const struct timespec wait_time = {.tv_nsec = 10 * 1000 * 1000};

static inline void relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static void wait_for(_Atomic uint32_t *lock)
{
	int i;

	for (i = 0; i < SPINS; i++) {
		uint32_t zero = 0;

		if (atomic_load_explicit(lock, memory_order_relaxed) == 0 &&
		    atomic_compare_exchange_weak_explicit(lock, &zero, 1, memory_order_acquire,
							  memory_order_relaxed))
			return;
		relax();
	}
	for (i = 0; i < PATIENCE; i++) {
		if (atomic_exchange_explicit(lock, 2, memory_order_acquire) == 0)
			return;
		rec_call(SYS_futex, (long)lock, FUTEX_WAIT_PRIVATE, 2, (long)&wait_time, 0, 0);
	}
}

void rec_lock(_Atomic uint32_t *lock)
{
	uint32_t zero = 0;
	uint64_t start;

	if (__builtin_expect(atomic_compare_exchange_strong_explicit(
				 lock, &zero, 1, memory_order_acquire, memory_order_relaxed),
			     1))
		return;
	start = rec_now();
	wait_for(lock);
	rec_self.contention += rec_now() - start;
}

void rec_unlock(_Atomic uint32_t *lock)
{
	if (atomic_exchange_explicit(lock, 0, memory_order_release) == 2)
		rec_call(SYS_futex, (long)lock, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}
