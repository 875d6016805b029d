/* One thread holds a lock for long, three others for a moment each: nearly all that is waited is
 * the fault of the first (site_slow), though it seldom is the last to let go before somebody gets
 * it.
 *
 *	blame [ROUNDS] */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int over;

static void nap(long us)
{
	struct timespec t = {0, us * 1000};

	nanosleep(&t, NULL);
}

__attribute__((noinline)) static void site_slow(void)
{
	pthread_mutex_lock(&mutex);
	nap(2000);
	pthread_mutex_unlock(&mutex);
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void site_quick(void)
{
	pthread_mutex_lock(&mutex);
	nap(10);
	pthread_mutex_unlock(&mutex);
	__asm__ volatile("" ::: "memory");
}

static void *quick(void *arg)
{
	while (!atomic_load(&over)) {
		site_quick();
		nap(200);
	}
	return arg;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 50;
	pthread_t thread[3];

	for (int i = 0; i < 3; i++)
		if (pthread_create(&thread[i], NULL, quick, NULL))
			return 3;
	for (int i = 0; i < rounds; i++) {
		site_slow();
		nap(2000);
	}
	atomic_store(&over, 1);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
