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
	int code; /* as tp_events_decode returned */
	bool ready;
	struct tp_err err;
};

enum { CALLER, HELPER, NTHREADS };

struct rep_prefetch {
	struct tp_event_reader *reader;
	struct tp_event_block *block[NTHREADS];
	struct slot slot[SLOTS];
	bool threaded, failed;
	pthread_t thread;
	pthread_mutex_t lock; /* of the reader, too */
	pthread_cond_t moved;
	/* Total numbers of blocks that a thread has begun to read, and that were given back. */
	unsigned begun, emptied;
	bool taken; /* the caller has the slot of `emptied` */
	bool stop;  /* no further block is begun */
};

int rep_prefetch_open(struct rep_prefetch **out, struct tp_store *s, int64_t run,
		      const struct tp_event_range *range, const struct tp_event_choice *choice,
		      struct tp_err *err)
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
	tp_events_choose(a->reader, choice);
	*out = a;
	return 0;
}

static void lock(struct rep_prefetch *a)
{
	if (a->threaded)
		pthread_mutex_lock(&a->lock);
}

static void unlock(struct rep_prefetch *a)
{
	if (a->threaded)
		pthread_mutex_unlock(&a->lock);
}

/* Reads the next block. The lock, which is held, is given back while the block is decoded. */
static void fill(struct rep_prefetch *a, int thread)
{
	struct slot *slot = &a->slot[a->begun++ % SLOTS];
	struct tp_event_block **block = &a->block[thread];

	slot->ready = false;
	slot->n = 0;
	if (!*block)
		*block = tp_event_block_new();
	if (!slot->ev)
		slot->ev = tp_big_many(TP_BLOCK_EVENTS, sizeof(*slot->ev));
	slot->code = *block && slot->ev ? tp_events_fetch(a->reader, *block, &slot->err)
					: tp_nomem(&slot->err);
	if (slot->code == 1) {
		unlock(a);
		slot->code = tp_events_decode(a->reader, *block, slot->ev, &slot->n, &slot->err);
		lock(a);
	}
	a->stop = a->stop || slot->code != 1;
	slot->ready = true;
	if (a->threaded)
		pthread_cond_signal(&a->moved);
}

static bool may_fill(const struct rep_prefetch *a)
{
	return !a->stop && a->begun - a->emptied < SLOTS;
}

static void *work(void *ctx)
{
	struct rep_prefetch *a = ctx;

	pthread_mutex_lock(&a->lock);
	while (!a->stop) {
		if (may_fill(a))
			fill(a, HELPER);
		else
			pthread_cond_wait(&a->moved, &a->lock);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

static int give(struct rep_prefetch *a, struct tp_event **ev, size_t *n, struct tp_err *err)
{
	struct slot *slot = &a->slot[a->emptied % SLOTS];

	/* The end is permanent: another call returns it again. */
	a->taken = slot->code == 1;
	*ev = slot->ev;
	*n = slot->code == 1 ? slot->n : 0;
	if (slot->code < 0 && err)
		*err = slot->err;
	return slot->code;
}

/* The caller's thread decodes too instead of waiting. */
int rep_prefetch_next(struct rep_prefetch *a, struct tp_event **ev, size_t *n, struct tp_err *err)
{
	int code;

	if (!a->threaded && !a->failed && a->begun >= ALONE) {
		a->threaded = true;
		if (pthread_create(&a->thread, NULL, work, a))
			a->threaded = false;
	}
	lock(a);
	if (a->taken) {
		a->emptied++;
		a->taken = false;
		if (a->threaded)
			pthread_cond_signal(&a->moved);
	}
	while (a->begun == a->emptied || !a->slot[a->emptied % SLOTS].ready) {
		if (may_fill(a))
			fill(a, CALLER);
		else
			pthread_cond_wait(&a->moved, &a->lock);
	}
	code = give(a, ev, n, err);
	unlock(a);
	return code;
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
	for (int i = 0; i < NTHREADS; i++)
		tp_event_block_free(a->block[i]);
	tp_events_close(a->reader);
	free(a);
}
