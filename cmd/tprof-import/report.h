/* The results of importing many dumps: numbers, and a line for each failure.
 *
 * As a file (--report) it is text, with a word and its value on each line:
 *
 *	dumps 20           files processed, except `others`
 *	imported 18        dumps that are now runs of the store
 *	there 1            dumps that were in the store already
 *	failed 1
 *	lossy 0            imported dumps with losses
 *	others 1           files that are not dumps
 *	bytes 185432       bytes of imported dumps
 *	read 201733        bytes of all files processed
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

/* Dumps that lack a label that their folders should give. */
struct unlabelled {
	uint64_t n;
	const char *name, *key; /* of the first of them: its name, and the key that it lacks */
	size_t key_size;
};

/* Counts the dump if it lacks one of `keys` (--folder-labels). */
void unlabelled_add(struct unlabelled *u, const struct path *p, const char *keys,
		    const struct tp_import_options *opt);

void report_release(struct report *r);

/* Adds a dump that failed, but not to the tally; returns its exit status, or a negative code
 * (TP_ENOMEM). */
int report_add(struct report *r, const struct cmd *cmd, const char *dump, const struct tp_err *why);

/* Add a dump that was imported with losses, or a file that is not a dump, also without counting it.
 * Return 0 or TP_ENOMEM. */
int report_add_loss(struct report *r, const char *dump);
int report_add_other(struct report *r, const char *file);

/* Writes the report; the file gets its name when it is complete. Returns 0 or an error code. */
int report_write(const struct report *r, const char *path, struct tp_err *err);
/* Adds the report in a file. Returns 0 or an error code: TP_ENOENT if the file does not exist,
 * TP_EFORMAT if it is not a report. */
int report_read(struct report *r, const char *path, struct tp_err *err);
/* Removes the file if it is a report; other files are left alone. */
void report_remove(const char *path);

/* Prints "20 dumps: 18 imported, 1 failed; 0.29s; 181KiB into night.tprof of 344KiB". The store may
 * be NULL: one for each dump. Negative seconds are left out. */
void tally_print(const struct cmd *cmd, const struct tally *t, double seconds, const char *store);
/* Prints a note about them, if any, among `of` files or dumps, which `what` names ("dumps").
 * `keys`: --folder-labels. */
void unlabelled_print(const struct cmd *cmd, const struct unlabelled *u, uint64_t of,
		      const char *what, const char *keys);
/* Prints a line on standard error for each failure. */
void report_print_failures(const struct report *r, const struct cmd *cmd);
/* Prints one note about dumps with losses and one about files that are not dumps, with some names.
 * They refer to `store` for the losses (NULL: each dump's store) and to `file` for all names (NULL:
 * to --report). */
void report_print_names(const struct report *r, const struct cmd *cmd, const char *store,
			const char *file);

#endif
