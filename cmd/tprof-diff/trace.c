/* Execution traces, compared by what they measure. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/profiles.h"
#include "common/range.h"
#include "common/what.h"
#include "diff/show.h"
#include "diff/trace/selfcheck.h"
#include "diff/trace/show.h"
#include "open/input.h"

#include "diff.h"

#define SECTION_ROWS 5 /* of a section in the overview */
#define MAX_THREADS  8

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
		args->trace.sections |= 1u << section;
		at += n + (at[n] == ',');
	}
	return NULL;
}

static const char *check_per(struct args *args, char text[DIFF_WRONG])
{
	struct rep_per_options *per = &args->trace.per;

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

static const char *check_gates(struct args *args, char text[DIFF_WRONG])
{
	struct tp_err err;

	args->trace_gate = calloc(args->ngates + 1, sizeof(*args->trace_gate));
	if (!args->trace_gate) {
		cmd_nomem(&args->cmd);
		exit(CMD_SYSTEM);
	}
	for (size_t i = 0; i < args->ngates; i++) {
		if (!rep_trace_gate_parse(&args->trace_gate[i], args->gate_text[i], &err))
			continue;
		tp_err_printable(&err);
		snprintf(text, DIFF_WRONG, "%.399s", err.msg);
		return text;
	}
	return NULL;
}

const char *diff_trace_check(struct args *args, char text[DIFF_WRONG])
{
	const char *wrong = check_by(args, text);

	if (!wrong)
		wrong = check_per(args, text);
	if (!wrong)
		wrong = check_others(args, text);
	if (!wrong)
		wrong = check_gates(args, text);
	args->trace.changed = args->diff.changed;
	if (args->alpha_given)
		args->trace.alpha = args->diff.alpha;
	args->trace.sort = args->diff.sort;
	if (args->min_share_given)
		args->trace.min_share = args->diff.min_share;
	return wrong;
}

/* ---- loading ---- */

/* A path that is open, and what its runs measure. */
struct opened {
	struct cmd cmd; /* of its own: a store is open in each */
	const char *path;
	struct rep_metrics **run;
	size_t n;
	const struct rep_metrics_options *opt;
	int code;
	struct tp_err err;
};

struct side {
	struct rep_metrics **run;
	char *name; /* of the first run */
	char *damaged;
	size_t n;
};

static void side_release(struct side *s)
{
	for (size_t i = 0; i < s->n; i++)
		rep_metrics_free(s->run[i]);
	free(s->run);
	free(s->name);
	free(s->damaged);
	*s = (struct side){0};
}

static void *measure(void *arg)
{
	struct opened *o = arg;

	for (size_t i = 0; i < o->cmd.runs.n && !o->code; i++) {
		o->code =
		    rep_metrics_new(&o->run[i], o->cmd.store, &o->cmd.runs.run[i], o->opt, &o->err);
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
	if (!status && !(o->run = calloc(o->cmd.runs.n + 1, sizeof(struct rep_metrics *)))) {
		cmd_nomem(&args->cmd);
		status = CMD_SYSTEM;
	}
	return status;
}

static int append(struct args *args, struct side *s, struct opened *o)
{
	struct rep_metrics **run =
	    realloc(s->run, (s->n + o->n + 1) * sizeof(struct rep_metrics *));

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
			rep_metrics_free(o[i].run[k]);
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

/* ---- gates ---- */

static int judge(struct args *args, const struct side side[2], struct rep_gate_result *result,
		 bool *inexact)
{
	const struct rep_trace_side old = {side[0].run, side[0].n}, new = {side[1].run, side[1].n};
	struct rep_metrics_base base;
	struct rep_trace_gate_options opt = {
	    .per = args->trace.per,
	    .damaged = side[0].damaged ? side[0].damaged : side[1].damaged,
	};
	struct tp_err err;

	rep_metrics_base(side[0].run[0], &base);
	opt.ticks = base.ticks;
	*inexact = false;
	for (size_t i = 0; i < args->ngates; i++) {
		bool close;

		if (rep_trace_gate_judge(&args->trace_gate[i], &old, &new, &opt, &result[i], &close,
					 &err)) {
			if (err.code != TP_EFORMAT)
				return cmd_fail(&args->cmd, NULL, &err);
			cmd_error(&args->cmd, "%s", err.msg);
			return CMD_USAGE;
		}
		*inexact = *inexact || close;
	}
	return CMD_OK;
}

/* A gate that is closer to its limit than its histogram is exact reads every event. */
static int judge_exactly(struct args *args, const struct side side[2],
			 struct rep_gate_result *result)
{
	struct side exact[2] = {{0}, {0}};
	bool inexact;
	int status = judge(args, side, result, &inexact);

	if (status || !inexact)
		return status;
	status = load(args, true, true, exact);
	for (size_t i = 0; i < args->ngates && !status; i++)
		rep_gate_result_release(&result[i]);
	if (!status)
		status = judge(args, exact, result, &inexact);
	side_release(&exact[0]);
	side_release(&exact[1]);
	return status;
}

/* ---- output ---- */

static int fail(struct args *args, struct tp_err *err)
{
	if (err->code != TP_EFORMAT)
		return cmd_fail(&args->cmd, NULL, err);
	cmd_error(&args->cmd, "%s", err->msg);
	return CMD_USAGE;
}

static int show(struct args *args, const struct rep_trace_diff *d, const struct rep_trace_show *how,
		const struct rep_gate *gate, const struct rep_gate_result *result)
{
	struct rep_sink sink = {.write = diff_write};
	struct rep_output *out = NULL;
	struct tp_err err;
	char advice[REP_TRACE_ADVICE];
	bool gates = args->ngates > 0 && !diff_one_table(args);
	int status, code;

	if (args->junit) {
		code = rep_gate_junit(gate, result, args->ngates, "tprof-diff", &sink, &err);
		return code ? cmd_fail(&args->cmd, NULL, &err) : CMD_OK;
	}
	cmd_pager(&args->cmd);
	status = cmd_output(&args->cmd, gates, &out);
	if (status)
		return status;
	code = rep_trace_heading(d, how, out, &err);
	if (!code)
		code = rep_trace_rows(d, how, out, &err);
	if (!code && gates)
		code = rep_output_note(out, false, "", &err);
	if (!code && gates)
		code = rep_gate_rows(gate, result, args->ngates, out, &err);
	if (!code)
		code = rep_output_finish(out, &err);
	if (!code && !rep_output_for_people(out) && *rep_trace_advice(d, advice))
		cmd_note(&args->cmd, "%s", advice);
	if (code)
		status = cmd_fail(&args->cmd, NULL, &err);
	rep_output_free(out);
	return status;
}

static int compare(struct args *args, const struct side side[2])
{
	const struct rep_trace_side old = {side[0].run, side[0].n}, new = {side[1].run, side[1].n};
	struct rep_gate_result *result = calloc(args->ngates + 1, sizeof(*result));
	struct rep_gate *gate = calloc(args->ngates + 1, sizeof(*gate));
	char *names[2] = {name_of(args, &side[0], true, &side[1]),
			  name_of(args, &side[1], false, &side[0])};
	bool people = args->cmd.format == REP_FORMAT_TABLE;
	struct rep_trace_show how = {
	    .old = names[0],
	    .new = names[1],
	    .overview = !args->trace.sections,
	    .rows = args->rows >= 0	   ? (size_t)args->rows
		    : !people		   ? 0
		    : args->trace.sections ? TABLE_ROWS
					   : SECTION_ROWS,
	};
	struct rep_trace_diff *d = NULL;
	struct tp_err err;
	int status = result && gate && names[0] && names[1] ? CMD_OK : CMD_SYSTEM;

	if (status)
		cmd_nomem(&args->cmd);
	else
		status = judge_exactly(args, side, result);
	for (size_t i = 0; gate && i < args->ngates; i++)
		gate[i] = args->trace_gate[i].gate; /* lent: nothing of it is released */
	if (!status && rep_trace_diff_new(&d, &old, &new, &args->trace, &err))
		status = fail(args, &err);
	if (!status)
		status = show(args, d, &how, gate, result);
	if (!status)
		status = diff_tell_gates(args, gate, result, args->ngates,
					 side[0].damaged || side[1].damaged);
	rep_trace_diff_free(d);
	for (size_t i = 0; result && i < args->ngates; i++)
		rep_gate_result_release(&result[i]);
	free(result);
	free(gate);
	free(names[0]);
	free(names[1]);
	return status;
}

static int self_check(struct args *args, const struct side *side)
{
	const struct rep_trace_side runs = {side->run, side->n};
	struct rep_trace_gate_options opt = {.per = args->trace.per};
	struct rep_output *out = NULL;
	struct rep_metrics_base base;
	struct tp_err err;
	char *name = name_of(args, side, true, NULL), text[512];
	int status = name ? cmd_output(&args->cmd, false, &out) : CMD_SYSTEM, code;

	if (status) {
		free(name);
		return status;
	}
	rep_metrics_base(side->run[0], &base);
	opt.ticks = base.ticks;
	snprintf(text, sizeof(text),
		 side->n > 1 ? "%.400s, in random halves, and one against one: what is found where "
			       "nothing changed"
			     : "%.400s, its windows in random halves: what is found where nothing "
			       "changed",
		 name);
	code = rep_output_note(out, true, text, &err);
	if (!code)
		code = rep_output_note(out, false, "", &err);
	if (!code)
		code = rep_trace_self_check(&runs, &args->trace, args->trace_gate, args->ngates,
					    &opt, out, &err);
	if (!code)
		code = rep_output_finish(out, &err);
	rep_output_free(out);
	free(name);
	return code ? fail(args, &err) : CMD_OK;
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
