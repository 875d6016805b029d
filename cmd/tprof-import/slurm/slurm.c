#include "slurm.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../report.h"
#include "base/many.h"
#include "base/units.h"
#include "common/progress.h"
#include "folder.h"
#include "jobs.h"
#include "watch.h"

#define MOST_TOLD 5 /* tasks that failed, by what they said last */

struct work {
	const struct slurm *s;
	struct folder folder;
	struct jobs jobs;
	char bin[PATH_MAX], script[PATH_MAX + 64];
	char *all; /* the store, and */
	char *at;  /* the folder, from the root */
	bool made; /* the folder is new */
};

/* ---- where things are ---- */

/* The folder of this command, and the scripts' beside it: share/tprof/slurm, as they are installed.
 */
static int find_scripts(struct work *w, struct tp_err *err)
{
	ssize_t n = readlink("/proc/self/exe", w->bin, sizeof(w->bin) - 1);
	char *slash;

	if (n <= 0)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot read /proc/self/exe: %s",
				  strerror(errno));
	w->bin[n] = '\0';
	slash = strrchr(w->bin, '/');
	if (slash)
		*slash = '\0';
	snprintf(w->script, sizeof(w->script), "%s/../share/tprof/slurm/", w->bin);
	if (access(w->script, R_OK))
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "the scripts of --slurm are not in share/tprof/slurm beside the "
				  "command's folder; install them");
	return 0;
}

/* The path from the root: jobs may begin elsewhere. The caller frees it. */
static char *absolute(const char *path)
{
	char here[PATH_MAX], *made = NULL;

	if (*path == '/')
		return strdup(path);
	if (!getcwd(here, sizeof(here)) || asprintf(&made, "%s/%s", here, path) < 0)
		return NULL;
	return made;
}

/* What another try has to have in common with this one. */
static int describe(const struct slurm *s, struct tp_buf *command, struct tp_err *err)
{
	char here[PATH_MAX];
	int failed = 0;

	if (!getcwd(here, sizeof(here)))
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "cannot tell where we are: %s",
				  strerror(errno));
	failed |= tp_buf_put(command, here, strlen(here) + 1);
	failed |= tp_buf_put(command, s->store, strlen(s->store) + 1);
	if (s->keys)
		failed |= tp_buf_put(command, s->keys, strlen(s->keys) + 1);
	for (size_t i = 0; i < s->nargs; i++)
		failed |= tp_buf_put(command, s->argv[i], strlen(s->argv[i]) + 1);
	for (size_t i = 0; i < s->npaths; i++)
		failed |= tp_buf_put(command, s->paths[i], strlen(s->paths[i]) + 1);
	return failed ? tp_nomem(err) : 0;
}

/* ---- jobs ---- */

static int note_jobs(const struct work *w, struct tp_err *err)
{
	struct tp_buf text = {0};
	int code =
	    jobs_write(&w->jobs, &text) ? tp_nomem(err) : folder_note_jobs(&w->folder, &text, err);

	tp_buf_release(&text);
	/* All may be done by now. */
	return code && w->jobs.all && !folder_there(&w->folder) ? 0 : code;
}

static int submit(struct work *w, const char *file, const char *name, const char *array,
		  const char *const *argv, size_t nargs, struct tp_err *err)
{
	char script[sizeof(w->script) + 16];
	struct job job = {
	    .name = name,
	    .options = w->s->options,
	    .array = array,
	    .after = w->jobs.n ? w->jobs.id[w->jobs.n - 1] : NULL,
	    .script = script,
	    .argv = argv,
	    .nargs = nargs,
	};
	int code;

	snprintf(script, sizeof(script), "%s%s", w->script, file);
	if (w->jobs.n == MOST_JOBS_OF_ONE)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "too many levels of merges");
	code = job_submit(&job, w->jobs.id[w->jobs.n], err);
	if (code)
		return code;
	w->jobs.n++;
	w->jobs.all = !array;
	/* At once: should we end here, they are known. */
	return note_jobs(w, err);
}

