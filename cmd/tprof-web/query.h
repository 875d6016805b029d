/* The part of an address after '?': names and values, "run=1&a=top&a=-n%205". */
#ifndef WEB_QUERY_H
#define WEB_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define WEB_QUERY_PAIRS 256
#define WEB_QUERY_SIZE	((size_t)16 << 10)

struct web_query {
	struct web_pair {
		const char *name,
		    *value;	 /* decoded; UTF-8 without control characters but tab and newline */
	} pair[WEB_QUERY_PAIRS]; /* n of them, in their order */
	size_t n;
	char text[WEB_QUERY_SIZE + 1]; /* private: what the pairs point into */
};

/* Decodes `size` bytes. Returns 0, or TP_EFORMAT with a message for the reader: more pairs or bytes
 * than above, a broken %XX, no UTF-8, or a control character. */
int web_query_parse(struct web_query *q, const char *text, size_t size, struct tp_err *err);

/* Returns the first value of that name, NULL if there is none. */
const char *web_query_get(const struct web_query *q, const char *name);
/* Sets *value to the whole number of that name, or to `missing` if there is none. Returns 0, or TP_EFORMAT
 * if it is not a number or outside of [least, most]. */
int web_query_number(const struct web_query *q, const char *name, int64_t missing, int64_t least,
		     int64_t most, int64_t *value, struct tp_err *err);

#endif
