/* Execution traces, compared by what they measure. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/profiles.h"
#include "common/range.h"
#include "common/what.h"
#include "open/input.h"

#include "diff.h"

#define MAX_THREADS 8

/* ---- arguments ---- */

static const char *check_by(struct args *args, char text[DIFF_WRONG])
{
	for (const char *at = args->by; at && *at;) {
		size_t n = strcspn(at, ",");
		char name[40];
		int section;

		snprintf(name, sizeof(name), "%.*s", (int)(n < 39 ? n : 39), at);
		section = rep_trace_section_find(name);
		if (section < 0) {
			int size = snprintf(text, DIFF_WRONG,
					    "--by: '%s' is no section of a diff of traces; there "
					    "are",
					    name);

			for (int i = 0; i < REP_NTRACE_SECTIONS; i++)
				size += snprintf(text + size, DIFF_WRONG - (size_t)size, "%s %s",
						 i ? "," : "", rep_trace_sections[i].name);
			snprintf(text + size, DIFF_WRONG - (size_t)size,
				 "; with --view a trace is compared like a profile");
			return text;
		}
		args->diff.sections |= 1u << section;
		at += n + (at[n] == ',');
	}
	return NULL;
}

static const char *check_per(struct args *args, char text[DIFF_WRONG])
{
	struct rep_per_options *per = &args->diff.per;

	if (!args->per)
		return NULL;
	if (!strncmp(args->per, "task:", 5) && args->per[5]) {
		per->per = REP_PER_TASK;
		per->task = args->per + 5;
		return NULL;
	}
	for (int i = 0; i < REP_NPER; i++) {
		if (!strcmp(args->per, rep_pers[i])) {
			per->per = (enum rep_per)i;
			return NULL;
		}
	}
	snprintf(text, DIFF_WRONG, "--per: '%.80s' is not second, task, task:TYPE or run",
		 args->per);
	return text;
}

/* Options that only profiles have must not be passed over in silence. */
static const char *check_others(const struct args *args, char text[DIFF_WRONG])
{
	const struct rep_profile_options none = REP_PROFILE_OPTIONS_INIT;
	const struct rep_trace_profile_options *view = &args->view.trace;
	const struct {
		bool given;
		const char *option;
	} others[] = {
	    {args->sum, "--sum"},
	    {args->of_change, "--share-of"},
	    {args->diff.normalize, "--normalize"},
	    {args->average_by != NULL, "--average-by"},
	    {view->filter.state, "--state"},
	    {view->filter.reason, "--reason"},
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (!others[i].given)
			continue;
		snprintf(
		    text, DIFF_WRONG,
		    "%s is for profiles and views, and these are traces; --view=cpu, offcpu, … "
		    "looks at them as profiles",
		    others[i].option);
		return text;
	}
	for (size_t i = 0; i < REP_NPROFILE_OPTIONS; i++) {
		if (!rep_profile_option_differs(&args->profile, &none, (enum rep_profile_option)i))
			continue;
		snprintf(
		    text, DIFF_WRONG,
		    "--%s is for profiles, and these are traces; --view=cpu, offcpu, … looks at "
		    "them as profiles",
		    rep_profile_options[i].name);
		return text;
	}
	return NULL;
}

const char *diff_trace_check(struct args *args, char text[DIFF_WRONG])
{
	const char *wrong = check_by(args, text);

	if (!wrong)
		wrong = check_per(args, text);
	return wrong ? wrong : check_others(args, text);
}

/* ---- loading ---- */

/* A path that is open, and what its runs measure. */
struct opened {
	struct cmd cmd; /* of its own: a store is open in each */
	const char *path;
	struct rep_diff_run *run; /* owns its metrics */
	size_t n;
	const struct rep_metrics_options *opt;
	int code;
	struct tp_err err;
};

struct side {
	struct rep_diff_run *run; /* owns its metrics */
	char *name;		  /* of the first run */
	char *damaged;
	size_t n;
};

static void side_release(struct side *s)
{
	for (size_t i = 0; i < s->n; i++)
		rep_metrics_free(s->run[i].metrics);
	free(s->run);
	free(s->name);
	free(s->damaged);
	*s = (struct side){0};
}

