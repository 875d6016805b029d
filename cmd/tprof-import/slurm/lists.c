#include "lists.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "balance.h"
#include "base/many.h"
#include "common/advice.h"

/* Slurm's own limit for the numbers of an array, unless a site has another (MaxArraySize). */
#define MOST_TASKS 1000

/* ---- files ---- */

static int failed(struct tp_err *err, const char *path)
{
	int why = errno;

	return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%s: cannot be written: %s%s", path,
			  strerror(why), cmd_advice(why));
}

int lists_file(const char *path, const void *data, size_t size, struct tp_err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600), code = 0;
	const char *at = data;

	if (fd < 0)
		return failed(err, path);
	while (size && !code) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno != EINTR)
			code = failed(err, path);
		if (n > 0) {
			at += n;
			size -= (size_t)n;
		}
	}
	/* On other machines it is read at once. */
	if (!code && fsync(fd) && errno != EINVAL)
		code = failed(err, path);
	if (close(fd) && !code)
		code = failed(err, path);
	return code;
}

/* Of task n, from 1 on. */
static int write_task(const char *folder, size_t n, const struct tp_buf *list, const char *options,
		      struct tp_err *err)
{
	char *path = NULL;
	int code = asprintf(&path, "%s/list/%zu", folder, n) < 0
		       ? tp_nomem(err)
		       : lists_file(path, list->data, list->size, err);

	free(path);
	if (code || !options)
		return code;
	path = NULL;
	code = asprintf(&path, "%s/list/%zu.options", folder, n) < 0
		   ? tp_nomem(err)
		   : lists_file(path, options, strlen(options), err);
	free(path);
	return code;
}

static int put_field(struct tp_buf *list, const char *before, const char *text)
{
	int code = tp_buf_put(list, before, strlen(before));

	return code ? code : tp_buf_put(list, text, strlen(text) + 1);
}

/* A name, and what does not follow from it alone: how a folder it was in calls it, labels. */
static int put_path(struct tp_buf *list, const struct path *p)
{
	int code = put_field(list, *p->name == '\t' ? "./" : "", p->name);

	if (!code && p->as)
		code = put_field(list, "\t=", p->as);
	for (size_t i = 0; i < p->nlabels && !code; i++)
		code = put_field(list, "\t", p->label[i]);
	return code;
}

/* ---- tasks ---- */

/* Dumps that were found and those that were named are in tasks apart, as what is no dump is an
 * error of the latter only. */
struct group {
	size_t n, tasks, first;
	uint64_t cost, *costs;
	uint32_t *task;
	const char *options;
	bool named;
};

static void divide(struct group g[2], size_t tasks)
{
	uint64_t cost = g[0].cost + g[1].cost;
	size_t n = g[0].n + g[1].n;

	if (!tasks)
		tasks = balance_tasks(cost, n, MOST_TASKS);
	if (tasks > n)
		tasks = n;
	g[0].tasks = (size_t)((double)tasks * ((double)g[0].cost / (double)cost) + 0.5);
	if (g[0].tasks > g[0].n)
		g[0].tasks = g[0].n;
	if (g[0].n && !g[0].tasks)
		g[0].tasks = 1;
	if (g[1].n && g[0].tasks >= tasks && tasks > 1)
		g[0].tasks = tasks - 1;
	g[1].tasks = tasks > g[0].tasks ? tasks - g[0].tasks : g[1].n > 0;
	if (g[1].tasks > g[1].n)
		g[1].tasks = g[1].n;
	g[1].first = g[0].tasks;
}

static int write_group(const char *folder, const struct paths *paths, const struct group *g,
		       struct tp_err *err)
{
	struct tp_buf *list = tp_many(g->tasks, sizeof(*list));
	size_t at = 0;
	int code = 0;

	if (!list)
		return tp_nomem(err);
	memset(list, 0, g->tasks * sizeof(*list));
	for (size_t i = 0; i < paths->n && !code; i++) {
		const struct path *p = &paths->list[i];

		if (p->named == g->named && put_path(&list[g->task[at++]], p))
			code = tp_nomem(err);
	}
	for (size_t i = 0; i < g->tasks && !code; i++)
		code = write_task(folder, g->first + i + 1, &list[i], g->options, err);
	for (size_t i = 0; i < g->tasks; i++)
		tp_buf_release(&list[i]);
	free(list);
	return code;
}

int lists_write(const char *folder, const struct paths *paths, size_t wanted, size_t *tasks,
		struct tp_err *err)
{
	struct group g[2] = {{.options = "--skip-others\n"}, {.named = true}};
	/* All could be of one. */
	uint64_t *costs = tp_many(2 * (uint64_t)paths->n, sizeof(*costs));
	uint32_t *task = tp_many(2 * (uint64_t)paths->n, sizeof(*task));
	int code = 0;

	*tasks = 0;
	if (!costs || !task) {
		code = tp_nomem(err);
		goto done;
	}
	for (size_t i = 0; i < 2; i++) {
		g[i].costs = costs + i * paths->n;
		g[i].task = task + i * paths->n;
	}
	for (size_t i = 0; i < paths->n; i++) {
		struct group *in = &g[paths->list[i].named];

		in->costs[in->n] = balance_cost(paths->list[i].bytes);
		in->cost += in->costs[in->n++];
	}
	if (g[0].n + g[1].n)
		divide(g, wanted);
	for (size_t i = 0; i < 2 && !code; i++) {
		if (!g[i].n)
			continue;
		code = balance(g[i].costs, g[i].n, g[i].tasks, g[i].task)
			   ? tp_nomem(err)
			   : write_group(folder, paths, &g[i], err);
	}
	*tasks = g[0].tasks + g[1].tasks;
done:
	free(costs);
	free(task);
	return code;
}
