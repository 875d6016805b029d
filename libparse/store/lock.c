#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store/lock_inside.h"
#include "store/sqlerr.h"

#define POLL_MS	   20
#define TELL_MS	   1000
#define DB_POLL_MS 5
#define DB_WAIT_MS 60000

/* On the stack, as a lock must be released even without memory. */
struct lock_name {
	char text[PATH_MAX + sizeof(TP_LOCK_SUFFIX)];
};

static int name_lock(struct lock_name *name, const char *path)
{
	int n = snprintf(name->text, sizeof(name->text), "%s" TP_LOCK_SUFFIX, path);

	if (n > 0 && (size_t)n < sizeof(name->text))
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

int tp_place(const char *path, char **place, struct tp_err *err)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	char *folder, *real;
	size_t room;

	*place = realpath(path, NULL);
	if (*place)
		return 0;
	if (errno != ENOENT || !*base)
		return tp_sys_err(err, errno, path, "cannot open");
	folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	real = folder ? realpath(folder, NULL) : NULL;
	free(folder);
	if (!real)
		return tp_sys_err(err, errno, path, "cannot create");
	room = strlen(real) + strlen(base) + 2;
	*place = malloc(room);
	if (*place)
		snprintf(*place, room, "%s%s%s", real, real[1] ? "/" : "", base);
	free(real);
	return *place ? 0 : tp_nomem(err);
}

/* Opens the lock file, which is created if it does not exist. One that only another user can write
 * can still be locked when it is opened for reading. What is not a regular file, such as a pipe, is
 * refused with EACCES. Returns -1 with errno on failure. */
static int open_lock(const char *name)
{
	int fd = tp_open_again(AT_FDCWD, name, O_RDWR | O_CREAT | O_NONBLOCK, 0666);
	struct stat st;
	int why;

	if (fd < 0 && errno == EACCES) {
		fd = tp_open_again(AT_FDCWD, name, O_RDONLY | O_NONBLOCK, 0);
		/* It does not exist and cannot be created. */
		if (fd < 0 && errno == ENOENT)
			errno = EACCES;
	}
	if (fd < 0)
		return -1;
	why = fstat(fd, &st) ? errno : S_ISREG(st.st_mode) ? 0 : EACCES;
	if (!why)
		return fd;
	close(fd);
	errno = why;
	return -1;
}

void (*tp_lock_waits)(const char *path);

static void tell(const char *path)
{
	if (tp_lock_waits && path)
		tp_lock_waits(path);
}

static void sleep_ms(int ms)
{
	nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
}

/* Called by SQLite with how often it was called for the same lock. Returns 0 to give up. */
static int on_busy(void *db, int times)
{
	if (times >= DB_WAIT_MS / DB_POLL_MS)
		return 0;
	if (times >= TELL_MS / DB_POLL_MS)
		tell(sqlite3_db_filename(db, "main"));
	sleep_ms(DB_POLL_MS);
	return 1;
}

void tp_lock_wait(struct sqlite3 *db)
{
	sqlite3_busy_handler(db, on_busy, db);
}

static int take(const char *path, int wait_ms, int *fd, struct tp_err *err)
{
	int64_t begun = tp_now_ms(), waited;
	struct lock_name name;
	int code = 0, named;

	*fd = -1;
	if (name_lock(&name, path))
		return tp_sys_err(err, errno, path, "cannot lock");
	for (;;) {
		if (*fd < 0)
			*fd = open_lock(name.text);
		if (*fd < 0) {
			code = tp_sys_err(err, errno, name.text, "cannot create");
			break;
		}
		if (!flock(*fd, LOCK_EX | LOCK_NB)) {
			named = tp_is_named(*fd, AT_FDCWD, name.text);
			if (named > 0)
				break;
			if (named < 0) {
				code = tp_sys_err(err, errno, name.text, "cannot lock");
				break;
			}
			close(*fd);
			*fd = -1;
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK) {
			/* NFS says EBADF if the file can only be read. */
			code = tp_sys_err(err, errno == EBADF ? EACCES : errno, name.text,
					  "cannot lock");
			break;
		}
		waited = tp_now_ms() - begun;
		if (wait_ms >= 0 && waited >= wait_ms) {
			code = tp_err_set(err, TP_EBUSY, TP_OFFSET_NONE,
					  "another program is writing to %s", path);
			break;
		}
		if (waited >= TELL_MS)
			tell(path);
		sleep_ms(POLL_MS);
	}
	if (code && *fd >= 0) {
		close(*fd);
		*fd = -1;
	}
	return code;
}

int tp_lock_take(struct tp_lock *lock, const char *path, int wait_ms, struct tp_err *err)
{
	int code;

	*lock = (struct tp_lock){.fd = -1};
	code = tp_place(path, &lock->place, err);
	if (!code)
		code = take(lock->place, wait_ms, &lock->fd, err);
	if (code) {
		free(lock->place);
		lock->place = NULL;
	}
	return code;
}

void tp_lock_release(struct tp_lock *lock)
{
	struct lock_name name;
	struct stat st;

	if (!lock->place)
		return;
	/* Removed while it is held: those who wait notice it and create a new one. A lock file that
	 * is not empty was somebody's file ("flake.lock" beside a store called "flake"), and stays. */
	if (!name_lock(&name, lock->place) && !fstat(lock->fd, &st) && !st.st_size)
		unlink(name.text);
	close(lock->fd);
	free(lock->place);
	*lock = (struct tp_lock){.fd = -1};
}
