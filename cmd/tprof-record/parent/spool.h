/* The records of one process on their way to its trace: a file without a name in the folder of the
 * recording, so that the recorder's memory does not grow with them.
 *
 * One thread at a time. A disk that is full does not stop anybody: what does not fit is counted. */
#ifndef RECORD_PARENT_SPOOL_H
#define RECORD_PARENT_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "tprof-record/core/event.h"

#define REC_SPOOL_BUFFER 1365 /* records, just under 64 KiB */

struct rec_spool {
	int fd;	     /* -1: none */
	size_t n;    /* records in the file */
	size_t held; /* records that wait in `buffer` */
	uint64_t lost;
	int error; /* errno of the first write that failed, 0 none: nothing is written from then on
		    */
	struct rec_event *buffer;
	const struct rec_event *map;
	size_t mapped; /* bytes */
};

/* TP_EIO, TP_ENOMEM; then it is empty, and what is put into it is lost and counted. */
int rec_spool_begin(struct rec_spool *s, const char *folder, struct tp_err *err);
void rec_spool_end(struct rec_spool *s);

/* Copies it; `kind` is what it is to have. */
void rec_spool_put(struct rec_spool *s, const struct rec_event *event, uint16_t kind);
void rec_spool_flush(struct rec_spool *s);

/* All of it in memory, until rec_spool_end, _keep or the next _map. Flushes. TP_EIO, TP_ENOMEM. */
int rec_spool_map(struct rec_spool *s, const struct rec_event **events, struct tp_err *err);
/* Keeps the first n records only and gives the room of the others back to the disk. */
void rec_spool_keep(struct rec_spool *s, size_t n);

#endif
