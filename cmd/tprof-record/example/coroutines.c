/* uses: tprof-record
 *
 * A kitchen with its own coroutines: guests order, cooks share one oven. A small scheduler runs
 * them on a few threads, and tells libtprof-record what it does, so that the trace has the
 * coroutines for goroutines, several of them one after the other on each processor.
 *
 *	coroutines [-g GUESTS] [-c COOKS] [-t THREADS] [-r ROUNDS] [-o FOLDER] [-f]
 *	           [-l LOG] [-n TRACES]
 *
 * Leaves trace.out (go 1.26, with -f go 1.5) and heap, block, mutex and goroutine profiles in
 * FOLDER; run by tprof-record(1), the trace is in what that leaves. With -l it also writes down by
 * its own clock what it did, for the tests. With -n it leaves so many traces of 5 ms, trace.1.out
 * and so on, which begin and end in the middle of what it does. Lines of the log:
 *
 *	COROUTINE WHAT BEFORE AFTER        the call of the library's was between these, ns
 *
 * What has to be told is marked with "tprof:" below. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "tprof-record.h"

enum { STACK_SIZE = 128 * 1024, MAX_LOG = 1 << 20 };

static int nguests = 12, ncooks = 4, nthreads = 2, nrounds = 10;
/* Guests do not leave before the last of several traces. */
static atomic_bool traces_to_come;

/* ---- the log ---- */

struct entry {
	uint64_t g, before, after;
	const char *what;
};
static struct entry *entries;
static atomic_uint nentries;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void note(uint64_t g, const char *what, uint64_t before)
{
	unsigned i;

	if (entries && (i = atomic_fetch_add(&nentries, 1)) < MAX_LOG)
		entries[i] = (struct entry){g, before, now(), what};
}

static int by_time(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return x->before < y->before ? -1 : x->before > y->before;
}

static int write_log(const char *path)
{
	FILE *f = fopen(path, "w");
	unsigned n = atomic_load(&nentries);

	if (!f)
		return -1;
	qsort(entries, n, sizeof(*entries), by_time);
	for (unsigned i = 0; i < n; i++)
		fprintf(f, "%" PRIu64 " %s %" PRIu64 " %" PRIu64 "\n", entries[i].g,
			entries[i].what, entries[i].before, entries[i].after);
	return fclose(f);
}

/* ---- the scheduler ---- */

struct coroutine {
	ucontext_t context;
	struct coroutine *next; /* in the queue it is in */
	void (*run)(void *);
	uint64_t g;    /* what the library calls it */
	uint64_t wake; /* when it sleeps */
	void *stack;
	bool over;
};

struct queue {
	struct coroutine *first, **last;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static struct queue runnable = {.last = &runnable.first};
static struct coroutine *sleepers; /* by `wake` */
static int alive;

/* Of each thread. */
static __thread struct coroutine *current;
static __thread ucontext_t scheduler;
/* What the scheduler does once a coroutine has left: before, its context is not saved. */
static __thread pthread_mutex_t *to_unlock;
static __thread bool to_queue;

static void push(struct queue *q, struct coroutine *c)
{
	c->next = NULL;
	*q->last = c;
	q->last = &c->next;
}

static struct coroutine *pop(struct queue *q)
{
	struct coroutine *c = q->first;

