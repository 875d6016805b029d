#include "tprof-record/parent/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tprof-record/convert/profile/profile.h"

#define BUFFER ((size_t)256 << 10)

/* Files are written by one thread of the recorder; this is the one it is at. */
static _Atomic(struct rec_file *) current;

static int failed(struct rec_file *f, struct tp_err *err, const char *what)
{
	f->error = errno ? errno : EIO;
	return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot %s: %s", what, strerror(f->error));
}

static int flush(struct rec_file *f, struct tp_err *err)
{
	size_t done = 0;

	while (done < f->held) {
		ssize_t n = write(f->fd, f->buffer + done, f->held - done);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			return failed(f, err, "write it");
	}
	f->held = 0;
	return 0;
}

static int put(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	struct rec_file *f = ctx;
	const char *from = data;

	f->size += size;
	while (size) {
		size_t n = BUFFER - f->held < size ? BUFFER - f->held : size;
		int code;

		memcpy(f->buffer + f->held, from, n);
		f->held += n;
		from += n;
		size -= n;
		if (f->held < BUFFER)
			continue;
		code = flush(f, err);
		if (code)
			return code;
	}
	return 0;
}

int rec_file_begin(struct rec_file *f, const char *folder, const char *name, struct tp_err *err)
{
	memset(f, 0, sizeof(*f));
	f->fd = -1;
	f->out = (struct tp_out){.write = put, .ctx = f};
	if (snprintf(f->path, sizeof(f->path), "%s/%s", folder, name) >= (int)sizeof(f->path) ||
	    snprintf(f->part, sizeof(f->part), "%s/.%s.%d", folder, name, (int)getpid()) >=
		(int)sizeof(f->part)) {
		errno = ENAMETOOLONG;
		return failed(f, err, "create it");
	}
	f->buffer = malloc(BUFFER);
	if (!f->buffer)
		return tp_nomem(err);
	/* Whatever lies there is none of ours, or of a recorder that died. */
	unlink(f->part);
	f->fd = open(f->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (f->fd < 0) {
		free(f->buffer);
		f->buffer = NULL;
		return failed(f, err, "create it");
	}
	atomic_store(&current, f);
	return 0;
}

int rec_file_end(struct rec_file *f, int code, struct tp_err *err)
{
	if (f->fd < 0)
		return code;
	if (!code)
		code = flush(f, err);
	/* Only what is safe gets its name, so that no machine that goes down leaves an empty file.
	 * EINVAL: this file system does not sync. */
	if (!code && fsync(f->fd) && errno != EINVAL)
		code = failed(f, err, "write it");
	if (close(f->fd) && !code)
		code = failed(f, err, "write it");
	f->fd = -1;
	free(f->buffer);
	f->buffer = NULL;
	if (!code && rename(f->part, f->path))
		code = failed(f, err, "give it its name");
	if (code)
		unlink(f->part);
	atomic_store(&current, NULL);
	return code;
}

void rec_file_abandon(void)
{
	struct rec_file *f = atomic_load(&current);

	if (f)
		unlink(f->part);
}

int rec_file_put(const char *folder, const char *name, const void *data, size_t size, int packed,
		 uint64_t *written, struct tp_err *err)
{
	struct rec_file f;
	void *gzip = NULL;
	int code;

	if (packed) {
		struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
		size_t room = c ? libdeflate_gzip_compress_bound(c, size) : 0;

		gzip = c ? malloc(room) : NULL;
		size = gzip ? libdeflate_gzip_compress(c, data, size, gzip, room) : 0;
		if (c)
			libdeflate_free_compressor(c);
		if (!size) {
			free(gzip);
			return tp_nomem(err);
		}
		data = gzip;
	}
	code = rec_file_begin(&f, folder, name, err);
	if (!code)
		code = rec_file_end(&f, f.out.write(f.out.ctx, data, size, err), err);
	free(gzip);
	if (!code && written)
		*written = f.size;
	return code;
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
		return tp_err_set(
		    err, TP_EIO, TP_OFFSET_NONE,
		    "is not a folder; give the name of one, or of one that is to be made");
	if (access(path, W_OK | X_OK))
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot write there: %s",
				  strerror(errno));
	return 0;
}

/* The bytes of a name of ours at the beginning of `name`, 0 where there is none. */
static size_t our_name(const char *name)
{
	static const char *const traces[] = {"trace.out.symbols", "trace.out"};
	static const char *const endings[] = {".pb.gz", ".txt"};

	for (size_t i = 0; i < 2; i++)
		if (!strncmp(name, traces[i], strlen(traces[i])))
			return strlen(traces[i]);
	for (int kind = 0; kind < REC_NPROFILES; kind++) {
		const char *title = rec_profile_name((enum rec_profile_kind)kind);
		size_t n = strlen(title);

		if (strncmp(name, title, n) != 0)
			continue;
		if (name[n] == '.' && strspn(name + n + 1, "0123456789") >= 4)
			n += 1 + strspn(name + n + 1, "0123456789");
		for (size_t i = 0; i < 2; i++)
			if (!strncmp(name + n, endings[i], strlen(endings[i])))
				return n + strlen(endings[i]);
	}
	return 0;
}

int rec_folder_is_ours(const char *name)
{
	size_t n = our_name(name);

	if (n)
		return !name[n];
	/* ".NAME.PID", see rec_file_begin */
	n = name[0] == '.' ? our_name(name + 1) : 0;
	return n && name[1 + n] == '.' && name[2 + n] &&
	       !name[2 + n + strspn(name + 2 + n, "0123456789")];
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
