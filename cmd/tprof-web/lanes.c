/* Opened runs, one request at a time, and reading in advance while there is none. */
#include "tprof-web/lanes.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"
#include "tprof-web/lanes_inside.h"

#define MOST_OPEN                                                                                  \
	8 /* runs at a time, those that timeline/runs.js shows; each has its tables and a cache */
#define MOST_BYTES                                                                                 \
	((size_t)184 << 20) /* in use between requests; the server is to stay below 256 MiB */
#define LEAST_BYTES ((size_t)24 << 20) /* of the cache of the run that is looked at */
#define OTHER_BYTES ((size_t)36 << 20) /* of the caches of the others together */
/* Segments are read in advance only after so long without a request. Reading uses all processors, and a request
 * interrupts it and discards the segment that it is in: while the timeline is moved, it would get nothing done, and
 * slow the page down. */
#define REST_MS 400

struct web_lanes {
	struct tp_store *store;
	struct rep_runs runs;
	struct web_run *open[MOST_OPEN];
	uint64_t now;

	/* Guards all of the above. */
	pthread_mutex_t lock;
	atomic_uint requests;  /* of all kinds, since the beginning */
	atomic_int unanswered; /* requests of all kinds that are in progress */
	atomic_int
	    waiting; /* those that have not had it yet; `served` is signalled when there are no more */
	pthread_cond_t served;
	/* Reads segments in advance while no request is in progress. `halt` interrupts it, and long requests. */
	pthread_t reader;
	bool has_reader;
	int64_t first; /* the run to open before anybody asks */
	pthread_cond_t work;
	atomic_bool halt, end;
	int64_t ahead_from, ahead_to;
};

static const struct {
	const char *what;
	int (*answer)(const struct web_ask *ask, struct tp_err *err);
} answers[] = {
    {"cells", web_answer_cells},   {"rows", web_answer_rows},	  {"marks", web_answer_marks},
    {"tracks", web_answer_tracks}, {"moment", web_answer_moment}, {"chain", web_answer_chain},
    {"stacks", web_answer_stacks}, {"find", web_answer_find},
};

static void close_run(struct web_run *r)
{
	if (!r)
		return;
	rep_lanes_free(r->lanes);
	rep_lane_rows_release(&r->rows);
	rep_filter_release(&r->filter);
	free(r->unfold);
	free(r->cell);
	free(r->goroutine);
	free(r->task);
	free(r->region);
	free(r);
}

/* Closes a run that the server no longer has; requests that use it end with TP_ECANCEL, and the last one closes it. */
static void give_up(struct web_run *r)
{
	if (r && r->users)
		r->closed = true;
	else
		close_run(r);
}

static void *read_ahead(void *ctx);

/* One heap for all threads: each connection has a thread, and what one frees another one is to use. */
static void keep_heap_small(void)
{
#ifdef __GLIBC__
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 8 << 20);
#endif
}

int web_lanes_new(struct web_lanes **lanes, const char *store, int64_t first, struct tp_err *err)
{
	struct web_lanes *l = calloc(1, sizeof(*l));
	int code;

	*lanes = NULL;
	if (!l)
		return tp_nomem(err);
	keep_heap_small();
	l->first = first;
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->work, NULL);
	pthread_cond_init(&l->served, NULL);
	code = tp_store_open(&l->store, store, err);
	if (!code)
		code = rep_runs_load(l->store, &l->runs, err);
	if (code) {
		web_lanes_free(l);
		return code;
	}
	l->has_reader = !pthread_create(&l->reader, NULL, read_ahead, l);
	*lanes = l;
	return 0;
}

