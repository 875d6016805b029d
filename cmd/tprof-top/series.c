/* Numbers over runs: what grows from one profile, or trace, to the next. */
#include <string.h>

#include "base/units.h"
#include "common/profiles.h"
#include "common/range.h"
#include "common/what.h"
#include "diff/trace/metrics.h"
#include "profile/demangle.h"
#include "profile/timerange.h"
#include "series/series.h"
#include "tprof-top/top.h"

#define AT_ONCE 32 /* dumps that are in memory together */

struct gathering {
	struct top_args *args;
	struct rep_series *s;
	struct cmd_range range;
	bool traces, profiles; /* what there was */
};

static int fail(const struct gathering *g, const char *name, struct tp_err *err)
{
	return cmd_refuse(&g->args->cmd, name, err, CMD_USAGE);
}

static int both_kinds(const struct gathering *g)
{
	return cmd_reject(&g->args->cmd, CMD_USAGE,
			  "traces and profiles have no numbers in common; pick one kind with "
			  "--run, or show the traces as profiles with --view");
}

static int put_profile(struct gathering *g, const char *name, struct tp_profile *p, int64_t time_ns)
{
	struct tp_err err;
	int code;

	if (g->traces)
		return both_kinds(g);
	g->profiles = true;
	code = rep_series_point(g->s, name, time_ns, &err);
	if (!code && g->args->counters)
		code = rep_series_put_counters(g->s, p, &err);
	else if (!code)
		code = rep_series_put_profile(g->s, p, &g->args->profile, &err);
	return code ? fail(g, name, &err) : CMD_OK;
}

static int put_trace(struct gathering *g, const struct rep_run *run)
{
	struct rep_metrics_options opt = REP_METRICS_OPTIONS_INIT;
	const char *name = run->row.name;
	struct rep_metrics *m = NULL;
	struct tp_err err;
	int code;

	if (g->profiles)
		return both_kinds(g);
	if (g->args->counters)
		return cmd_reject(&g->args->cmd, CMD_USAGE,
				  "--counters is for profiles, and %s is a trace", name);
	g->traces = true;
	opt.filter = &g->args->view.trace.filter;
	code = rep_metrics_new(&m, g->args->cmd.store, run, &opt, &err);
	if (!code)
		code = rep_series_point(g->s, name,
					run->row.wall_ns == TP_NULL ? 0 : run->row.wall_ns, &err);
	if (!code)
		code = rep_series_put_metrics(g->s, m, &err);
	rep_metrics_free(m);
	return code ? fail(g, name, &err) : CMD_OK;
}

/* A run of a store; where a sample type is named, profiles without it are passed over. */
static int put_run(struct gathering *g, const struct rep_run *run)
{
	struct cmd *cmd = &g->args->cmd;
	bool trace = strcmp(run->row.kind, "profile") != 0;
	struct tp_profile *p = NULL;
	enum rep_demangle demangle;
	struct tp_err err;
	size_t index;
	int code, status = CMD_OK;

	if (trace && !g->args->view.given)
		return put_trace(g, run);
	code = trace ? rep_trace_profile(cmd->store, run, &g->args->view.trace, &p, &err)
		     : tp_profile_load(cmd->store, run->row.id, &p, &err);
	if (!code)
		code = rep_demangle_parse(g->args->profile.demangle, &demangle, &err);
	if (!code)
		code = rep_profile_demangle(p, demangle, &err);
	if (code == TP_ENOENT && trace)
		cmd_range_outside(&g->range, run, &err);
	else if (code)
		status = fail(g, run->row.name, &err);
	else if (!g->args->profile.sample_index || g->args->cmd.runs.n == 1 ||
		 !rep_profile_sample_index(p, g->args->profile.sample_index, &index, &err))
		status = put_profile(g, run->row.name, p, trace ? run->row.wall_ns : p->time_ns);
	tp_profile_free(p);
	return status;
}

