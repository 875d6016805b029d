/* Keeps writers of one store apart: a lock file beside it, gone when nobody writes. */
#ifndef TP_STORE_LOCK_H
#define TP_STORE_LOCK_H

#include "base/err.h"

/* Waits at most wait_ms (< 0: for ever) for the store's lock. *fd is to be handed to
 * tp_lock_release. TP_EBUSY: another writer held it all the time; TP_EIO. */
int tp_lock_take(const char *path, int wait_ms, int *fd, struct tp_err *err);
void tp_lock_release(const char *path, int fd);

/* A temporary file beside path, created now and locked for as long as *fd is open, so that others
 * see that its writer lives, and open to no more users than what is at path now, if anything is.
 * *name is the caller's to free. Where it fails, errno says why, too. */
int tp_temp_create(const char *path, char **name, int *fd, struct tp_err *err);

/* Removes the temporary files of path, and its lock, whose writers are gone; nothing that only looks
 * a little like them. Whoever cannot be known
 * to live or not, as files cannot be locked there, is left alone for a day. */
void tp_temp_sweep(const char *path);

#endif
