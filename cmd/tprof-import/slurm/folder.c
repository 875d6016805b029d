#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/many.h"
#include "common/advice.h"

/* Of any import that --tasks could ask for. */
#define MOST_TASKS 100000000
/* Of what it reads of files that others may have changed. */
#define MOST_BYTES ((size_t)64 << 20)

static int failed(struct tp_err *err, const char *path, const char *what)
{
	int why = errno;

	return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%s: cannot be %s: %s%s", path, what,
			  strerror(why), cmd_advice(why));
}

/* NULL: no memory. */
static char *text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static char *text(const char *fmt, ...)
{
	char *made = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&made, fmt, ap);
	va_end(ap);
	return n < 0 ? NULL : made;
}

char *folder_path(const char *store)
{
	return text("%s.slurm", store);
}

void folder_unlock(struct folder *f)
{
	if (f->lock)
		close(f->lock - 1);
	f->lock = 0;
}

void folder_release(struct folder *f)
{
	folder_unlock(f);
	free(f->path);
	*f = (struct folder){0};
}

static void count_levels(struct folder *f)
{
	size_t n = f->tasks;

	f->count[0] = n;
	for (f->levels = 1; n > FOLDER_FAN_IN && f->levels < FOLDER_LEVELS; f->levels++)
		f->count[f->levels] = n = (n + FOLDER_FAN_IN - 1) / FOLDER_FAN_IN;
}

/* ---- files ---- */

static int read_file(const char *path, struct tp_buf *to, struct tp_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW), code = 0;
	char block[4096];
	ssize_t n;

	if (fd < 0 && errno == ENOENT)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE, "%s: is not there", path);
	if (fd < 0)
		return failed(err, path, "opened");
	while (!code && (n = read(fd, block, sizeof(block))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			code = failed(err, path, "read");
		else if (to->size > MOST_BYTES || tp_buf_put(to, block, (size_t)n))
			code = tp_nomem(err);
	}
	close(fd);
	return code;
}

static int write_below(const char *folder, const char *name, const void *data, size_t size,
		       struct tp_err *err)
{
	char *path = text("%s/%s", folder, name);
	int code = path ? lists_file(path, data, size, err) : tp_nomem(err);

	free(path);
	return code;
}

static int make_below(const char *folder, const char *name, struct tp_err *err)
{
	char *path = text("%s/%s", folder, name);
	int code = 0;

	if (!path)
		return tp_nomem(err);
	if (mkdir(path, 0700))
		code = failed(err, path, "made");
	free(path);
	return code;
}

/* ---- one at a time ---- */

static int lock(struct folder *f, const char *folder, struct tp_err *err)
{
	char *path = text("%s/plan", folder);
	struct stat held, named;
	int fd, code = 0;

	if (!path)
		return tp_nomem(err);
	/* For writing, as NFS wants it. */
	fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	if (fd < 0)
		code = errno == ENOENT
			   ? tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE, "%s: is not there", path)
			   : failed(err, path, "opened");
	else if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		code = tp_err_set(err, TP_EBUSY, TP_OFFSET_NONE,
				  "%s: another tprof-import is submitting its jobs", f->path);
	else if (fstat(fd, &held) || stat(path, &named) || held.st_ino != named.st_ino)
		code = tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE, "%s: is not there", path);
	else
		f->lock = fd + 1;
	if (code && fd >= 0)
		close(fd);
	free(path);
	return code;
}

bool folder_held(const struct folder *f)
{
	char *path = text("%s/plan", f->path);
	struct stat held, named;
	bool gone =
	    f->lock && path && !fstat(f->lock - 1, &held) &&
	    (stat(path, &named) ? errno == ENOENT
				: held.st_dev != named.st_dev || held.st_ino != named.st_ino);

	free(path);
	return !gone;
}

int folder_lock(struct folder *f, struct tp_err *err)
{
	return lock(f, f->path, err);
}

/* ---- making one ---- */

static int fill(struct folder *f, const char *folder, const struct paths *paths, size_t tasks,
		const struct tp_buf *command, struct tp_err *err)
{
	char plan[160];
	int code = make_below(folder, "list", err);

	if (!code)
		code = lists_write(folder, paths, tasks, &f->tasks, err);
	if (code)
		return code;
	f->dumps = paths->n;
	f->bytes = paths->bytes;
	count_levels(f);
	for (size_t i = 0; i <= f->levels && !code; i++) {
		char name[24];

		snprintf(name, sizeof(name), "%zu", i);
		code = make_below(folder, name, err);
	}
	snprintf(plan, sizeof(plan), "tprof-slurm 1\ntasks %zu\ndumps %llu\nbytes %llu\nknown %d\n",
		 f->tasks, (unsigned long long)f->dumps, (unsigned long long)f->bytes, f->known);
	if (!code)
		code = write_below(folder, "command", command->data, command->size, err);
	if (!code)
		code = write_below(folder, "plan", plan, strlen(plan), err);
	return code;
}

/* What is in a folder that got no name, two levels deep. */
static void remove_draft(const char *folder, const struct folder *f)
{
	char *path;

	for (size_t i = 0; i < f->tasks; i++) {
		for (int options = 0; options < 2; options++) {
			path = text("%s/list/%zu%s", folder, i + 1, options ? ".options" : "");
			if (path)
				unlink(path);
			free(path);
		}
	}
	for (size_t i = 0; i < FOLDER_LEVELS + 4; i++) {
		static const char *const others[] = {"list", "command", "plan"};

		path = i < 3 ? text("%s/%s", folder, others[i]) : text("%s/%zu", folder, i - 3);
		if (path)
			remove(path);
		free(path);
	}
	rmdir(folder);
}

