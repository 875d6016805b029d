/* Both sides as execution traces: what they measure. */
#include <stdlib.h>
#include <string.h>

#include "common/profiles.h"
#include "common/range.h"
#include "common/what.h"
#include "open/input.h"

#include "diff.h"

/* A path that is open, and what its runs measure. */
struct opened {
	struct cmd cmd; /* of its own: a store is open in each */
	const char *path;
	bool is_new;
	struct rep_diff_side side;
	const struct rep_metrics_options *opt;
	int code;
	struct tp_err err;
};

static void *measure(void *arg)
{
	struct opened *o = arg;

	for (size_t i = 0; i < o->cmd.runs.n && !o->code; i++) {
		o->code = rep_metrics_new(&o->side.run[i].metrics, o->cmd.store,
					  &o->cmd.runs.run[i], o->opt, &o->err);
		o->side.n += !o->code;
	}
	return NULL;
}

static bool is_trace(const struct rep_run *run)
{
	return !strcmp(run->row.kind, "trace");
}

/* By its first bytes a profile is whatever is nothing else: an empty file, too. */
static int check_profile(const char *path, struct tp_err *err)
{
	struct tp_input_options opt = {.tmp_dir = getenv("TMPDIR")};
	struct tp_recognition seen;
	struct tp_input *in;
	char damaged[160];
	int code = tp_input_open(&in, path, &opt, damaged, err);

	if (!code)
		code = tp_recognise(in->data, in->size, &seen, err);
	tp_input_close(in);
	return code;
}

static int open_one(struct args *args, struct opened *o, const char *path, const char *spec,
		    bool again)
{
	enum cmd_what what;
	struct tp_err err;
	int status;

	o->cmd = args->cmd;
	o->path = path;
	o->cmd.run_spec = spec;
	if (cmd_look(path, &what, &err))
		return cmd_fail(&args->cmd, path, &err);
	if (what == CMD_WHAT_PROFILE) {
		if (check_profile(path, &err))
			return cmd_fail(&args->cmd, path, &err);
		return cmd_reject(&args->cmd, CMD_INPUT,
				  "%s: is a profile, and the others are traces; --view=cpu, "
				  "offcpu, … compares traces as profiles",
				  path);
	}
	/* The second time everything has been said. */
	status = again ? cmd_open_store(&o->cmd, path, false) : cmd_open(&o->cmd, path);
	if (!status && again)
		status = cmd_pick(&o->cmd, path);
	for (size_t i = 0; i < o->cmd.runs.n && !status; i++) {
		if (is_trace(&o->cmd.runs.run[i]))
			continue;
		status = cmd_reject(&args->cmd, CMD_USAGE,
				    "%s: the run '%s' is a profile, not a trace; pick others with "
				    "--run or labels, or give --view",
				    path, o->cmd.runs.run[i].row.name);
	}
	if (status)
		return status;
	o->side.run = calloc(o->cmd.runs.n + 1, sizeof(*o->side.run));
	return o->side.run ? CMD_OK : cmd_nomem(&args->cmd);
}

/* The name, which outlives the run. */
static bool keep_name(char **to, const char *name)
{
	if (!*to)
		*to = strdup(name);
	return *to;
}

static int append(struct args *args, struct loaded *l, bool is_new, struct opened *o)
{
	struct rep_diff_side *side = &l->side[is_new];
	struct rep_diff_run *run = realloc(side->run, (side->n + o->side.n + 1) * sizeof(*run));
	bool kept = run;

	if (run)
		side->run = run;
	for (size_t i = 0; i < o->cmd.runs.n && kept; i++) {
		const char *name = o->cmd.runs.run[i].row.name;

		kept = keep_name(&l->owned[is_new], name) &&
		       (!o->cmd.runs.run[i].losses || keep_name(&l->owned[2], name));
	}
	if (!kept)
		return cmd_nomem(&args->cmd);
	for (size_t i = 0; i < o->side.n; i++)
		side->run[side->n++] = o->side.run[i];
	o->side.n = 0;
	return CMD_OK;
}

/* Opened one after the other, as an import takes all processors; measured at once. */
static int load_batch(struct args *args, struct opened *o, size_t n, struct loaded *l)
{
	int status = CMD_OK;

	cmd_in_threads(measure, o, sizeof(*o), n);
	for (size_t i = 0; i < n && !status; i++)
		status = o[i].code == TP_EFORMAT
			     ? (cmd_error(&args->cmd, "%s", o[i].err.msg), CMD_USAGE)
			 : o[i].code ? cmd_fail(&args->cmd, o[i].path, &o[i].err)
				     : append(args, l, o[i].is_new, &o[i]);
	return status;
}

static void close_batch(struct opened *o, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		rep_diff_side_release(&o[i].side);
		cmd_close(&o[i].cmd);
		o[i] = (struct opened){0};
	}
}

static int load(struct args *args, bool exact, struct loaded *l)
{
	const struct cmd_files *old = cmd_side_files(&args->cmd, CMD_OLD);
	const struct cmd_files *new = &args->cmd.files[CMD_NEW];
	struct rep_filter_text filter = args->view.trace.filter;
	const struct rep_metrics_options opt = {
	    .filter = &filter, .exact_names = args->diff.keys.exact, .exact = exact};
	size_t n = old->n + (args->sides.old_only ? 0 : new->n);
	size_t most = cmd_processors(CMD_THREADS);
	struct cmd_range range[2] = {{.text = &filter}, {.text = &filter}}; /* of each side */
	int status = CMD_OK;

	filter.task = args->view.trace.task;
	filter.region = args->view.trace.region;
	for (size_t at = 0; at < n && !status;) {
		struct opened o[CMD_THREADS] = {0};
		size_t k = 0;

		for (; k < most && at + k < n && !status; k++) {
			bool is_new = at + k >= old->n;

			o[k].opt = &opt;
			o[k].is_new = is_new;
			status = open_one(
			    args, &o[k], is_new ? new->path[at + k - old->n] : old->path[at + k],
			    cmd_side_run(&args->cmd, is_new ? CMD_NEW : CMD_OLD), exact);
			for (size_t i = 0; i < o[k].cmd.runs.n && !exact && !status; i++)
				status = cmd_range_add(&args->cmd, &range[is_new], o[k].cmd.store,
						       &o[k].cmd.runs.run[i]);
		}
		if (!status)
			status = load_batch(args, o, k, l);
		close_batch(o, k);
		at += k;
	}
	/* A goroutine that only one side has is what changed. */
	range[0].elsewhere = range[1].without < range[1].runs;
	range[1].elsewhere = range[0].without < range[0].runs;
	range[0].elsewhere_inside = range[1].outside < range[1].runs;
	range[1].elsewhere_inside = range[0].outside < range[0].runs;
	for (int i = 0; i < 2 && !status; i++)
		status = cmd_range_end(&args->cmd, &range[i]);
	l->first[0] = l->owned[0];
	l->first[1] = l->owned[1];
	l->damaged = l->owned[2];
	return status;
}

int diff_load_traces(struct args *args, struct loaded *l)
{
	return load(args, false, l);
}

int diff_load_exactly(struct args *args, struct loaded *l)
{
	return load(args, true, l);
}
