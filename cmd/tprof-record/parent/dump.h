/* From a recorded image to the files of its recording. */
#ifndef RECORD_PARENT_DUMP_H
#define RECORD_PARENT_DUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/units.h"
#include "tprof-record/convert/names/images.h"
#include "tprof-record/parent/image.h"
#include "tprof-record/parent/request.h"

enum { REC_DUMP_FILES = REC_NPROFILES + 2, REC_DUMP_TROUBLES = REC_NPROFILES + 4 };

/* What was written, and what was not. */
struct rec_dump {
	struct rec_dump_file {
		char name[40];
		uint64_t size;
		char what[96]; /* "1,234 events, 9 goroutines" */
		bool empty;    /* a profile with no samples in it */
	} file[REC_DUMP_FILES];
	size_t nfiles;
	/* Sentences: what could not be written, and why; what has no names. */
	char trouble[REC_DUMP_TROUBLES][400];
	size_t ntroubles;
	char remark[200];
	uint64_t lost[REC_NLOSSES]; /* as the process counted, and … */
	uint64_t unfinished;	    /* records whose threads died over them */
	uint64_t spilled;	    /* records for which there was no disk */
	int spill_error;	    /* errno of that */
	uint64_t nonsense;	    /* records and entries that could not be */
	/* Why threads could not be looked at while they ran, "" */
	char blind[400];
};

/* Taken by who traces the process's threads, and by who collects its exit (threads.h). */
extern pthread_mutex_t rec_dump_tracing;

/* The files of an image that was halted. `images` (may be NULL) keeps open what names are read
 * from, for the next time. */
void rec_dump_final(struct rec_image *image, const struct rec_request *r, struct rec_images *images,
		    struct rec_dump *d);
/* heap.0001.pb.gz …: the profiles of one that lives. Its heap profile is that of this moment, and
 * the samples of all kinds are those of one copy. */
void rec_dump_snapshot(struct rec_image *image, const struct rec_request *r,
		       struct rec_images *images, struct rec_dump *d);

/* Says why there are none. */
void rec_dump_nothing(const struct rec_image *image, const struct tp_err *err, struct rec_dump *d);

/* "1,234" */
char *rec_dump_count(char text[TP_COUNT_SIZE], uint64_t n);
/* "1 thread", "2 threads", "3 processes" */
char *rec_dump_plural(char text[40], uint64_t n, const char *what);

#endif
