/* The worker: a thread with its own handle of the store, which does long work while the screen's thread
 * responds to keys. A job belongs to a view. A newer job of the same view replaces it, wherever it is:
 * waiting, running or finished. */
#ifndef TUI_WORKER_H
#define TUI_WORKER_H

#include <stdbool.h>

#include "base/err.h"
#include "store/store.h"
#include "tprof-tui/select.h"

struct tui_view;

struct tui_job {
	/* Does the work, on the worker's thread. It may use only the job and the store. */
	int (*work)(struct tui_job *job, struct tp_store *store, struct tp_err *err);
	/* Takes the result (job->code, job->err), on the screen's thread. It is not called if the view
	 * was closed or has started another job since. */
	void (*done)(struct tui_view *view, struct tui_job *job);
	/* Called last, in every case: releases what the job owns besides its selection. NULL: it owns
	 * nothing else. */
	void (*release)(struct tui_job *job);
	struct tui_view *view;
	struct tui_select select; /* a copy of the view's; runs outlive the job */
	int code;
	struct tp_err err;
	/* The result is no longer needed. Long work checks this from time to time and returns
	 * TP_ECANCEL. */
	_Atomic bool stop;
	/* Any new job, also of another view, stops it without calling `done`. Its view asks again when
	 * it is shown again. */
	bool gives_way;

	/* The job is one SQL statement, which is interrupted if the result is no longer needed. */
	bool statement;

	/* private */
	struct tui_worker *worker;
	struct tui_job *next;
	bool dropped;
};

struct tui_worker;

/* Starts a worker for the store at `path`, which it opens for its first job. Returns NULL if memory is
 * out or no thread can be started. */
struct tui_worker *tui_worker_new(const char *path);
/* Stops the running job, waits for it, and frees the worker with its jobs and its cache. */
void tui_worker_free(struct tui_worker *w);

/* Allocates a struct of `size` bytes whose first member is a struct tui_job: a copy of *how with a copy
 * of the view's selection. The bytes after it are zero. Returns NULL with a message if memory is
 * out. */
void *tui_job_new(struct tui_view *view, size_t size, const struct tui_job *how);
/* Frees a job that has not been handed to the worker. */
void tui_job_free(struct tui_job *job);
/* Hands the job to the worker, which owns it from now on, and drops earlier jobs of its view. The view is
 * busy until the result is taken. */
void tui_job_ask(struct tui_job *job);
/* Drops the jobs of a view. */
void tui_worker_forget(struct tui_worker *w, const struct tui_view *view);
/* Interrupts the running job, which then finishes with TP_ECANCEL or an error of SQLite, and stops waiting
 * ones. */
void tui_worker_interrupt(struct tui_worker *w);
/* Calls `done` of finished jobs. Returns true if there were any. */
bool tui_worker_take(struct tui_worker *w);
/* Returns whether any job is waiting, running, or finished but not taken. */
bool tui_worker_busy(struct tui_worker *w);

/* A cache for objects that several jobs use. It keeps the TUI_MOST_CACHED most recently used objects, and
 * is freed before the store is closed. */
#define TUI_MOST_CACHED 3
struct tui_cache_kind {
	/* Makes an object for a job. */
	int (*make)(struct tui_job *job, struct tp_store *store, void **object, struct tp_err *err);
	void (*free)(void *object);
};
/* Finds the object of this kind and key, or makes it; for use by tui_job.work. The cache owns the object.
 * Takes ownership of the key in every case; a NULL key means that memory is out. Returns 0, TP_ENOMEM or
 * an error of make(). */
int tui_cache_get(struct tui_job *job, struct tp_store *store, const struct tui_cache_kind *kind,
		  char *key, void **object, struct tp_err *err);

#endif
