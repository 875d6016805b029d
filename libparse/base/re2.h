/* RE2's syntax as POSIX extended expressions; private to regex.c, which matches them. */
#ifndef TP_BASE_RE2_H
#define TP_BASE_RE2_H

#include <stdbool.h>

#include "base/err.h"

/* Of what a pattern makes regcomp and regexec hold: characters, sets and operators, counted as
 * often as they are copied; of them what may be empty; and repetitions without an end of what may
 * be empty. All are bounded. */
struct tp_re2_cost {
	unsigned long parts, loose, rings;
};

/* As tp_regex_translate (regex.h), and what it costs. */
int tp_re2_translate(const char *pattern, char **posix, bool *fold, struct tp_re2_cost *cost,
		     struct tp_err *err);

#endif
