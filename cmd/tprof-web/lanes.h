/* The timeline's data: what /lanes/NAME answers. */
#ifndef WEB_LANES_H
#define WEB_LANES_H

#include <stdatomic.h>

#include "base/buf.h"
#include "base/err.h"
#include "tprof-web/query.h"

struct web_lanes;

/* Opens the store for the server, and in the background its run `first`, the one that is meant where a
 * request names none. Called in the jail, which lets that file be read, and before there are threads. */
int web_lanes_new(struct web_lanes **lanes, const char *store, int64_t first, struct tp_err *err);
void web_lanes_free(struct web_lanes *lanes);

/* Called when a request of any kind begins and when it has been answered. Reading in advance, which uses all processors,
 * stops when one begins, and waits until there has been none for a while. */
void web_lanes_begin(struct web_lanes *lanes);
void web_lanes_end(struct web_lanes *lanes);

/* Appends the answer to /lanes/`what` to *out and sets *type to its media type, a constant. May be called by
 * several threads at once. Once *stop is set, nobody waits for the answer any more, and it returns soon.
 * Returns 0; TP_ENOENT: there is no such `what` or run (404); TP_EFORMAT: the query is wrong (400); or another
 * error (500). The message is for the reader. */
int web_lanes_answer(struct web_lanes *lanes, const char *what, const struct web_query *query,
		     struct tp_buf *out, const char **type, const atomic_bool *stop,
		     struct tp_err *err);

#endif