static void *measure(void *arg)
{
	struct opened *o = arg;

	for (size_t i = 0; i < o->cmd.runs.n && !o->code; i++) {
		o->code = rep_metrics_new(&o->run[i].metrics, o->cmd.store, &o->cmd.runs.run[i],
					  o->opt, &o->err);
		if (!o->code)
			o->n++;
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
	if (spec)
		o->cmd.run_spec = spec;
	if (cmd_look(path, &what, &err))
		return cmd_fail(&args->cmd, path, &err);
	if (what == CMD_WHAT_PROFILE) {
		if (check_profile(path, &err))
			return cmd_fail(&args->cmd, path, &err);
		cmd_error(
		    &args->cmd,
		    "%s: is a profile, and the others are traces; --view=cpu, offcpu, … looks "
		    "at traces as profiles, so that they can be compared",
		    path);
		return CMD_INPUT;
	}
	/* The second time everything has been said. */
	status = again ? cmd_open_store(&o->cmd, path, false) : cmd_open(&o->cmd, path);
	if (!status && again)
		status = cmd_pick(&o->cmd, path);
	for (size_t i = 0; i < o->cmd.runs.n && !status; i++) {
		if (is_trace(&o->cmd.runs.run[i]))
			continue;
		cmd_error(&args->cmd,
			  "%s: the run '%s' is a profile, not a trace; pick others with --run or "
			  "labels, or give --view",
			  path, o->cmd.runs.run[i].row.name);
		status = CMD_USAGE;
	}
	if (!status && !(o->run = calloc(o->cmd.runs.n + 1, sizeof(*o->run)))) {
		cmd_nomem(&args->cmd);
		status = CMD_SYSTEM;
	}
	return status;
}

static int append(struct args *args, struct side *s, struct opened *o)
{
	struct rep_diff_run *run = realloc(s->run, (s->n + o->n + 1) * sizeof(*run));

	if (run)
		s->run = run;
	if (!s->name && o->cmd.runs.n)
		s->name = strdup(o->cmd.runs.run[0].row.name);
	for (size_t i = 0; i < o->cmd.runs.n && !s->damaged; i++)
		if (o->cmd.runs.run[i].losses > 0)
			s->damaged = strdup(o->cmd.runs.run[i].row.name);
	if (!run || !s->name)
		return cmd_nomem(&args->cmd);
	for (size_t i = 0; i < o->n; i++)
		s->run[s->n++] = o->run[i];
	o->n = 0;
	return CMD_OK;
}

/* Opened one after the other, as an import takes all processors; measured at once. */
static int load_batch(struct args *args, struct opened *o, size_t n, struct side *side)
{
	pthread_t thread[MAX_THREADS];
	size_t started = 0;
	int status = CMD_OK;

	while (started + 1 < n && !pthread_create(&thread[started], NULL, measure, &o[started]))
		started++;
	for (size_t i = started; i < n; i++)
		measure(&o[i]);
	for (size_t i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
	for (size_t i = 0; i < n && !status; i++)
		status = o[i].code == TP_EFORMAT
			     ? (cmd_error(&args->cmd, "%s", o[i].err.msg), CMD_USAGE)
			 : o[i].code ? cmd_fail(&args->cmd, o[i].path, &o[i].err)
				     : append(args, &side[i], &o[i]);
	return status;
}

static void close_batch(struct opened *o, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < o[i].n; k++)
			rep_metrics_free(o[i].run[k].metrics);
		free(o[i].run);
		cmd_close(&o[i].cmd);
		o[i] = (struct opened){0};
	}
}

static size_t processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (size_t)n;
}