static int submit_parts(struct work *w, const char *array, struct tp_err *err)
{
	const struct slurm *s = w->s;
	const char **argv = tp_many(s->nargs + 4, sizeof(*argv));
	char *known = NULL;
	size_t n = 0;
	int code;

	if (!argv || (w->folder.known && asprintf(&known, "--known=%s", w->all) < 0)) {
		free(argv);
		return tp_nomem(err);
	}
	argv[n++] = w->at;
	argv[n++] = w->bin;
	if (w->folder.known)
		argv[n++] = known;
	for (size_t i = 0; i < s->nargs; i++)
		argv[n++] = s->argv[i];
	code = submit(w, "array.sh", "tprof-import", array, argv, n, err);
	free(argv);
	free(known);
	return code;
}

static int submit_merge(struct work *w, size_t level, const char *array, struct tp_err *err)
{
	const struct folder *f = &w->folder;
	char number[24], count[24];
	const char *argv[] = {w->at, w->bin, number, count, w->all};

	snprintf(number, sizeof(number), "%zu", level);
	snprintf(count, sizeof(count), "%zu", f->count[level - 1]);
	return submit(w, "merge.sh", "tprof-merge", array, argv, array ? 4 : 5, err);
}

/* What is missing, from the parts upwards. */
static int submit_missing(struct work *w, size_t *parts, struct tp_err *err)
{
	const struct folder *f = &w->folder;
	int code = 0;

	w->jobs = (struct jobs){0};
	for (size_t level = 0; level < f->levels && !code; level++) {
		size_t left;
		char *array = folder_left(f, level, &left);

		if (!array)
			code = tp_nomem(err);
		if (!level)
			*parts = left;
		if (left && !code)
			code = level ? submit_merge(w, level, array, err)
				     : submit_parts(w, array, err);
		free(array);
	}
	if (!code)
		code = submit_merge(w, f->levels, NULL, err);
	if (code) {
		struct tp_err ignored;

		jobs_cancel(&w->jobs, &ignored);
		if (w->made && !w->jobs.n)
			folder_remove(f);
	}
	return code;
}

/* ---- what is said ---- */

static void tell_begin(const struct work *w, size_t parts)
{
	const struct slurm *s = w->s;
	const struct folder *f = &w->folder;
	char dumps[28], bytes[TP_UNITS_SIZE], merges[256], ready[64] = "";

	if (parts < f->count[0])
		snprintf(ready, sizeof(ready), ", %zu of them done already", f->count[0] - parts);
	jobs_list(&w->jobs, parts ? 1 : 0, merges, sizeof(merges));
	cmd_print(s->cmd, "%s file%s (%s) in %zu task%s%s\n",
		  tp_fmt_count(dumps, (int64_t)f->dumps), f->dumps == 1 ? "" : "s",
		  tp_fmt_bytes(bytes, (int64_t)f->bytes), f->count[0], f->count[0] == 1 ? "" : "s",
		  ready);
	if (parts)
		cmd_print(s->cmd, "job %.*s imports, job%s %s merge%s into %s\n",
			  (int)strcspn(w->jobs.id[0], ";"), w->jobs.id[0], w->jobs.n > 2 ? "s" : "",
			  merges, w->jobs.n > 2 ? "" : "s", s->store);
	else
		cmd_print(s->cmd, "job%s %s merge%s into %s\n", w->jobs.n > 1 ? "s" : "", merges,
			  w->jobs.n > 1 ? "" : "s", s->store);
}

