/* pthread_create and the other functions for threads. A thread ends in the last round of its key destructors:
 * return, pthread_exit and cancellation all pass through there, and the work of the program's own destructors
 * is still recorded. */
#include <limits.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <sys/prctl.h>

#include "tprof-record/preload/real.h"

/* ---- ends ---- */

static pthread_key_t ends;
static bool have_ends;

static void mark(uintptr_t rounds)
{
	if (have_ends)
		pthread_setspecific(ends, (void *)rounds);
}

/* Destructors may set keys anew; libc makes at most PTHREAD_DESTRUCTOR_ITERATIONS rounds. */
static void end(void *rounds)
{
	if ((uintptr_t)rounds > 1) {
		mark((uintptr_t)rounds - 1);
		return;
	}
	if (!watching())
		return;
	if (rec_waited_for((void *)pthread_self()))
		rec_post((void *)pthread_self(), UINT32_MAX, 1);
	rec_thread_end();
}

void thread_watch_ends(void)
{
	if (!have_ends)
		have_ends = pthread_key_create(&ends, end) == 0;
	mark(PTHREAD_DESTRUCTOR_ITERATIONS);
}

void thread_met(void)
{
	rec_thread_begin(0, 0);
	rec_self.depth++; /* pthread_setspecific may allocate */
	mark(PTHREAD_DESTRUCTOR_ITERATIONS);
	rec_self.depth--;
}

/* ---- beginnings ---- */

struct coming {
	union {
		void *(*posix)(void *);
		thrd_start_t c11;
	} start;
	void *arg;
	uint32_t g;
	bool blocked;
};

/* The last thread that this one created: programs often name a thread before it runs. */
static __thread struct {
	pthread_t thread;
	uint32_t g;
} latest __attribute__((tls_model("initial-exec")));

static struct coming arrive(void *from)
{
	struct coming coming = *(struct coming *)from;

	REAL(free)(from);
	signal_inherit(coming.blocked);
	rec_thread_begin(coming.g, (uintptr_t)coming.start.posix);
	mark(PTHREAD_DESTRUCTOR_ITERATIONS);
	return coming;
}

/* Calls the start routine by a jump, so this function is not in the stacks of the thread. */
static void *begin(void *from)
{
	struct coming coming = arrive(from);

	return coming.start.posix(coming.arg);
}

static int begin_c11(void *from)
{
	struct coming coming = arrive(from);

	return coming.start.c11(coming.arg);
}

/* Allocates past our own hook, so that the allocation is not sampled. */
static inline __attribute__((always_inline)) struct coming *announce(struct coming coming)
{
	struct coming *p = watching() ? REAL(malloc)(sizeof(*p)) : NULL;

	if (!p)
		return NULL;
	coming.g = rec_thread_new((uintptr_t)coming.start.posix);
	coming.blocked = signal_blocked();
	*p = coming;
	return p;
}

/* Defines a hook that creates a thread; both success codes are 0. */
_Static_assert(thrd_success == 0, "as of POSIX");
#define CREATE(name, member, begins, params, ...)                                                  \
	HOOK int name params                                                                       \
	{                                                                                          \
		struct coming *coming =                                                            \
		    announce((struct coming){.start.member = start, .arg = arg});                  \
		uint32_t g = coming ? coming->g : 0;                                               \
		int result;                                                                        \
                                                                                                   \
		if (!coming)                                                                       \
			return REAL(name)(__VA_ARGS__, start, arg);                                \
		result = REAL(name)(__VA_ARGS__, begins, coming);                                  \
		if (result) {                                                                      \
			REAL(free)(coming);                                                        \
		} else {                                                                           \
			latest.thread = *thread;                                                   \
			latest.g = g;                                                              \
		}                                                                                  \
		return result;                                                                     \
	}

/* clang-format off */
CREATE(pthread_create, posix, begin,
       (pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg), thread, attr)
CREATE(thrd_create, c11, begin_c11, (thrd_t *thread, thrd_start_t start, void *arg), thread)
/* clang-format on */

