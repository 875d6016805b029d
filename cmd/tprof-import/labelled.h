/* Which labels of dumps that were in a store already a command has given: the first value of a key
 * replaces what the store has, the others are as good as the first, so that the same labels come of
 * it in whatever order equal dumps are imported, and however often the command is given. */
#ifndef IMPORT_LABELLED_H
#define IMPORT_LABELLED_H

#include <stddef.h>
#include <stdint.h>

/* 8 bytes a label, all 0 before, in a table of a power of two that is at most half full. */
struct labelled {
	uint64_t *at;
	size_t n, room;
};

/* Notes the key of this label ("key=value") of the dump with this hash (32 hex digits). 1: it was
 * not noted before, 0: it was, TP_ENOMEM. */
int labelled_first(struct labelled *l, const char *hash, const char *label);
void labelled_release(struct labelled *l);

#endif
