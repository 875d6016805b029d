/* What became of many dumps: numbers, and a line for each that failed.
 *
 * As a file (--report) it is text, a word and what belongs to it on each line:
 *
 *	dumps 20           files that were looked at, but for `others`
 *	imported 18        are runs of the store now
 *	there 1            were in it already
 *	failed 1
 *	lossy 0            of those imported: with losses
 *	others 1           files that are no dumps
 *	bytes 185432       of those imported
 *	read 201733        bytes of all files that were looked at
 *	failure 3 d/a2/0400.heap: gzip data end too early …
 *	loss d/a2/0500.heap
 *	other d/README
 *
 * Numbers of several such files add up line by line; a failure has its exit status. Names and
 * failures are printable. */
#ifndef IMPORT_REPORT_H
#define IMPORT_REPORT_H

#include <stdint.h>

#include "base/buf.h"
#include "common/common.h"
#include "import.h"
#include "paths.h"

struct tally {
	uint64_t dumps, imported, there, failed, lossy, others, bytes, read;
};

struct report {
	struct tally tally;
	/* Lines, as in the file, each with its newline. */
	struct tp_buf failures;
	struct tp_buf losses, others;
	int worst; /* of their statuses */
};

/* Dumps that lack a label that their folders were to give. */
struct unlabelled {
	uint64_t n;
	const char *name, *key; /* of the first of them: its name, what it lacks */
	size_t key_size;
};

/* Counts the dump if it is one. `keys`: --folder-labels. */
void unlabelled_add(struct unlabelled *u, const struct path *p, const char *keys,
		    const struct tp_import_options *opt);

void report_release(struct report *r);

/* Adds a dump that failed, but not to the tally; returns its exit status, or a negative code
 * (TP_ENOMEM). */
int report_add(struct report *r, const struct cmd *cmd, const char *dump, const struct tp_err *why);

/* A dump that was imported with losses, a file that is no dump; likewise. Returns 0 or
 * TP_ENOMEM. */
int report_add_loss(struct report *r, const char *dump);
int report_add_other(struct report *r, const char *file);

/* The file takes its name when it is whole. 0, or an error. */
int report_write(const struct report *r, const char *path, struct tp_err *err);
/* Adds what a file says. TP_ENOENT: there is none; TP_EFORMAT: it is another. */
int report_read(struct report *r, const char *path, struct tp_err *err);
/* Removes the file if it is a report; other files are left alone. */
void report_remove(const char *path);

/* Prints "20 dumps: 18 imported, 1 failed; 0.29s; 181KiB into night.tprof of 344KiB". The store may
 * be NULL: one for each dump. Negative seconds are left out. */
void tally_print(const struct cmd *cmd, const struct tally *t, double seconds, const char *store);
/* A line on standard error about them, if there are any, of so many `what` ("dumps"); `keys`:
 * --folder-labels. */
void unlabelled_print(const struct cmd *cmd, const struct unlabelled *u, uint64_t of,
		      const char *what, const char *keys);
/* A line on standard error for each failure. */
void report_print_failures(const struct report *r, const struct cmd *cmd);
/* A line each on standard error about dumps with losses and files that are no dumps, with some
 * names. What was lost is in `store` (NULL: that of each dump), all names in `file` (NULL: --report
 * would write it). */
void report_print_names(const struct report *r, const struct cmd *cmd, const char *store,
			const char *file);

#endif
