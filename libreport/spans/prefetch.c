#include "spans/prefetch.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "base/big.h"

#define SLOTS 3
#define ALONE 2 /* so few blocks are not worth a thread */

struct slot {
	struct tp_event *ev; /* TP_BLOCK_EVENTS of them */
	size_t n;
	int code; /* as tp_events_read returned */
	struct tp_err err;
};

struct rep_prefetch {
	struct tp_event_reader *reader;
	struct slot slot[SLOTS];
	unsigned blocks; /* blocks read before a thread is started */
	bool threaded, failed;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	/* Total numbers of blocks decoded and given back; those between are full. */
	unsigned filled, emptied;
	bool taken; /* the caller has the slot of `emptied` */
	bool stop;
};

int rep_prefetch_open(struct rep_prefetch **out, struct tp_store *s, int64_t run,
		      const struct tp_event_range *range, bool for_spans, struct tp_err *err)
{
	struct rep_prefetch *a = calloc(1, sizeof(*a));
	int code;

	*out = NULL;
	if (!a)
		return tp_nomem(err);
	a->failed = pthread_mutex_init(&a->lock, NULL) != 0;
	if (!a->failed && pthread_cond_init(&a->moved, NULL)) {
		pthread_mutex_destroy(&a->lock);
		a->failed = true;
	}
	/* Threads may share a connection only if SQLite locks it. */
	if (sqlite3_threadsafe() != 1 && !a->failed) {
		pthread_cond_destroy(&a->moved);
		pthread_mutex_destroy(&a->lock);
		a->failed = true;
	}
	code = tp_events_open(&a->reader, s, run, range, err);
	if (code) {
		rep_prefetch_close(a);
		return code;
	}
	if (for_spans)
		tp_events_for_spans(a->reader);
	*out = a;
	return 0;
}

static void fill(struct rep_prefetch *a, struct slot *slot)
{
	if (!slot->ev)
		slot->ev = tp_big_many(TP_BLOCK_EVENTS, sizeof(*slot->ev));
	slot->code = slot->ev ? tp_events_read(a->reader, slot->ev, &slot->n, &slot->err)
			      : tp_nomem(&slot->err);
}

static void *work(void *ctx)
{
	struct rep_prefetch *a = ctx;

	pthread_mutex_lock(&a->lock);
	while (!a->stop) {
		struct slot *slot = &a->slot[a->filled % SLOTS];

		if (a->filled - a->emptied == SLOTS) {
			pthread_cond_wait(&a->moved, &a->lock);
			continue;
		}
		pthread_mutex_unlock(&a->lock);
		fill(a, slot);
		pthread_mutex_lock(&a->lock);
		a->filled++;
		pthread_cond_signal(&a->moved);
		if (slot->code != 1)
			break;
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

static int give(const struct slot *slot, struct tp_event **ev, size_t *n, struct tp_err *err)
{
	*ev = slot->ev;
	*n = slot->code == 1 ? slot->n : 0;
	if (slot->code < 0 && err)
		*err = slot->err;
	return slot->code;
}

int rep_prefetch_next(struct rep_prefetch *a, struct tp_event **ev, size_t *n, struct tp_err *err)
{
	struct slot *slot;

	if (!a->threaded &&
	    (a->failed || a->blocks++ < ALONE || pthread_create(&a->thread, NULL, work, a))) {
		fill(a, &a->slot[0]);
		return give(&a->slot[0], ev, n, err);
	}
	a->threaded = true;
	pthread_mutex_lock(&a->lock);
	if (a->taken) {
		a->emptied++;
		a->taken = false;
		pthread_cond_signal(&a->moved);
	}
	while (a->filled == a->emptied)
		pthread_cond_wait(&a->moved, &a->lock);
	slot = &a->slot[a->emptied % SLOTS];
	/* The end is permanent: another call returns it again. */
	a->taken = slot->code == 1;
	pthread_mutex_unlock(&a->lock);
	return give(slot, ev, n, err);
}

void rep_prefetch_close(struct rep_prefetch *a)
{
	if (!a)
		return;
	if (a->threaded) {
		pthread_mutex_lock(&a->lock);
		a->stop = true;
		pthread_cond_signal(&a->moved);
		pthread_mutex_unlock(&a->lock);
		pthread_join(a->thread, NULL);
	}
	if (!a->failed) {
		pthread_cond_destroy(&a->moved);
		pthread_mutex_destroy(&a->lock);
	}
	for (int i = 0; i < SLOTS; i++)
		free(a->slot[i].ev);
	tp_events_close(a->reader);
	free(a);
}
