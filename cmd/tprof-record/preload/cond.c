/* Condition variables. The hooks have no try step: every wait releases its mutex and sleeps. A thread that is
 * cancelled in a wait does not return here; the core ends its wait when the thread ends. */
#include "tprof-record/preload/real.h"

static inline __attribute__((always_inline)) void begin(struct rec_event *wait, const void *cond,
							const void *mutex)
{
	*wait =
	    (struct rec_event){.kind = REC_BLOCK, .object = (uintptr_t)cond, .arg = REC_ON_COND};
	if (unlikely(rec_waited_for(mutex)))
		rec_post(mutex, 1, 1);
	rec_wait_begin(wait, 1);
}

/* C11's condition variables are the same objects. */
#define POSIX(c)       ((pthread_cond_t *)(void *)(c))
#define POSIX_MUTEX(m) ((pthread_mutex_t *)(void *)(m))

/* Defines a hook; `as` makes its result. */
#define WAIT(name, as, real_wait, params, args)                                                    \
	HOOK int name params                                                                       \
	{                                                                                          \
		struct rec_event wait;                                                             \
		int result;                                                                        \
                                                                                                   \
		if (!watching())                                                                   \
			return as(REAL(real_wait) args);                                           \
		begin(&wait, c, m);                                                                \
		result = REAL(real_wait) args;                                                     \
		rec_wait_end(&wait, lock_outcome(result));                                         \
		return as(result);                                                                 \
	}

/* clang-format off */
WAIT(pthread_cond_wait, as_is, pthread_cond_wait, (pthread_cond_t *c, pthread_mutex_t *m), (c, m))
WAIT(pthread_cond_timedwait, as_is, pthread_cond_timedwait,
     (pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until), (c, m, until))
WAIT(pthread_cond_clockwait, as_is, pthread_cond_clockwait,
     (pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *until), (c, m, clock, until))
WAIT(cnd_wait, as_c11, pthread_cond_wait, (cnd_t *c, mtx_t *m), (POSIX(c), POSIX_MUTEX(m)))
WAIT(cnd_timedwait, as_c11, pthread_cond_timedwait,
     (cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict until), (POSIX(c), POSIX_MUTEX(m), until))

WAKES(pthread_cond_signal, pthread_cond_t, 1, REAL(pthread_cond_signal)(object))
WAKES(pthread_cond_broadcast, pthread_cond_t, UINT32_MAX, REAL(pthread_cond_broadcast)(object))
WAKES(cnd_signal, cnd_t, 1, as_c11(REAL(pthread_cond_signal)(POSIX(object))))
WAKES(cnd_broadcast, cnd_t, UINT32_MAX, as_c11(REAL(pthread_cond_broadcast)(POSIX(object))))
/* clang-format on */
