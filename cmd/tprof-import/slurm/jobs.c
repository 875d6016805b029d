#include "jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"

/* ---- ids ---- */

/* The job's number, without its cluster. */
static int number(const char *id)
{
	return (int)strcspn(id, ";");
}

static const char *cluster(const char *id)
{
	const char *at = strchr(id, ';');

	return at && at[1] ? at + 1 : NULL;
}

/* One id from text up to any of `ends`; false: it is none. */
static bool take_id(const char *text, size_t n, char id[JOB_ID])
{
	size_t digits = strspn(text, "0123456789");

	if (!digits || digits > n || n >= JOB_ID || (digits < n && text[digits] != ';'))
		return false;
	for (size_t i = digits; i < n; i++)
		if (text[i] <= ' ' || text[i] > '~')
			return false;
	memcpy(id, text, n);
	id[n] = '\0';
	return true;
}

int jobs_write(const struct jobs *jobs, struct tp_buf *text)
{
	int failed = 0;

	for (size_t i = 0; i < jobs->n; i++)
		failed |=
		    tp_buf_put(text, jobs->id[i], strlen(jobs->id[i])) | tp_buf_put(text, "\n", 1);
	if (jobs->all)
		failed |= tp_buf_put(text, "all\n", 4);
	return failed ? TP_ENOMEM : 0;
}

void jobs_read(struct jobs *jobs, const struct tp_buf *text)
{
	const char *line = (const char *)text->data, *end = line ? line + text->size : line, *next;

	*jobs = (struct jobs){0};
	for (; line < end && (next = memchr(line, '\n', (size_t)(end - line))); line = next + 1) {
		size_t n = (size_t)(next - line);

		if (n == 3 && !memcmp(line, "all", 3))
			jobs->all = true;
		else if (jobs->n < MOST_JOBS_OF_ONE && take_id(line, n, jobs->id[jobs->n]))
			jobs->n++;
	}
}

void jobs_list(const struct jobs *jobs, size_t from, char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (size_t i = from; i < jobs->n && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%.*s",
					 i == from	   ? ""
					 : i + 1 < jobs->n ? ", "
							   : " and ",
					 number(jobs->id[i]), jobs->id[i]);
}

/* ---- sbatch ---- */

static const char blanks[] = " \t\n";

/* Array and dependencies are what all of this is; the id is read from what sbatch says. */
const char *job_bad_option(const char *options)
{
	static const char *const taken[] = {"--array",	  "--dependency", "--wait",
					    "--parsable", "--wrap",	  "--test-only",
					    "--help",	  "--version",	  "--usage"};
	static char word[64];

	for (const char *at = options; *(at += strspn(at, blanks)); at += strcspn(at, blanks)) {
		size_t n = strcspn(at, blanks), name = strcspn(at, "= \t\n");

		if (name < 2 || at[0] != '-')
			continue;
		snprintf(word, sizeof(word), "%.*s", (int)(name < n ? name : n), at);
		for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
			if (!strcmp(word, taken[i]))
				return word;
		/* -a -d -W -h -V, with or without what belongs to them in the same word. */
		if (at[1] != '-' && strchr("adWhV", at[1]))
			return word;
	}
	return NULL;
}

/* What a program has said, on a line. */
static int said(const char *program, const struct tp_buf *error, int status, struct tp_err *err)
{
	const char *text = (const char *)error->data;
	size_t n = 0;

	while (n < error->size && text[n] != '\n')
		n++;
	if (n)
		return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%.*s", (int)n, text);
	return tp_err_set(err, TP_EIO, TP_OFFSET_NONE, "%s ended with status %d", program, status);
}

static int not_there(const char *program, struct tp_err *err)
{
	return tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
			  "%s is not there: --slurm is for machines from which jobs can be "
			  "submitted to Slurm (Debian: slurm-client); without it -j N imports here",
			  program);
}

int job_submit(const struct job *job, char id[JOB_ID], struct tp_err *err)
{
	struct tp_buf out = {0}, error = {0};
	struct call c = {0};
	const char *text;
	int status, code;

	call_add(&c, "sbatch");
	call_add(&c, "--job-name=%s", job->name);
	/* What tasks say they write into the folder themselves. */
	call_add(&c, "--output=/dev/null");
	call_add(&c, "--error=/dev/null");
	for (const char *at = job->options; at && *(at += strspn(at, blanks));
	     at += strcspn(at, blanks))
		call_add(&c, "%.*s", (int)strcspn(at, blanks), at);
	call_add(&c, "--parsable");
	call_add(&c, "--requeue");
	if (job->array)
		call_add(&c, "--array=%s", job->array);
	if (job->after)
		call_add(&c, "--dependency=afterany:%.*s", number(job->after), job->after);
	call_add(&c, "%s", job->script);
	for (size_t i = 0; i < job->nargs; i++)
		call_add(&c, "%s", job->argv[i]);
	code = call_run(&c, &out, &error, &status, err);
	call_release(&c);
	text = (const char *)out.data;
	if (code == TP_ENOENT)
		code = not_there("sbatch", err);
	else if (!code && status)
		code = said("sbatch", &error, status, err);
	else if (!code && !take_id(text, strcspn(text, "\n"), id))
		code = tp_err_set(err, TP_EIO, TP_OFFSET_NONE,
				  "sbatch said '%.*s', which is no job's number",
				  (int)strcspn(text, "\n"), text);
	tp_buf_release(&out);
	tp_buf_release(&error);
	return code;
}

/* ---- squeue, scancel ---- */

/* All are of one cluster, as they were given the same options. */
static void add_cluster(struct call *c, const struct jobs *jobs)
{
	const char *name = jobs->n ? cluster(jobs->id[0]) : NULL;

	if (name)
		call_add(c, "--clusters=%s", name);
}

int jobs_alive(const struct jobs *jobs, bool *alive, bool *unknown, struct tp_err *err)
{
	*alive = *unknown = false;
	/* One by one: of several it complains where the first is known no more. */
	for (size_t i = jobs->n; i-- > 0 && !*alive;) {
		struct tp_buf out = {0}, error = {0};
		struct call c = {0};
		int status, code;

		call_add(&c, "squeue");
		call_add(&c, "--noheader");
		call_add(&c, "--format=%%i");
		add_cluster(&c, jobs);
		call_add(&c, "--jobs=%.*s", number(jobs->id[i]), jobs->id[i]);
		code = call_run(&c, &out, &error, &status, err);
		call_release(&c);
		if (code == TP_ENOENT)
			code = not_there("squeue", err);
		if (!code && status)
			*unknown |= !strstr((const char *)error.data, "Invalid job id");
		else if (!code)
			*alive = out.size && out.data[strspn((const char *)out.data, " \n")];
		tp_buf_release(&out);
		tp_buf_release(&error);
		if (code)
			return code;
	}
	return 0;
}

int jobs_cancel(const struct jobs *jobs, struct tp_err *err)
{
	struct tp_buf out = {0}, error = {0};
	struct call c = {0};
	int status, code;

	if (!jobs->n)
		return 0;
	call_add(&c, "scancel");
	call_add(&c, "--quiet");
	add_cluster(&c, jobs);
	for (size_t i = 0; i < jobs->n; i++)
		call_add(&c, "%.*s", number(jobs->id[i]), jobs->id[i]);
	code = call_run(&c, &out, &error, &status, err);
	call_release(&c);
	if (code == TP_ENOENT)
		code = not_there("scancel", err);
	tp_buf_release(&out);
	tp_buf_release(&error);
	return code;
}
