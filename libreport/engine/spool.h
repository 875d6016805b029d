/* Inside libreport/engine: what the engine says, on the disk until it is needed: a file without a
 * name, which goes with its descriptor. */
#ifndef REP_ENGINE_SPOOL_H
#define REP_ENGINE_SPOOL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

/* Zero-initialised is valid and empty. */
struct rep_spool {
	FILE *file;
	size_t size; /* all that was put */
	const uint8_t *data;
};

/* In the folder of `path`. To be released in any case. */
int rep_spool_begin(struct rep_spool *s, const char *path, struct tp_err *err);
int rep_spool_put(struct rep_spool *s, const void *data, size_t size, struct tp_err *err);
/* Nothing is put any more: s->data has it all (a mapping; NULL: it is empty). */
int rep_spool_end(struct rep_spool *s, struct tp_err *err);
void rep_spool_release(struct rep_spool *s);

#endif
