/* Creates children in every way, and prints how they end.
 *
 *	forks [exec PROGRAM ARGS…]
 *
 * With exec it works a little, with other threads running, and then executes that program. */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int over;

static void *work(void *arg)
{
	for (int go = 1; go;) {
		void *volatile p = malloc(1000);

		free(p);
		pthread_mutex_lock(&mutex);
		go = !over;
		pthread_mutex_unlock(&mutex);
		usleep(100);
	}
	return arg;
}

static void *nothing(void *arg)
{
	free(malloc(100000));
	usleep(1000);
	return arg;
}

static int status_of(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return -1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void children(void)
{
	char *const sh[] = {"sh", "-c", "exit 6", NULL};
	char line[64] = "";
	pthread_t thread;
	FILE *pipe;
	pid_t pid;

	for (int i = 0; i < 5; i++) {
		pid = fork();
		if (!pid) {
			for (int j = 0; j < 1000; j++)
				free(malloc(100));
			if (pthread_create(&thread, NULL, nothing, NULL) ||
			    pthread_join(thread, NULL))
				_exit(99);
			if (i == 2)
				exit(3);
			if (i == 3)
				raise(SIGKILL);
			if (i == 4 && !fork()) {
				/* A grandchild for which its parent does not wait. */
				free(malloc(5000));
				_exit(0);
			}
			_exit(i);
		}
		printf("fork %d: %d\n", i, status_of(pid));
	}
	pid = vfork();
	if (!pid) {
		execv("/bin/sh", sh);
		_exit(127);
	}
	printf("vfork and exec: %d\n", status_of(pid));
	pid = vfork();
	if (!pid)
		_exit(7);
	printf("vfork: %d\n", status_of(pid));
	printf("posix_spawn: %d, ", posix_spawn(&pid, "/bin/sh", NULL, NULL, sh, environ));
	printf("%d\n", status_of(pid));
	printf("system: %d\n", WEXITSTATUS(system("exit 5")));
	pipe = popen("echo of a pipe", "r");
	if (pipe && fgets(line, sizeof(line), pipe))
		printf("popen: %s", line);
	printf("pclose: %d\n", pipe ? pclose(pipe) : -1);
	pid = fork();
	if (!pid) {
		execvp("does-not-exist", sh);
		printf("exec failed, and it goes on\n");
		fflush(stdout);
		free(malloc(1000));
		_exit(8);
	}
	printf("failed exec: %d\n", status_of(pid));
}

int main(int argc, char **argv)
{
	pthread_t thread[3];

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 0; i < 3; i++)
		if (pthread_create(&thread[i], NULL, work, NULL))
			return 3;
	usleep(5000);
	if (argc > 2 && !strcmp(argv[1], "exec")) {
		execvp(argv[2], argv + 2);
		return 127;
	}
	children();
	pthread_mutex_lock(&mutex);
	over = 1;
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	printf("done\n");
	return 0;
}
