#include "order/pipe.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* 48 batches of 64 KiB: deep enough to smooth bursts, small enough to stay in the outer cache. */
#define SLOTS 48
/* Who waits is woken when this many batches can be worked on, not at each: a wake-up costs as much
 * as a few hundred events. */
#define WAKE_SLOTS 12

struct consumer {
	struct tp_pipe *pipe;
	struct tp_sink sink;
	pthread_t thread;
	uint64_t done; /* batches taken */
	bool waiting;
};

struct tp_pipe {
	struct tp_event (*slots)[TP_BATCH_EVENTS];
	size_t used[SLOTS]; /* events in each slot */
	pthread_mutex_t lock;
	pthread_cond_t filled, freed;
	uint64_t put; /* batches published */
	bool closed, producer_waiting, joined;
	int code; /* of the first consumer that failed */
	struct tp_err err;
	struct consumer consumers[TP_PIPE_CONSUMERS];
	size_t nconsumers;
};

static uint64_t slowest(const struct tp_pipe *p)
{
	uint64_t least = p->put;

	for (size_t i = 0; i < p->nconsumers; i++)
		if (p->consumers[i].done < least)
			least = p->consumers[i].done;
	return least;
}

static void *consume(void *arg)
{
	struct consumer *c = arg;
	struct tp_pipe *p = c->pipe;
	struct tp_err err = {.offset = TP_OFFSET_NONE};
	int code = 0;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		uint64_t upto;

		while (c->done == p->put && !p->closed) {
			c->waiting = true;
			pthread_cond_wait(&p->filled, &p->lock);
		}
		c->waiting = false;
		upto = p->put;
		if (c->done == upto)
			break;
		while (c->done < upto) {
			size_t slot = c->done % SLOTS;

			/* After a failure the ring is only drained, so that the producer moves on
			 * to where it learns of it. */
			if (!p->code) {
				pthread_mutex_unlock(&p->lock);
				code = c->sink.events(c->sink.ctx, p->slots[slot], p->used[slot],
						      &err);
				pthread_mutex_lock(&p->lock);
			}
			c->done++;
			if (code && !p->code) {
				p->code = code;
				p->err = err;
			}
			if (p->producer_waiting && p->put - slowest(p) <= SLOTS - WAKE_SLOTS)
				pthread_cond_signal(&p->freed);
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
	bool wake = false;
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
	for (size_t i = 0; i < p->nconsumers; i++)
		wake |= p->consumers[i].waiting && p->put - p->consumers[i].done >= WAKE_SLOTS;
	if (wake)
		pthread_cond_broadcast(&p->filled);
	while (p->put - slowest(p) >= SLOTS && !p->code) {
		p->producer_waiting = true;
		pthread_cond_broadcast(&p->filled);
		pthread_cond_wait(&p->freed, &p->lock);
	}
	p->producer_waiting = false;
	code = p->code;
	if (code && err)
		*err = p->err;
	pthread_mutex_unlock(&p->lock);
	return code;
}

int tp_pipe_new(struct tp_pipe **pipe, const struct tp_sink *consumers, size_t n,
		struct tp_err *err)
{
	struct tp_pipe *p = calloc(1, sizeof(*p));

	*pipe = NULL;
	if (n > TP_PIPE_CONSUMERS || !p) {
		free(p);
		return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
	}
	p->slots = calloc(SLOTS, sizeof(*p->slots));
	if (!p->slots) {
		free(p);
		return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
	}
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->filled, NULL);
	pthread_cond_init(&p->freed, NULL);
	for (size_t i = 0; i < n; i++) {
		struct consumer *c = &p->consumers[i];

		c->pipe = p;
		c->sink = consumers[i];
		if (pthread_create(&c->thread, NULL, consume, c)) {
			tp_pipe_free(p);
			return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot start a thread");
		}
		pthread_mutex_lock(&p->lock);
		p->nconsumers++;
		pthread_mutex_unlock(&p->lock);
	}
	*pipe = p;
	return 0;
}

struct tp_sink tp_pipe_sink(struct tp_pipe *pipe)
{
	return (struct tp_sink){.events = publish, .room = next_room, .ctx = pipe};
}

int tp_pipe_finish(struct tp_pipe *p, struct tp_err *err)
{
	if (!p->joined) {
		pthread_mutex_lock(&p->lock);
		p->closed = true;
		pthread_cond_broadcast(&p->filled);
		pthread_mutex_unlock(&p->lock);
		for (size_t i = 0; i < p->nconsumers; i++)
			pthread_join(p->consumers[i].thread, NULL);
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
