/* The first bytes of a dump, unpacked, without reading the rest of it. */
#ifndef TP_OPEN_PEEK_H
#define TP_OPEN_PEEK_H

#include <stddef.h>

#include "base/err.h"

/* Fills head with up to `room` bytes of the file (of what it unpacks to, if it is a .gz or .zst);
 * *size how many there are. What is damaged just ends early. A directory is TP_EUNKNOWN; TP_ENOENT,
 * TP_EIO (also for pipes: what is read from them would be gone), TP_ENOMEM. */
int tp_peek(const char *path, void *head, size_t room, size_t *size, struct tp_err *err);
/* The same of the file as it is. */
int tp_peek_packed(const char *path, void *head, size_t room, size_t *size, struct tp_err *err);

#endif