void web_lanes_free(struct web_lanes *l)
{
	if (!l)
		return;
	atomic_store(&l->end, true);
	atomic_store(&l->halt, true);
	if (l->has_reader) {
		pthread_mutex_lock(&l->lock);
		pthread_cond_signal(&l->work);
		pthread_mutex_unlock(&l->lock);
		pthread_join(l->reader, NULL);
	}
	for (size_t i = 0; i < MOST_OPEN; i++)
		close_run(l->open[i]);
	rep_runs_release(&l->runs);
	if (l->store)
		tp_store_close(l->store);
	pthread_cond_destroy(&l->work);
	pthread_cond_destroy(&l->served);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

/* ---- runs ---- */

static const char *given(const struct web_query *q, const char *name)
{
	const char *text = web_query_get(q, name);

	return text ? text : "";
}

static bool is_open(const struct web_run *r, const struct rep_run *run, const struct web_query *q)
{
	return r && r->run == run && !strcmp(r->goroutine, given(q, "goroutine")) &&
	       !strcmp(r->task, given(q, "task")) && !strcmp(r->region, given(q, "region"));
}

static int open_run(struct web_lanes *l, struct web_run *r, const struct web_query *q,
		    struct tp_err *err)
{
	struct rep_filter_text text = {0};
	int code;

	r->goroutine = strdup(given(q, "goroutine"));
	r->task = strdup(given(q, "task"));
	r->region = strdup(given(q, "region"));
	if (!r->goroutine || !r->task || !r->region)
		return tp_nomem(err);
	text.goroutine = *r->goroutine ? r->goroutine : NULL;
	text.task = *r->task ? r->task : NULL;
	text.region = *r->region ? r->region : NULL;
	code = rep_filter_init(&r->filter, &text, err);
	if (!code)
		code = rep_lanes_new(&r->lanes, l->store, r->run, &r->filter, err);
	if (!code)
		rep_lanes_limit(r->lanes, LEAST_BYTES);
	return code;
}

/* Lets the caches have what the tables leave of the server's memory. */
static void share_memory(const struct web_lanes *l, const struct web_run *shown)
{
	size_t used = 0, room = LEAST_BYTES, others = 0;

#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
	struct mallinfo2 info = mallinfo2();

	used = info.uordblks + info.hblkhd;
#else
	used = MOST_BYTES / 2;
#endif
	for (size_t i = 0; i < MOST_OPEN; i++)
		others += l->open[i] && l->open[i] != shown;
	for (size_t i = 0; i < MOST_OPEN; i++) {
		if (!l->open[i])
			continue;
		if (l->open[i] != shown)
			rep_lanes_limit(l->open[i]->lanes, OTHER_BYTES / others);
		else if (used > rep_lanes_cached(shown->lanes))
			used -= rep_lanes_cached(shown->lanes);
	}
	if (used < MOST_BYTES && MOST_BYTES - used > room)
		room = MOST_BYTES - used;
	rep_lanes_limit(shown->lanes, room);
}

static const struct rep_run *run_of(const struct rep_runs *runs, int64_t id)
{
	const struct rep_run *run = NULL;

	for (size_t i = 0; i < runs->n; i++)
		run = runs->run[i].row.id == id ? &runs->run[i] : run;
	return run;
}

/* Returns a run of the store, also one that was added after the server began; NULL. */
static const struct rep_run *look_up(struct web_lanes *l, int64_t id)
{
	const struct rep_run *run = run_of(&l->runs, id);
	struct rep_runs now = {0};
	struct tp_err unused;

	if (run)
		return run;
	if (!rep_runs_load(l->store, &now, &unused) && run_of(&now, id)) {
		for (size_t i = 0; i < MOST_OPEN; i++) {
			give_up(l->open[i]); /* its run is one of the old list */
			l->open[i] = NULL;
		}
		rep_runs_release(&l->runs);
		l->runs = now;
		return run_of(&l->runs, id);
	}
	rep_runs_release(&now);
	return NULL;
}

/* Returns whether `a` is to be closed rather than `b`; either may be NULL, a free place. */
static bool is_older(const struct web_run *a, const struct web_run *b)
{
	if (!a || !b)
		return !a && b;
	return !a->users != !b->users ? !a->users : a->used < b->used;
}

/* Finds or opens the run of a request, in place of the one that was used longest ago, if possible one that no
 * request uses. */
static int find_run(struct web_lanes *l, const struct web_query *q, struct web_run **out,
		    struct tp_err *err)
{
	const struct rep_run *run;
	struct web_run **at = &l->open[0], *r;
	int64_t id;
	int code = web_number(q, "run", l->first, 0, INT64_MAX, &id, err);

	if (code)
		return code;
	run = look_up(l, id);
	if (!run)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE, "the store has no such run");
	for (size_t i = 0; i < MOST_OPEN; i++) {
		if (is_open(l->open[i], run, q)) {
			at = &l->open[i];
			break;
		}
		if (is_older(l->open[i], *at))
			at = &l->open[i];
	}
	if (!is_open(*at, run, q)) {
		r = calloc(1, sizeof(*r));
		if (!r)
			return tp_nomem(err);
		r->run = run;
		code = open_run(l, r, q, err);
		if (code) {
			close_run(r);
			return code;
		}
		give_up(*at);
		*at = r;
	}
	*out = *at;
	(*out)->used = ++l->now;
	share_memory(l, *out);
	return 0;
}

/* ---- reading in advance ---- */

static struct web_run *latest(const struct web_lanes *l)
{
	struct web_run *r = NULL;

	for (size_t i = 0; i < MOST_OPEN; i++) {
		if (l->open[i] && (!r || l->open[i]->used > r->used))
			r = l->open[i];
	}
	return r;
}

/* Reads more of a run: what marks need, then segments. */
static int read_more(struct web_lanes *l, struct web_run *r)
{
	struct tp_err err;
	int code = rep_lanes_marks_ready(r->lanes, &l->halt, &err);

	if (!code) {
		share_memory(l, r);
		code = rep_lanes_ahead(r->lanes, l->ahead_from, l->ahead_to, &l->halt, &err);
	}
#ifdef __GLIBC__
	if (code != TP_ECANCEL) /* TP_ECANCEL: a request waits */
		malloc_trim(0); /* of what reading needed for a while */
#endif
	return code;
}

