/* Keeps the records of a process until its trace is made, in a file without a name in the folder of the
 * recording, so that the recorder's memory does not grow.
 *
 * One thread at a time. If the disk is full, records are counted and dropped. */
#ifndef RECORD_PARENT_SPOOL_H
#define RECORD_PARENT_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "tprof-record/core/event.h"

#define REC_SPOOL_BUFFER 1365 /* records, just under 64 KiB */

struct rec_spool {
	int fd;	       /* -1: none */
	size_t n;      /* records in the file */
	size_t held;   /* records in `buffer` */
	uint64_t lost; /* all at the end */
	int error; /* errno of the first write that failed, 0: none; nothing is written after it */
	struct rec_event *buffer;
	const struct rec_event *map;
	size_t mapped; /* bytes */
};

/* Creates a file in a folder and leaves it without a name. Returns its descriptor, or -1 with errno. */
int rec_nameless_file(const char *folder);

/* TP_EIO, TP_ENOMEM; then records that are put into it are lost and counted. */
int rec_spool_begin(struct rec_spool *s, const char *folder, struct tp_err *err);
void rec_spool_end(struct rec_spool *s);

/* Adds a copy of the record, with that kind. */
void rec_spool_put(struct rec_spool *s, const struct rec_event *event, uint16_t kind);
void rec_spool_flush(struct rec_spool *s);

/* Overwrites the first n records of the file. */
void rec_spool_rewrite(struct rec_spool *s, const struct rec_event *events, size_t n);

/* Flushes and maps all records, until rec_spool_end, _keep or the next _map. TP_EIO, TP_ENOMEM. */
int rec_spool_map(struct rec_spool *s, const struct rec_event **events, struct tp_err *err);
/* Keeps only the first n records, and frees the disk space of the others. */
void rec_spool_keep(struct rec_spool *s, size_t n);

#endif
