/* The thread that turns what was recorded into files, one image after the other, while others are
 * still drained: so converting never holds up a program, and takes the memory of one. */
#ifndef RECORD_PARENT_WRITER_H
#define RECORD_PARENT_WRITER_H

#include <stdbool.h>

#include "tprof-record/parent/dump.h"
#include "tprof-record/parent/image.h"
#include "tprof-record/parent/request.h"

/* One thing to do, and then what became of it. */
struct rec_job {
	struct rec_job *next;
	struct rec_image *image;
	bool final;   /* image was halted, and nothing follows */
	int client;   /* who asked for the snapshot, -1 nobody */
	bool is_last; /* of those that this client waits for */
	struct rec_dump dump;
};

struct rec_writer;

/* NULL: no memory or no thread. `request` outlives it. */
struct rec_writer *rec_writer_new(const struct rec_request *request);
/* Waits for what is being written; the rest is not. */
void rec_writer_free(struct rec_writer *w);
/* Readable (an eventfd) when a job is done. */
int rec_writer_bell(const struct rec_writer *w);

/* The image belongs to the writer until the job is back. TP_ENOMEM, but not of an image's final
 * one: room for that came with the image. */
int rec_writer_add(struct rec_writer *w, struct rec_image *image, bool final, int client,
		   bool is_last);
/* A job that is done, in their order; NULL: none. The caller's, to be freed with free. */
struct rec_job *rec_writer_next(struct rec_writer *w);
/* How many were added and have not come back. */
unsigned rec_writer_pending(const struct rec_writer *w);

#endif
