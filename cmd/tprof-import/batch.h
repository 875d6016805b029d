/* Some dumps that one process decodes, one after the other, into one temporary store.
 *
 *	batch_start	creates that store, and starts the process
 *	… b->process.end becomes readable …
 *	batch_end	takes the result of each dump; 1: the batch has to be started again
 *	batch_publish	adds the runs to the store
 *	batch_release	at any time; discards runs that are not published
 *
 * The process is in a jail (common/decoder.h) and may read only the dumps of the batch. Its results
 * are as untrusted as the dumps. */
#ifndef IMPORT_BATCH_H
#define IMPORT_BATCH_H

#include "common/child.h"
#include "import.h"
#include "labelled.h"
#include "paths.h"

#define BATCH_DUMPS 128

enum outcome {
	OUTCOME_NONE, /* not decoded yet */
	OUTCOME_RUN,  /* a run in the temporary store */
	OUTCOME_KNOWN,
	OUTCOME_OTHER, /* not a dump */
	OUTCOME_FAILED,
};

struct verdict {
	enum outcome outcome;
	bool lost; /* a run with losses */
	char hash[33];
	struct tp_err err; /* why it failed */
};

struct batch_shared; /* memory shared with the process */

struct batch {
	/* to be filled in */
	const struct path *paths; /* n of them, with `wrong` 0 */
	size_t n;
	const char *store;
	struct tp_import_options import; /* except the temporary store */
	const struct tp_known *known;
	struct labelled *labelled; /* labels given to runs of the store by earlier batches */
	bool materialize;	   /* the temporary store becomes a new store */
	bool inside;  /* decode in batch_start, without a process; batch_end may follow at once */
	bool require; /* fail rather than decode without the full jail */
	/* The list of all batches. The process closes the files of the others. */
	struct batch *const *first;
	struct batch *next;

	/* for the caller to read */
	bool running;
	struct cmd_process process;
	struct verdict verdict[BATCH_DUMPS];

	/* private */
	struct tp_temp_store temp;
	bool has_temp;
	int tmp_fd;
	struct batch_shared *shared;
};

/* Returns 0, or an error that does not concern a single dump: of the store (b->temp.err has it,
 * too) or of the system. */
int batch_start(struct batch *b, struct tp_err *err);
/* Sets *dumps to the number of dumps decoded so far, and *bytes to the bytes read of all files. */
void batch_progress(const struct batch *b, size_t *dumps, uint64_t *bytes);
/* Returns 0; 1 if a dump has ended the process (it has now failed, and others still have to be
 * decoded); or an error that does not concern a single dump. */
int batch_end(struct batch *b, struct tp_err *err);
/* Publishes the runs, and sets *added to how many are new in the store. Returns 0 or an error code. */
int batch_publish(struct batch *b, size_t *added, struct tp_err *err);
void batch_release(struct batch *b);

#endif
