#include "lists.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "balance.h"
#include "base/buf.h"
#include "base/many.h"
#include "common/advice.h"

/* Slurm's default limit on the size of an array of jobs (MaxArraySize). */
#define MOST_TASKS 1000

static int failed(struct tp_err *err, const char *path, const char *what)
{
	int why = errno;

	return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%s: cannot be %s: %s%s", path, what,
			  strerror(why), cmd_advice(why));
}

static int put_field(struct tp_buf *list, const char *before, const char *text)
{
	int code = tp_buf_put(list, before, strlen(before));

	return code ? code : tp_buf_put(list, text, strlen(text) + 1);
}

/* Appends a name and the facts that do not follow from it: whether the file was found rather than
 * named, the name of the run, and its labels. */
static int put_path(struct tp_buf *list, const struct path *p)
{
	int code = put_field(list, *p->name == '\t' ? "./" : "", p->name);

	if (!code && !p->named)
		code = put_field(list, "\t", PATHS_FOUND);
	if (!code && p->as)
		code = put_field(list, "\t=", p->as);
	for (size_t i = 0; i < p->nlabels && !code; i++)
		code = put_field(list, "\t", p->label[i]);
	return code;
}

static int write_list(const char *folder, size_t n, const struct tp_buf *list, struct tp_err *err)
{
	char *path = NULL;
	FILE *f;
	int code = 0;

	if (asprintf(&path, "%s/%zu", folder, n) < 0)
		return tp_nomem(err);
	f = fopen(path, "wxe");
	/* Sync the list, because other machines read it at once. */
	if (!f || fwrite(list->data, 1, list->size, f) != list->size || fflush(f) ||
	    (fsync(fileno(f)) && errno != EINVAL))
		code = failed(err, path, "written");
	if (f && fclose(f) && !code)
		code = failed(err, path, "written");
	free(path);
	return code;
}

/* Assigns each dump its task, task[i] from 0 on. */
static int divide(const struct paths *paths, size_t *tasks, uint32_t *task, struct tp_err *err)
{
	uint64_t *cost = tp_many(paths->n, sizeof(*cost)), sum = 0;
	int code = 0;

	if (!cost)
		return tp_nomem(err);
	for (size_t i = 0; i < paths->n; i++)
		sum += cost[i] = balance_cost(paths->list[i].bytes);
	if (!*tasks)
		*tasks = balance_tasks(sum, paths->n, MOST_TASKS);
	if (*tasks > paths->n)
		*tasks = paths->n;
	if (balance(cost, paths->n, *tasks, task))
		code = tp_nomem(err);
	free(cost);
	return code;
}

static void remove_lists(const char *folder, size_t n)
{
	for (; n; n--) {
		char *path;

		if (asprintf(&path, "%s/%zu", folder, n) < 0)
			break;
		unlink(path);
		free(path);
	}
	rmdir(folder);
}

int lists_write(const char *folder, const struct paths *paths, size_t *tasks, struct tp_err *err)
{
	uint32_t *task = tp_many(paths->n, sizeof(*task));
	struct tp_buf *list = NULL;
	size_t written = 0;
	int code = task ? divide(paths, tasks, task, err) : tp_nomem(err);

	if (!code && !(list = calloc(*tasks, sizeof(*list))))
		code = tp_nomem(err);
	for (size_t i = 0; i < paths->n && !code; i++)
		if (put_path(&list[task[i]], &paths->list[i]))
			code = tp_nomem(err);
	if (!code && mkdir(folder, 0777)) {
		code = failed(err, folder, "made");
	} else if (!code) {
		for (; written < *tasks && !code; written++)
			code = write_list(folder, written + 1, &list[written], err);
		if (code)
			remove_lists(folder, written);
	}
	for (size_t i = 0; list && i < *tasks; i++)
		tp_buf_release(&list[i]);
	free(list);
	free(task);
	return code;
}
