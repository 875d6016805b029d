/* The thread that writes files, one image after the other, while other images are still drained. So
 * conversion never delays a program, and takes memory for one image only. */
#ifndef RECORD_PARENT_WRITER_H
#define RECORD_PARENT_WRITER_H

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

struct rec_writer;

/* NULL: out of memory or of threads. `request` outlives it. */
struct rec_writer *rec_writer_new(const struct rec_request *request);
/* Waits for the job that is being done; drops the rest. */
void rec_writer_free(struct rec_writer *w);
/* Returns an eventfd, readable when a job is done. */
int rec_writer_bell(const struct rec_writer *w);

/* Adds a job; the writer owns the image until the job is back. TP_ENOMEM, but not for a final job,
 * whose memory came with the image. */
int rec_writer_add(struct rec_writer *w, struct rec_image *image, bool final, int client,
		   bool is_last);
/* Returns the next job that is done, which the caller frees with free; NULL: none. */
struct rec_job *rec_writer_next(struct rec_writer *w);
/* Returns how many jobs have not come back. */
unsigned rec_writer_pending(const struct rec_writer *w);

#endif
