/* What the kernel says of the process, for test programs (C or C++) that print it:
 *
 *	BEGIN END CPU DELAY STOLEN
 *
 * in ns, the first two by CLOCK_MONOTONIC; DELAY is how long threads waited for a processor, in all. */
#ifndef RECORD_TESTS_ACCOUNTS_H
#define RECORD_TESTS_ACCOUNTS_H

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static uint64_t delays;

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t cpu(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (uint64_t)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000000000u +
	       (uint64_t)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1000;
}

/* Adds what a thread of the process has waited for a processor. */
static void add_delay(const char *tid)
{
	unsigned long long delay = 0;
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%s/schedstat", tid);
	f = fopen(path, "r");
	if (f && fscanf(f, "%*u %llu", &delay) == 1)
		__atomic_fetch_add(&delays, delay, __ATOMIC_RELAXED);
	if (f)
		fclose(f);
}

static void add_own_delay(void)
{
	char tid[20];

	snprintf(tid, sizeof(tid), "%d", (int)gettid());
	add_delay(tid);
}

static void add_delays(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *d;

	while (tasks && (d = readdir(tasks)))
		if (*d->d_name != '.')
			add_delay(d->d_name);
	if (tasks)
		closedir(tasks);
}

/* Of all processors, in ns. */
static uint64_t stolen(void)
{
	unsigned long long ticks = 0;
	FILE *f = fopen("/proc/stat", "r");

	if (f && fscanf(f, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &ticks) != 1)
		ticks = 0;
	if (f)
		fclose(f);
	return ticks * (1000000000u / (unsigned)sysconf(_SC_CLK_TCK));
}

static uint64_t accounts_begin, accounts_cpu, accounts_stolen;

static void begin_accounts(void)
{
	accounts_cpu = cpu();
	accounts_stolen = stolen();
	accounts_begin = now(CLOCK_MONOTONIC);
}

/* Prints the line; threads that have ended have called add_own_delay. */
static void end_accounts(void)
{
	add_delays();
	printf("%llu %llu %llu %llu %llu\n", (unsigned long long)accounts_begin,
	       (unsigned long long)now(CLOCK_MONOTONIC), (unsigned long long)(cpu() - accounts_cpu),
	       (unsigned long long)delays, (unsigned long long)(stolen() - accounts_stolen));
}

#endif
