/* The label keys that a command has already given to dumps that the store had. The first value of a
 * key replaces the store's; a further one counts only if it is less, as in a merge. So the order of
 * equal dumps, and repeating the command, make no difference. */
#ifndef IMPORT_LABELLED_H
#define IMPORT_LABELLED_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

/* Zero-initialised is valid and empty. */
struct labelled {
	uint64_t *print; /* n of them: a hash of the dump and the key */
	size_t n, room;
	struct tp_table table;
};

/* Records the key of a label ("key=value") for the dump with this hash (32 hex digits). Returns 1
 * if the key is new for the dump, 0 if not, or TP_ENOMEM. */
int labelled_first(struct labelled *l, const char *hash, const char *label);
void labelled_release(struct labelled *l);

#endif
