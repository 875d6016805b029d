/* Lock files, which keep writers of a store apart, and temporary files. */
#ifndef TP_STORE_LOCK_H
#define TP_STORE_LOCK_H

#include <sys/stat.h>

#include "base/err.h"

struct sqlite3;

/* Called again and again, by any thread, while a wait for another process's lock on a store lasts longer than a
 * second; NULL at first. Set it before there are threads. */
extern void (*tp_lock_waits)(const char *path);
/* Makes statements on db wait for other processes' locks, a minute at most. */
void tp_lock_wait(struct sqlite3 *db);

/* Resolves symbolic links in the path of a store, as the lock and temporary files lie beside the file, not beside a
 * link to it. The file need not exist, but its folder must. The caller frees *place. Returns 0, TP_ENOENT, TP_EIO or
 * TP_ENOMEM. */
int tp_place(const char *path, char **place, struct tp_err *err);

struct tp_lock {
	int fd;
	char *place; /* resolved path of the store; NULL while the lock is not held */
};
/* Waits at most wait_ms (< 0: for ever) for the lock of a store. Then write to lock->place, as links may have
 * changed. Returns 0, TP_EBUSY (another writer held it all the time) or an error of tp_place. */
int tp_lock_take(struct tp_lock *lock, const char *path, int wait_ms, struct tp_err *err);
/* Also for a lock that could not be taken. */
void tp_lock_release(struct tp_lock *lock);

/* Creates a temporary file beside path. It is locked while *fd is open, which shows others that its writer lives.
 * If there is a file at path, no other users can open the new one than can open that; it gets the same group if
 * that is permitted. The caller frees *name. On failure errno is set, too. */
int tp_temp_create(const char *path, char **name, int *fd, struct tp_err *err);

/* Gives a temporary file the group and permissions of the file that it will replace, and, if permitted, the owner.
 * If the group is not permitted, its own group gets the permissions that everybody has. Returns 0, or -1 with
 * errno. */
int tp_temp_take_after(int fd, const struct stat *replaced);

/* Removes the temporary files of path whose writers have ended, and no files with similar names. Where files
 * cannot be locked, so that this is unknown, they are kept for a day. */
void tp_temp_sweep(const char *path);
/* The same for a store, and for its lock file, which other files do not have. */
void tp_temp_sweep_store(const char *path);

#endif
