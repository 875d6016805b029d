/* Files that are made under another name: what is renamed must be synced after its last write, and
 * not be written to once it has its name. A power failure would show the difference; no kill does.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "fault.h"

static struct fault_file *find(const struct stat *st, bool add)
{
	struct fault_shared *s = fault_shared;
	unsigned n = atomic_load(&s->nfiles);

	if (!S_ISREG(st->st_mode))
		return NULL;
	for (unsigned i = n; i-- > 0;)
		if (s->files[i].dev == st->st_dev && s->files[i].ino == st->st_ino)
			return &s->files[i];
	if (!add || n == FAULT_MAX_FILES)
		return NULL;
	s->files[n] = (struct fault_file){.dev = st->st_dev, .ino = st->st_ino};
	atomic_store(&s->nfiles, n + 1);
	return &s->files[n];
}

static void wrote(long fd)
{
	struct fault_file *f;
	struct stat st;

	if (fault_syscall(SYS_fstat, fd, (long)&st, 0, 0, 0, 0))
		return;
	f = find(&st, true);
	if (!f)
		return;
	f->dirty = true;
	if (f->renamed)
		fault_objection("a file was written to after it had got its name");
}

static void synced(long fd)
{
	struct fault_file *f;
	struct stat st;

	if (!fault_syscall(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) && (f = find(&st, false)))
		f->dirty = false;
}

/* Whoever opens a file anew may change it: that is another tale. */
static void opened(long fd, long flags)
{
	struct fault_file *f;
	struct stat st;

	if ((flags & O_ACCMODE) != O_RDONLY &&
	    !fault_syscall(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) && (f = find(&st, false)))
		f->renamed = false;
}

/* Under its old name before a rename, under the new one after it. */
static struct fault_file *named(long folder, const char *name, bool add)
{
	struct stat st;

	if (fault_syscall(SYS_newfstatat, folder, (long)name, (long)&st, AT_SYMLINK_NOFOLLOW, 0, 0))
		return NULL;
	return find(&st, add);
}

void fault_order_before(long nr, const long *a)
{
	struct fault_file *f = NULL;
	const char *to = NULL;

	if (!fault_shared || !atomic_load(&fault_shared->armed))
		return;
	if (nr == SYS_rename) {
		f = named(AT_FDCWD, (const char *)a[0], false);
		to = (const char *)a[1];
	} else if (nr == SYS_renameat || nr == SYS_renameat2) {
		f = named(a[0], (const char *)a[1], false);
		to = (const char *)a[3];
	}
	if (f && f->dirty)
		fault_objection("%s was renamed before it was synced", to);
}

void fault_order_after(long nr, const long *a, long result)
{
	struct fault_file *f = NULL;

	if (!fault_shared || !atomic_load(&fault_shared->armed) || result < 0)
		return;
	switch (nr) {
	case SYS_write:
	case SYS_writev:
	case SYS_pwrite64:
	case SYS_pwritev:
	case SYS_ftruncate:
		wrote(a[0]);
		break;
	case SYS_fsync:
	case SYS_fdatasync:
		synced(a[0]);
		break;
	case SYS_open:
		opened(result, a[1]);
		break;
	case SYS_openat:
		opened(result, a[2]);
		break;
	case SYS_rename:
		f = named(AT_FDCWD, (const char *)a[1], true);
		break;
	case SYS_renameat:
	case SYS_renameat2:
		f = named(a[2], (const char *)a[3], true);
		break;
	}
	if (f)
		f->renamed = true;
}