/* The last line of a task's log. */
static void tell_log(const struct work *w, size_t level, size_t n)
{
	char *path = folder_file(&w->folder, level, n, "log"), text[512] = "";
	const char *what = level ? "merge" : "task";
	FILE *f = path ? fopen(path, "re") : NULL;
	char *line = text;
	size_t size;

	if (f && !fseek(f, 0, SEEK_END)) {
		long end = ftell(f), from = end < 511 ? 0 : end - 511;

		rewind(f);
		fseek(f, from, SEEK_SET);
		size = fread(text, 1, sizeof(text) - 1, f);
		while (size && text[size - 1] == '\n')
			size--;
		text[size] = '\0';
		line = strrchr(text, '\n');
		line = line ? line + 1 : text;
	}
	if (f)
		fclose(f);
	cmd_error(w->s->cmd, "%s %zu%s%s: %s", what, n, level ? " of level " : "",
		  level ? (char[]){(char)('0' + level), 0} : "",
		  !f	  ? "was not begun"
		  : *line ? line
			  : "ended without a word");
	free(path);
}

/* The jobs have gone, and the store is not made. */
static int tell_failure(const struct work *w)
{
	const struct folder *f = &w->folder;
	const struct cmd *cmd = w->s->cmd;
	size_t told = 0, missing = 0, level = 0;

	for (; level < f->levels && !missing; level++)
		for (size_t n = 1; n <= f->count[level]; n++) {
			if (folder_done(f, level, n))
				continue;
			missing++;
			if (told++ < MOST_TOLD)
				tell_log(w, level, n);
		}
	if (missing > MOST_TOLD)
		cmd_error(cmd, "and %zu more", missing - MOST_TOLD);
	if (!missing)
		tell_log(w, f->levels, 1);
	cmd_error(cmd, "%s was not made; what is done is kept in %s, and the same command goes on",
		  w->s->store, f->path);
	return CMD_SYSTEM;
}

static int tell_end(const struct work *w, double seconds)
{
	const struct slurm *s = w->s;
	struct report r = {0};
	struct tp_err err;
	char *path = NULL;
	int code, status;

	if (asprintf(&path, "%s.report", s->store) < 0)
		path = NULL;
	code = path ? report_read(&r, path, &err) : tp_nomem(&err);
	if (code) {
		status = cmd_fail(s->cmd, NULL, &err);
	} else {
		tally_print(s->cmd, &r.tally, seconds, s->store);
		report_print_failures(&r, s->cmd);
		report_print_names(&r, s->cmd, s->store, path);
		status = r.worst;
	}
	report_release(&r);
	free(path);
	return status;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int wait_for(struct work *w, int64_t ask_ns, double begun)
{
	const struct cmd *cmd = w->s->cmd;
	char list[256];
	struct tp_err err;
	int code = watch(&w->folder, &w->jobs, ask_ns, cmd, &err);

	if (!code)
		return tell_end(w, now() - begun);
	if (code == 1)
		return tell_failure(w);
	if (code != TP_ECANCEL)
		return cmd_fail(cmd, NULL, &err);
	jobs_list(&w->jobs, 0, list, sizeof(list));
	cmd_note(cmd, "jobs %s go on; the same command waits for them again, scancel ends them",
		 list);
	return CMD_SYSTEM;
}

/* ---- all of it ---- */

/* *begun: jobs of an earlier call are at it; of one that could not submit all of them they are
 * ended. */
static int look_for_jobs(struct work *w, bool *begun, struct tp_err *err)
{
	struct tp_buf text = {0};
	bool alive = false, unknown = false;
	int code = folder_jobs(&w->folder, &text, err);

	*begun = false;
	jobs_read(&w->jobs, &text);
	tp_buf_release(&text);
	if (code)
		return code == TP_ENOENT ? 0 : code;
	code = jobs_alive(&w->jobs, &alive, &unknown, err);
	if (!code && unknown)
		code = tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
				  "Slurm does not say what has become of the jobs of an earlier "
				  "import into %s; try again when it does",
				  w->s->store);
	if (!code && alive && !w->jobs.all)
		return jobs_cancel(&w->jobs, err);
	*begun = alive;
	return code;
}

