/* What tprof-record records under faults: two threads, of which one waits for a lock, for a signal
 * and for the other's end; some memory stays. It says "done", which tells that it has run. An
 * argument: so many milliseconds longer. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t rung = PTHREAD_COND_INITIALIZER;
static int rings;
static void *volatile kept[64];

static void *ring(void *arg)
{
	pthread_mutex_lock(&lock);
	rings++;
	usleep(500);
	pthread_cond_signal(&rung);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		kept[i] = malloc(100 * (i + 1));
	pthread_mutex_lock(&lock);
	if (pthread_create(&thread, NULL, ring, NULL))
		return 1;
	usleep(500);
	while (!rings)
		pthread_cond_wait(&rung, &lock);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	if (argc > 1)
		usleep((useconds_t)atoi(argv[1]) * 1000);
	puts("done");
	return 0;
}
