/* The list of goroutines that are meant to stay, one rule per line:
 *
 *	# a comment
 *	net/http.(*Server).Serve
 *	8 main.worker                 up to 8 of them
 *	main.stamp   # why            a blank and '#' begin a comment
 *	database/sql.*                a star stands for any text
 *
 * A rule matches a site if a frame of its stack, or its creator, is the function that it names. */
#ifndef REP_LEAK_ALLOW_H
#define REP_LEAK_ALLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct rep_allow_rule {
	const char *name; /* with stars */
	int64_t most;	  /* INT64_MAX: any number */
	size_t line;
};

struct rep_allow {
	struct rep_allow_rule *rule;
	size_t n;
	char *text; /* holds the names */
};

/* Parses a list. Errors: TP_EFORMAT with the line, TP_ELIMIT, TP_ENOMEM. *a must be released in
 * every case. */
int rep_allow_parse(struct rep_allow *a, const void *data, size_t size, struct tp_err *err);
void rep_allow_release(struct rep_allow *a);

/* Returns whether a name (not NUL-terminated) matches. Takes time proportional to the product of
 * both sizes. */
bool rep_allow_match(const struct rep_allow_rule *rule, const char *name, size_t size);

#endif
