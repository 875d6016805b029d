#include "store/lock.h"

#include <dirent.h>
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
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store/sqlerr.h"

#define LOCK_SUFFIX ".lock"
#define TEMP_INFIX  ".part-"
#define TEMP_DIGITS 12 /* hexadecimal, after the infix */
#define POLL_MS	    20
#define TELL_MS	    1000
#define DB_POLL_MS  5
#define DB_WAIT_MS  60000
/* Where files cannot be locked, a temporary file is removed after this time. */
#define SWEEP_AGE_S (24 * 60 * 60)

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* On the stack, as a lock must be released even without memory. */
struct lock_name {
	char text[PATH_MAX + sizeof(LOCK_SUFFIX)];
};

static int name_lock(struct lock_name *name, const char *path)
{
	int n = snprintf(name->text, sizeof(name->text), "%s" LOCK_SUFFIX, path);

	if (n > 0 && (size_t)n < sizeof(name->text))
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

/* Returns 1 if the name still refers to the file of fd, which its last holder removes when it is
 * done; 0 if it does not; or -1 with errno. */
static int is_named(int fd, int dir, const char *name)
{
	struct stat a, b;

	if (fstat(fd, &a))
		return -1;
	if (fstatat(dir, name, &b, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -1;
	return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int open_again(int dir, const char *name, int flags, mode_t mode)
{
	int fd;

	do
		fd = openat(dir, name, flags | O_CLOEXEC | O_NOFOLLOW, mode);
	while (fd < 0 && errno == EINTR);
	return fd;
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
	int fd = open_again(AT_FDCWD, name, O_RDWR | O_CREAT | O_NONBLOCK, 0666);
	struct stat st;
	int why;

	if (fd < 0 && errno == EACCES) {
		fd = open_again(AT_FDCWD, name, O_RDONLY | O_NONBLOCK, 0);
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
	int64_t begun = now_ms(), waited;
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
			named = is_named(*fd, AT_FDCWD, name.text);
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
		waited = now_ms() - begun;
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

/* Returns the permissions for a file whose group differs: the group gets what everybody has. */
static mode_t for_another_group(mode_t bits)
{
	return bits & (bits << 3 | 0707);
}

static int set_group(int fd, gid_t group, mode_t bits)
{
	struct stat st;

	if (fchown(fd, (uid_t)-1, group)) {
		if (fstat(fd, &st))
			return -1;
		if (st.st_gid != group)
			bits = for_another_group(bits);
	}
	return fchmod(fd, bits);
}

int tp_temp_take_after(int fd, const struct stat *replaced)
{
	if (set_group(fd, replaced->st_gid, replaced->st_mode & 0777))
		return -1;
	/* Last, as the file cannot be changed once it has another owner. Usually this is not
	 * permitted. */
	if (fchown(fd, replaced->st_uid, (gid_t)-1))
		return 0;
	return 0;
}

int tp_temp_create(const char *path, char **name, int *fd, struct tp_err *err)
{
	size_t room = strlen(path) + sizeof(TEMP_INFIX) + TEMP_DIGITS;
	struct stat st;
	bool there = !stat(path, &st);
	mode_t mode = there ? (st.st_mode & 0666) | S_IRUSR | S_IWUSR : 0666;

	*fd = -1;
	*name = malloc(room);
	if (!*name) {
		errno = ENOMEM;
		return tp_sys_err(err, ENOMEM, path, "cannot write");
	}
	for (int tries = 0; tries < 100 && *fd < 0; tries++) {
		uint64_t r = (uint64_t)getpid() << 32 ^ (uint64_t)now_ms() << 8 ^ (uint64_t)tries;

		if (getrandom(&r, sizeof(r), GRND_NONBLOCK) < 0)
			r *= 0x9e3779b97f4a7c15u;
		snprintf(*name, room, "%s" TEMP_INFIX "%0*llx", path, TEMP_DIGITS,
			 (unsigned long long)(r & 0xffffffffffff));
		*fd = open_again(AT_FDCWD, *name, O_RDWR | O_CREAT | O_EXCL,
				 there ? for_another_group(mode) : mode);
		if (*fd < 0 && errno != EEXIST)
			break;
		/* A process that sweeps may lock it for a moment, and has then removed it. SQLite's
		 * own locks are fcntl locks, which do not conflict with these. */
		while (*fd >= 0 && flock(*fd, LOCK_SH) && errno == EINTR)
			;
		if (*fd >= 0 && !is_named(*fd, AT_FDCWD, *name)) {
			close(*fd);
			*fd = -1;
			errno = EEXIST;
		}
	}
	if (*fd < 0) {
		int why = errno, code = tp_sys_err(err, why, *name, "cannot create");

		free(*name);
		*name = NULL;
		errno = why;
		return code;
	}
	/* If that fails, fewer users can open it, which is safe. */
	if (there && set_group(*fd, st.st_gid, mode))
		errno = 0;
	return 0;
}

/* Returns whether this follows the store's name in the name of a temporary file. Other files must
 * not match, such as the parts that split(1) makes ("x.part-aa"). */
static bool is_temp(const char *rest)
{
	const char *digits = rest + strlen(TEMP_INFIX);

	return !strncmp(rest, TEMP_INFIX, strlen(TEMP_INFIX)) &&
	       strspn(digits, "0123456789abcdef") == TEMP_DIGITS && !digits[TEMP_DIGITS];
}

/* Removes the file if its writer has ended. A live writer has it locked, or notices that it was
 * removed as soon as it has the lock. Our lock files are empty. */
static void sweep_one(int dir, const char *name, bool if_empty)
{
	int fd = open_again(dir, name, O_RDWR | O_NONBLOCK, 0);
	struct stat st;
	bool gone;

	if (fd < 0 && errno == EACCES)
		fd = open_again(dir, name, O_RDONLY | O_NONBLOCK, 0);
	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && !(if_empty && st.st_size)) {
		if (!flock(fd, LOCK_EX | LOCK_NB))
			gone = is_named(fd, dir, name) > 0;
		else
			gone = errno != EWOULDBLOCK && errno != EINTR &&
			       st.st_mtime + SWEEP_AGE_S < time(NULL);
		if (gone)
			unlinkat(dir, name, 0);
	}
	close(fd);
}

static void sweep(const char *path, bool lock)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t n = strlen(base);
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	DIR *dir = folder ? opendir(folder) : NULL;

	for (struct dirent *e; dir && (e = readdir(dir));) {
		if (strncmp(e->d_name, base, n) != 0)
			continue;
		if (is_temp(e->d_name + n))
			sweep_one(dirfd(dir), e->d_name, false);
		else if (lock && !strcmp(e->d_name + n, LOCK_SUFFIX))
			sweep_one(dirfd(dir), e->d_name, true);
	}
	if (dir)
		closedir(dir);
	free(folder);
}

void tp_temp_sweep(const char *path)
{
	sweep(path, false);
}

void tp_temp_sweep_store(const char *path)
{
	sweep(path, true);
}