static int put_store(struct gathering *g, const char *path)
{
	struct cmd *cmd = &g->args->cmd;
	int status;

	/* Of one run nothing can be followed. */
	if (!cmd->run_spec && g->args->cmd.files[CMD_NEW].n == 1)
		cmd->run_spec = "all";
	status = cmd_open(cmd, path);
	for (size_t i = 0; !status && i < cmd->runs.n; i++)
		status = cmd_range_add(cmd, &g->range, cmd->store, &cmd->runs.run[i]);
	for (size_t i = 0; !status && i < cmd->runs.n; i++)
		status = put_run(g, &cmd->runs.run[i]);
	cmd_close(cmd);
	return status;
}

static int put_dumps(struct gathering *g, const char *const *paths, size_t n)
{
	struct cmd_profiles list = {0};
	int status = cmd_profiles_open(&g->args->cmd, paths, n, NULL, &list);

	for (size_t i = 0; i < list.n && !status; i++)
		status = put_profile(g, list.item[i].name, list.item[i].profile,
				     list.item[i].profile->time_ns);
	cmd_profiles_release(&list);
	return status;
}

/* Dumps of profiles that follow each other are read together. */
static int gather(struct gathering *g)
{
	struct top_args *args = g->args;
	const struct cmd_files *files = &args->cmd.files[CMD_NEW];
	size_t waiting = 0; /* dumps before this path that are still to be read */
	int status = CMD_OK;

	for (size_t i = 0; i < files->n && !status; i++) {
		enum cmd_what what;
		struct tp_err err;

		if (cmd_look(files->path[i], &what, &err))
			return cmd_fail(&args->cmd, files->path[i], &err);
		waiting += what == CMD_WHAT_PROFILE;
		if (waiting && (what != CMD_WHAT_PROFILE || waiting == AT_ONCE)) {
			size_t end = what == CMD_WHAT_PROFILE ? i + 1 : i;

			status = put_dumps(g, files->path + end - waiting, waiting);
			waiting = 0;
		}
		if (!status && what != CMD_WHAT_PROFILE)
			status = put_store(g, files->path[i]);
	}
	if (!status && waiting)
		status = put_dumps(g, files->path + files->n - waiting, waiting);
	return status;
}

/* ---- parts of the time ---- */

#define PARTS 32

struct parts {
	struct gathering *g;
	bool any; /* a part has samples that the filters keep */
	struct tp_profile *p;
};

static int put_part(void *ctx, int64_t from_ns, struct tp_err *err)
{
	struct parts *parts = ctx;
	struct gathering *g = parts->g;
	char name[TP_UNITS_SIZE];
	int code = rep_series_point(g->s, tp_fmt_ns(name, from_ns), from_ns + 1, err);

	if (!code)
		code = rep_series_put_profile(g->s, parts->p, &g->args->profile, err);
	parts->any |= !code;
	/* Other parts may have samples that the filters keep. */
	return code == TP_ENOENT ? 0 : code;
}

static int gather_parts(struct gathering *g)
{
	struct cmd *cmd = &g->args->cmd;
	const struct cmd_files *files = &cmd->files[CMD_NEW];
	struct parts parts = {.g = g};
	struct cmd_profiles list = {0};
	struct tp_err err;
	size_t timeless;
	int status = cmd_profiles_open(cmd, files->path, files->n, NULL, &list);

	g->s->parts = true;
	if (!status && list.n != 1)
		status = cmd_reject(cmd, CMD_USAGE,
				    "--over=time is about one profile; name one file, "
				    "or one run of a store with --run");
	if (!status) {
		parts.p = list.item[0].profile;
		if (rep_profile_each_part(parts.p, PARTS, put_part, &parts, &timeless, &err) ||
		    !parts.any)
			status = fail(g, list.item[0].name, &err);
		else if (timeless)
			cmd_note(cmd, "%s: %zu samples have no time and are left out",
				 list.item[0].name, timeless);
	}
	cmd_profiles_release(&list);
	return status;
}

/* ---- showing ---- */

