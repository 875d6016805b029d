#include "common/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/progress.h"

#define PREFIX "tprof-scratch-"
#define MOST   8
#define SWEEP_AGE_S                                                                                \
	(24 * 60 * 60) /* if folders cannot be locked, a folder counts as in use for so long */

/* The folders to remove when a signal ends the process. One thread at a time writes slots, and a
 * handler sees a folder completely or not at all. */
static struct {
	_Atomic(char *) path;
	int fd;
	pid_t owner; /* the process that removes it; children inherit the handlers */
} kept[MOST];

/* ---- emptying one ---- */

struct entry { /* as getdents64(2) has it */
	uint64_t ino, next;
	uint16_t size;
	uint8_t type;
	char name[];
};

/* Removes the files of a folder, without readdir(), which signal handlers may not call. */
static void empty(int fd)
{
	_Alignas(struct entry) char block[2048];
	long n;

	lseek(fd, 0, SEEK_SET);
	while ((n = syscall(SYS_getdents64, fd, block, sizeof(block))) > 0)
		for (long at = 0; at < n;) {
			const struct entry *e = (const struct entry *)(const void *)(block + at);

			if (strcmp(e->name, ".") != 0 && strcmp(e->name, "..") != 0)
				unlinkat(fd, e->name, 0);
			at += e->size;
		}
}

static void remove_all(void)
{
	int why = errno;

	for (size_t i = 0; i < MOST; i++) {
		char *path = atomic_load(&kept[i].path);

		if (!path || kept[i].owner != getpid())
			continue;
		empty(kept[i].fd);
		rmdir(path);
	}
	errno = why;
}

/* ---- folders of killed commands ---- */

static bool is_named(int fd, int dir, const char *name)
{
	struct stat a, b;

	return !fstat(fd, &a) && !fstatat(dir, name, &b, AT_SYMLINK_NOFOLLOW) &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static void sweep_one(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	bool gone = false;

	if (fd < 0)
		return;
	/* No other user could have written to it. */
	if (!fstat(fd, &st) && st.st_uid == geteuid() && (st.st_mode & 0777) == 0700) {
		if (!flock(fd, LOCK_EX | LOCK_NB))
			gone = is_named(fd, dir, name);
		else
			gone = errno != EWOULDBLOCK && errno != EINTR &&
			       st.st_mtime + SWEEP_AGE_S < time(NULL);
	}
	if (gone) {
		empty(fd);
		unlinkat(dir, name, AT_REMOVEDIR);
	}
	close(fd);
}

static void sweep(const char *tmp)
{
	DIR *dir = opendir(tmp);

	for (struct dirent *e; dir && (e = readdir(dir));)
		if (!strncmp(e->d_name, PREFIX, strlen(PREFIX)) &&
		    strlen(e->d_name) == strlen(PREFIX) + 6)
			sweep_one(dirfd(dir), e->d_name);
	if (dir)
		closedir(dir);
}

/* ---- making a folder ---- */

/* Makes and locks a folder; makes another one if a sweep has removed it in between. */
static int make(char *path, int *fd)
{
	char *end = path + strlen(path) - 6;
	int why;

	for (int tries = 0; tries < 100; tries++) {
		memcpy(end, "XXXXXX", 6);
		if (!mkdtemp(path))
			return -1;
		*fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (*fd >= 0) {
			while (flock(*fd, LOCK_SH) && errno == EINTR)
				;
			errno = ENOENT;
			if (is_named(*fd, AT_FDCWD, path))
				return 0;
			why = errno;
			close(*fd);
			*fd = -1;
			errno = why;
		}
		if (errno != ENOENT) {
			why = errno;
			rmdir(path);
			errno = why;
			return -1;
		}
	}
	errno = EEXIST;
	return -1;
}

int cmd_scratch_make(struct cmd_scratch *s, struct tp_err *err)
{
	const char *tmp = getenv("TMPDIR");
	size_t i = 0;

	*s = (struct cmd_scratch){.fd = -1};
	if (!tmp || !*tmp)
		tmp = "/tmp";
	sweep(tmp);
	if (asprintf(&s->path, "%s/" PREFIX "XXXXXX", tmp) < 0) {
		s->path = NULL;
		return tp_nomem(err);
	}
	if (make(s->path, &s->fd)) {
		int why = errno;

		free(s->path);
		s->path = NULL;
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
				  "cannot make a folder in %s (TMPDIR names it): %s", tmp,
				  strerror(why));
	}
	while (i < MOST && atomic_load(&kept[i].path))
		i++;
	if (i < MOST) {
		kept[i].fd = s->fd;
		kept[i].owner = getpid();
		atomic_store(&kept[i].path, s->path);
	}
	cmd_interrupt_removes(remove_all);
	return 0;
}

void cmd_scratch_remove(struct cmd_scratch *s)
{
	if (!s->path)
		return;
	empty(s->fd);
	rmdir(s->path);
	for (size_t i = 0; i < MOST; i++)
		if (atomic_load(&kept[i].path) == s->path)
			atomic_store(&kept[i].path, NULL);
	close(s->fd);
	free(s->path);
	*s = (struct cmd_scratch){.fd = -1};
}
