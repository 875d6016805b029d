#include "tprof-web/watch.h"

#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "tprof-web/server.h"

#define EVERY_MS 20 /* how late connections may be noticed that are watched since */

static struct {
	pthread_mutex_t lock;
	pthread_cond_t some;
	struct pollfd connection[WEB_CONNECTIONS];
	atomic_bool *stop[WEB_CONNECTIONS];
	size_t n;
} watched = {.lock = PTHREAD_MUTEX_INITIALIZER, .some = PTHREAD_COND_INITIALIZER};

void web_watch_begin(int connection, atomic_bool *stop)
{
	pthread_mutex_lock(&watched.lock);
	if (watched.n < WEB_CONNECTIONS) {
		watched.connection[watched.n] =
		    (struct pollfd){.fd = connection, .events = POLLRDHUP};
		watched.stop[watched.n++] = stop;
		pthread_cond_signal(&watched.some);
	}
	pthread_mutex_unlock(&watched.lock);
}

void web_watch_end(const atomic_bool *stop)
{
	pthread_mutex_lock(&watched.lock);
	for (size_t i = 0; i < watched.n; i++)
		if (watched.stop[i] == stop) {
			watched.n--;
			watched.stop[i] = watched.stop[watched.n];
			watched.connection[i] = watched.connection[watched.n];
		}
	pthread_mutex_unlock(&watched.lock);
}

/* Sets the flag of a connection that has been closed, if it is still watched. */
static void stop(int connection)
{
	pthread_mutex_lock(&watched.lock);
	for (size_t i = 0; i < watched.n; i++)
		if (watched.connection[i].fd == connection)
			atomic_store(watched.stop[i], true);
	pthread_mutex_unlock(&watched.lock);
}

void web_watch(void)
{
	struct pollfd now[WEB_CONNECTIONS];

	for (;;) {
		size_t n;

		pthread_mutex_lock(&watched.lock);
		while (!watched.n)
			pthread_cond_wait(&watched.some, &watched.lock);
		n = watched.n;
		memcpy(now, watched.connection, n * sizeof(now[0]));
		pthread_mutex_unlock(&watched.lock);
		if (poll(now, n, EVERY_MS) <= 0)
			continue;
		for (size_t i = 0; i < n; i++)
			if (now[i].revents)
				stop(now[i].fd);
	}
}
