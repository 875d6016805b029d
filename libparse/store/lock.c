#include "store/lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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
#define POLL_MS	    20
/* A temporary file is locked a moment after it is created; younger ones are left alone. */
#define SWEEP_AGE_S 10

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static char *with_suffix(const char *path, const char *suffix)
{
	size_t n = strlen(path) + strlen(suffix) + 1;
	char *s = malloc(n);

	if (s)
		snprintf(s, n, "%s%s", path, suffix);
	return s;
}

/* Is fd still what the name stands for? Its last holder removes the file when it is done. */
static int is_named(int fd, const char *name)
{
	struct stat a, b;

	return !fstat(fd, &a) && !stat(name, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int tp_lock_take(const char *path, int wait_ms, int *fd, struct tp_err *err)
{
	char *name = with_suffix(path, LOCK_SUFFIX);
	int64_t until = now_ms() + wait_ms;
	int code = 0;

	*fd = -1;
	if (!name)
		return tp_sys_err(err, ENOMEM, path, "cannot lock");
	for (;;) {
		if (*fd < 0)
			*fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
		if (*fd < 0) {
			code = tp_sys_err(err, errno, name, "cannot create");
			break;
		}
		if (!flock(*fd, LOCK_EX | LOCK_NB)) {
			if (is_named(*fd, name))
				break;
			close(*fd);
			*fd = -1;
			continue;
		}
		if (errno != EWOULDBLOCK && errno != EINTR) {
			code = tp_sys_err(err, errno, name, "cannot lock");
			break;
		}
		if (wait_ms >= 0 && now_ms() >= until) {
			code = tp_err_set(err, TP_EBUSY, TP_OFFSET_NONE,
					  "another program is writing to %s", path);
			break;
		}
		nanosleep(&(struct timespec){.tv_nsec = POLL_MS * 1000000}, NULL);
	}
	if (code && *fd >= 0) {
		close(*fd);
		*fd = -1;
	}
	free(name);
	return code;
}

void tp_lock_release(const char *path, int fd)
{
	char *name = with_suffix(path, LOCK_SUFFIX);

	/* Removed while it is held: who waits for it notices and creates it anew. */
	if (name)
		unlink(name);
	free(name);
	close(fd);
}

int tp_temp_create(const char *path, char **name, int *fd, struct tp_err *err)
{
	size_t room = strlen(path) + sizeof(TEMP_INFIX) + 16;

	*fd = -1;
	*name = malloc(room);
	if (!*name)
		return tp_sys_err(err, ENOMEM, path, "cannot write");
	for (int tries = 0; tries < 100 && *fd < 0; tries++) {
		uint64_t r = (uint64_t)getpid() << 32 ^ (uint64_t)now_ms() << 8 ^ (uint64_t)tries;

		if (getrandom(&r, sizeof(r), GRND_NONBLOCK) < 0)
			r *= 0x9e3779b97f4a7c15u;
		snprintf(*name, room, "%s" TEMP_INFIX "%012llx", path,
			 (unsigned long long)(r & 0xffffffffffff));
		*fd = open(*name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (*fd < 0 && errno != EEXIST)
			break;
	}
	if (*fd < 0) {
		int code = tp_sys_err(err, errno, *name, "cannot create");

		free(*name);
		*name = NULL;
		return code;
	}
	/* SQLite's own locks are of the other kind (fcntl), so the two do not meet. */
	flock(*fd, LOCK_SH | LOCK_NB);
	return 0;
}

static void sweep_one(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_mtime + SWEEP_AGE_S < time(NULL) &&
	    !flock(fd, LOCK_EX | LOCK_NB))
		unlinkat(dir, name, 0);
	close(fd);
}

void tp_temp_sweep(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	char *prefix = with_suffix(base, TEMP_INFIX);
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	DIR *dir = folder ? opendir(folder) : NULL;

	for (struct dirent *e; dir && prefix && (e = readdir(dir));)
		if (!strncmp(e->d_name, prefix, strlen(prefix)))
			sweep_one(dirfd(dir), e->d_name);
	if (dir)
		closedir(dir);
	free(folder);
	free(prefix);
}
