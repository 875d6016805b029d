/* Many dumps at once: several processes decode, this one publishes, in the order of the list. */
#ifndef IMPORT_MANY_H
#define IMPORT_MANY_H

#include "common/common.h"
#include "import.h"
#include "paths.h"

struct many {
	struct cmd *cmd;
	const struct paths *paths;
	const char *store;  /* NULL: each has one of its own */
	int jobs;	    /* at least 1 */
	const char *known;  /* dumps that this store has are passed over, too; NULL: none */
	const char *report; /* where to write what became of them (report.h); NULL: nowhere */
	struct tp_import_options import;
	/* The name of that one; the caller frees it. NULL: out of memory. */
	char *(*own_store)(const char *dump);
};

/* Says what became of them: a line on standard output, then one on standard error for each that
 * failed. The worst status. What was published stays, also when it is interrupted. */
int many_import(const struct many *m);

#endif
