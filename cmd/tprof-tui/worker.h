/* Work in the background: reports are made on a thread with a handle of its own on the store, while
 * keys are answered. A job belongs to one view; a newer job of a view replaces one that waits, and
 * what comes too late for its view is thrown away. */
#ifndef TUI_WORKER_H
#define TUI_WORKER_H

#include <stdbool.h>

#include "base/err.h"
#include "store/store.h"
#include "tprof-tui/select.h"

struct tui_view;

struct tui_job {
	/* On the worker's thread; touches nothing but the job. */
	int (*work)(struct tui_job *job, struct tp_store *store, struct tp_err *err);
	/* On the screen's thread: what came of it (job->code, job->err). Not called where the view
	 * is gone or has asked for something else since. */
	void (*done)(struct tui_view *view, struct tui_job *job);
	/* In every case, last: gives up what it holds beside its selection. NULL: nothing. */
	void (*release)(struct tui_job *job);
	struct tui_view *view;
	struct tui_select select; /* the view's, as it was: a copy; runs outlive the job */
	int code;
	struct tp_err err;
	/* Nobody waits for it any more: work that takes long looks at this now and then, and ends
	 * with TP_ECANCEL. */
	_Atomic bool stop;
	/* It is ended, without `done`, as soon as anything else is asked for, by other views too:
	 * who asked for it asks again when shown again. */
	bool gives_way;

	/* It is one statement of SQL: when nobody waits for it any more, that is ended. */
	bool statement;

	/* private */
	struct tui_worker *worker;
	struct tui_job *next;
	bool dropped;
};

struct tui_worker;

/* `path` of a store; opened when first needed. NULL: no memory, or no thread. */
struct tui_worker *tui_worker_new(const char *path);
/* Ends what is being done, where that can be ended, and waits for it. */
void tui_worker_free(struct tui_worker *w);

/* A job of `size` bytes, which begins with `how`, on the selection of a view; the rest is zeros. NULL
 * with a message. */
void *tui_job_new(struct tui_view *view, size_t size, const struct tui_job *how);
/* Of one that is not asked for in the end. */
void tui_job_free(struct tui_job *job);
/* Hands the job to the worker, which owns it from now on; its view is busy until it comes back. */
void tui_job_ask(struct tui_job *job);
/* Forgets what a view has asked for. */
void tui_worker_forget(struct tui_worker *w, const struct tui_view *view);
/* Ends what is being done, where that can be ended: it comes back with TP_ECANCEL, or what SQLite
 * has to say. */
void tui_worker_interrupt(struct tui_worker *w);
/* Hands over what is done; true where there was something. */
bool tui_worker_take(struct tui_worker *w);
/* Is something asked for and not handed over yet? */
bool tui_worker_busy(struct tui_worker *w);

/* What jobs keep between them, beside the store and never longer than that: on the worker's thread,
 * from within `work`. `kind` is what gives an object back; those of a kind are told apart by a key.
 * Of all of them the ones that were used last are kept (TUI_MOST_KEPT). */
typedef void (*tui_kept_free)(void *object);
#define TUI_MOST_KEPT 3
/* NULL: it is not there. */
void *tui_keep_find(struct tui_job *job, tui_kept_free kind, const char *key);
/* Takes the object, in every case; may give back one that was kept before. 0 or TP_ENOMEM. */
int tui_keep_put(struct tui_job *job, tui_kept_free kind, const char *key, void *object,
		 struct tp_err *err);

#endif
