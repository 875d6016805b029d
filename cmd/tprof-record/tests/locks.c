/* Threads contend for a mutex and wait for a condition, and add up their waiting themselves.
 *
 *	locks [HOLD_US [ROUNDS [THREADS]]]
 *
 * Prints, in ns: the time waited in site_lock, the time that others waited for the threads in
 * site_unlock (the same, seen from the other side), and the time waited in site_wait; after each,
 * how much of it was in waits in which the thread also lost its processor to another. The recorder
 * reads the clock inside our own readings, so we may see such a wait as that much longer. Holds of
 * less than 100 us are spent running, longer ones asleep. */
#define _GNU_SOURCE /* RUSAGE_THREAD */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "log.h"

#define NOINLINE __attribute__((noinline)) static
#define KEEP()	 __asm__ volatile("" ::: "memory")

static long hold_us = 500;
static int rounds = 200;
static int nthreads = 3;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t cond_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int items;

/* Sums of all waits of a kind, and of the noisy ones among them. */
static struct sum {
	_Atomic uint64_t ns, noise_ns;
} locked, waited;

/* Returns how often this thread has lost its processor to another. */
static long kept(void)
{
	struct rusage used;

	return getrusage(RUSAGE_THREAD, &used) ? 0 : used.ru_nivcsw;
}

static void add(struct sum *s, uint64_t since, long was_kept)
{
	uint64_t ns = log_now() - since;

	atomic_fetch_add(&s->ns, ns);
	if (kept() != was_kept)
		atomic_fetch_add(&s->noise_ns, ns);
}

NOINLINE void site_lock(void)
{
	long was = kept();
	uint64_t t = log_now();

	pthread_mutex_lock(&mutex);
	add(&locked, t, was);
}

NOINLINE void site_unlock(void)
{
	pthread_mutex_unlock(&mutex);
	KEEP();
}

NOINLINE void site_wait(void)
{
	long was = kept();
	uint64_t t = log_now();

	pthread_cond_wait(&cond, &cond_mutex);
	add(&waited, t, was);
}

static void spend(long us)
{
	struct timespec t = {0, us * 1000};
	uint64_t until = log_now() + (uint64_t)us * 1000;

	if (us >= 100)
		nanosleep(&t, NULL);
	else
		while (log_now() < until)
			;
}

static void *fight(void *arg)
{
	for (int i = 0; i < rounds; i++) {
		site_lock();
		spend(hold_us);
		site_unlock();
		/* Spend a moment without the lock, or the other threads would never get it. */
		spend(hold_us / 4 + 1);
	}
	return arg;
}

static void *consume(void *arg)
{
	pthread_mutex_lock(&cond_mutex);
	for (int i = 0; i < rounds; i++) {
		while (!items)
			site_wait();
		items--;
	}
	pthread_mutex_unlock(&cond_mutex);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread[64], consumer;

	hold_us = argc > 1 ? atol(argv[1]) : hold_us;
	rounds = argc > 2 ? atoi(argv[2]) : rounds;
	nthreads = argc > 3 ? atoi(argv[3]) : nthreads;
	if (nthreads < 1 || nthreads > 64)
		return 2;
	for (int i = 0; i < nthreads; i++)
		if (pthread_create(&thread[i], NULL, fight, NULL))
			return 3;
	if (pthread_create(&consumer, NULL, consume, NULL))
		return 3;
	for (int i = 0; i < rounds; i++) {
		spend(hold_us > 50 ? 2 * hold_us : 100);
		pthread_mutex_lock(&cond_mutex);
		items++;
		pthread_mutex_unlock(&cond_mutex);
		pthread_cond_signal(&cond);
	}
	for (int i = 0; i < nthreads; i++)
		pthread_join(thread[i], NULL);
	pthread_join(consumer, NULL);
	for (int i = 0; i < 3; i++) {
		static const char *const sites[] = {"site_lock", "site_unlock", "site_wait"};
		struct sum *s = i < 2 ? &locked : &waited;

		printf("%s\t%" PRIu64 "\t%" PRIu64 "\n", sites[i], atomic_load(&s->ns),
		       atomic_load(&s->noise_ns));
	}
	return 0;
}
