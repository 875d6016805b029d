#include "tprof-tui/worker.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/signals.h"
#include "tprof-tui/tui.h"

struct cached {
	const struct tui_cache_kind *kind;
	char *key;
	void *object;
};

struct tui_worker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t asked;
	char *path;
	struct tp_store *store;
	struct tui_job *waiting, *doing, *ready; /* `ready`: finished jobs, the oldest first */
	bool stop;
	struct cached cached[TUI_MOST_CACHED]; /* the most recently used object first */
	size_t ncached;
};

/* ---- the cache ---- */

static void give_back(struct cached *k)
{
	k->kind->free(k->object);
	free(k->key);
}

int tui_cache_get(struct tui_job *job, struct tp_store *store, const struct tui_cache_kind *kind,
		  char *key, void **object, struct tp_err *err)
{
	struct tui_worker *w = job->worker;
	struct cached k = {kind, key, NULL};
	size_t i = 0;
	int code;

	if (!key)
		return tp_nomem(err);
	while (i < w->ncached && (w->cached[i].kind != kind || strcmp(w->cached[i].key, key) != 0))
		i++;
	if (i < w->ncached) {
		free(key);
		k = w->cached[i];
	} else {
		code = kind->make(job, store, &k.object, err);
		if (code) {
			free(key);
			return code;
		}
		if (i == TUI_MOST_CACHED)
			give_back(&w->cached[--i]);
		w->ncached = i + 1;
	}
	memmove(w->cached + 1, w->cached, i * sizeof(k));
	w->cached[0] = k;
	*object = k.object;
	return 0;
}

/* ---- jobs ---- */

static int work(struct tui_worker *w, struct tui_job *job)
{
	if (!w->store) {
		struct tp_store *store = NULL;
		int code = tp_store_open(&store, w->path, &job->err);

		if (code)
			return code;
		/* stop_doing() reads w->store under the lock. */
		pthread_mutex_lock(&w->lock);
		w->store = store;
		pthread_mutex_unlock(&w->lock);
	}
	return job->work(job, w->store, &job->err);
}

static void append(struct tui_job **list, struct tui_job *job)
{
	while (*list)
		list = &(*list)->next;
	job->next = NULL;
	*list = job;
}

static void *run(void *ctx)
{
	struct tui_worker *w = ctx;

	pthread_mutex_lock(&w->lock);
	while (!w->stop) {
		struct tui_job *job = w->waiting;

		if (!job) {
			pthread_cond_wait(&w->asked, &w->lock);
			continue;
		}
		w->waiting = job->next;
		if (!job->dropped) {
			w->doing = job;
			pthread_mutex_unlock(&w->lock);
			job->code = work(w, job);
			pthread_mutex_lock(&w->lock);
			w->doing = NULL;
		}
		append(&w->ready, job);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* Starts the thread. It blocks signals that are sent to the process: the screen's thread handles them. Its
 * own faults stay unblocked, so their handler can restore the terminal. */
static bool start(struct tui_worker *w)
{
	sigset_t sent, before;
	bool started;

	tp_signals_sent(&sent);
	pthread_sigmask(SIG_SETMASK, &sent, &before);
	started = !pthread_create(&w->thread, NULL, run, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

struct tui_worker *tui_worker_new(const char *path)
{
	struct tui_worker *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->path = strdup(path);
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->asked, NULL);
	if (w->path && start(w))
		return w;
	free(w->path);
	free(w);
	return NULL;
}

void tui_job_free(struct tui_job *job)
{
	if (job->release)
		job->release(job);
	tui_select_release(&job->select);
	free(job);
}

static void release_all(struct tui_job *job)
{
	while (job) {
		struct tui_job *next = job->next;

		tui_job_free(job);
		job = next;
	}
}

/* Asks the running job to stop; with `statement`, also interrupts its SQL statement. The caller holds the
 * lock. */
static void stop_doing(struct tui_worker *w, bool statement)
{
	if (!w->doing)
		return;
	w->doing->stop = true;
	if (statement && w->store)
		tp_store_interrupt(w->store);
}

void tui_worker_free(struct tui_worker *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	/* Stop the job: its result will not be shown, and leaving the program should not wait for it. */
	stop_doing(w, true);
	pthread_cond_signal(&w->asked);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	release_all(w->waiting);
	release_all(w->ready);
	while (w->ncached)
		give_back(&w->cached[--w->ncached]);
	tp_store_close(w->store);
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->asked);
	free(w->path);
	free(w);
}

/* Drops the jobs of a view, whose results are no longer needed. Waiting jobs come back without having been
 * run. The caller holds the lock. */
static void drop(struct tui_worker *w, const struct tui_view *view)
{
	struct tui_job *const lists[] = {w->waiting, w->ready};

	for (size_t i = 0; i < 2; i++)
		for (struct tui_job *job = lists[i]; job; job = job->next)
			job->dropped |= job->view == view;
	if (w->doing && w->doing->view == view) {
		w->doing->dropped = true;
		stop_doing(w, w->doing->statement);
	}
}

/* Stops the running job and its SQL statement, and marks waiting jobs to stop at once. Their results are
 * handed over, so their views report the interruption. */
void tui_worker_interrupt(struct tui_worker *w)
{
	pthread_mutex_lock(&w->lock);
	for (struct tui_job *job = w->waiting; job; job = job->next)
		job->stop = true;
	stop_doing(w, true);
	pthread_mutex_unlock(&w->lock);
}

void tui_worker_forget(struct tui_worker *w, const struct tui_view *view)
{
	pthread_mutex_lock(&w->lock);
	drop(w, view);
	pthread_mutex_unlock(&w->lock);
}

void *tui_job_new(struct tui_view *view, size_t size, const struct tui_job *how)
{
	struct tui_job *job = calloc(1, size);

	if (!job || !tui_select_copy(&job->select, &view->select)) {
		free(job);
		tui_nomem(view->tui);
		return NULL;
	}
	job->work = how->work;
	job->done = how->done;
	job->release = how->release;
	job->gives_way = how->gives_way;
	job->statement = how->statement;
	job->view = view;
	return job;
}

void tui_job_ask(struct tui_job *job)
{
	struct tui_worker *w = job->view->tui->worker;

	job->worker = w;
	job->view->busy = true;
	pthread_mutex_lock(&w->lock);
	drop(w, job->view);
	if (w->doing && w->doing->gives_way)
		w->doing->stop = w->doing->dropped = true;
	append(&w->waiting, job);
	pthread_cond_signal(&w->asked);
	pthread_mutex_unlock(&w->lock);
}

/* Takes one job at a time, since the `done` of a job may close the view of another. */
bool tui_worker_take(struct tui_worker *w)
{
	bool any = false;

	for (;;) {
		struct tui_job *job;

		pthread_mutex_lock(&w->lock);
		job = w->ready;
		if (job)
			w->ready = job->next;
		pthread_mutex_unlock(&w->lock);
		if (!job)
			return any;
		if (!job->dropped) {
			job->view->busy = false;
			job->done(job->view, job);
			any = true;
		}
		tui_job_free(job);
	}
}

bool tui_worker_busy(struct tui_worker *w)
{
	bool busy;

	pthread_mutex_lock(&w->lock);
	busy = w->waiting || w->doing || w->ready;
	pthread_mutex_unlock(&w->lock);
	return busy;
}
