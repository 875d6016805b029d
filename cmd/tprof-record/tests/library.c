// uses: tprof-record
/* Uses libtprof-record by itself, or under the recorder.
 *
 *	library calls FILE [1.5]	a trace of six system calls of 10 ms, the first of which is open when it begins
 *	library untold FILE [1.5]	computes and sleeps, and tells neither: prints the CPU time of its trace, ns
 *	library posts			a lock whose releases are told: counts contentions as often as there are waits
 *	library busy FILE [1.5]		a trace of everything at once, for ten seconds: to be killed
 *	library leaks FILE		a profile of leaked threads: eight called "lost", which have labels
 */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tprof-record.h"

enum { CALLS = 6, ROUNDS = 20, WORKERS = 4, FIBRES = 8, LOST = 8 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t called;
static int waits;

static void *call(void *unused)
{
	tprof_set_name("caller");
	for (int i = 0; i < CALLS; i++) {
		tprof_syscall_begin(3);
		if (!i)
			sem_post(&called);
		usleep(i ? 10000 : 60000);
		tprof_syscall_end();
	}
	return unused;
}

static int calls(const char *file, enum tprof_format format)
{
	pthread_t t;
	int code;

	sem_init(&called, 0, 0);
	/* It is known before the trace begins. */
	tprof_set_name("main");
	tprof_thread_create(&t, NULL, call, NULL);
	sem_wait(&called);
	usleep(10000);
	code = tprof_trace_to_file(file, format);
	pthread_join(t, NULL);
	return code || tprof_trace_stop();
}

static void *want(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (pthread_mutex_trylock(&mutex)) {
			waits++;
			tprof_wait_begin(TPROF_MUTEX, &mutex);
			pthread_mutex_lock(&mutex);
			tprof_wait_end(false);
		}
		pthread_mutex_unlock(&mutex);
		usleep(1500);
	}
	return unused;
}

static int posts(void)
{
	struct tprof_block_record p[64];
	int64_t counted = 0;
	pthread_t t;
	size_t n;
	bool ok;

	tprof_set_mutex_fraction(1);
	tprof_thread_create(&t, NULL, want, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&mutex);
		usleep(2500);
		tprof_post(&mutex, false);
		pthread_mutex_unlock(&mutex);
		usleep(1000);
	}
	pthread_join(t, NULL);
	n = tprof_mutex_profile(p, 64, &ok);
	for (size_t i = 0; ok && i < n; i++)
		counted += p[i].count;
	printf("%d waits, %lld contentions\n", waits, (long long)counted);
	/* Before the first release there is nobody to charge; a lock of main's may have waited, too. */
	return waits < ROUNDS / 2 || counted < waits - 1 || counted > waits + 2;
}

static void entry(void *unused)
{
	(void)unused;
}

/* Goroutines of its own, one after the other on this thread. */
static void run_fibres(uint64_t *g, uint64_t task)
{
	for (int i = 0; i < FIBRES; i++) {
		if (!g[i])
			g[i] = tprof_g_create(entry, i % 2 ? "fibre" : NULL);
		tprof_g_start(g[i]);
		tprof_region_begin(task, "fibre");
		tprof_log(task, "turn", "a text that is longer than one record of the log can be");
		tprof_region_end(task, "fibre");
		if (i % 3 == 0) {
			tprof_g_yield();
		} else if (i % 3 == 1) {
			tprof_g_block(TPROF_CHAN_RECEIVE, &g[i]);
			tprof_g_unblock(g[i]);
		} else {
			tprof_g_end();
			g[i] = 0;
		}
	}
}

static void *nothing(void *unused)
{
	return unused;
}

static void *work(void *unused)
{
	uint64_t g[FIBRES] = {0};
	pthread_t t;

	for (unsigned i = 0;; i++) {
		uint64_t task = tprof_task_begin(0, "turn");

		tprof_region_begin(task, "turn");
		tprof_wait_begin(TPROF_MUTEX, &mutex);
		pthread_mutex_lock(&mutex);
		tprof_wait_end(false);
		usleep(50);
		tprof_post(&mutex, false);
		pthread_mutex_unlock(&mutex);
		tprof_syscall_begin(1);
		usleep(i % 100 ? 1 : 20000);
		tprof_syscall_end();
		run_fibres(g, task);
		if (i % 64 == 0 && !tprof_thread_create(&t, NULL, nothing, NULL))
			pthread_detach(t);
		tprof_region_end(task, "turn");
		tprof_task_end(task);
	}
	return unused;
}

static int busy(const char *file, enum tprof_format format)
{
	int code = tprof_trace_to_file(file, format);

	for (int i = 0; !code && i < WORKERS; i++) {
		pthread_t t;

		code = tprof_thread_create(&t, NULL, work, NULL);
	}
	puts("begun");
	fflush(stdout);
	sleep(10);
	_exit(code);
}

static pthread_mutex_t *held;
static atomic_int waiting;

static void *wait_for(void *lock)
{
	const char *const labels[][2] = {{"lock", lock == held ? "held" : "lost"}};

	tprof_set_labels(labels, 1);
	tprof_set_name(labels[0][1]);
	tprof_wait_begin(TPROF_MUTEX, lock);
	atomic_fetch_add(&waiting, 1);
	pthread_mutex_lock(lock);
	tprof_wait_end(false);
	return NULL;
}

static __attribute__((noinline)) pthread_mutex_t *lock_one(bool keep)
{
	pthread_mutex_t *lock = malloc(sizeof(*lock));
	pthread_t t;

	pthread_mutex_init(lock, NULL);
	pthread_mutex_lock(lock);
	if (keep)
		held = lock;
	tprof_thread_create(&t, NULL, wait_for, lock);
	return keep ? lock : NULL;
}

/* Nothing is left there of what is not kept. */
static __attribute__((noinline)) void wipe_stack(void)
{
	char bytes[65536];

	memset(bytes, 0, sizeof(bytes));
	__asm__ volatile("" : : "r"(bytes) : "memory");
}

static int leaks(const char *file)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666), code;

	tprof_set_name("main");
	for (int i = 0; i < LOST; i++)
		lock_one(false);
	lock_one(true);
	while (atomic_load(&waiting) < LOST + 1)
		usleep(1000);
	usleep(200000);
	wipe_stack();
	code = tprof_write_profile("goroutineleak", fd, 0);
	_exit(code);
}

static uint64_t used(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int untold(const char *file, enum tprof_format format)
{
	uint64_t from;
	int code;

	tprof_set_name("untold");
	code = tprof_trace_to_file(file, format);
	from = used();
	for (int i = 1; i <= 3; i++) {
		while (used() - from < (uint64_t)i * 40000000)
			;
		usleep(150000);
	}
	printf("%llu\n", (unsigned long long)(used() - from));
	return code || tprof_trace_stop();
}

int main(int argc, char **argv)
{
	enum tprof_format format =
	    argc > 3 && !strcmp(argv[3], "1.5") ? TPROF_GO_1_5 : TPROF_GO_1_26;

	if (argc > 1 && !strcmp(argv[1], "posts"))
		return posts();
	if (argc > 2 && !strcmp(argv[1], "untold"))
		return untold(argv[2], format);
	if (argc > 2 && !strcmp(argv[1], "calls"))
		return calls(argv[2], format);
	if (argc > 2 && !strcmp(argv[1], "busy"))
		return busy(argv[2], format);
	if (argc > 2 && !strcmp(argv[1], "leaks"))
		return leaks(argv[2]);
	return 2;
}
