/* Many dumps at once: several processes decode, this one publishes, in the order of the list. */
#ifndef IMPORT_MANY_H
#define IMPORT_MANY_H

#include "common/common.h"
#include "import.h"
#include "paths.h"

struct many {
	struct cmd *cmd;
	const struct paths *paths;
	const char *store;  /* NULL: each dump has its own */
	int jobs;	    /* at least 1 */
	const char *known;  /* a store whose dumps are skipped, too; NULL: none */
	const char *report; /* path of the report to write (report.h), or NULL */
	struct tp_import_options import;
	/* Returns the name of a dump's own store, which the caller frees; NULL when memory is out. */
	char *(*own_store)(const char *dump);
};

/* Imports the dumps. Prints a summary on standard output, then a line on standard error for each
 * failure. Returns the worst exit status. Published runs stay in the store, even after an
 * interruption. */
int many_import(const struct many *m);

#endif