static int sort_key(const struct top_args *args, const struct gathering *g,
		    enum rep_series_sort *sort)
{
	/* Numbers of different kinds read best by name. */
	*sort = g->s->parts		      ? REP_SERIES_BY_SUM
		: g->traces || args->counters ? REP_SERIES_BY_NAME
					      : REP_SERIES_BY_GROWTH;
	if (!args->sort)
		return CMD_OK;
	for (int i = 0; i < REP_NSERIES_SORTS; i++) {
		if (!strcmp(args->sort, rep_series_sorts[i])) {
			*sort = (enum rep_series_sort)i;
			return CMD_OK;
		}
	}
	return cmd_reject(
	    &args->cmd, CMD_USAGE,
	    "--sort: '%s' is not growth, slope, last, name or sum, by which --over=%s sorts",
	    args->sort, args->over);
}

/* "8 runs from ledger-1.heap to ledger-8.heap, inuse_space" */
static void title(const struct gathering *g, char *text, size_t size)
{
	const struct top_args *args = g->args;
	size_t n = g->s->npoints;
	const char *what = g->s->what;

	snprintf(text, size, "%zu %s from %.100s to %.100s%s%.80s%s", n,
		 g->s->parts ? "parts of the time, which begin" : "runs", g->s->point[0].name,
		 g->s->point[n - 1].name, *what ? ", " : "", what,
		 !g->traces && args->profile.cum ? ", cumulative" : "");
}

static int print_table(const struct gathering *g, struct tp_err *err)
{
	struct top_args *args = g->args;
	struct rep_output *out = NULL;
	char text[400];
	int code, status;

	cmd_pager(&args->cmd);
	status = cmd_output(&args->cmd, false, &out);
	if (status)
		return status;
	title(g, text, sizeof(text));
	code = rep_output_note(out, true, text, err);
	if (!code && !g->s->unit->ns && !g->s->parts)
		code = rep_output_note(out, false,
				       "in the order given, as not all of them say when they were "
				       "recorded, or two were recorded at the same time",
				       err);
	if (!code && g->traces && !strcmp(g->s->what_unit, "ticks"))
		code = rep_output_note(
		    out, false,
		    "times are ticks, and rates are per 10^9 ticks, as the traces have no clock",
		    err);
	if (!code)
		code = rep_output_note(out, false, "", err);
	if (!code)
		code =
		    rep_series_print(g->s, out, (size_t)cmd_rows(&args->cmd, args->cmd.rows), err);
	return cmd_output_end(&args->cmd, out, NULL, code, err);
}

static int print(struct gathering *g)
{
	struct top_args *args = g->args;
	enum rep_series_sort sort;
	struct tp_err err;
	char text[400];
	int status = sort_key(args, g, &sort);

	if (status)
		return status;
	if (g->s->npoints < 2)
		return cmd_reject(&args->cmd, CMD_USAGE,
				  "--over=run needs more than one run; give several files, or a "
				  "store with --run=all or a label");
	if (rep_series_finish(g->s, sort, &err))
		return cmd_fail(&args->cmd, NULL, &err);
	if (args->counters && !g->s->nrows)
		return cmd_reject(&args->cmd, CMD_USAGE,
				  "these profiles have no counters; heap and allocs profiles as "
				  "text (?debug=1) have them");
	if (!args->text)
		return print_table(g, &err);
	title(g, text, sizeof(text));
	return rep_series_svg(g->s, text, (struct rep_sink){.write = cmd_write_out}, &err)
		   ? cmd_fail(&args->cmd, NULL, &err)
		   : CMD_OK;
}

int top_series(struct top_args *args)
{
	struct gathering g = {.args = args, .range.text = &args->view.trace.filter};
	struct tp_err err;
	int status;

	if (rep_series_new(&g.s, &err))
		return cmd_fail(&args->cmd, NULL, &err);
	status = strcmp(args->over, "time") ? gather(&g) : gather_parts(&g);
	if (!status)
		status = cmd_range_end(&args->cmd, &g.range);
	if (!status)
		status = print(&g);
	rep_series_free(g.s);
	return status;
}
