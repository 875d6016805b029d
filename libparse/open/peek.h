/* Reads the first bytes of a dump, unpacked, without reading the rest. */
#ifndef TP_OPEN_PEEK_H
#define TP_OPEN_PEEK_H

#include <stddef.h>

#include "base/err.h"

/* Fills head with up to `room` bytes of the file (unpacked, if it is a .gz or .zst) and sets *size to
 * their number. Damaged data just ends early. Returns 0, TP_EUNKNOWN for a folder, TP_ENOENT, TP_EIO
 * (also for pipes, from which bytes cannot be read twice) or TP_ENOMEM. */
int tp_peek(const char *path, void *head, size_t room, size_t *size, struct tp_err *err);
/* Does the same without unpacking. */
int tp_peek_packed(const char *path, void *head, size_t room, size_t *size, struct tp_err *err);

#endif
