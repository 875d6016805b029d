/* Futexes that programs use themselves, by way of syscall(): Rust's standard library and C++20's
 * atomics wait and notify like that. */
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include "tprof-record/preload/real.h"

static inline unsigned outcome(long result)
{
	if (result >= 0)
		return 0;
	return errno == ETIMEDOUT ? REC_TIMED_OUT : errno == EINTR ? 0 : REC_DID_NOT_WAIT;
}

/* The call does not say what the futex is for, but Rust's Mutex can be recognised by how it waits: for a word
 * that is 2 ("contended"; library/std/src/sys/sync/mutex/futex.rs), and without a time limit. */
static inline bool is_mutex(long op, long value, long timeout)
{
	return (op & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET && (uint32_t)value == 2 && !timeout;
}

static inline __attribute__((always_inline)) long
futex_wait(long address, long op, long value, long timeout, long address2, long value3)
{
	WAITS(REC_BLOCK, long, address, is_mutex(op, value, timeout) ? REC_ON_MUTEX : REC_ON_FUTEX,
	      outcome(result),
	      REAL(syscall)(SYS_futex, address, op, value, timeout, address2, value3));
}

static inline __attribute__((always_inline)) long
futex_wake(long address, long op, long value, long timeout, long address2, long value3)
{
	uint32_t wakes = value >= INT32_MAX || value < 0 ? UINT32_MAX : (uint32_t)value;
	long result;

	if ((op & FUTEX_CMD_MASK) == FUTEX_UNLOCK_PI)
		wakes = 1;
	if (rec_waited_for((void *)(uintptr_t)address) && watching())
		rec_post((void *)(uintptr_t)address, wakes, 1);
	result = REAL(syscall)(SYS_futex, address, op, value, timeout, address2, value3);
	rec_settle();
	return result;
}

/* Calls that are not for futexes. */
static inline __attribute__((always_inline)) long other(long number, const long *a)
{
	bool filters = number == SYS_seccomp &&
		       (a[0] == SECCOMP_SET_MODE_STRICT || a[0] == SECCOMP_SET_MODE_FILTER);
	uint32_t lacks;
	bool begun;
	long result;

	if (unlikely(number == SYS_prctl && a[0] == PR_SET_SECCOMP))
		return prctl((int)a[0], a[1], a[2], a[3], a[4]);
	if (unlikely(filters)) {
		lacks = filter_comes(a[0] == SECCOMP_SET_MODE_STRICT, (void *)a[2]);
		result = REAL(syscall)(number, a[0], a[1], a[2]);
		filter_came(lacks, result >= 0);
		return result;
	}
	if (unlikely(exec_is_fork(number, a))) {
		start_before_fork();
		return exec_forked(REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]));
	}
	if (unlikely(number == SYS_brk))
		return mapping_brk(a[0], __builtin_return_address(0));
	begun = mapping_begins(number, a, __builtin_return_address(0));
	result = REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	mapping_called(number, a, result, begun, __builtin_return_address(0));
	return result;
}

HOOK long syscall(long number, ...)
{
	long a[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (number != SYS_futex)
		return other(number, a);
	switch (a[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
	case FUTEX_WAIT_REQUEUE_PI:
		return futex_wait(a[0], a[1], a[2], a[3], a[4], a[5]);
	default:
		return futex_wake(a[0], a[1], a[2], a[3], a[4], a[5]);
	}
}
