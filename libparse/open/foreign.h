/* Files of other programs, which are recognised only to be refused well. */
#ifndef TP_OPEN_FOREIGN_H
#define TP_OPEN_FOREIGN_H

#include "open/lines.h"

struct tp_foreign {
	const char *what; /* "a recording of Linux perf" */
	const char
	    *advice; /* the command that makes a readable file of it, or what to do instead, or
			       NULL */
	bool quoted; /* the first line of the file says more */
};

/* Returns what the data is, or NULL if it is not known. */
const struct tp_foreign *tp_foreign_of(struct tp_scan all);

/* Returns where `text`, which is lower case, occurs in any case, or NULL. */
const char *tp_foreign_word(struct tp_scan s, const char *text);

#endif
