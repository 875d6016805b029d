#include "common/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/lock.h"

/* The mode that open() gives new files. The umask can be read only by changing it, so this must be
 * done before there are threads. */
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

int cmd_draft_begin(struct cmd_draft *d, const char *path, unsigned how)
{
	struct stat st;
	bool there = !stat(path, &st);
	int why;

	*d = (struct cmd_draft){.fd = -1, .how = how};
	if (!there && errno != ENOENT)
		return -1;
	if (there && how & CMD_DRAFT_KEEP) {
		errno = EEXIST;
		return -1;
	}
	d->path = strdup(path);
	if (!d->path)
		return -1;
	if (!(how & CMD_DRAFT_QUICK))
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

/* Gives the file its name unless a file of that name exists. */
static int name_new(const char *part, const char *path)
{
	if (!renameat2(AT_FDCWD, part, AT_FDCWD, path, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	/* Some file systems do not support that. */
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
	/* Files that cannot be synced, such as pipes, fail with EINVAL. */
	if (done && !(d->how & CMD_DRAFT_QUICK) && fsync(d->fd) && errno != EINVAL)
		why = errno;
	if (done && !why &&
	    (d->how & CMD_DRAFT_KEEP ? name_new(d->part, d->path) : rename(d->part, d->path)))
		why = errno;
	if (!done || why)
		unlink(d->part);
	/* Closing ends the lock, which shows that the file is in use, so it comes last. The file is
	 * synced, so closing cannot lose data. */
	close(d->fd);
	forget(d);
	errno = why;
	return why ? -1 : 0;
}

FILE *cmd_draft_open(struct cmd_draft *d, const char *path, unsigned how)
{
	FILE *f;
	int fd, why;

	if (cmd_draft_begin(d, path, how))
		return NULL;
	/* The draft keeps its own descriptor for the lock. */
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

/* Returns the errno of a failed write, which a stream does not remember. The cause, such as a full disk,
 * usually persists, so another write fails with it again. */
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
