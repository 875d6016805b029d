#include "jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Array and dependencies are what all of this is; the id is read from what sbatch says; names of
 * dumps are from where we are. */
static const char *const taken[] = {
    "--array",	 "--dependency", "--wait", "--parsable", "--wrap",  "--test-only", "--chdir",
    "--workdir", "--het-group",	 "--help", "--version",	 "--usage", "--quiet"};

/* Those that have no value in the next word. */
static const char *const flags[] = {
    "--contiguous",    "--exclusive",	  "--get-user-env", "--hold",	    "--ignore-pbs",
    "--immediate",     "--nice",	  "--no-kill",	    "--no-requeue", "--overcommit",
    "--oversubscribe", "--propagate",	  "--reboot",	    "--requeue",    "--share",
    "--spread-job",    "--use-min-nodes", "--verbose"};
static const char short_flags[] = "HIOksv", short_taken[] = "adDQWhV";

/* Those that have one: the usual ones, behind which a word may look like anything. */
static const char *const valued[] = {
    "--account",     "--acctg-freq", "--begin",	    "--bb",	      "--clusters",
    "--comment",     "--constraint", "--core-spec", "--cpus-per-gpu", "--cpus-per-task",
    "--deadline",    "--error",	     "--exclude",   "--export",	      "--extra-node-info",
    "--gpus",	     "--gres",	     "--gid",	    "--hint",	      "--input",
    "--job-name",    "--licenses",   "--mail-type", "--mail-user",    "--mem",
    "--mem-per-cpu", "--mincpus",    "--nodelist",  "--nodes",	      "--ntasks",
    "--open-mode",   "--output",     "--partition", "--priority",     "--qos",
    "--reservation", "--signal",     "--time",	    "--time-min",     "--tmp",
    "--uid",	     "--wckey"};
static const char short_valued[] = "ABbCceFGiJLMmNnopqStwx";

/* Of "--NAME" or "--NAME=VALUE": how many names begin so; *in_full: it is one of them. */
static size_t count_names(const char *word, size_t n, const char *const *names, size_t nnames,
			  bool *in_full)
{
	size_t found = 0;

	*in_full = false;
	for (size_t i = 0; i < nnames && n > 2; i++) {
		if (strncmp(word, names[i], n) != 0)
			continue;
		found++;
		*in_full |= !names[i][n];
	}
	return found;
}

/* WORD_MAY_WANT: one that is not known here, or not by so little of it; the next word is its value,
 * or an option. */
enum word { WORD_ALONE, WORD_WANTS_VALUE, WORD_MAY_WANT, WORD_BAD };

#define COUNT(names) count_names(word, n, names, sizeof(names) / sizeof((names)[0]), &in_full)

static enum word look_at_long(const char *word, size_t n, bool has_value)
{
	bool in_full;
	size_t nflags, nvalued;

	/* --wait-all-nodes is no --wait. */
	if (COUNT(taken))
		return WORD_BAD;
	if (has_value)
		return WORD_ALONE;
	nflags = COUNT(flags);
	if (in_full)
		return WORD_ALONE;
	nvalued = COUNT(valued);
	if (in_full || (nvalued && !nflags))
		return WORD_WANTS_VALUE;
	return nflags && !nvalued ? WORD_ALONE : WORD_MAY_WANT;
}

/* "--NAME", "--NAME=VALUE", "-x", "-xVALUE", and flags of a letter in one word. */
static enum word look_at(const char *word, size_t n)
{
	size_t name = strcspn(word, "= \t\n"), i;

	if (name > n)
		name = n;
	if (word[0] != '-' || n < 2 || (n == 2 && word[1] == '-'))
		return WORD_BAD; /* sbatch would take it for the script */
	if (word[1] == '-')
		return look_at_long(word, name, name < n);
	for (i = 1; i < n && strchr(short_flags, word[i]); i++)
		;
	if (i == n)
		return WORD_ALONE;
	if (strchr(short_taken, word[i]))
		return WORD_BAD;
	if (i + 1 < n)
		return WORD_ALONE;
	return strchr(short_valued, word[i]) ? WORD_WANTS_VALUE : WORD_MAY_WANT;
}

const char *job_bad_option(const char *options)
{
	static char bad[64];
	enum word was = WORD_ALONE;

	for (const char *at = options; *(at += strspn(at, blanks)); at += strcspn(at, blanks)) {
		size_t n = strcspn(at, blanks), shown = n;

		if (was == WORD_WANTS_VALUE)
			was = WORD_ALONE;
		else if (was == WORD_MAY_WANT && at[0] != '-')
			was = WORD_ALONE;
		else
			was = look_at(at, n);
		if (was != WORD_BAD)
			continue;
		if (n > 2 && at[0] == '-' && at[1] == '-' && strcspn(at, "=") < n)
			shown = strcspn(at, "=");
		snprintf(bad, sizeof(bad), "%.*s", (int)(shown < 60 ? shown : 60), at);
		return bad;
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

/* With the way to go on without it. */
static int refused(const struct tp_buf *error, int status, struct tp_err *err)
{
	struct tp_err why;
	int code = said("sbatch", error, status, &why);

	return tp_err_set(err, code, TP_OFFSET_NONE,
			  "%.200s; once sbatch works, give the same command again; without "
			  "--slurm, -j N imports here",
			  why.msg);
}

int job_submit(const struct job *job, char id[JOB_ID], struct tp_err *err)
{
	struct tp_buf out = {0}, error = {0};
	struct call c = {0};
	const char *text;
	char *here = getcwd(NULL, 0);
	int status, code;

	/* What would be options for all jobs of somebody, and are none for these. */
	unsetenv("SBATCH_ARRAY_INX");
	unsetenv("SBATCH_WAIT");
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
	if (here)
		call_add(&c, "--chdir=%s", here);
	free(here);
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
		code = refused(&error, status, err);
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
