/* Names of functions and files that stay the same from one build to the next.
 *
 * Compilers put into names what changes without the program changing: counters of closures, shapes
 * of type arguments, versions of modules, hashes, marks of clones. A canonical name leaves that
 * out, so that a function is found again in another build. Several functions of one build may come
 * to the same canonical name (all closures of a function do); who compares sums them up and says
 * how many there were.
 *
 * The rules are a table (rep_name_rules), which the tests and the manual go through. */
#ifndef REP_NAME_H
#define REP_NAME_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

enum rep_name_kind { REP_NAME_FUNCTION, REP_NAME_FILE };

/* Appends the canonical form of name[0 … n), never longer than it; 0 or TP_ENOMEM. Any bytes. Takes
 * time in proportion to n. A canonical name is its own canonical form. */
int rep_name_canonical(struct tp_buf *out, enum rep_name_kind kind, const char *name, size_t n);

#endif
