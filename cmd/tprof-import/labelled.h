/* Which labels of dumps that were in a store already a command has given: the first value of a key
 * replaces what the store has, the others are as good as the first, so that the same labels come of
 * it in whatever order equal dumps are imported, and however often the command is given. */
#ifndef IMPORT_LABELLED_H
#define IMPORT_LABELLED_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

/* All 0 before. */
struct labelled {
	uint64_t *print; /* n of them: a hash of the dump and the key */
	size_t n, room;
	struct tp_table table;
};

/* Notes the key of this label ("key=value") of the dump with this hash (32 hex digits). 1: it was
 * not noted before, 0: it was, TP_ENOMEM. */
int labelled_first(struct labelled *l, const char *hash, const char *label);
void labelled_release(struct labelled *l);

#endif
