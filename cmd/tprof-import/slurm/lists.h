/* Which task has which dumps, as files LIST/N (names, a NUL after each, with what is said of them,
 * as paths.h reads it) and LIST/N.options (words for its tprof-import). */
#ifndef IMPORT_SLURM_LISTS_H
#define IMPORT_SLURM_LISTS_H

#include <stddef.h>
#include <stdint.h>

#include "../paths.h"
#include "base/buf.h"
#include "base/err.h"

/* Divides the dumps among `wanted` tasks (0: as many as are worth it) and writes the lists of tasks 1
 * to *tasks into FOLDER/list, which is there. *tasks is set also after an error. */
int lists_write(const char *folder, const struct paths *paths, size_t wanted, size_t *tasks,
		struct tp_err *err);

/* A file whose bytes are on the disk, for its owner only. */
int lists_file(const char *path, const void *data, size_t size, struct tp_err *err);

#endif
