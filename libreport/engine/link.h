/* The connection of the loader and the reader to an engine: takes statements and returns bytes. The
 * caller provides the transport (cmd/common/engine). */
#ifndef REP_ENGINE_LINK_H
#define REP_ENGINE_LINK_H

#include <stddef.h>

#include "base/err.h"

struct rep_engine_link {
	/* Runs `sql` on the engine; `data` (size bytes, may be NULL) is the input of an INSERT.
	 * Passes the answer to `on_data` piece by piece; nonzero from that ends it. If `on_data` is
	 * NULL, there must be no answer. Returns 0, or an error with a sentence: TP_ENOENT if there
	 * is no such table or database, TP_EIO if the statement is refused for another reason or
	 * the engine does not answer. After an error, the data passed so far is invalid, and an
	 * INSERT may or may not have happened. */
	int (*ask)(void *ctx, const char *sql, const void *data, size_t size,
		   int (*on_data)(void *to, const void *data, size_t size, struct tp_err *err),
		   void *to, struct tp_err *err);
	void *ctx;
};

/* The location of the tables. */
struct rep_engine_place {
	const char *database;
	const char *cluster; /* NULL: one server */
};

#endif
