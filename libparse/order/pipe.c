#include "order/pipe.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/big.h"

/* 64 batches of 64 KiB: deep enough to smooth bursts, small enough to stay in the outer cache. */
#define SLOTS 64
/* Batches that a thread takes for one consumer before it looks for the one furthest behind. Staying
 * with a consumer keeps its data in the processor's cache. */
#define CHUNK 16

struct consumer {
	struct tp_sink sink;
	uint64_t done; /* batches taken */
	bool busy;     /* a thread is working for it */
};

struct tp_pipe {
	struct tp_event (*slots)[TP_BATCH_EVENTS];
	size_t used[SLOTS]; /* events in each slot */
	pthread_mutex_t lock;
	pthread_cond_t filled, freed;
	uint64_t put;	  /* batches published */
	unsigned waiting; /* threads that wait for a batch */
	bool closed, producer_waiting, joined;
	int code; /* of the first consumer that failed */
	struct tp_err err;
	struct consumer consumers[TP_PIPE_CONSUMERS];
	size_t nconsumers;
	pthread_t threads[TP_PIPE_CONSUMERS];
	size_t nthreads;
};

static bool full(const struct tp_pipe *p)
{
	for (size_t i = 0; i < p->nconsumers; i++)
		if (p->put - p->consumers[i].done >= SLOTS)
			return true;
	return false;
}

/* Returns the consumer that is furthest behind among those that have batches waiting and no thread;
 * or NULL. */
static struct consumer *furthest_behind(struct tp_pipe *p)
{
	struct consumer *least = NULL;

	for (size_t i = 0; i < p->nconsumers; i++) {
		struct consumer *c = &p->consumers[i];

		if (!c->busy && c->done < p->put && (!least || c->done < least->done))
			least = c;
	}
	return least;
}

/* Takes up to CHUNK batches for c. The lock is held on entry and on return, not in between. */
static void work(struct tp_pipe *p, struct consumer *c)
{
	c->busy = true;
	for (int i = 0; i < CHUNK && c->done < p->put; i++) {
		struct tp_err err = {.offset = TP_OFFSET_NONE};
		size_t slot = c->done % SLOTS;
		int code = 0;

		/* After a failure the ring is only drained, so that the producer can go on to where
		 * it learns of the failure. */
		if (!p->code) {
			pthread_mutex_unlock(&p->lock);
			code = c->sink.events(c->sink.ctx, p->slots[slot], p->used[slot], &err);
			pthread_mutex_lock(&p->lock);
		}
		c->done++;
		if (code && !p->code) {
			p->code = code;
			p->err = err;
		}
		if (p->producer_waiting && !full(p))
			pthread_cond_signal(&p->freed);
	}
	c->busy = false;
	if (p->waiting && c->done < p->put)
		pthread_cond_signal(&p->filled);
}

static void *run_thread(void *arg)
{
	struct tp_pipe *p = arg;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		struct consumer *c = furthest_behind(p);

		if (c) {
			work(p, c);
		} else if (p->closed) {
			/* Every consumer with batches waiting has a thread already. */
			break;
		} else {
			p->waiting++;
			pthread_cond_wait(&p->filled, &p->lock);
			p->waiting--;
		}
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* The slot being filled is free: at most SLOTS - 1 batches are published and not yet taken. */
static struct tp_event *next_room(void *ctx)
{
	struct tp_pipe *p = ctx;

	return p->slots[p->put % SLOTS];
}

static int publish(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	struct tp_pipe *p = ctx;
	size_t slot = p->put % SLOTS;
	int code;

	if (!n)
		return 0;
	if (n > TP_BATCH_EVENTS)
		return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE, "a batch of %zu events", n);
	if (ev != p->slots[slot])
		memcpy(p->slots[slot], ev, n * sizeof(*ev));
	pthread_mutex_lock(&p->lock);
	p->used[slot] = n;
	p->put++;
	if (p->waiting)
		pthread_cond_signal(&p->filled);
	while (full(p) && !p->code) {
		struct consumer *c = furthest_behind(p);

		if (c) {
			work(p, c);
			continue;
		}
		p->producer_waiting = true;
		pthread_cond_wait(&p->freed, &p->lock);
		p->producer_waiting = false;
	}
	code = p->code;
	if (code && err)
		*err = p->err;
	pthread_mutex_unlock(&p->lock);
	return code;
}

int tp_pipe_new(struct tp_pipe **pipe, const struct tp_sink *consumers, size_t n, size_t threads,
		struct tp_err *err)
{
	struct tp_pipe *p = calloc(1, sizeof(*p));

	*pipe = NULL;
	if (n > TP_PIPE_CONSUMERS || !p) {
		free(p);
		return tp_nomem(err);
	}
	p->slots = tp_big_alloc(SLOTS * sizeof(*p->slots));
	if (!p->slots) {
		free(p);
		return tp_nomem(err);
	}
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->filled, NULL);
	pthread_cond_init(&p->freed, NULL);
	for (size_t i = 0; i < n; i++)
		p->consumers[i].sink = consumers[i];
	p->nconsumers = n;
	while (p->nthreads < threads && p->nthreads < n &&
	       !pthread_create(&p->threads[p->nthreads], NULL, run_thread, p))
		p->nthreads++;
	*pipe = p;
	return 0;
}

struct tp_sink tp_pipe_sink(struct tp_pipe *pipe)
{
	return (struct tp_sink){.events = publish, .room = next_room, .ctx = pipe};
}

int tp_pipe_finish(struct tp_pipe *p, struct tp_err *err)
{
	struct consumer *c;

	if (!p->joined) {
		pthread_mutex_lock(&p->lock);
		p->closed = true;
		pthread_cond_broadcast(&p->filled);
		while ((c = furthest_behind(p)))
			work(p, c);
		pthread_mutex_unlock(&p->lock);
		for (size_t i = 0; i < p->nthreads; i++)
			pthread_join(p->threads[i], NULL);
		p->joined = true;
	}
	if (p->code && err)
		*err = p->err;
	return p->code;
}

void tp_pipe_free(struct tp_pipe *p)
{
	if (!p)
		return;
	tp_pipe_finish(p, NULL);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->filled);
	pthread_cond_destroy(&p->freed);
	free(p->slots);
	free(p);
}
