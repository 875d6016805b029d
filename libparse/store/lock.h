/* Keeps writers of one store apart: a lock file beside it, gone when nobody writes. */
#ifndef TP_STORE_LOCK_H
#define TP_STORE_LOCK_H

#include <sys/stat.h>

#include "base/err.h"

/* The place of a store with symbolic links resolved, the caller's to free: the lock lies beside the
 * file, and what is built does, not beside a link to it. The file need not be there, its folder
 * must. TP_ENOENT, TP_EIO, TP_ENOMEM. */
int tp_place(const char *path, char **place, struct tp_err *err);

struct tp_lock {
	int fd;
	char *place; /* whose lock it is, whatever the store was called; NULL: not held */
};
/* Waits at most wait_ms (< 0: for ever) for the store's lock. Who has it works on lock->place: a
 * link may lead elsewhere by then. TP_EBUSY: another writer held it all the time; errors of
 * tp_place. */
int tp_lock_take(struct tp_lock *lock, const char *path, int wait_ms, struct tp_err *err);
/* Also of one that could not be taken. */
void tp_lock_release(struct tp_lock *lock);

/* A temporary file beside path, created now and locked for as long as *fd is open, so that others
 * see that its writer lives, and open to no more users than what is at path now, if anything is:
 * of its group, too, where one may.
 * *name is the caller's to free. Where it fails, errno says why, too. */
int tp_temp_create(const char *path, char **name, int *fd, struct tp_err *err);

/* Makes a temporary file as open as what it is to replace: its group and permissions, and, as far
 * as one may, its owner. Where it cannot have that group, its own gets no more than everybody. 0,
 * or -1 with errno. */
int tp_temp_take_after(int fd, const struct stat *replaced);

/* Removes the temporary files of path whose writers are gone; nothing that only looks a little like
 * them. Whoever cannot be known to live or not, as files cannot be locked there, is left alone for
 * a day. */
void tp_temp_sweep(const char *path);
/* The same of a store, with its lock: other files have none of ours. */
void tp_temp_sweep_store(const char *path);

#endif
