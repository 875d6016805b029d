#include "common/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/lock.h"

/* The mode that open() gives new files. Asking is changing, which is for before there are threads.
 */
static mode_t mode = 0600;

void cmd_draft_learn_mode(void)
{
	mode_t mask = umask(077);

	umask(mask);
	mode = 0666 & ~mask;
}

static void forget(struct cmd_draft *d)
{
	free(d->path);
	free(d->part);
	*d = (struct cmd_draft){.fd = -1};
}

int cmd_draft_begin(struct cmd_draft *d, const char *path, bool keep)
{
	struct stat st;
	bool there = !stat(path, &st);
	int why;

	*d = (struct cmd_draft){.fd = -1, .keep = keep};
	if (!there && errno != ENOENT)
		return -1;
	if (there && keep) {
		errno = EEXIST;
		return -1;
	}
	d->path = strdup(path);
	if (!d->path)
		return -1;
	tp_temp_sweep(path);
	if (!tp_temp_create(path, &d->part, &d->fd, NULL)) {
		if (!(there ? tp_temp_take_after(d->fd, &st) : fchmod(d->fd, mode)))
			return 0;
		why = errno;
		unlink(d->part);
		close(d->fd);
		errno = why;
	}
	why = errno;
	forget(d);
	errno = why;
	return -1;
}

/* A name that is there already stays what it is. */
static int name_new(const char *part, const char *path)
{
	if (!renameat2(AT_FDCWD, part, AT_FDCWD, path, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	/* Where the file system does not know that. */
	if (!link(part, path))
		return unlink(part);
	if (errno == EEXIST || !access(path, F_OK)) {
		errno = EEXIST;
		return -1;
	}
	return rename(part, path);
}

int cmd_draft_end(struct cmd_draft *d, bool done)
{
	int why = 0;

	if (!d->part)
		return 0;
	/* Some things that can be written to have no such thing as a sync: EINVAL. */
	if (done && fsync(d->fd) && errno != EINVAL)
		why = errno;
	if (done && !why && (d->keep ? name_new(d->part, d->path) : rename(d->part, d->path)))
		why = errno;
	if (!done || why)
		unlink(d->part);
	/* Only now, as its lock says that it is in use. It is synced, so nothing can fail here. */
	close(d->fd);
	forget(d);
	errno = why;
	return why ? -1 : 0;
}

FILE *cmd_draft_open(struct cmd_draft *d, const char *path, bool keep)
{
	FILE *f;
	int fd, why;

	if (cmd_draft_begin(d, path, keep))
		return NULL;
	/* The draft keeps a descriptor of its own, for its lock. */
	fd = fcntl(d->fd, F_DUPFD_CLOEXEC, 3);
	f = fd < 0 ? NULL : fdopen(fd, "wb");
	if (f)
		return f;
	why = errno;
	if (fd >= 0)
		close(fd);
	cmd_draft_end(d, false);
	errno = why;
	return NULL;
}

/* A stream forgets why it could not write. What made it so (a full disk) mostly still does. */
static int why_not_written(const struct cmd_draft *d)
{
	static const char block[4096];

	return write(d->fd, block, sizeof(block)) < 0 ? errno : EIO;
}

int cmd_draft_close(struct cmd_draft *d, FILE *f, bool done)
{
	int why = ferror(f) ? why_not_written(d) : 0;

	if (fclose(f) && !why)
		why = errno;
	if (cmd_draft_end(d, done && !why))
		return -1;
	errno = why;
	return why ? -1 : 0;
}
