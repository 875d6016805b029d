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

/* Sets the flags of connections that have been closed. They are polled with the lock held, which keeps them
 * open: what was found without it may be another connection by now, with the same number. */
static void stop_closed(void)
{
	pthread_mutex_lock(&watched.lock);
	if (poll(watched.connection, watched.n, 0) > 0)
		for (size_t i = 0; i < watched.n; i++)
			if (watched.connection[i].fd >= 0 && watched.connection[i].revents) {
				atomic_store(watched.stop[i], true);
				/* Once is enough, also if the work goes on for a while. */
				watched.connection[i].fd = -1;
			}
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
		if (poll(now, n, EVERY_MS) > 0)
			stop_closed();
	}
}
