/* One thread holds a lock for long, three others for a moment each. Nearly all waiting is the fault
 * of the first (site_slow), although it is seldom the last to release the lock before another
 * thread gets it.
 *
 *	blame [ROUNDS]
 *
 * Prints, in ns by the program's own clock, how much waiting each site is to blame for. On a busy
 * machine a moment may become long; that is then the fault of the others. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "log.h"

enum { SLOW, QUICK, THREADS = 4 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int over;
/* When each thread began to wait; 0 if it does not wait. */
static _Atomic uint64_t since[THREADS];
/* Under the lock: which thread released it last, and when. */
static uint64_t blamed[2], let_go;
static int by = QUICK;

static void nap(long us)
{
	struct timespec t = {0, us * 1000};

	nanosleep(&t, NULL);
}

/* Charges `who` with the time waited from `from` until `now`. */
static void charge(int who, uint64_t from, uint64_t now)
{
	from = from > let_go ? from : let_go;
	blamed[who] += now > from ? now - from : 0;
}

static void begin(int me)
{
	/* The last thread to release the lock is blamed for the wait. */
	charge(by, atomic_load(&since[me]), log_now());
	atomic_store(&since[me], 0);
}

static void end(int who)
{
	uint64_t now = log_now();

	for (int i = 0; i < THREADS; i++) {
		uint64_t from = atomic_load(&since[i]);

		if (from)
			charge(who, from, now);
	}
	by = who;
	let_go = now;
}

__attribute__((noinline)) static void site_slow(int me)
{
	atomic_store(&since[me], log_now());
	pthread_mutex_lock(&mutex);
	begin(me);
	nap(2000);
	end(SLOW);
	pthread_mutex_unlock(&mutex);
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void site_quick(int me)
{
	atomic_store(&since[me], log_now());
	pthread_mutex_lock(&mutex);
	begin(me);
	nap(10);
	end(QUICK);
	pthread_mutex_unlock(&mutex);
	__asm__ volatile("" ::: "memory");
}

static void *quick(void *arg)
{
	while (!atomic_load(&over)) {
		site_quick((int)(intptr_t)arg);
		nap(200);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 50;
	pthread_t thread[THREADS];

	for (intptr_t i = 1; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, quick, (void *)i))
			return 3;
	for (int i = 0; i < rounds; i++) {
		site_slow(0);
		nap(2000);
	}
	atomic_store(&over, 1);
	for (int i = 1; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("site_slow\t%" PRIu64 "\nsite_quick\t%" PRIu64 "\n", blamed[SLOW], blamed[QUICK]);
	return 0;
}
