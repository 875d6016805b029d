/* Works a little, then ends in the given way.
 *
 *	die segv | abort | kill | trap | _exit | quick_exit | exit_group | return [STATUS]
 *
 * Meanwhile another thread waits and a third allocates. Its earlier output must not be lost. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t never, begun;
static int *volatile nowhere;

static void *waits(void *arg)
{
	sem_post(&begun);
	sem_wait(&never);
	return arg;
}

static void *allocates(void *arg)
{
	sem_post(&begun);
	for (;;) {
		char *volatile p = malloc(100);

		free(p);
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	return arg;
}

static void at_exit(void)
{
	printf("at exit\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "return";
	int status = argc > 2 ? atoi(argv[2]) : 0;
	const struct rlimit none = {0, 0};
	pthread_t thread;

	setrlimit(RLIMIT_CORE, &none);
	atexit(at_exit);
	if (pthread_create(&thread, NULL, waits, NULL) ||
	    pthread_create(&thread, NULL, allocates, NULL))
		return 3;
	sem_wait(&begun);
	sem_wait(&begun);
	usleep(20000);
	printf("about to %s\n", how);
	fprintf(stderr, "on standard error\n");
	fflush(stdout);
	if (!strcmp(how, "segv"))
		*nowhere = 1;
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "trap"))
		__builtin_trap();
	if (!strcmp(how, "_exit"))
		_exit(status);
	if (!strcmp(how, "quick_exit"))
		quick_exit(status);
	if (!strcmp(how, "exit_group"))
		syscall(SYS_exit_group, status);
	return status;
}
