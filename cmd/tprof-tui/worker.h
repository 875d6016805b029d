/* The worker: a thread with its own handle of the store, which does what takes long while the
 * screen's thread answers keys. A job belongs to a view. A newer job of the same view replaces
 * one that waits; a result that comes too late is dropped. */
#ifndef TUI_WORKER_H
#define TUI_WORKER_H

#include <stdbool.h>

#include "base/err.h"
#include "store/store.h"
#include "tprof-tui/select.h"

struct tui_view;

struct tui_job {
	/* Does the work, on the worker's thread; may use nothing but the job. */
	int (*work)(struct tui_job *job, struct tp_store *store, struct tp_err *err);
	/* Takes the result (job->code, job->err), on the screen's thread. Not called if the view is
	 * closed or has asked for something else since. */
	void (*done)(struct tui_view *view, struct tui_job *job);
	/* Called last, in every case: releases what the job owns beside its selection. NULL:
	 * nothing. */
	void (*release)(struct tui_job *job);
	struct tui_view *view;
	struct tui_select select; /* a copy of the view's; runs outlive the job */
	int code;
	struct tp_err err;
	/* The result is no longer needed: long work checks this now and then, and returns
	 * TP_ECANCEL. */
	_Atomic bool stop;
	/* Any other job, of other views too, ends it without `done`; its view asks again when it is
	 * shown again. */
	bool gives_way;

	/* It is one SQL statement, which is interrupted if the result is no longer needed. */
	bool statement;

	/* private */
	struct tui_worker *worker;
	struct tui_job *next;
	bool dropped;
};

struct tui_worker;

/* Starts a worker for the store at `path`, which is opened when first needed. Returns NULL if
 * memory is out or there is no thread. */
struct tui_worker *tui_worker_new(const char *path);
/* Interrupts the running job, and waits for it. */
void tui_worker_free(struct tui_worker *w);

/* Allocates a struct of `size` bytes whose first member is a struct tui_job: a copy of *how with a copy
 * of the view's selection. The bytes after it are zero. Returns NULL with a message if memory is
 * out. */
void *tui_job_new(struct tui_view *view, size_t size, const struct tui_job *how);
/* Frees a job that has not been handed to the worker. */
void tui_job_free(struct tui_job *job);
/* Hands the job to the worker, which owns it from now on; its view is busy until it comes back. */
void tui_job_ask(struct tui_job *job);
/* Drops the jobs of a view. */
void tui_worker_forget(struct tui_worker *w, const struct tui_view *view);
/* Interrupts the running job, which comes back with TP_ECANCEL, or an error of SQLite. */
void tui_worker_interrupt(struct tui_worker *w);
/* Calls `done` of finished jobs. Returns true if there were any. */
bool tui_worker_take(struct tui_worker *w);
/* Returns whether there are jobs that are not finished or taken. */
bool tui_worker_busy(struct tui_worker *w);

/* A cache for objects that several jobs use, freed before the store is closed. The TUI_MOST_CACHED
 * objects used last are kept. */
#define TUI_MOST_CACHED 3
struct tui_cache_kind {
	/* Makes an object for a job. */
	int (*make)(struct tui_job *job, struct tp_store *store, void **object, struct tp_err *err);
	void (*free)(void *object);
};
/* Finds the object of this kind and key, or makes it. For use by `work`. Takes ownership of the key
 * in every case; NULL: memory is out. Errors of make(). */
int tui_cache_get(struct tui_job *job, struct tp_store *store, const struct tui_cache_kind *kind,
		  char *key, void **object, struct tp_err *err);

#endif
