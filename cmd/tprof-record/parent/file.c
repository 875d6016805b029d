#include "tprof-record/parent/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tprof-record/convert/profile/profile.h"

/* The file that is being written: only one thread of the recorder writes files. */
static _Atomic(struct rec_file *) current;

static int failed(struct tp_err *err, const char *what)
{
	return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot %s: %s", what,
			  strerror(errno ? errno : EIO));
}

static int put(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	struct rec_file *f = ctx;

	f->size += size;
	return size && fwrite(data, size, 1, f->stream) != 1 ? failed(err, "write it") : 0;
}

int rec_file_begin(struct rec_file *f, const char *folder, const char *name, struct tp_err *err)
{
	char path[PATH_MAX];

	*f = (struct rec_file){.out = {.write = put, .ctx = f}};
	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return failed(err, "create it");
	}
	f->stream = cmd_draft_open(&f->draft, path, CMD_DRAFT_QUICK);
	if (!f->stream)
		return failed(err, "create it");
	snprintf(f->part, sizeof(f->part), "%s", f->draft.part);
	atomic_store(&current, f);
	return 0;
}

int rec_file_end(struct rec_file *f, int code, struct tp_err *err)
{
	if (cmd_draft_close(&f->draft, f->stream, !code) && !code)
		code = failed(err, "write it");
	atomic_store(&current, NULL);
	return code;
}

void rec_file_abandon(void)
{
	struct rec_file *f = atomic_load(&current);

	if (f)
		unlink(f->part);
}

int rec_file_put(const char *folder, const char *name, const void *data, size_t size,
		 struct tp_err *err)
{
	struct rec_file f;
	int code = rec_file_begin(&f, folder, name, err);

	return code ? code : rec_file_end(&f, f.out.write(f.out.ctx, data, size, err), err);
}

/* ---- folders ---- */

int rec_folder_make(const char *path, struct tp_err *err)
{
	char part[PATH_MAX];
	size_t n = strlen(path);
	struct stat st;

	if (n >= sizeof(part))
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot create it: %s",
				  strerror(ENAMETOOLONG));
	for (size_t i = 1; i <= n; i++) {
		if (path[i] && path[i] != '/')
			continue;
		memcpy(part, path, i);
		part[i] = 0;
		if (mkdir(part, 0777) && errno != EEXIST)
			return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot create it: %s",
					  strerror(errno));
	}
	if (stat(path, &st))
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%s", strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
				  "it is not a folder; name a folder, or one that can be created");
	if (access(path, W_OK | X_OK))
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot write there: %s",
				  strerror(errno));
	return 0;
}

int rec_folder_new(char path[PATH_MAX], struct tp_err *err)
{
	size_t n = strlen(path);

	for (int i = 2; mkdir(path, 0777); i++) {
		if (errno == EEXIST && i < 1000 &&
		    snprintf(path + n, PATH_MAX - n, ".%d", i) < (int)(PATH_MAX - n))
			continue;
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot create it: %s",
				  strerror(errno));
	}
	return 0;
}

/* Returns what follows `text`, if the name begins with it; else NULL. */
static const char *after(const char *name, const char *text)
{
	size_t n = strlen(text);

	return strncmp(name, text, n) ? NULL : name + n;
}

/* Returns whether this is the end of a name, or that of a part (common/draft.h). */
static bool ends(const char *rest)
{
	const char *number = after(rest, ".part-");

	return !*rest || (number && *number && !number[strspn(number, "0123456789abcdef")]);
}

/* KIND.pb.gz, KIND.0001.txt … */
static bool is_profile(const char *name, const char *kind)
{
	const char *rest = after(name, kind), *type;
	size_t digits = rest && *rest == '.' ? strspn(rest + 1, "0123456789") : 0;

	if (digits >= 4)
		rest += 1 + digits;
	return rest && (((type = after(rest, ".pb.gz")) && ends(type)) ||
			((type = after(rest, ".txt")) && ends(type)));
}

bool rec_folder_is_ours(const char *name)
{
	const char *rest = after(name, "trace.out");

	if (rest && (ends(rest) || ((rest = after(rest, ".symbols")) && ends(rest))))
		return true;
	for (int kind = 0; kind < REC_NPROFILES; kind++)
		if (is_profile(name, rec_profile_name((enum rec_profile_kind)kind)))
			return true;
	return false;
}

void rec_folder_clear(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (rec_folder_is_ours(e->d_name))
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
}
