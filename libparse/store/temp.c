/* Temporary files beside the files that they will replace. */
#include "store/lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "store/lock_inside.h"
#include "store/sqlerr.h"

#define TEMP_INFIX  ".part-"
#define TEMP_DIGITS 12 /* hexadecimal, after the infix */
/* Where files cannot be locked, a temporary file is removed after this time. */
#define SWEEP_AGE_S (24 * 60 * 60)

int64_t tp_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int tp_is_named(int fd, int dir, const char *name)
{
	struct stat a, b;

	if (fstat(fd, &a))
		return -1;
	if (fstatat(dir, name, &b, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -1;
	return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int tp_open_again(int dir, const char *name, int flags, mode_t mode)
{
	int fd;

	do
		fd = openat(dir, name, flags | O_CLOEXEC | O_NOFOLLOW, mode);
	while (fd < 0 && errno == EINTR);
	return fd;
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
		uint64_t r =
		    (uint64_t)getpid() << 32 ^ (uint64_t)tp_now_ms() << 8 ^ (uint64_t)tries;

		if (getrandom(&r, sizeof(r), GRND_NONBLOCK) < 0)
			r *= 0x9e3779b97f4a7c15u;
		snprintf(*name, room, "%s" TEMP_INFIX "%0*llx", path, TEMP_DIGITS,
			 (unsigned long long)(r & 0xffffffffffff));
		*fd = tp_open_again(AT_FDCWD, *name, O_RDWR | O_CREAT | O_EXCL,
				    there ? for_another_group(mode) : mode);
		if (*fd < 0 && errno != EEXIST)
			break;
		/* A process that sweeps may lock it for a moment, and has then removed it. SQLite's
		 * own locks are fcntl locks, which do not conflict with these. */
		while (*fd >= 0 && flock(*fd, LOCK_SH) && errno == EINTR)
			;
		if (*fd >= 0 && !tp_is_named(*fd, AT_FDCWD, *name)) {
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
	int fd = tp_open_again(dir, name, O_RDWR | O_NONBLOCK, 0);
	struct stat st;
	bool gone;

	if (fd < 0 && errno == EACCES)
		fd = tp_open_again(dir, name, O_RDONLY | O_NONBLOCK, 0);
	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && !(if_empty && st.st_size)) {
		if (!flock(fd, LOCK_EX | LOCK_NB))
			gone = tp_is_named(fd, dir, name) > 0;
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
		else if (lock && !strcmp(e->d_name + n, TP_LOCK_SUFFIX))
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
