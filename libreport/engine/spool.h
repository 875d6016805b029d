/* Keeps answers of the engine in an unnamed temporary file, which is removed when it is closed.
 * Private to libreport/engine. */
#ifndef REP_ENGINE_SPOOL_H
#define REP_ENGINE_SPOOL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

/* Zero-initialised is valid and empty. */
struct rep_spool {
	FILE *file;
	size_t size; /* bytes written */
	const uint8_t *data;
};

/* Creates the file in the folder of `path`. *s must be released in every case. */
int rep_spool_begin(struct rep_spool *s, const char *path, struct tp_err *err);
int rep_spool_put(struct rep_spool *s, const void *data, size_t size, struct tp_err *err);
/* Ends writing and maps the file: s->data has all bytes (NULL if it is empty). */
int rep_spool_end(struct rep_spool *s, struct tp_err *err);
void rep_spool_release(struct rep_spool *s);

#endif