/* What tasks are given has its labels, so none of them can tell which are missing. */
static void tell_labels(const struct slurm *s, const struct paths *paths)
{
	struct unlabelled u = {0};
	uint64_t files = 0;

	for (size_t i = 0; i < paths->n; i++) {
		const struct path *p = &paths->list[i];
		size_t size;
		const char *key =
		    p->wrong ? NULL : paths_missing(p, paths->keys, s->labels, s->nlabels, &size);

		files += !p->wrong;
		if (key && !u.n++) {
			u.name = p->name;
			u.key = key;
			u.key_size = size;
		}
	}
	unlabelled_print(s->cmd, &u, files, "files", paths->keys);
}

static int make_folder(struct work *w, const struct tp_buf *command, struct tp_err *err)
{
	const struct slurm *s = w->s;
	struct paths paths = {.keys = s->keys};
	char *report = NULL;
	int code = 0;

	for (size_t i = 0; i < s->npaths && !code; i++)
		code = paths_add(&paths, s->paths[i], err);
	for (size_t i = 0; i < paths.n && !code; i++)
		if (!strcmp(paths.list[i].name, "-"))
			code = tp_err_set(err, TP_EUNKNOWN, TP_OFFSET_NONE,
					  "a dump on standard input cannot be imported by a job");
	w->folder.known = !s->nlabels && !access(s->store, F_OK);
	for (size_t i = 0; i < paths.n; i++)
		w->folder.known &= !paths.list[i].nlabels;
	/* That of the import before. */
	if (!code && paths.n && asprintf(&report, "%s.report", s->store) >= 0)
		unlink(report);
	free(report);
	if (!code && paths.n)
		code = folder_make(&w->folder, s->store, &paths, s->tasks, command, err);
	if (!code && !paths.n)
		code = 1;
	if (!code)
		tell_labels(s, &paths);
	paths_release(&paths);
	return code;
}

/* 0, 1: there is nothing to do, or an error. */
static int begin(struct work *w, bool *begun, struct tp_err *err)
{
	struct tp_buf command = {0};
	int code = find_scripts(w, err);

	*begun = false;
	w->all = absolute(w->s->store);
	if (!code && !w->all)
		code = tp_nomem(err);
	if (!code)
		code = describe(w->s, &command, err);
	if (!code)
		code = folder_open(&w->folder, w->s->store, &command, err);
	if (!code)
		code = folder_lock(&w->folder, err);
	if (!code)
		code = look_for_jobs(w, begun, err);
	/* That there are no jobs may be as they have all ended meanwhile. */
	if (!code && !*begun && !folder_held(&w->folder))
		code =
		    tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE, "%s: is not there", w->folder.path);
	if (code == TP_ENOENT && w->folder.path) {
		folder_release(&w->folder);
		code = make_folder(w, &command, err);
		w->made = !code;
	}
	tp_buf_release(&command);
	if (!code && !(w->at = absolute(w->folder.path)))
		code = tp_nomem(err);
	return code;
}

int slurm_import(const struct slurm *s)
{
	struct work w = {.s = s};
	double start = now();
	size_t parts = 0;
	struct tp_err err;
	int64_t ask_ns = 0;
	bool begun;
	int code, status = CMD_OK;
	char list[256];

	/* A wrong interval must be refused before any job is submitted. */
	if (s->wait && !watch_interval(s->cmd, &ask_ns))
		return CMD_USAGE;
	code = begin(&w, &begun, &err);
	if (!code && begun) {
		jobs_list(&w.jobs, 0, list, sizeof(list));
		cmd_print(s->cmd, "%s is under way: jobs %s\n", s->store, list);
	} else if (!code) {
		code = submit_missing(&w, &parts, &err);
		if (!code)
			tell_begin(&w, parts);
	}
	folder_unlock(&w.folder);
	if (code == 1)
		cmd_note(s->cmd, "no files are there to import");
	else if (code)
		status = cmd_fail(s->cmd, NULL, &err);
	else if (s->wait)
		status = wait_for(&w, ask_ns, start);
	else
		cmd_print(s->cmd, "until it is made, work is in %s; --wait waits\n", w.folder.path);
	folder_release(&w.folder);
	free(w.all);
	free(w.at);
	return status;
}
