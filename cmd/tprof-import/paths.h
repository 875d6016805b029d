/* The dumps that arguments stand for: files, folders with all their files, patterns, lists of names.
 *
 * A folder is walked recursively, in byte order of names, whatever the locale. Hidden files,
 * stores, symbolic links to folders, and anything that is not a regular file are left out. A
 * pattern (with * ? or [, unless a file has this name) stands for the files that it matches, as in
 * a shell. @LIST stands for the names in LIST (@-: standard input), one per line, or each with a
 * NUL after it, as find -print0 writes them. Lines may end with CR LF, and the list may begin with
 * a byte order mark.
 *
 *	line  = name { TAB field }
 *	entry = name NUL { TAB field NUL }
 *	field = KEY=VALUE	a label of the run, or of all runs of that folder
 *	      | "=" NAME	the name of the run
 *	      | "?"		the file need not be a dump, as in a folder
 *	      | ""
 *
 * A run from a folder is named by its path below that folder (host-1/cpu.pb.gz), and the folders in
 * between may become labels (struct paths.keys). */
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
	uint64_t bytes; /* of the file, 0 if unknown */
	/* Given by its own name, not by a folder or a pattern; it is an error if it is not a dump. */
	bool named;
	int wrong;    /* 0, or the errno with which the file cannot be opened; it is not imported */
	char *as;     /* name of the run, NULL: that of its file */
	char **label; /* "KEY=VALUE", nlabels of them, each key once */
	size_t nlabels;
};

struct paths {
	/* Keys of labels for the folders below a given folder, outermost first, with '/' between
	 * them. A folder whose key is empty gives no label. NULL: no labels. */
	const char *keys;
	struct path *list; /* in the order of the arguments */
	size_t n, room;
	uint64_t bytes;
};

/* Returns whether an argument stands for anything other than one file. */
bool paths_many(const char *argument);

/* Adds the files for which an argument stands. Returns 0, TP_ENOMEM, or an error of the list:
 * TP_ENOENT, TP_EIO or TP_ELIMIT if it cannot be read, TP_EUNKNOWN if it is invalid. Faults of a
 * file or folder are not errors; `wrong` has them. */
int paths_add(struct paths *p, const char *argument, struct tp_err *err);
void paths_release(struct paths *p);

/* Writes the labels of a dump to `all`, which has room for p->nlabels + n: its own, then those of
 * `others` with other keys. Returns how many. */
size_t paths_labels(const struct path *p, const char *const *others, size_t n, const char **all);
/* Returns the first of `keys` (struct paths) that neither the dump's own labels nor `others` give a
 * value, and sets *size to its length. Returns NULL if all have a value. */
const char *paths_missing(const struct path *p, const char *keys, const char *const *others,
			  size_t n, size_t *size);

#endif
