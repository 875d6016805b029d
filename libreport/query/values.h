#ifndef REP_QUERY_VALUES_H
#define REP_QUERY_VALUES_H

#include "store/store.h"

/* Calls `put` for each value that `option` ("--task") could have and that begins with `typed`: names in the
 * store, in order, of printable ASCII, written as regular expressions where the option takes one. Calls it
 * for nothing if the option has no such values, or the store cannot be read. */
void rep_values_each(struct tp_store *store, const char *option, const char *typed,
		     void (*put)(const char *value));

#endif