	if (c) {
		q->first = c->next;
		if (!q->first)
			q->last = &q->first;
	}
	return c;
}

/* Not inlined: a coroutine may come back on another thread, whose variables these are then. */
static __attribute__((noinline)) struct coroutine *self(void)
{
	return current;
}

static __attribute__((noinline)) void leave(pthread_mutex_t *unlock, bool queue)
{
	struct coroutine *c = current;

	to_unlock = unlock;
	to_queue = queue;
	swapcontext(&c->context, &scheduler);
}

/* Parks the calling coroutine until another calls ready. `held` keeps others from doing that before this one
 * has left its thread. */
static void park(enum tprof_reason reason, const char *what, const void *object,
		 pthread_mutex_t *held)
{
	uint64_t before = now(), g = self()->g;

	tprof_g_block(reason, object); /* tprof: before others can see that it waits */
	note(g, what, before);
	leave(held, false);
}

static void make_runnable(struct coroutine *c)
{
	pthread_mutex_lock(&lock);
	push(&runnable, c);
	tprof_post(&work, false); /* tprof: an idle thread may have work */
	pthread_cond_signal(&work);
	pthread_mutex_unlock(&lock);
}

static void ready(struct coroutine *c)
{
	uint64_t before = now();

	tprof_g_unblock(c->g); /* tprof: before it can run */
	note(c->g, "ready", before);
	make_runnable(c);
}

static void yield(void)
{
	uint64_t before = now(), g = self()->g;

	tprof_g_yield(); /* tprof: */
	note(g, "yield", before);
	leave(NULL, true);
}

static void sleep_us(unsigned us)
{
	struct coroutine *c = self(), **at = &sleepers;

	pthread_mutex_lock(&lock);
	c->wake = now() + us * 1000ull;
	while (*at && (*at)->wake <= c->wake)
		at = &(*at)->next;
	c->next = *at;
	*at = c;
	park(TPROF_SLEEP, "block:sleep", NULL, &lock);
}

static void begin(unsigned high, unsigned low)
{
	void *arg = (void *)((uintptr_t)high << 32 | low);
	uint64_t before;

	self()->run(arg);
	self()->over = true;
	before = now();
	uint64_t g = self()->g;
	tprof_g_end(); /* tprof: */
	note(g, "end", before);
	leave(NULL, false);
}

static void spawn(void (*run)(void *), void *arg, const char *name)
{
	struct coroutine *c = calloc(1, sizeof(*c));
	uint64_t before = now();

	c->run = run;
	c->stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	getcontext(&c->context);
	c->context.uc_stack.ss_sp = c->stack;
	c->context.uc_stack.ss_size = STACK_SIZE;
	makecontext(&c->context, (void (*)(void))begin, 2, (unsigned)((uintptr_t)arg >> 32),
		    (unsigned)(uintptr_t)arg);
	c->g = tprof_g_create(run, name); /* tprof: */
	note(c->g, "create", before);
	alive++;
	push(&runnable, c);
}

static void run_one(struct coroutine *c)
{
	uint64_t before = now();

	current = c;
	tprof_g_start(c->g); /* tprof: what this thread does is the coroutine's now */
	note(c->g, "start", before);
	to_unlock = NULL;
	to_queue = false;
	swapcontext(&scheduler, &c->context);
	current = NULL;
	if (c->over) {
		munmap(c->stack, STACK_SIZE);
		free(c);
		pthread_mutex_lock(&lock);
		if (!--alive)
			pthread_cond_broadcast(&work);
		pthread_mutex_unlock(&lock);
	} else if (to_queue) {
		make_runnable(c);
	}
	if (to_unlock)
		pthread_mutex_unlock(to_unlock);
}

/* The next that can run, or NULL at the end. */
static struct coroutine *next(void)
{
	struct coroutine *c;

