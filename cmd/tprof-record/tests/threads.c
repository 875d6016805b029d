/* Threads that are many, cancelled or detached, or that outlive main.
 *
 *	threads many | cancel | outlive | detached */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MANY	  5500
#define AT_A_TIME 20
#define CANCELLED 7

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t sem;
static int pipe_fd[2];
static atomic_int ran, cleaned;

static void *brief(void *arg)
{
	void *volatile p = malloc(64);

	free(p);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	atomic_fetch_add(&ran, 1);
	return arg;
}

static int many(void)
{
	pthread_t thread[AT_A_TIME];

	for (int i = 0; i < MANY / AT_A_TIME; i++) {
		for (int j = 0; j < AT_A_TIME; j++)
			if (pthread_create(&thread[j], NULL, brief, NULL))
				return 3;
		for (int j = 0; j < AT_A_TIME; j++)
			pthread_join(thread[j], NULL);
	}
	printf("%d threads\n", atomic_load(&ran));
	return 0;
}

static void clean(void *locked)
{
	if (locked)
		pthread_mutex_unlock(locked);
	free(malloc(10));
	atomic_fetch_add(&cleaned, 1);
}

static void *to_be_cancelled(void *arg)
{
	long how = (long)arg;
	char c;

	if (!how)
		pthread_mutex_lock(&mutex);
	pthread_cleanup_push(clean, how ? NULL : &mutex);
	for (;;) {
		switch (how) {
		case 0:
			pthread_cond_wait(&cond, &mutex);
			break;
		case 1:
			sem_wait(&sem);
			break;
		case 2:
			(void)!read(pipe_fd[0], &c, 1);
			break;
		case 3:
			sleep(100);
			break;
		case 4:
			pthread_testcancel();
			free(malloc(100));
			break;
		case 5:
			pause();
			break;
		default:
			/* Cancellation may come anywhere; the loop makes no calls that are unsafe then. */
			pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
			for (;;)
				atomic_fetch_add(&ran, 1);
		}
	}
	pthread_cleanup_pop(1);
	return NULL;
}

static int cancel(void)
{
	pthread_t thread[CANCELLED];
	int cancelled = 0;

	if (sem_init(&sem, 0, 0) || pipe(pipe_fd))
		return 3;
	for (int round = 0; round < 20; round++) {
		for (long i = 0; i < CANCELLED; i++)
			if (pthread_create(&thread[i], NULL, to_be_cancelled, (void *)i))
				return 3;
		usleep((useconds_t)(round % 4 * 500));
		for (int i = 0; i < CANCELLED; i++)
			pthread_cancel(thread[i]);
		for (int i = 0; i < CANCELLED; i++) {
			void *result;

			pthread_join(thread[i], &result);
			cancelled += result == PTHREAD_CANCELED;
		}
	}
	/* All of them must have released the lock. */
	printf("%d cancelled, lock %s\n", cancelled,
	       pthread_mutex_trylock(&mutex) ? "held" : "free");
	printf("cleaned %s\n", atomic_load(&cleaned) ? "up" : "nothing");
	return 0;
}

static void *outlives(void *arg)
{
	usleep(30000);
	for (int i = 0; i < 100; i++)
		free(malloc(1000));
	if (arg) {
		printf("main is over, the last thread is not\n");
		fflush(stdout);
		usleep(10000);
	}
	return NULL;
}

static void *for_ever(void *arg)
{
	for (;;) {
		free(malloc(100));
		pthread_rwlock_rdlock(&rwlock);
		pthread_rwlock_unlock(&rwlock);
	}
	return arg;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "many";
	pthread_t thread;

	if (!strcmp(how, "many"))
		return many();
	if (!strcmp(how, "cancel"))
		return cancel();
	if (!strcmp(how, "detached")) {
		for (int i = 0; i < 4; i++) {
			if (pthread_create(&thread, NULL, for_ever, NULL))
				return 3;
			pthread_detach(thread);
		}
		usleep(20000);
		printf("main ends, they do not\n");
		return 0;
	}
	for (long i = 0; i < 3; i++)
		if (pthread_create(&thread, NULL, outlives, (void *)(long)(i == 2)))
			return 3;
	pthread_exit(NULL);
}