/* ---- joining ---- */

#define JOIN(name, params, ...)                                                                    \
	HOOK int name params                                                                       \
	{                                                                                          \
		struct rec_event wait = {                                                          \
		    .kind = REC_BLOCK, .object = (uintptr_t)thread, .arg = REC_ON_JOIN};           \
		int result = watching() ? REAL(pthread_tryjoin_np)(thread, value) : -1;            \
                                                                                                   \
		if (result == -1)                                                                  \
			return REAL(name)(__VA_ARGS__);                                            \
		if (result != EBUSY)                                                               \
			return result;                                                             \
		rec_wait_begin(&wait, 1);                                                          \
		result = REAL(name)(__VA_ARGS__);                                                  \
		rec_wait_end(&wait, lock_outcome(result));                                         \
		return result;                                                                     \
	}

/* clang-format off */
JOIN(pthread_join, (pthread_t thread, void **value), thread, value)
JOIN(pthread_timedjoin_np, (pthread_t thread, void **value, const struct timespec *until), thread, value, until)
JOIN(pthread_clockjoin_np, (pthread_t thread, void **value, clockid_t clock, const struct timespec *until),
     thread, value, clock, until)
/* clang-format on */

HOOK int thrd_join(thrd_t thread, int *value)
{
	struct rec_event wait = {
	    .kind = REC_BLOCK, .object = (uintptr_t)thread, .arg = REC_ON_JOIN};
	bool watched = watching();
	void *got = NULL;
	int result = EBUSY;

	if (watched)
		result = REAL(pthread_tryjoin_np)(thread, &got);
	if (result == EBUSY) {
		if (watched)
			rec_wait_begin(&wait, 1);
		result = REAL(pthread_join)(thread, &got);
		if (watched)
			rec_wait_end(&wait, lock_outcome(result));
	}
	if (value)
		*value = (int)(intptr_t)got;
	return result == 0 ? thrd_success : result == ENOMEM ? thrd_nomem : thrd_error;
}

/* ---- names ---- */

/* Returns the state of a thread: glibc's pthread_t is the thread pointer, so the initial-exec variables of
 * another thread have the same offsets as ours. */
static struct rec_self *self_of(pthread_t thread)
{
	return (struct rec_self *)(void *)((char *)thread +
					   ((char *)&rec_self - (char *)pthread_self()));
}

HOOK int pthread_setname_np(pthread_t thread, const char *name)
{
	int result = REAL(pthread_setname_np)(thread, name);

	if (result || !watching())
		return result;
	if (thread == pthread_self()) {
		rec_thread_name(name);
	} else {
		size_t size = 0;
		struct rec_event event = {.kind = REC_THREAD_NAME,
					  .g = thread == latest.thread ? latest.g
								       : self_of(thread)->g};

		while (name[size])
			size++;
		event.arg = rec_string(name, size);
		event.start = event.end = rec_now();
		if (event.g && rec_tracing())
			rec_write(&event);
	}
	return result;
}

HOOK int prctl(int option, ...)
{
	unsigned long a[4];
	uint32_t lacks = 0;
	va_list list;
	int result;

	va_start(list, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(list, unsigned long);
	va_end(list);
	if (option == PR_SET_SECCOMP)
		lacks = filter_comes(a[0] == SECCOMP_MODE_STRICT, (void *)a[1]);
	result = REAL(prctl)(option, a[0], a[1], a[2], a[3]);
	if (option == PR_SET_SECCOMP)
		filter_came(lacks, result == 0);
	if (option == PR_SET_NAME && result == 0 && rec_may(REC_NEED_NAMES) && watching()) {
		/* Cut off as the kernel does; the program's name may lack a NUL in its first 16 bytes. */
		char name[16] = "";

		REAL(prctl)(PR_GET_NAME, (unsigned long)name, 0, 0, 0);
		rec_thread_name(name);
	}
	return result;
}
