/* Does everything that is recorded, all the time: allocates, contends for locks, waits, reads and
 * writes pipes, creates threads.
 *
 *	busy MS [KILL_US]
 *
 * Ends after MS, but not before the file $BUSY_UNTIL exists, if that is set; or is killed (SIGKILL) KILL_US
 * after its beginning. Creates the file $BUSY_BEGUN when all its threads have been created. */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static atomic_int over;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static int pipe_fd[2];

static void nap(long ns)
{
	struct timespec t = {0, ns};

	nanosleep(&t, NULL);
}

static void *allocate(void *arg)
{
	void *kept[64] = {NULL};
	unsigned n = 0;

	while (!atomic_load(&over)) {
		for (int i = 0; i < 2000; i++, n++) {
			kept[n % 64] = realloc(kept[n % 64], 16 + n % 4096);
			if (n % 7 == 0) {
				free(kept[n % 64]);
				kept[n % 64] = calloc(1, 100);
			}
		}
		nap(1000);
	}
	for (int i = 0; i < 64; i++)
		free(kept[i]);
	return arg;
}

static void *fight(void *arg)
{
	while (!atomic_load(&over)) {
		pthread_mutex_lock(&mutex);
		nap(20000);
		pthread_cond_signal(&cond);
		pthread_mutex_unlock(&mutex);
		sem_post(&sem);
	}
	return arg;
}

static void *wait(void *arg)
{
	while (!atomic_load(&over)) {
		struct timespec t;

		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_nsec += 1000000;
		if (t.tv_nsec >= 1000000000) {
			t.tv_nsec -= 1000000000;
			t.tv_sec++;
		}
		pthread_mutex_lock(&mutex);
		pthread_cond_timedwait(&cond, &mutex, &t);
		pthread_mutex_unlock(&mutex);
		sem_timedwait(&sem, &t);
	}
	return arg;
}

static void *read_all(void *arg)
{
	char c[16];

	while (read(pipe_fd[0], c, sizeof(c)) > 0)
		;
	return arg;
}

static void *nothing(void *arg)
{
	free(malloc(1000));
	return arg;
}

static void kill_after(long us)
{
	struct sigevent ev;
	struct itimerspec at = {.it_value = {us / 1000000, us % 1000000 * 1000 + 1}};
	timer_t timer;

	memset(&ev, 0, sizeof(ev));
	ev.sigev_notify = SIGEV_SIGNAL;
	ev.sigev_signo = SIGKILL;
	if (timer_create(CLOCK_MONOTONIC, &ev, &timer) || timer_settime(timer, 0, &at, NULL))
		abort();
}

int main(int argc, char **argv)
{
	static void *(*const body[])(void *) = {allocate, allocate, fight, fight, wait, read_all};
	enum { N = sizeof(body) / sizeof(*body) };
	pthread_t thread[N], one;
	struct timespec now, end;
	long ms = argc > 1 ? atol(argv[1]) : 100;
	const char *begun = getenv("BUSY_BEGUN"), *until = getenv("BUSY_UNTIL");

	if (argc > 2)
		kill_after(atol(argv[2]));
	if (pipe(pipe_fd) || sem_init(&sem, 0, 0))
		return 3;
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += (ms + end.tv_nsec / 1000000) / 1000;
	end.tv_nsec = (ms + end.tv_nsec / 1000000) % 1000 * 1000000;
	for (int i = 0; i < N; i++)
		if (pthread_create(&thread[i], NULL, body[i], NULL))
			return 3;
	if (begun && close(open(begun, O_CREAT | O_WRONLY, 0666)))
		return 3;
	do {
		if (write(pipe_fd[1], "x", 1) != 1 || pthread_create(&one, NULL, nothing, NULL))
			return 3;
		pthread_join(one, NULL);
		nap(200000);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec < end.tv_sec ||
		 (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec) ||
		 (until && access(until, F_OK)));
	atomic_store(&over, 1);
	close(pipe_fd[1]);
	for (int i = 0; i < N; i++)
		pthread_join(thread[i], NULL);
	puts("over");
	return 0;
}
