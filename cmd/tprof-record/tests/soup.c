/* uses: tprof-record
 *
 * Calls libtprof-record in random order from independent threads: goroutines are started while they
 * run elsewhere, unblocked while they run, and ended twice; waits and tasks do not end. Each trace
 * recorded meanwhile must still be valid.
 *
 *	soup SEED FOLDER
 *
 * Writes three traces to FOLDER, of both formats. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tprof-record.h"

enum { GOROUTINES = 64, CALLS = 3000, THREADS = 4, REASONS = TPROF_JOIN + 2 };

static _Atomic uint64_t gs[GOROUTINES];
static unsigned seed;
static char text[100000];

static void entry(void *arg)
{
	(void)arg;
}

static void call(unsigned *s)
{
	static char object[4];
	unsigned k = (unsigned)rand_r(s) % GOROUTINES;
	enum tprof_reason reason = (enum tprof_reason)(rand_r(s) % REASONS);
	uint64_t g = gs[k];

	switch (rand_r(s) % 16) {
	case 0:
	case 1:
		gs[k] = tprof_g_create(entry, k & 1 ? "named" : NULL);
		break;
	case 2:
	case 3:
	case 4:
		tprof_g_start(g);
		break;
	case 5:
	case 6:
		tprof_g_block(reason, &object[k & 3]);
		break;
	case 7:
		tprof_g_yield();
		break;
	case 8:
	case 9:
		tprof_g_unblock(g);
		break;
	case 10:
		tprof_g_end();
		break;
	case 11:
		tprof_region_begin(g, "part");
		break;
	case 12:
		tprof_region_end(g, "part");
		break;
	case 13:
		tprof_wait_begin(reason, &object[k & 3]);
		if (k & 1)
			tprof_wait_end(k & 2);
		break;
	case 14:
		tprof_wait_end(false);
		tprof_post(&object[k & 3], k & 1);
		g = tprof_task_begin(g, "task");
		tprof_log(g, "category", "a message of more than sixteen bytes");
		if (k & 1)
			tprof_task_end(g);
		break;
	default:
		tprof_syscall_begin((int)k);
		if (k & 1)
			tprof_syscall_end();
		if (k == 3)
			tprof_set_name("other");
	}
}

static void *run(void *arg)
{
	unsigned s = seed * 7919 + (unsigned)(uintptr_t)arg * 31;

	for (int i = 0; i < CALLS; i++) {
		call(&s);
		if (rand_r(&s) % 50 == 0)
			usleep(10);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	int code = 0;

	if (argc != 3)
		return 2;
	seed = (unsigned)atoi(argv[1]);
	tprof_set_mutex_fraction(1);
	tprof_set_block_rate(1);
	for (uintptr_t i = 0; i < THREADS; i++)
		(i & 1 ? tprof_thread_create : pthread_create)(&thread[i], NULL, run, (void *)i);
	for (unsigned i = 0; i < 3 && !code; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%u.%u.trace", argv[2], seed, i);
		code = tprof_trace_to_file(path, (enum tprof_format)((i + seed) % 2));
		usleep(2000);
		code = code ? code : tprof_trace_stop();
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	tprof_stack(text, sizeof(text), true);
	if (code)
		fprintf(stderr, "soup: %s\n", strerror(code));
	return code ? 4 : 0;
}
