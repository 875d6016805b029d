/* A pantry, whose heap jemalloc profiles: three cooks in turn put up jars of a size of their own and
 * eat a third of them, so the sizes that one stack allocates differ from thread to thread. The main
 * thread has a shelf made for each.
 *
 *	cc -O1 -g -no-pie -pthread -o /app/pantry pantry.c
 *	MALLOC_CONF=prof:true,prof_final:true,lg_prof_sample:12 LD_PRELOAD=libjemalloc.so.2 /app/pantry
 *
 * In use at the end: threads 1 to 3 have 400 jars each, of 200, 2,000 and 20,000 bytes; thread 0 has
 * 3 shelves of 4,800 bytes. With prof_accum:true what was allocated is 600 jars each.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

enum { COOKS = 3, JARS = 600 };

static char **shelf[COOKS];

static NOINLINE char *put_up(size_t size)
{
	char *jar = malloc(size);

	memset(jar, 'j', size);
	return jar;
}

static NOINLINE void eat(char **jar)
{
	free(*jar);
	*jar = NULL;
}

static void *cook(void *arg)
{
	char ***mine = arg;
	size_t size = 200;

	for (long i = mine - shelf; i; i--)
		size *= 10;
	for (int i = 0; i < JARS; i++)
		(*mine)[i] = put_up(size);
	for (int i = 0; i < JARS; i += 3)
		eat(&(*mine)[i]);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	for (int i = 0; i < COOKS; i++) {
		shelf[i] = malloc(JARS * sizeof(*shelf[i]));
		pthread_create(&thread, NULL, cook, &shelf[i]);
		pthread_join(thread, NULL);
	}
	return 0;
}
