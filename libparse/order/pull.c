#include "order/pull.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/signals.h"

/* Events per turn of a thread: a turn costs as much as a hundred events. */
#define PULL_EVENTS (16 * TP_BATCH_EVENTS)

struct tp_pull {
	struct tp_input *in;
	struct tp_trace_options opt;
	struct tp_trace *trace;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t turned;
	bool reading; /* whose turn it is: the thread's (true) or the caller's */
	bool started, ended, stop;
	int code; /* of the read that has ended */
	struct tp_err err;
	size_t n;
	struct tp_event ev[PULL_EVENTS];
};

static void turn(struct tp_pull *p, bool reading)
{
	p->reading = reading;
	pthread_cond_signal(&p->turned);
}

static struct tp_event *next_room(void *ctx)
{
	struct tp_pull *p = ctx;

	return p->ev + p->n;
}

static int take(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	struct tp_pull *p = ctx;

	if (ev != p->ev + p->n)
		memcpy(p->ev + p->n, ev, n * sizeof(*ev));
	p->n += n;
	if (p->n + TP_BATCH_EVENTS <= PULL_EVENTS)
		return 0;
	pthread_mutex_lock(&p->lock);
	turn(p, false);
	while (!p->reading)
		pthread_cond_wait(&p->turned, &p->lock);
	pthread_mutex_unlock(&p->lock);
	p->n = 0;
	return p->stop ? tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "stopped") : 0;
}

static void *read_all(void *arg)
{
	struct tp_pull *p = arg;
	struct tp_sink sink = {.events = take, .room = next_room, .ctx = p};

	p->code = tp_trace_read(p->in, &p->opt, p->trace, &sink, &p->err);
	pthread_mutex_lock(&p->lock);
	p->ended = true;
	turn(p, false);
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

int tp_pull_new(struct tp_pull **pull, struct tp_input *in, const struct tp_trace_options *opt,
		struct tp_trace *trace, struct tp_err *err)
{
	struct tp_pull *p = malloc(sizeof(*p));

	*pull = p;
	if (!p)
		return tp_nomem(err);
	memset(p, 0, offsetof(struct tp_pull, ev));
	p->in = in;
	p->opt = *opt;
	p->trace = trace;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->turned, NULL);
	return 0;
}

/* Starts the thread with signals blocked: they are meant for the program's own threads. Exceptions
 * are signals raised by a fault of this thread: if a mapped file becomes shorter, that is SIGBUS,
 * and the program may have a handler for it. */
static int start(struct tp_pull *p)
{
	sigset_t sent, before;
	int error;

	tp_signals_sent(&sent);
	pthread_sigmask(SIG_SETMASK, &sent, &before);
	error = pthread_create(&p->thread, NULL, read_all, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

/* Lets the thread read until a batch is full or the read has ended. Cancelling the caller meanwhile
 * would leave the lock held, so cancellation is deferred. */
static void read_on(struct tp_pull *p)
{
	int cancelling;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
	pthread_mutex_lock(&p->lock);
	turn(p, true);
	if (!p->started && start(p)) {
		p->code = tp_err_set(&p->err, TP_EIO, TP_OFFSET_NONE, "cannot start a thread");
		p->ended = true;
	} else {
		p->started = true;
		while (p->reading)
			pthread_cond_wait(&p->turned, &p->lock);
	}
	pthread_mutex_unlock(&p->lock);
	pthread_setcancelstate(cancelling, NULL);
}

int tp_pull_next(struct tp_pull *p, const struct tp_event **ev, size_t *n, struct tp_err *err)
{
	if (p->ended)
		p->n = 0;
	else
		read_on(p);
	*ev = p->ev;
	*n = p->n;
	if (p->n)
		return 1;
	if (p->code && err)
		*err = p->err;
	return p->code;
}

void tp_pull_free(struct tp_pull *p)
{
	int cancelling;

	if (!p)
		return;
	p->stop = true;
	if (p->started) {
		while (!p->ended)
			read_on(p);
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling);
		pthread_join(p->thread, NULL);
		pthread_setcancelstate(cancelling, NULL);
	}
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->turned);
	free(p);
}
