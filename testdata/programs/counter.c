/* A bookshop's counter, in C: two assistants hand each other the till. Few events, for a trace of
 * go 1.5 that is small; who waits does so in a function that is inlined.
 *
 *	cc -O2 -g -pthread -o counter counter.c
 *	tprof-record -o run --trace --trace-format=1.5 -- ./counter
 *	tprof-top run/trace.out block
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t till = PTHREAD_MUTEX_INITIALIZER;
static int sold;

static inline __attribute__((always_inline)) void take_till(void)
{
	pthread_mutex_lock(&till);
	sold++;
}

static __attribute__((noinline)) void sell(void)
{
	struct timespec a_while = {.tv_nsec = 3000000};

	take_till();
	nanosleep(&a_while, NULL);
	pthread_mutex_unlock(&till);
}

static void *assist(void *arg)
{
	for (int i = 0; i < 4; i++)
		sell();
	return arg;
}

int main(void)
{
	pthread_t other;

	if (pthread_create(&other, NULL, assist, NULL))
		return 1;
	assist(NULL);
	pthread_join(other, NULL);
	return sold != 8;
}
