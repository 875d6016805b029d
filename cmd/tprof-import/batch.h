/* Some dumps that one process decodes, one after the other, into one temporary store.
 *
 *	batch_start	creates that, and starts the process
 *	… b->process.end becomes readable …
 *	batch_end	what became of each dump; 1: it has to be started once more
 *	batch_publish	the runs become part of the store
 *	batch_release	at any time: what was not published is gone
 *
 * The process is in a jail (common/decoder.h), but for what it may read: all dumps of the batch,
 * and nothing else. What it says is as little to be trusted as they are. */
#ifndef IMPORT_BATCH_H
#define IMPORT_BATCH_H

#include "common/child.h"
#include "import.h"
#include "labelled.h"
#include "paths.h"

#define BATCH_DUMPS 128

enum outcome {
	OUTCOME_NONE, /* not yet */
	OUTCOME_RUN,  /* a run in the temporary store */
	OUTCOME_KNOWN,
	OUTCOME_OTHER, /* no dump */
	OUTCOME_FAILED,
};

struct verdict {
	enum outcome outcome;
	bool lost; /* a run with losses */
	char hash[33];
	struct tp_err err; /* why it failed */
};

struct batch_shared; /* with the process */

struct batch {
	/* to be filled in */
	const struct path *paths; /* n of them; none has `wrong` */
	size_t n;
	const char *store;
	struct tp_import_options import; /* but for the temporary store */
	const struct tp_known *known;
	struct labelled *labelled; /* of this store, by all batches before it */
	bool materialize;	   /* the temporary store becomes a new store */
	bool inside;  /* no process: batch_start decodes, and batch_end can follow at once */
	bool require; /* no decoding without all of the jail */
	/* The list of all there are, from the first one on: the process lets go of what the others
	 * have open. */
	struct batch *const *first;
	struct batch *next;

	/* for who made it to read */
	bool running;
	struct cmd_process process;
	struct verdict verdict[BATCH_DUMPS];

	/* private */
	struct tp_temp_store temp;
	bool has_temp;
	int tmp_fd;
	struct batch_shared *shared;
};

/* 0, or an error that is not about a dump: of the store (b->temp.err has it, too), the system. */
int batch_start(struct batch *b, struct tp_err *err);
/* Where the process is: dumps that are done, and bytes of their files. */
void batch_progress(const struct batch *b, size_t *dumps, uint64_t *bytes);
/* 0, 1 where a dump has ended the process (it has failed now; the others wait), or an error that is
 * not about a dump. */
int batch_end(struct batch *b, struct tp_err *err);
/* *added: runs that are new in the store. */
int batch_publish(struct batch *b, size_t *added, struct tp_err *err);
void batch_release(struct batch *b);

#endif
