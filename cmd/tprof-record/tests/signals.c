/* A signal handler that allocates, takes samples and posts, a thousand times a second, while the
 * threads are in the middle of locks, waits and system calls (never of malloc, which no program may
 * do). Checks facts that must also hold without a recorder, and prints them. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t sem;
static atomic_int handled, over;
static _Thread_local int inside;

static void on_alarm(int sig)
{
	int saved = errno;
	void *p[8];

	(void)sig;
	if (inside++ == 0) {
		for (int i = 0; i < 8; i++)
			p[i] = malloc((size_t)100 << i);
		for (int i = 0; i < 8; i++)
			free(p[i]);
		atomic_fetch_add(&handled, 1);
		sem_post(&sem);
	}
	inside--;
	errno = saved;
}

static long counted;

static void *count(void *arg)
{
	while (!atomic_load(&over)) {
		for (int i = 0; i < 100; i++) {
			pthread_mutex_lock(&mutex);
			counted++;
			pthread_mutex_unlock(&mutex);
		}
		sem_wait(&sem);
	}
	return arg;
}

int main(void)
{
	const struct itimerval every = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
	struct sigaction sa;
	struct timespec t0, t;
	long ms;
	pthread_t thread[2];
	int interrupted = 0;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_alarm;
	sigaction(SIGALRM, &sa, NULL);
	/* Make stdio allocate its buffer before signals come. */
	printf("begin\n");
	fflush(stdout);
	if (sem_init(&sem, 0, 0))
		return 3;
	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, count, NULL))
			return 3;
	setitimer(ITIMER_REAL, &every, NULL);
	clock_gettime(CLOCK_MONOTONIC, &t0);
	do {
		struct timespec nap = {0, 3000000};

		if (nanosleep(&nap, &nap) && errno == EINTR)
			interrupted++;
		clock_gettime(CLOCK_MONOTONIC, &t);
		ms = (t.tv_sec - t0.tv_sec) * 1000 + (t.tv_nsec - t0.tv_nsec) / 1000000;
		/* On a busy machine it takes longer until all of it has happened. */
	} while (ms < 400 || (ms < 40000 && (atomic_load(&handled) <= 20 || !interrupted)));
	setitimer(ITIMER_REAL, &never, NULL);
	atomic_store(&over, 1);
	for (int i = 0; i < 2; i++)
		sem_post(&sem);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	printf("%s, %s, %s\n", atomic_load(&handled) > 20 ? "handled" : "not handled",
	       interrupted ? "interrupted" : "not interrupted", counted ? "counted" : "stuck");
	return 0;
}