static int load(struct args *args, bool exact, bool again, struct side side[2])
{
	const struct sides *s = &args->sides;
	struct rep_filter_text filter = args->view.trace.filter;
	const struct rep_metrics_options opt = {
	    .filter = &filter, .exact_names = args->diff.keys.exact, .exact = exact};
	size_t nold = s->labels.new ? s->n : s->nold, n = nold + s->n, most = processors();
	struct cmd_range range[2] = {{.text = &filter}, {.text = &filter}}; /* of each side */
	struct side *each = calloc(n + 1, sizeof(*each));
	int status = each ? CMD_OK : CMD_SYSTEM;

	filter.task = args->view.trace.task;
	filter.region = args->view.trace.region;
	if (!each)
		cmd_nomem(&args->cmd);
	for (size_t at = 0; at < n && !status;) {
		struct opened o[MAX_THREADS] = {0};
		size_t k = 0;

		for (; k < most && at + k < n && !status; k++) {
			bool is_old = at + k < nold;

			o[k].opt = &opt;
			status = open_one(args, &o[k],
					  !is_old	  ? s->path[at + k - nold]
					  : s->labels.new ? s->path[at + k]
							  : s->old[at + k],
					  !s->labels.new ? NULL
					  : is_old	 ? s->labels.old
							 : s->labels.new,
					  again);
			for (size_t i = 0; i < o[k].cmd.runs.n && !again && !status; i++)
				status = cmd_range_add(&args->cmd, &range[!is_old], o[k].cmd.store,
						       &o[k].cmd.runs.run[i]);
		}
		if (!status)
			status = load_batch(args, o, k, each + at);
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
	/* By path into by side. */
	for (size_t i = 0; each && i < n; i++) {
		struct opened moved = {.run = each[i].run, .n = each[i].n};
		struct side *to = &side[i >= nold];

		if (!to->name) {
			to->name = each[i].name;
			each[i].name = NULL;
		}
		if (!to->damaged) {
			to->damaged = each[i].damaged;
			each[i].damaged = NULL;
		}
		if (!status)
			status = append(args, to, &moved);
		each[i].n = moved.n;
		side_release(&each[i]);
	}
	free(each);
	return status;
}

static char *name_of(const struct args *args, const struct side *side, bool is_old,
		     const struct side *other)
{
	return sides_name(&args->cmd, &args->sides, is_old, side->name ? side->name : "",
			  other ? other->name : NULL, side->n);
}

/* ---- comparing ---- */

static struct compared sides_of(const struct side side[2], char *const names[2])
{
	return (struct compared){
	    .old = {side[0].run, side[0].n},
	    .new = {side[1].run, side[1].n},
	    .old_name = names[0],
	    .new_name = names[1],
	    .damaged = side[0].damaged ? side[0].damaged : side[1].damaged,
	};
}

/* A gate that is closer to its limit than its histogram is exact reads every event. */
static int judge_exactly(struct args *args, struct rep_gate_result *result)
{
	struct side exact[2] = {{0}, {0}};
	int status = load(args, true, true, exact);

	if (!status) {
		const struct compared again = sides_of(exact, (char *const[2]){NULL, NULL});

		status = diff_judge(args, &again, result);
	}
	side_release(&exact[0]);
	side_release(&exact[1]);
	return status;
}

static int compare(struct args *args, const struct side side[2])
{
	char *names[2] = {name_of(args, &side[0], true, &side[1]),
			  name_of(args, &side[1], false, &side[0])};
	const struct compared c = sides_of(side, names);
	int status =
	    names[0] && names[1] ? diff_compare(args, &c, judge_exactly) : cmd_nomem(&args->cmd);

	free(names[0]);
	free(names[1]);
	return status;
}

static int self_check(struct args *args, const struct side *side)
{
	const struct rep_diff_side runs = {side->run, side->n};
	char *name = name_of(args, side, true, NULL);
	int status;

	if (!name)
		return cmd_nomem(&args->cmd);
	status = diff_self_check(args, &runs, name,
				 side->n > 1 ? "in random halves, and one against one"
					     : "its windows in random halves");
	free(name);
	return status;
}

int diff_traces(struct args *args)
{
	struct side side[2] = {{0}, {0}};
	int status = load(args, false, false, side);

	/* Either side has a run: sides.c. */
	if (!status && args->self_check && side[0].run)
		status = self_check(args, &side[0]);
	else if (!status && side[0].run && side[1].run)
		status = compare(args, side);
	side_release(&side[0]);
	side_release(&side[1]);
	return status;
}
