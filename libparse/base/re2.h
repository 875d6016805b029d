/* Translates RE2's syntax to POSIX extended expressions; private to regex.c. */
#ifndef TP_BASE_RE2_H
#define TP_BASE_RE2_H

#include <stdbool.h>

#include "base/err.h"

/* Measures of the memory that a pattern takes in regcomp and regexec, all limited: `parts` are
 * characters, sets and operators, counted as often as they are copied; `loose` counts those that
 * may match the empty text, and `rings` unlimited repetitions of such parts. */
struct tp_re2_cost {
	unsigned long parts, loose, rings;
};

/* Does what tp_regex_translate (regex.h) does, and also sets *cost. */
int tp_re2_translate(const char *pattern, char **posix, bool *fold, struct tp_re2_cost *cost,
		     struct tp_err *err);

#endif