void folder_remove(const struct folder *f)
{
	remove_draft(f->path, f);
}

int folder_make(struct folder *f, const char *store, const struct paths *paths, size_t tasks,
		const struct tp_buf *command, struct tp_err *err)
{
	char *draft = text("%s.slurm-XXXXXX", store);
	int code = 0;

	*f = (struct folder){.path = folder_path(store), .known = f->known};
	if (!draft || !f->path)
		code = tp_nomem(err);
	else if (!mkdtemp(draft))
		code = failed(err, f->path, "made");
	if (code) {
		free(draft);
		return code;
	}
	code = fill(f, draft, paths, tasks, command, err);
	if (!code)
		code = lock(f, draft, err);
	if (!code && rename(draft, f->path))
		code = errno == ENOTEMPTY || errno == EEXIST
			   ? tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
					"%s: has just been made by "
					"somebody else",
					f->path)
			   : failed(err, f->path, "made");
	if (code)
		remove_draft(draft, f);
	free(draft);
	return code;
}

/* ---- the one that is there ---- */

static int damaged(const struct folder *f, struct tp_err *err)
{
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "%s: holds no import that could be gone on with; remove it, or say "
			  "another store with -o",
			  f->path);
}

static int read_plan(struct folder *f, struct tp_err *err)
{
	char *path = text("%s/plan", f->path);
	unsigned long long tasks, dumps, bytes;
	struct tp_buf plan = {0};
	struct stat st;
	int code = path ? read_file(path, &plan, err) : tp_nomem(err), end = 0, known = 0;

	free(path);
	/* A folder without a plan is what is left of one that has ended, or nothing of ours. */
	if (code == TP_ENOENT && !stat(f->path, &st))
		code = damaged(f, err);
	if (!code && tp_buf_put(&plan, "", 1))
		code = tp_nomem(err);
	if (!code &&
	    (sscanf((const char *)plan.data,
		    "tprof-slurm 1\ntasks %9llu\ndumps %18llu\nbytes %18llu\nknown %1d\n%n", &tasks,
		    &dumps, &bytes, &known, &end) != 4 ||
	     !end || !tasks || tasks > MOST_TASKS || dumps > INT64_MAX || bytes > INT64_MAX))
		code = damaged(f, err);
	tp_buf_release(&plan);
	if (code)
		return code;
	f->tasks = (size_t)tasks;
	f->dumps = dumps;
	f->bytes = bytes;
	f->known = known;
	count_levels(f);
	return 0;
}

int folder_open(struct folder *f, const char *store, const struct tp_buf *command,
		struct tp_err *err)
{
	struct tp_buf was = {0};
	char *path;
	int code;

	*f = (struct folder){.path = folder_path(store)};
	code = f->path ? read_plan(f, err) : tp_nomem(err);
	if (code)
		return code;
	path = text("%s/command", f->path);
	code = path ? read_file(path, &was, err) : tp_nomem(err);
	if (code == TP_ENOENT)
		code = damaged(f, err);
	if (!code && (was.size != command->size || memcmp(was.data, command->data, was.size) != 0))
		code = tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
				  "%s: is of an import with other arguments that has not ended; "
				  "give those to go on with it, or remove it",
				  f->path);
	free(path);
	tp_buf_release(&was);
	return code;
}

bool folder_there(const struct folder *f)
{
	char *path = text("%s/plan", f->path);
	bool there = !path || !access(path, F_OK) || errno != ENOENT;

	free(path);
	return there;
}

char *folder_file(const struct folder *f, size_t level, size_t n, const char *ending)
{
	return text("%s/%zu/%zu.%s", f->path, level, n, ending);
}

bool folder_done(const struct folder *f, size_t level, size_t n)
{
	char *path = folder_file(f, level, n, "report");
	bool done = path && !access(path, F_OK);

	free(path);
	return done;
}

char *folder_left(const struct folder *f, size_t level, size_t *left)
{
	struct tp_buf list = {0};
	size_t from = 0;

	*left = 0;
	for (size_t n = 1; n <= f->count[level] + 1; n++) {
		bool is = n <= f->count[level] && !folder_done(f, level, n);
		char range[64];
		int length;

		*left += is;
		if (is && !from)
			from = n;
		if (is || !from)
			continue;
		length = from == n - 1 ? snprintf(range, sizeof(range), ",%zu", from)
				       : snprintf(range, sizeof(range), ",%zu-%zu", from, n - 1);
		if (tp_buf_put(&list, range, (size_t)length)) {
			tp_buf_release(&list);
			return NULL;
		}
		from = 0;
	}
	if (tp_buf_put(&list, "", 1)) {
		tp_buf_release(&list);
		return NULL;
	}
	if (*list.data)
		memmove(list.data, list.data + 1, list.size - 1);
	return (char *)list.data;
}

int folder_jobs(const struct folder *f, struct tp_buf *jobs, struct tp_err *err)
{
	char *path = text("%s/jobs", f->path);
	int code = path ? read_file(path, jobs, err) : tp_nomem(err);

	free(path);
	return code;
}

int folder_note_jobs(const struct folder *f, const struct tp_buf *jobs, struct tp_err *err)
{
	char *path = text("%s/jobs.new", f->path), *name = text("%s/jobs", f->path);
	int code = path && name ? lists_file(path, jobs->data, jobs->size, err) : tp_nomem(err);

	if (!code && rename(path, name))
		code = failed(err, name, "written");
	free(path);
	free(name);
	return code;
}
