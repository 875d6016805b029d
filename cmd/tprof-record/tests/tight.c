/* Memory runs out and becomes available again: under its own limit (RLIMIT_AS, MIB more than it has), main
 * and other threads, one after the other, allocate until an allocation fails, and free. Then prints a line.
 *
 *	tight [MIB] */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define BLOCKS 4096

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int refused;

static void *eat(void *arg)
{
	void *block[BLOCKS];
	int n = 0, no = 0;

	for (size_t size = 1 << 20; size >= 4096; size /= 4)
		for (; n < BLOCKS; n++) {
			block[n] = malloc(size);
			if (!block[n])
				break;
			memset(block[n], 1, 64);
		}
	no = n < BLOCKS;
	while (n)
		free(block[--n]);
	pthread_mutex_lock(&mutex);
	refused += no;
	pthread_mutex_unlock(&mutex);
	return arg;
}

static unsigned long address_space_kib(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	if (f && fscanf(f, "%lu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * ((unsigned long)sysconf(_SC_PAGESIZE) / 1024);
}

int main(int argc, char **argv)
{
	unsigned long mib = argc > 1 ? strtoul(argv[1], NULL, 10) : 48;
	struct rlimit limit;
	pthread_t thread;
	void *p;

	limit.rlim_cur = limit.rlim_max = (address_space_kib() + mib * 1024) * 1024;
	if (setrlimit(RLIMIT_AS, &limit))
		return 3;
	for (int i = 0; i < 4; i++) {
		eat(NULL);
		if (!pthread_create(&thread, NULL, eat, NULL))
			pthread_join(thread, NULL);
	}
	p = malloc(100000);
	printf("%s, and goes on%s\n", refused ? "was refused" : "never refused", p ? "" : " badly");
	free(p);
	return 0;
}
