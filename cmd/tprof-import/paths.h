/* Which dumps are meant: files, folders with all that is in them, patterns, lists of names.
 *
 * A folder is walked down to its end, and what is in it comes in the order of its bytes, whatever
 * the locale. Hidden files, stores, and symbolic links to folders are left out; so is what is no
 * file. A pattern (with * ? or [, where no file is called so) stands for what it matches, as in a
 * shell; @LIST for the names in LIST, a line each (@- standard input), or with a NUL after each, as
 * find -print0 writes them. Lines may end as those of Windows do, and begin with a byte order mark.
 *
 *	line  = name { TAB field }
 *	entry = name NUL { TAB field NUL }
 *	field = KEY=VALUE	a label of the run, or of all in that folder
 *	      | "=" NAME	what the run is called
 *	      | "?"		it may be another file than a dump, as in a folder
 *	      | ""
 *
 * What a folder holds is called by its path from there on (host-1/cpu.pb.gz), and its folders may
 * be labels (struct paths.keys). */
#ifndef IMPORT_PATHS_H
#define IMPORT_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* The field of a list for a file that was found, not named. */
#define PATHS_FOUND "?"

struct path {
	char *name;	/* "-": standard input */
	uint64_t bytes; /* of the file, 0 unknown */
	/* By its own name, not by a folder or a pattern: where it is no dump, that is an error. */
	bool named;
	int wrong;    /* 0, or the errno of what cannot be looked at: there is nothing to import */
	char *as;     /* what the run is called, NULL: as its file */
	char **label; /* "KEY=VALUE", nlabels of them, each key once */
	size_t nlabels;
};

struct paths {
	/* Keys of labels, '/' between them, for the folders below a folder that is given, the
	 * outermost first; an empty one is none. NULL: no labels. */
	const char *keys;
	struct path *list; /* in the order of the arguments */
	size_t n, room;
	uint64_t bytes;
};

/* Does an argument stand for anything else than one file? */
bool paths_many(const char *argument);

/* Adds what an argument stands for. An error (TP_ENOMEM; TP_ENOENT, TP_EIO: the list cannot be
 * read, TP_EUNKNOWN: understood) ends it all; what is wrong with a file or folder is kept with it.
 */
int paths_add(struct paths *p, const char *argument, struct tp_err *err);
void paths_release(struct paths *p);

/* The labels of a dump into `all`, which has room for p->nlabels + n: its own, then those of
 * `others` with other keys. Returns how many. */
size_t paths_labels(const struct path *p, const char *const *others, size_t n, const char **all);
/* Returns the first of `keys` (struct paths) that neither the dump's own labels nor `others` give a
 * value, and sets *size to its length. Returns NULL if all have a value. */
const char *paths_missing(const struct path *p, const char *keys, const char *const *others,
			  size_t n, size_t *size);

#endif
