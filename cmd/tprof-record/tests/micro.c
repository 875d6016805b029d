/* Measures the cost of single operations, in ns, by the program's own clock; for make bench. If one
 * thread works alone, its processor time is measured, which other programs disturb less.
 *
 *	micro alloc | lock | contend THREADS | create | pingpong | nothing [MILLIONS]
 *	micro grow MIB     keeps allocating and waiting; prints its resident MiB at the end */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static long turns;
static volatile long counter;

static uint64_t mine(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Allocates blocks of the sizes that programs use, so that several bins of the allocator are used. */
static double alloc(long n)
{
	void *kept[64] = {NULL};
	uint64_t t = mine();

	for (long i = 0; i < n; i++) {
		void **p = &kept[i % 64];

		free(*p);
		*p = malloc(16 + (size_t)(i * 37) % 500);
	}
	return (double)(mine() - t) / (double)n;
}

static double lock(long n)
{
	uint64_t t = mine();

	for (long i = 0; i < n; i++) {
		pthread_mutex_lock(&mutex);
		counter++;
		pthread_mutex_unlock(&mutex);
	}
	return (double)(mine() - t) / (double)n;
}

static void *fight(void *arg)
{
	pthread_barrier_wait(&barrier);
	for (long i = 0; i < turns; i++) {
		pthread_mutex_lock(&mutex);
		for (int j = 0; j < 20; j++)
			counter++;
		pthread_mutex_unlock(&mutex);
		for (int j = 0; j < 20; j++)
			__asm__ volatile("" ::: "memory");
	}
	return arg;
}

static double contend(int threads, long n)
{
	pthread_t thread[64];
	uint64_t t;

	turns = n / threads;
	pthread_barrier_init(&barrier, NULL, (unsigned)threads + 1);
	for (int i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, fight, NULL))
			exit(3);
	pthread_barrier_wait(&barrier);
	t = log_now();
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	return (double)(log_now() - t) / (double)n;
}

static void *nothing(void *arg)
{
	return arg;
}

static double create(long n)
{
	uint64_t t = log_now();
	pthread_t thread;

	for (long i = 0; i < n; i++)
		if (pthread_create(&thread, NULL, nothing, NULL) || pthread_join(thread, NULL))
			exit(3);
	return (double)(log_now() - t) / (double)n;
}

static sem_t ping, pong;

static void *answer(void *arg)
{
	for (long i = 0; i < turns; i++) {
		sem_wait(&ping);
		sem_post(&pong);
	}
	return arg;
}

/* Two threads wait for each other all the time, which makes nothing but events. */
static double pingpong(long n)
{
	pthread_t thread;
	uint64_t t;

	turns = n;
	if (sem_init(&ping, 0, 0) || sem_init(&pong, 0, 0) ||
	    pthread_create(&thread, NULL, answer, NULL))
		exit(3);
	t = log_now();
	for (long i = 0; i < n; i++) {
		sem_post(&ping);
		sem_wait(&pong);
	}
	pthread_join(thread, NULL);
	return (double)(log_now() - t) / (double)n;
}

static long resident_kib(const char *what)
{
	char line[256];
	long kib = 0;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, what, strlen(what)))
			kib = strtol(line + strlen(what), NULL, 10);
	if (f)
		fclose(f);
	return kib;
}

/* A long run: many events, many short-lived blocks, MIB of live ones in blocks of 1 KiB. */
static void grow(long mib)
{
	long n = mib * 1024;
	void **kept = malloc((size_t)n * sizeof(*kept));
	pthread_t thread[4];

	for (long i = 0; kept && i < n; i++) {
		kept[i] = malloc(1024);
		memset(kept[i], 1, 1024);
	}
	turns = 300000;
	pthread_barrier_init(&barrier, NULL, 4);
	for (int i = 0; i < 4; i++)
		if (pthread_create(&thread[i], NULL, fight, NULL))
			exit(3);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	alloc(20000000);
	printf("%.2f\n", (double)resident_kib("VmRSS:") / 1024);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "nothing";
	int contends = !strcmp(what, "contend");
	long arg = argc > 2 ? atol(argv[2]) : 0;
	double n = argc > 2 + contends ? atof(argv[2 + contends]) : 0, ns = 0;

	if (!strcmp(what, "alloc"))
		ns = alloc((long)((n > 0 ? n : 5) * 1e6));
	else if (!strcmp(what, "lock"))
		ns = lock((long)((n > 0 ? n : 10) * 1e6));
	else if (contends && arg >= 1 && arg <= 64)
		ns = contend((int)arg, (long)((n > 0 ? n : 1) * 1e6));
	else if (!strcmp(what, "create"))
		ns = create((long)((n > 0 ? n : 0.01) * 1e6));
	else if (!strcmp(what, "pingpong"))
		ns = pingpong((long)((n > 0 ? n : 0.1) * 1e6));
	else if (!strcmp(what, "grow")) {
		grow(arg);
		return 0;
	} else if (strcmp(what, "nothing")) {
		return 2;
	}
	printf("%.2f\n", ns);
	return 0;
}
