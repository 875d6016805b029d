/* Finds the source files that a profile names, by pprof's rules
 * (internal/report/source.go, openSourceFile and trimPath).
 *
 *	struct rep_source s;
 *
 *	rep_source_init(&s, search, trim);
 *	if (!rep_source_open(&s, file, err))
 *		… rep_source_line(&s, 12, &line) …
 *	rep_source_release(&s);
 *
 * A name loses the prefixes in `trim`; without any, it loses all that comes before the last part of
 * a searched folder ("/build/7/shop/cart.go" becomes "cart.go" for someone in "/home/me/shop"). If
 * the result is relative, it is looked for in every folder of `search` and in those above it,
 * unless it begins with ".."; if it is absolute, it is opened as it is. A file that is not found
 * this way is looked for where Go keeps sources (gosource.h), by its trimmed and by its original
 * name. */
#ifndef REP_PROFILE_CODE_SOURCE_H
#define REP_PROFILE_CODE_SOURCE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "decode/dict.h"
#include "profile/code/gosource.h"

struct rep_source {
	const char *search, *trim; /* folders, separated by colons; borrowed */
	bool
	    within; /* open no file outside of `search`, links followed; may be set by the caller */
	struct rep_go_places go; /* may be filled in by the caller */
	const char *program;	 /* the program's file, likewise; borrowed */
	struct tp_buf path;	 /* name of the file that is open, as given */
	struct tp_buf found;	 /* its path on this machine; size 0 if it could not be read */
	struct tp_buf text;
	struct tp_buf lines; /* size_t: offsets of the lines, and the end */
	char why[320];	     /* why it could not be read, or "" */
	bool known;
};

void rep_source_init(struct rep_source *s, const char *search, const char *trim);
void rep_source_release(struct rep_source *s);

/* Reads a regular file of at most 64 MiB in place of the one before; opening the same file again
 * costs nothing. Returns 0 or TP_ENOMEM; 0 also if the file cannot be read, and s->why says why. */
int rep_source_open(struct rep_source *s, struct tp_text path, struct tp_err *err);
/* Finds line 1, 2, 3 …, without its newline. Returns false after the last line. */
bool rep_source_line(const struct rep_source *s, int64_t number, struct tp_text *line);

#endif
