/* One dump after the other, each with a line that says what became of it. */
#ifndef IMPORT_ONE_H
#define IMPORT_ONE_H

#include "arguments.h"

/* The store that is a dump's own: "go.trace.gz" becomes "go.tprof", "run-1.19" "run-1.19.tprof".
 * The caller frees it; NULL: out of memory. */
char *one_store(const char *dump);

/* An exit status. */
int one_import(struct args *args, const char *file);

#endif
