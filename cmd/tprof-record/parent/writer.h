/* The thread that writes files, one image after the other, while other images are still drained. So
 * conversion never delays a program, and takes memory for one image only. */
#ifndef RECORD_PARENT_WRITER_H
#define RECORD_PARENT_WRITER_H

#include <pthread.h>
#include <stdbool.h>

#include "tprof-record/parent/dump.h"
#include "tprof-record/parent/image.h"
#include "tprof-record/parent/request.h"

/* A job, and its result. */
struct rec_job {
	struct rec_job *next;
	struct rec_image *image;
	bool final;   /* the image was halted; this is its last job */
	int client;   /* the connection that asked for the snapshot, or -1 */
	bool is_last; /* the last one that this client waits for */
	struct rec_dump dump;
};

/* Begins with zeros. */
struct rec_writer {
	const struct rec_request *request;
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct rec_job *todo, **todo_end, *done, **done_end;
	/* For the thread that adds jobs: the number that have not come back, and an eventfd that is readable
	 * when one is done. */
	unsigned pending;
	int bell;
};

/* Begins the thread, which ends with the process, as do `w` and `request`. TP_ENOMEM: out of memory or of threads. */
int rec_writer_begin(struct rec_writer *w, const struct rec_request *request);

/* Adds a job; the writer owns the image until the job is back. TP_ENOMEM, except for a final job, whose
 * memory was allocated with the image. */
int rec_writer_add(struct rec_writer *w, struct rec_image *image, bool final, int client,
		   bool is_last);
/* Returns the next finished job, which the caller frees with free, or NULL. */
struct rec_job *rec_writer_next(struct rec_writer *w);

#endif