/* Waits until no request has come or been in progress for REST_MS. */
static void rest(struct web_lanes *l)
{
	struct timespec until;
	unsigned before;

	do {
		before = atomic_load(&l->requests);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += REST_MS * 1000000L;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		while (!atomic_load(&l->end) && !pthread_cond_timedwait(&l->work, &l->lock, &until))
			;
	} while (!atomic_load(&l->end) &&
		 (before != atomic_load(&l->requests) || atomic_load(&l->unanswered)));
}

/* Opens the run and draws some picture of it, so that the first one that is asked for finds its memory: the browser
 * needs longer to start. */
static void draw_first(struct web_lanes *l)
{
	struct web_query query = {.n = 3,
				  .pair = {{"cols", "1200"}, {"rows", "30"}, {"coarse", "1"}}};
	struct tp_buf out = {0};
	struct tp_err unused;
	const char *type;

	(void)web_lanes_answer(l, "cells", &query, &out, &type, NULL, &unused);
	tp_buf_release(&out);
}

static void *read_ahead(void *ctx)
{
	struct web_lanes *l = ctx;

	draw_first(l);
	pthread_mutex_lock(&l->lock);
	rest(l);
	while (!atomic_load(&l->end)) {
		struct web_run *r = latest(l);

		if (!r || r->read_ahead) {
			pthread_cond_wait(&l->work, &l->lock);
			rest(l);
			continue;
		}
		atomic_store(&l->halt, false);
		/* A request that came after rest() may have set `halt` before that; it is counted first.
		 * Errors are those of the requests that need the segments. */
		if (!atomic_load(&l->unanswered) && !atomic_load(&l->end))
			r->read_ahead = read_more(l, r) != TP_ECANCEL;
		if (!r->read_ahead)
			rest(l);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

/* ---- long requests ---- */

int web_lanes_let(const struct web_ask *ask, struct tp_err *err)
{
	struct web_lanes *l = ask->lanes;

	do {
		while (atomic_load(&l->waiting))
			pthread_cond_wait(&l->served, &l->lock);
		atomic_store(&l->halt, false);
		/* A request that came meanwhile may have set `halt` before that. */
	} while (atomic_load(&l->waiting));
	if (ask->stop && atomic_load(ask->stop))
		return tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "nobody waits for the answer");
	if (ask->run->closed)
		return tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE,
				  "the run was closed, as others were opened; ask again");
	return web_rows_list(ask, err);
}

int web_lanes_draw(const struct web_ask *ask, struct rep_picture *p, size_t first,
		   struct tp_err *err)
{
	int code;

	/* What was read before others were let in is kept. */
	do {
		code = web_lanes_let(ask, err);
		if (code)
			return code;
		share_memory(ask->lanes, ask->run);
		p->row = ask->run->rows.row ? ask->run->rows.row + first : NULL;
		code = rep_lanes_draw(ask->run->lanes, p, &ask->lanes->halt, err);
	} while (code == TP_ECANCEL);
	return code;
}

/* ---- requests ---- */

void web_lanes_begin(struct web_lanes *l)
{
	atomic_fetch_add(&l->requests, 1);
	atomic_fetch_add(&l->unanswered, 1);
	atomic_store(&l->halt, true);
}

void web_lanes_end(struct web_lanes *l)
{
	atomic_fetch_sub(&l->unanswered, 1);
}

/* Remembers the window as the one whose surroundings are likely to be asked for next. */
static void want_ahead(struct web_lanes *l, const struct web_ask *ask)
{
	struct web_window w;
	struct tp_err err;

	if (web_query_get(ask->query, "cols") && !web_window_read(ask, &w, &err)) {
		l->ahead_from = w.from;
		l->ahead_to = w.from + w.step * w.cols;
	}
}

int web_lanes_answer(struct web_lanes *l, const char *what, const struct web_query *query,
		     struct tp_buf *out, const char **type, const atomic_bool *stop,
		     struct tp_err *err)
{
	struct web_ask ask = {
	    .lanes = l, .store = l->store, .query = query, .out = out, .type = type, .stop = stop};
	size_t i = 0;
	int code;

	while (i < sizeof(answers) / sizeof(*answers) && strcmp(answers[i].what, what) != 0)
		i++;
	if (i == sizeof(answers) / sizeof(*answers))
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "there is no timeline data '%.40s'", what);
	atomic_fetch_add(&l->waiting, 1);
	atomic_store(&l->halt, true);
	pthread_mutex_lock(&l->lock);
	atomic_fetch_sub(&l->waiting, 1);
	*type = "application/json";
	if (stop && atomic_load(stop))
		code = tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "nobody waits for the answer");
	else
		code = find_run(l, query, &ask.run, err);
	if (!code) {
		ask.run->users++;
		code = answers[i].answer(&ask, err);
		if (!--ask.run->users && ask.run->closed)
			close_run(ask.run);
	}
	if (!code && out->failed)
		code = tp_nomem(err);
	if (!code)
		want_ahead(l, &ask);
	if (!atomic_load(&l->waiting))
		pthread_cond_broadcast(&l->served);
	pthread_cond_signal(&l->work);
	pthread_mutex_unlock(&l->lock);
	return code;
}
