/* Stores of fuzz targets: files in memory. */
#include <dirent.h>
#include <string.h>
#include <sys/mman.h>
#include <fcntl.h>
#include <unistd.h>

#include "fuzz.h"

static char folder[64];

void fuzz_sweep(void)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
}

static void leave(void)
{
	fuzz_sweep();
	rmdir(folder);
}

const char *fuzz_path(const char *name)
{
	static char paths[4][sizeof(folder) + 64];
	static unsigned next;
	char *path = paths[next++ % 4];

	if (!folder[0]) {
		snprintf(folder, sizeof(folder), "/dev/shm/tprof-fuzz-XXXXXX");
		MUST(mkdtemp(folder));
		atexit(leave);
	}
	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

const char *fuzz_file(const char *name, const void *data, size_t size)
{
	const char *path = fuzz_path(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	MUST(fd >= 0);
	MUST(write(fd, data, size) == (ssize_t)size);
	close(fd);
	return path;
}

/* What lies in the folder: nothing but the files named is to be left. */
static void check_left(const char *a, const char *b)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	MUST(d);
	while ((e = readdir(d)))
		MUST(e->d_name[0] == '.' || !strcmp(e->d_name, a) || !strcmp(e->d_name, b));
	closedir(d);
}

bool fuzz_import(const uint8_t *data, size_t size, const struct tp_import_options *opt,
		 struct fuzz_store *out)
{
	const char *dump = fuzz_file("dump", data, size);
	struct tp_err err = {0};

	memset(out, 0, sizeof(*out));
	out->path = fuzz_path("store");
	unlink(out->path);
	if (tp_import(dump, out->path, opt, &out->result, &err)) {
		MUST_SAY(err);
		check_left("dump", "");
		return false;
	}
	check_left("dump", "store");
	MUST(!tp_store_open(&out->s, out->path, &err));
	MUST(!rep_runs_load(out->s, &out->runs, &err) && out->runs.n == 1);
	out->run = &out->runs.run[0];
	return true;
}

void fuzz_close(struct fuzz_store *f)
{
	rep_runs_release(&f->runs);
	tp_store_close(f->s);
	unlink(f->path);
	memset(f, 0, sizeof(*f));
}