	pthread_mutex_lock(&lock);
	while (!(c = pop(&runnable)) && alive) {
		uint64_t t = now();
		struct timespec until;

		if (sleepers && sleepers->wake <= t) {
			c = sleepers;
			sleepers = c->next;
			tprof_g_unblock(c->g); /* tprof: its time has come */
			note(c->g, "ready", t);
			break;
		}
		tprof_wait_begin(TPROF_COND, &work); /* tprof: this thread has nothing to do */
		if (sleepers) {
			until = (struct timespec){(time_t)(sleepers->wake / 1000000000),
						  (long)(sleepers->wake % 1000000000)};
			tprof_wait_end(pthread_cond_clockwait(&work, &lock, CLOCK_MONOTONIC,
							      &until) == ETIMEDOUT);
		} else {
			pthread_cond_wait(&work, &lock);
			tprof_wait_end(false);
		}
	}
	pthread_mutex_unlock(&lock);
	return c;
}

static void *run_thread(void *arg)
{
	struct coroutine *c;

	(void)arg;
	tprof_set_name("scheduler"); /* tprof: */
	while ((c = next()) != NULL)
		run_one(c);
	return NULL;
}

/* ---- what coroutines use: mutexes and channels of their own ---- */

struct co_mutex {
	pthread_mutex_t lock;
	struct queue waiting;
	bool held;
};

static void co_lock(struct co_mutex *m)
{
	pthread_mutex_lock(&m->lock);
	if (!m->held) {
		m->held = true;
		pthread_mutex_unlock(&m->lock);
		return;
	}
	push(&m->waiting, self());
	park(TPROF_MUTEX, "block:sync", m, &m->lock); /* the coroutine that unlocks hands it over */
}

static void co_unlock(struct co_mutex *m)
{
	struct coroutine *c;

	pthread_mutex_lock(&m->lock);
	c = pop(&m->waiting);
	m->held = c;
	pthread_mutex_unlock(&m->lock);
	if (c)
		ready(c);
}

enum { CHANNEL_ROOM = 2 };

struct channel {
	pthread_mutex_t lock;
	struct queue senders, receivers;
	void *item[CHANNEL_ROOM];
	unsigned first, n;
};

#define QUEUE(name)                                                                                \
	{                                                                                          \
		.last = &(name).first                                                              \
	}
#define CHANNEL(name)                                                                              \
	{                                                                                          \
		.lock = PTHREAD_MUTEX_INITIALIZER, .senders = QUEUE((name).senders),               \
		.receivers = QUEUE((name).receivers)                                               \
	}

static void send(struct channel *ch, void *item)
{
	struct coroutine *c;

	pthread_mutex_lock(&ch->lock);
	while (ch->n == CHANNEL_ROOM) {
		push(&ch->senders, self());
		park(TPROF_CHAN_SEND, "block:chan-send", ch, &ch->lock);
		pthread_mutex_lock(&ch->lock);
	}
	ch->item[(ch->first + ch->n++) % CHANNEL_ROOM] = item;
	c = pop(&ch->receivers);
	pthread_mutex_unlock(&ch->lock);
	if (c)
		ready(c);
}

static void *receive(struct channel *ch)
{
	struct coroutine *c;
	void *item;

	pthread_mutex_lock(&ch->lock);
	while (!ch->n) {
		push(&ch->receivers, self());
		park(TPROF_CHAN_RECEIVE, "block:chan-receive", ch, &ch->lock);
		pthread_mutex_lock(&ch->lock);
	}
	item = ch->item[ch->first];
	ch->first = (ch->first + 1) % CHANNEL_ROOM;
	ch->n--;
	c = pop(&ch->senders);
	pthread_mutex_unlock(&ch->lock);
	if (c)
		ready(c);
	return item;
}

/* ---- the kitchen ---- */

struct order {
	struct order *next; /* in the store */
	uint64_t task;
	struct channel *table;
	char dish[64];
};

static struct channel orders = CHANNEL(orders);
static struct co_mutex oven = {.lock = PTHREAD_MUTEX_INITIALIZER, .waiting = QUEUE(oven.waiting)};

/* Orders come from a store of their own, of which malloc knows nothing. */
static struct order store[1024], *free_orders;
static pthread_mutex_t store_lock = PTHREAD_MUTEX_INITIALIZER;
static int used_orders;

static struct order *new_order(void)
{
	struct order *o;

