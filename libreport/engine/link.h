/* What the loader and the reader talk to an engine through: statements go out, bytes come back. How
 * they get there is the caller's matter (cmd/common/engine). */
#ifndef REP_ENGINE_LINK_H
#define REP_ENGINE_LINK_H

#include <stddef.h>

#include "base/err.h"

struct rep_engine_link {
	/* Has the engine do `sql`; `data` (size bytes, may be NULL) is what an INSERT takes. What
	 * it answers is handed on piece by piece, as it comes; nonzero from `on_data` ends it.
	 * `on_data` NULL: there must be no answer. 0, or an error with a sentence: then what was
	 * handed on is worth nothing, and of an INSERT nothing is known. TP_ENOENT: there is no
	 * such table, or database; TP_EIO: it is refused for another reason, or nobody answers. */
	int (*ask)(void *ctx, const char *sql, const void *data, size_t size,
		   int (*on_data)(void *to, const void *data, size_t size, struct tp_err *err),
		   void *to, struct tp_err *err);
	void *ctx;
};

/* Where the tables are. */
struct rep_engine_place {
	const char *database;
	const char *cluster; /* NULL: one server */
};

#endif
