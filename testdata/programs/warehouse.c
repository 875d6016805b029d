/* The bookshop's warehouse, in C: four threads pack orders, one counts the stock, and all of them
 * need the shelf. Runs for half a second. Who keeps the packers waiting?
 *
 *	cc -O2 -g -pthread -o warehouse warehouse.c
 *	tprof-record -o run -- ./warehouse
 *	tprof-top run/mutex.pb.gz
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))

enum { PACKERS = 4, BOOKS = 4096, PAGES = 2000 };

static pthread_mutex_t shelf = PTHREAD_MUTEX_INITIALIZER;
static char *book[BOOKS];
static struct timespec end;

static int open_for_business(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec);
}

static void rest(long us)
{
	struct timespec t = {.tv_nsec = us * 1000};

	nanosleep(&t, NULL);
}

NOINLINE static char *new_copy(void)
{
	char *text = malloc(PAGES);

	if (!text)
		abort();
	return memset(text, 'a', PAGES);
}

NOINLINE static int take_book(int n)
{
	int found;

	pthread_mutex_lock(&shelf);
	found = book[n] != NULL;
	free(book[n]);
	book[n] = NULL;
	pthread_mutex_unlock(&shelf);
	return found;
}

/* With the lock in its hand it looks at every book, slowly. */
NOINLINE static int count_stock(void)
{
	int n = 0;

	pthread_mutex_lock(&shelf);
	for (int i = 0; i < BOOKS; i++) {
		if (!book[i])
			book[i] = new_copy();
		n += book[i][0] == 'a';
	}
	rest(4000);
	pthread_mutex_unlock(&shelf);
	return n;
}

static void *packer(void *arg)
{
	unsigned seed = *(unsigned *)arg;

	*(unsigned *)arg = 0;
	while (open_for_business()) {
		*(unsigned *)arg += (unsigned)take_book(rand_r(&seed) % BOOKS);
		rest(200);
	}
	return NULL;
}

static void *auditor(void *arg)
{
	while (open_for_business()) {
		*(int *)arg = count_stock();
		rest(10000);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread[PACKERS + 1];
	unsigned packed[PACKERS]; /* begins as a seed */
	int counted = 0;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_nsec += 500000000;
	end.tv_sec += end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	for (unsigned i = 0; i < PACKERS; i++) {
		packed[i] = i;
		pthread_create(&thread[i], NULL, packer, &packed[i]);
	}
	pthread_create(&thread[PACKERS], NULL, auditor, &counted);
	for (int i = 0; i <= PACKERS; i++)
		pthread_join(thread[i], NULL);
	printf("%d books, %u packed by the first\n", counted, packed[0]);
	return 0;
}
