/* Writes the files of a recorded image. */
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
	/* Sentences: what could not be written and why. */
	char trouble[REC_DUMP_TROUBLES][400];
	size_t ntroubles;
	char remark[320];
	uint64_t lost[REC_NLOSSES]; /* counted by the process */
	uint64_t unfinished;	    /* records whose threads died while writing them */
	uint64_t spilled;	    /* records that did not fit on the disk */
	int spill_error;	    /* errno of that */
	uint64_t nonsense;	    /* records and entries that are not valid */
	/* Of the trace: how long threads ran, and waited for a processor as the kernel says (0: it does not). */
	uint64_t running_ns, delay_ns;
	bool more_delay;	/* that of some threads is not known */
	bool exact;		/* by the kernel's switches */
	bool wakes;		/* … and wake-ups */
	uint64_t left_out;	/* tasks, regions and logs, which go 1.5 has not */
	uint64_t lost_switches; /* so far, of all processes */
	int switch_error;	/* errno of that, if the disk was full; else they came too fast */
	/* Why threads could not be looked at while they ran, "" */
	char blind[400];
};

/* Held by the thread that traces the process's threads, and by the one that collects its exit
 * (live/threads.h). */
extern pthread_mutex_t rec_dump_tracing;

/* Writes the files of an image. `final`: it was halted, and these are its last. Else they are the
 * profiles of a living image, heap.0001.pb.gz …: the heap profile is that of this moment, and all
 * profiles are of one copy. `images` (may be NULL) keeps files open that names are read from. */
void rec_dump_write(struct rec_image *image, bool final, const struct rec_request *r,
		    struct rec_images *images, struct rec_dump *d);

/* Notes in *d why no files were written. */
void rec_dump_nothing(const struct rec_image *image, const struct tp_err *err, struct rec_dump *d);

/* Adds the losses of a dump to those in *sum. */
void rec_dump_add_losses(struct rec_dump *sum, const struct rec_dump *d);

/* "1,234" */
char *rec_dump_count(char text[TP_COUNT_SIZE], uint64_t n);
/* "1 thread", "2 threads", "3 processes"; `what` has at most 14 bytes. */
enum { REC_PLURAL = 48 };
char *rec_dump_plural(char text[REC_PLURAL], uint64_t n, const char *what);

#endif
