/* The part of an address after '?': names and values, "run=1&a=top&a=-n%205". */
#ifndef WEB_QUERY_H
#define WEB_QUERY_H

#include <stddef.h>

#include "base/err.h"

#define WEB_QUERY_PAIRS 256
#define WEB_QUERY_SIZE	((size_t)16 << 10)

struct web_query {
	struct web_pair {
		const char *name, *value; /* decoded, any bytes but NUL */
	} pair[WEB_QUERY_PAIRS];	  /* n of them, in their order */
	size_t n;
	/* private: what the pairs point into; a NUL follows each name and each value */
	char text[WEB_QUERY_SIZE + 2 * WEB_QUERY_PAIRS];
};

/* Decodes `size` bytes. Returns 0, or TP_EFORMAT with a message for the reader: more pairs or bytes
 * than above, or a broken %XX or a NUL. */
int web_query_parse(struct web_query *q, const char *text, size_t size, struct tp_err *err);

/* Returns the first value of that name, NULL if there is none. */
const char *web_query_get(const struct web_query *q, const char *name);

#endif
