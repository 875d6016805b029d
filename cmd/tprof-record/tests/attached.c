/* A program that is recorded while it runs (--pid). It waits for a line; until the recorder has begun, it does
 * nothing. Keeps no frame pointers.
 *
 *	attached work		a thread that computes (site_deep, site_flat, 2 to 1), one that sleeps, 20 short ones;
 *				prints how long all of them ran, in ns, and ends with status 3
 *	attached code FILE	loads a library, calls its function site_loaded, and ends the same way
 *	attached exec PROGRAM…	becomes another program */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SITE __attribute__((noinline, optimize("omit-frame-pointer")))

enum { ROUNDS = 15, PIECE = 10000000, SHORT = 20 };

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static volatile unsigned long sink;

static void compute(uint64_t ns)
{
	uint64_t end = now(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int i = 0; i < 20000; i++)
			sink += (unsigned long)i;
}

SITE static int site_deep(int depth)
{
	volatile char room[300];

	room[depth] = 1;
	if (!depth)
		compute(2 * PIECE);
	else
		site_deep(depth - 1);
	return room[depth];
}

SITE static int site_flat(void)
{
	compute(PIECE);
	return 1;
}

static void *worker(void *arg)
{
	pthread_setname_np(pthread_self(), "worker");
	for (int i = 0; i < ROUNDS; i++)
		sink += (unsigned long)(site_deep(40) + site_flat());
	return arg;
}

SITE static int site_naps(void)
{
	for (int i = 0; i < 20; i++)
		usleep(10000);
	return 1;
}

static void *sleeper(void *arg)
{
	sink += (unsigned long)site_naps();
	return arg;
}

static void *brief(void *arg)
{
	compute(100000);
	return arg;
}

static int work(void)
{
	pthread_t t[2], shorter;

	pthread_create(&t[0], NULL, worker, NULL);
	pthread_create(&t[1], NULL, sleeper, NULL);
	for (int i = 0; i < SHORT; i++)
		if (!pthread_create(&shorter, NULL, brief, NULL))
			pthread_join(shorter, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}

static int load(const char *file)
{
	void *library = dlopen(file, RTLD_NOW);
	void (*call)(uint64_t ns) = NULL;

	if (library)
		*(void **)&call = dlsym(library, "site_loaded");
	if (!call)
		return 1;
	call(20 * PIECE);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t before;
	char line[16];

	if (argc < 2 || !fgets(line, sizeof(line), stdin))
		return 2;
	before = now(CLOCK_PROCESS_CPUTIME_ID);
	if (!strcmp(argv[1], "exec"))
		execvp(argv[2], argv + 2);
	if (strcmp(argv[1], "work") != 0 ? load(argv[2]) : work())
		return 1;
	printf("%llu\n", (unsigned long long)(now(CLOCK_PROCESS_CPUTIME_ID) - before));
	fflush(stdout);
	return 3;
}