	pthread_mutex_lock(&store_lock);
	o = free_orders;
	if (o)
		free_orders = o->next;
	else if (used_orders < (int)(sizeof(store) / sizeof(store[0])))
		o = &store[used_orders++];
	pthread_mutex_unlock(&store_lock);
	if (!o)
		abort();
	tprof_alloc_typed(o, sizeof(*o), "struct order"); /* tprof: */
	return o;
}

static void free_order(struct order *o)
{
	tprof_free(o); /* tprof: before it can be allocated again */
	pthread_mutex_lock(&store_lock);
	o->next = free_orders;
	free_orders = o;
	pthread_mutex_unlock(&store_lock);
}

static void work_for(unsigned us)
{
	uint64_t until = now() + us * 1000ull;

	while (now() < until)
		;
}

static void bake(struct order *o)
{
	tprof_region_begin(o->task, "bake"); /* tprof: */
	co_lock(&oven);
	work_for(50);
	sleep_us(300);
	co_unlock(&oven);
	tprof_region_end(o->task, "bake"); /* tprof: */
}

static void cook(void *arg)
{
	struct order *o;

	(void)arg;
	while ((o = receive(&orders)) != NULL) {
		work_for(100);
		yield();
		bake(o);
		send(o->table, o);
	}
}

static void guest(void *arg)
{
	struct channel table = CHANNEL(table);
	char number[16];
	const char *const labels[][2] = {{"party", (uintptr_t)arg % 2 ? "lunch" : "dinner"},
					 {"seat", number}};

	snprintf(number, sizeof(number), "%d", (int)(uintptr_t)arg);
	tprof_set_labels(labels, 2); /* tprof: */
	for (int i = 0; i < nrounds || atomic_load(&traces_to_come); i++) {
		struct order *o = new_order();

		o->task = tprof_task_begin(0, "order"); /* tprof: */
		o->table = &table;
		snprintf(o->dish, sizeof(o->dish), "dish %d of guest %s", i, number);
		tprof_log(o->task, "dish", o->dish); /* tprof: */
		send(&orders, o);
		o = receive(&table);
		tprof_task_end(o->task); /* tprof: */
		free_order(o);
		sleep_us(200);
	}
}

static atomic_int hungry;

static void one_guest(void *arg)
{
	guest(arg);
	/* The last one sends the cooks home. */
	if (atomic_fetch_sub(&hungry, 1) == 1)
		for (int i = 0; i < ncooks; i++)
			send(&orders, NULL);
}

/* ---- main ---- */

static int write_profile(const char *folder, const char *name)
{
	char path[4096];
	int fd, code;

	snprintf(path, sizeof(path), "%s/%s.pb.gz", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	code = fd < 0 ? errno : tprof_write_profile(name, fd, 0); /* tprof: */
	if (fd >= 0)
		close(fd);
	if (code)
		fprintf(stderr, "coroutines: %s: %s\n", path, strerror(code));
	return code;
}

static int write_profiles(const char *folder)
{
	int code = write_profile(folder, "heap");

	code = code ? code : write_profile(folder, "block");
	return code ? code : write_profile(folder, "mutex");
}

static int record(const char *folder, int number, enum tprof_format format)
{
	char path[4096];
	int code;

	if (number)
		snprintf(path, sizeof(path), "%s/trace.%d.out", folder, number);
	else
		snprintf(path, sizeof(path), "%s/trace.out", folder);
	code = tprof_trace_to_file(path, format); /* tprof: */
	if (code)
		fprintf(stderr, "coroutines: %s: %s\n", path, strerror(code));
	return code;
}

static int stop(void)
{
	int code = tprof_trace_stop(); /* tprof: */

	if (code)
		fprintf(stderr, "coroutines: the trace is not whole: %s\n", strerror(code));
	return code;
}

int main(int argc, char **argv)
{
	const char *folder = NULL, *log = NULL;
	enum tprof_format format = TPROF_GO_1_26;
	pthread_t thread[64];
	int option, code = 0, ntraces = 0;

	while ((option = getopt(argc, argv, "g:c:t:r:o:fl:n:")) != -1) {
		switch (option) {
		case 'g':
			nguests = atoi(optarg);
			break;
		case 'c':
			ncooks = atoi(optarg);
			break;
		case 't':
			nthreads = atoi(optarg);
			break;
		case 'r':
			nrounds = atoi(optarg);
			break;
		case 'o':
			folder = optarg;
			break;
		case 'f':
			format = TPROF_GO_1_5;
			break;
		case 'l':
			log = optarg;
			break;
		case 'n':
			ntraces = atoi(optarg);
			break;
		default:
			return 2;
		}
	}
	if (nguests < 1 || nguests > 1000 || ncooks < 1 || nthreads < 1 || nthreads > 64 ||
	    nrounds < 1)
		return 2;
	if (log)
		entries = calloc(MAX_LOG, sizeof(*entries));
	if (folder) {
		/* tprof: what is to be recorded */
		tprof_set_heap_rate(1);
		tprof_set_block_rate(1);
		tprof_set_mutex_fraction(1);
		if (!ntraces && record(folder, 0, format))
			return 4;
	}
	atomic_store(&hungry, nguests);
	atomic_store(&traces_to_come, folder && ntraces > 0);
	for (int i = 0; i < ncooks; i++)
		spawn(cook, NULL, "cook");
	for (int i = 0; i < nguests; i++)
		spawn(one_guest, (void *)(uintptr_t)(i + 1), "guest");
	for (int i = 0; i < nthreads; i++)
		tprof_thread_create(&thread[i], NULL, run_thread, NULL); /* tprof: */
	if (folder)
		code = write_profile(folder, "goroutine"); /* while there are some */
	for (int i = 1; folder && i <= ntraces && !code; i++) {
		struct timespec t = {.tv_nsec = 5000000};

		code = record(folder, i, format);
		nanosleep(&t, NULL);
		code = code ? code : stop();
	}
	atomic_store(&traces_to_come, false);
	tprof_wait_begin(TPROF_JOIN, NULL); /* tprof: main waits for the threads */
	for (int i = 0; i < nthreads; i++)
		pthread_join(thread[i], NULL);
	tprof_wait_end(false);
	code = code ? code : stop();
	if (!code && folder)
		code = write_profiles(folder);
	if (log && write_log(log))
		code = 4;
	return code ? 4 : 0;
}
