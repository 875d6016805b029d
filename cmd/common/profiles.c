#include "common/profiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/dumps.h"
#include "common/files.h"
#include "common/group.h"
#include "common/range.h"
#include "common/sets.h"
#include "common/view_options.h"
#include "profile/merge/merge.h"
#include "profile/request.h"
#include "profile/timerange.h"
#include "task/request.h"
#include "profile/view.h"
#include "symbol/symbol.h"
#include "task/inside.h"

static bool is_profile(const struct rep_run *run)
{
	return !strcmp(run->row.kind, "profile");
}

/* Returns what --sample-index says, or NULL. */
static const char *sample_type(const struct cmd *cmd)
{
	return cmd->profile ? cmd->profile->sample_index : NULL;
}

/* Returns the sample type that --sample-index names, or NULL if it is a number or not given. */
static const char *named_type(const struct cmd *cmd)
{
	const char *index = sample_type(cmd);

	return index && index[strspn(index, "0123456789")] ? index : NULL;
}

/* ---- the list ---- */

int cmd_profiles_append(struct cmd_profiles *list, struct tp_profile *p, const char *name,
			bool trace, struct tp_err *err)
{
	struct cmd_profile *item = realloc(list->item, (list->n + 1) * sizeof(*item));
	char *copy = strdup(name);

	if (item)
		list->item = item;
	if (!item || !copy) {
		free(copy);
		tp_profile_free(p);
		return tp_nomem(err);
	}
	list->item[list->n++] = (struct cmd_profile){
	    .profile = p, .name = copy, .trace = trace, .ntraces = trace, .nprofiles = !trace};
	return 0;
}

int cmd_profiles_unlike(struct tp_err *err)
{
	if (err->code == TP_EFORMAT)
		err->code = TP_EUNKNOWN;
	return err->code;
}

static int copy_labels(struct cmd_profile *item, const struct rep_run *run, struct tp_err *err)
{
	item->labels = calloc(run->nlabels + 1, sizeof(*item->labels));
	if (!item->labels)
		return tp_nomem(err);
	for (; item->nlabels < run->nlabels; item->nlabels++) {
		item->labels[item->nlabels] = strdup(run->labels[item->nlabels]);
		if (!item->labels[item->nlabels])
			return tp_nomem(err);
	}
	return 0;
}

void cmd_profile_release(struct cmd_profile *item)
{
	tp_profile_free(item->profile);
	rep_merger_free(item->sum);
	for (size_t k = 0; k < item->nlabels; k++)
		free(item->labels[k]);
	free(item->labels);
	free(item->name);
}

void cmd_profiles_release(struct cmd_profiles *p)
{
	for (size_t i = 0; i < p->n; i++)
		cmd_profile_release(&p->item[i]);
	free(p->item);
	free(p->untyped);
	*p = (struct cmd_profiles){0};
}

bool cmd_profile_untyped(const struct tp_profile *p, bool damaged)
{
	for (size_t i = 0; i < p->ntypes; i++)
		if (damaged && !*tp_dict_text(p->dict, p->types[i].type).text)
			return true;
	return !p->ntypes;
}

int cmd_profiles_leave_out(struct cmd_profiles *p, const char *name)
{
	if (!p->untyped && !(p->untyped = strdup(name)))
		return TP_ENOMEM;
	p->nuntyped++;
	return 0;
}

/* ---- stores and traces ---- */

void cmd_profiles_note_empty(const struct cmd *cmd, const struct cmd_profiles *list)
{
	const struct rep_trace_profile_options *view = cmd_view(cmd);
	const char *option = view ? cmd_view_filter(view) : NULL;

	if (list->n && option && !list->item[0].profile->nsamples)
		cmd_note(cmd, "%s: nothing of it matches --%s", list->item[0].name, option);
}

/* `by`: the key of the label by which runs are grouped, or NULL. */
static int load_run(struct cmd *cmd, const struct rep_run *run, const char *by,
		    const struct cmd_names *names, struct cmd_profiles *out, struct tp_err *err)
{
	const struct rep_trace_profile_options *shown = cmd_view(cmd);
	struct rep_trace_profile_options view;
	struct tp_profile *p = NULL;
	bool trace = !is_profile(run);
	int code;

	if (trace && !shown)
		return tp_err_set(err, TP_EUNKNOWN, TP_OFFSET_NONE,
				  "the run '%.80s' is a trace, not a profile; --view=cpu, offcpu, "
				  "… shows it as one",
				  run->row.name);
	if (trace) {
		view = *shown;
		view.members = &out->members;
	}
	code = trace ? rep_trace_profile(cmd->store, run, &view, &p, err)
		     : tp_profile_load(cmd->store, run->row.id, &p, err);
	if (!code && !trace) {
		snprintf(p->format, sizeof(p->format), "%s", run->row.format);
		code = cmd_names_of(p, names, err);
	}
	for (size_t i = 0; !code && (trace || names->symbols) && i < p->nnotices; i++)
		cmd_note(cmd, "%s: %s", run->row.name, p->notices[i].text);
	if (!code && by)
		return cmd_group_add(out, run, p, by, named_type(cmd), err);
	if (code)
		tp_profile_free(p);
	else
		code = cmd_profiles_append(out, p, run->row.name, trace, err);
	if (!code)
		out->item[out->n - 1].damaged = run->losses > 0;
	if (!code && trace && view.view == REP_TRACE_CPU && !view.go && !p->nsamples &&
	    !cmd_view_filter(&view) && !out->nsilent++)
		snprintf(out->silent, sizeof(out->silent), "%s", run->row.name);
	return code ? code : copy_labels(&out->item[out->n - 1], run, err);
}

/* If any item from `first` on has the sample type, leaves out those that lack it: all of them, or
 * only those that `lost` their types by damage, which may have had it. */
static int keep_type(struct cmd_profiles *list, size_t first, const char *index, bool lost,
		     struct tp_err *err)
{
	size_t n = first, type;
	bool any = false;
	int code = 0;

	for (size_t i = first; i < list->n && !any; i++)
		any = !rep_profile_sample_index(list->item[i].profile, index, &type, err);
	for (size_t i = first; i < list->n && any; i++) {
		struct cmd_profile *item = &list->item[i];
		bool untyped = cmd_profile_untyped(item->profile, item->damaged);

		if ((lost && !untyped) ||
		    !rep_profile_sample_index(item->profile, index, &type, err)) {
			list->item[n++] = *item;
			continue;
		}
		if (!code && untyped)
			code = cmd_profiles_leave_out(list, item->name);
		cmd_profile_release(item);
	}
	if (any)
		list->n = n;
	return code ? tp_nomem(err) : 0;
}

static void tell_untyped(const struct cmd *cmd, const struct cmd_profiles *list, const char *index)
{
	if (list->nuntyped == 1)
		cmd_note(cmd,
			 "%s is left out: damage has taken its sample types, so it is not known "
			 "whether it had %s",
			 list->untyped, index);
	else if (list->nuntyped)
		cmd_note(cmd,
			 "%s and %zu more are left out: damage has taken their sample types, so it "
			 "is not known whether they had %s",
			 list->untyped, list->nuntyped - 1, index);
}

static void tell_silent(const struct cmd *cmd, const struct cmd_profiles *list)
{
	char more[40] = "";

	if (list->nsilent > 1)
		snprintf(more, sizeof(more), " and %zu more", list->nsilent - 1);
	if (list->nsilent)
		cmd_note(cmd, "%s%s: " REP_NOTE_NO_SAMPLES, list->silent, more);
}

/* Notes that profiles have no names of functions. Their tables have one row, which is named after the
 * program. */
static void tell_nameless(const struct cmd *cmd, const struct cmd_profiles *list)
{
	if (!cmd->names_code || cmd->profile->binary || cmd->profile->symbol_path)
		return;
	for (size_t i = 0; i < list->n; i++)
		if (tp_profile_nameless(list->item[i].profile)) {
			cmd_note(cmd,
				 "%s: its code has no names; --binary=PROGRAM takes them from the "
				 "program",
				 list->item[i].name);
			return;
		}
}

static bool any_profile(const struct rep_runs *runs)
{
	for (size_t i = 0; i < runs->n; i++)
		if (is_profile(&runs->run[i]))
			return true;
	return false;
}

/* Loads runs of a store, or of a trace through the cache. */
static int load_runs(struct cmd *cmd, const char *path, enum cmd_what what, const char *by,
		     const struct cmd_names *names, struct cmd_range *range,
		     struct cmd_profiles *out)
{
	const char *type = named_type(cmd);
	bool shown = cmd_view(cmd), pass_over;
	size_t first = out->n;
	struct tp_err err;
	int status;

	if (what == CMD_WHAT_TRACE && !shown)
		return cmd_reject(
		    cmd, CMD_INPUT,
		    "%s: is a trace, not a profile; --view=cpu, offcpu, … shows it as one", path);
	cmd->profiles_only = !shown;
	status = cmd_open(cmd, path);
	cmd->profiles_only = false;
	if (!status && by && cmd_group_check(&cmd->runs, by, &err))
		status = cmd_fail(cmd, path, &err);
	for (size_t i = 0; i < cmd->runs.n && shown && !status; i++)
		status = cmd_range_add(cmd, range, cmd->store, &cmd->runs.run[i]);
	/* Without a view, a trace has no sample types at all. */
	pass_over = type && !shown && !status && any_profile(&cmd->runs);
	for (size_t i = 0; i < cmd->runs.n && !status; i++) {
		const struct rep_run *run = &cmd->runs.run[i];
		int code =
		    pass_over && !is_profile(run) ? 0 : load_run(cmd, run, by, names, out, &err);

		if (code == TP_ENOENT && !is_profile(run))
			cmd_range_outside(range, run, &err);
		else if (code)
			status = cmd_fail(cmd, path, &err);
	}
	cmd_close(cmd);
	if (!status && type && !by && keep_type(out, first, type, false, &err))
		status = cmd_fail(cmd, path, &err);
	return status;
}

/* Loads paths of any kind one by one. */
static int load_mixed(struct cmd *cmd, const char *const *paths, size_t n, const char *by,
		      struct cmd_profiles *out)
{
	const struct rep_trace_profile_options *view = cmd_view(cmd);
	struct cmd_range range = {.text = view ? &view->filter : NULL};
	struct cmd_names names;
	struct tp_err err;
	int status = cmd_names_init(&names, cmd, &err) ? cmd_fail(cmd, NULL, &err) : CMD_OK;

	for (size_t i = 0; i < n && !status; i++) {
		struct tp_profile *p;
		struct cmd_dump_note note = {0};
		enum cmd_what what;

		if (cmd_look(paths[i], &what, &err)) {
			status = cmd_fail(cmd, paths[i], &err);
		} else if (by && what != CMD_WHAT_STORE) {
			status = cmd_reject(cmd, CMD_USAGE,
					    "%s: is a dump, which has no labels for --average-by; "
					    "import it into a store",
					    paths[i]);
		} else if (what != CMD_WHAT_PROFILE) {
			status = load_runs(cmd, paths[i], what, by, &names, &range, out);
		} else if (cmd_dump_read(paths[i], &names, (struct tp_profile_options){0}, &what,
					 &p, &note, &err)) {
			status = cmd_fail(cmd, paths[i], &err);
		} else if (!p) { /* not a profile: its first bytes were not enough to tell */
			status = load_runs(cmd, paths[i], what, by, &names, &range, out);
		} else if (cmd_profiles_append(out, p, cmd_name_apart(cmd, paths[i]), false,
					       &err)) {
			status = cmd_fail(cmd, paths[i], &err);
		} else {
			out->item[out->n - 1].damaged = note.damaged;
			cmd_dumps_tell(cmd, &paths[i], &note, 1);
		}
	}
	cmd_names_release(&names);
	if (!status)
		status = cmd_range_end(cmd, &range);
	/* Report this only after all stores, since a group may have runs in several. */
	if (!status && by && !out->n)
		return cmd_reject(cmd, CMD_INPUT,
				  "%s%snone of the picked runs has the sample type %s",
				  n == 1 ? paths[0] : "", n == 1 ? ": " : "", sample_type(cmd));
	if (!status && by && cmd_group_end(out, true, &err))
		status = cmd_fail(cmd, n == 1 ? paths[0] : NULL, &err);
	return status;
}

/* A dump is one run, so --run picks nothing of it. */
static void note_run(struct cmd *cmd)
{
	const char *run = cmd->run_spec;

	if (cmd->run_told || !run || !strcmp(run, "latest") || !strcmp(run, "all") ||
	    cmd_run_picks(cmd))
		return;
	cmd_note(cmd,
		 "--run=%.200s picks nothing: it picks runs of stores, and all files are dumps",
		 run);
	cmd->run_told = true;
}

/* Refuses a wrong view at once, as it would be wrong for every trace. */
static int check_view(struct cmd *cmd)
{
	const struct rep_trace_profile_options *view = cmd_view(cmd);
	enum rep_demangle how;
	struct tp_err err;

	if (!rep_demangle_parse(cmd->profile ? cmd->profile->demangle : NULL, &how, &err) &&
	    (!view || !rep_trace_profile_check(view, &err)))
		return CMD_OK;
	return cmd_reject(cmd, CMD_USAGE, "%s", err.msg);
}

/* Leaves out the items that a sum would count twice. */
static int settle(struct cmd *cmd, struct cmd_profiles *list)
{
	struct cmd_mark *mark = calloc(list->n + 1, sizeof(*mark));
	size_t n = 0;
	int status;

	if (!mark)
		return cmd_nomem(cmd);
	for (size_t i = 0; i < list->n; i++)
		mark[i] = cmd_mark_of(&list->item[i]);
	status = cmd_sum_settle(cmd, mark, list->n);
	for (size_t i = 0; i < list->n && !status; i++)
		if (mark[i].name)
			list->item[n++] = list->item[i];
		else
			cmd_profile_release(&list->item[i]);
	list->n = status ? list->n : n;
	free(mark);
	return status;
}

/* Adds up all items to one. */
static int add_up(struct cmd *cmd, struct cmd_profiles *list)
{
	struct cmd_profiles one = {.members = list->members,
				   .nuntyped = list->nuntyped,
				   .untyped = list->untyped,
				   .nsilent = list->nsilent};
	struct tp_err err;
	int code = 0;

	list->untyped = NULL;
	memcpy(one.silent, list->silent, sizeof(one.silent));
	for (size_t i = 0; i < list->n && !code; i++) {
		code = cmd_group_put(&one, list->item[0].name, &list->item[i], &err);
		tp_profile_free(list->item[i].profile);
		list->item[i].profile = NULL;
	}
	if (!code)
		code = cmd_group_end(&one, false, &err);
	cmd_profiles_release(list);
	*list = one;
	return code ? cmd_fail(cmd, NULL, &err) : CMD_OK;
}

/* Applies --from and --to to profiles; views of traces have obeyed them. */
static int keep_range(struct cmd *cmd, struct cmd_profiles *list)
{
	const struct rep_filter_text *text = cmd->view ? &cmd->view->trace.filter : NULL;
	struct tp_err err;

	for (size_t i = 0; text && (text->from || text->to) && i < list->n; i++) {
		const struct cmd_profile *item = &list->item[i];
		size_t timeless = 0;

		if (item->ntraces ||
		    !rep_profile_keep_range(item->profile, text, &timeless, &err)) {
			if (timeless)
				cmd_note(cmd, "%s: %zu samples have no time and are left out",
					 item->name, timeless);
			continue;
		}
		return err.code == TP_EFORMAT
			   ? cmd_reject(cmd, CMD_USAGE, "%s: %s", item->name, err.msg)
			   : cmd_fail(cmd, item->name, &err);
	}
	return CMD_OK;
}

/* Applies --request to profiles; views of traces have obeyed it. */
static int keep_request(struct cmd *cmd, struct cmd_profiles *list)
{
	const char *request = cmd->view ? cmd->view->trace.task : NULL;
	struct tp_err err, none = {0};
	bool any = false;

	for (size_t i = 0; rep_is_request(request) && i < list->n; i++) {
		const struct cmd_profile *item = &list->item[i];
		int code =
		    item->ntraces ? 0 : rep_profile_keep_request(item->profile, request, &err);

		if (code && code != TP_ENOENT)
			return cmd_fail(cmd, item->name, &err);
		any |= !code;
		none = code && !none.code ? err : none;
	}
	return none.code && !any ? cmd_fail(cmd, list->item[0].name, &none) : CMD_OK;
}

static int load(struct cmd *cmd, const char *const *paths, size_t n,
		const struct cmd_profiles_options *opt, bool sum, struct cmd_profiles *out)
{
	const char *type = named_type(cmd);
	bool other = opt->by; /* dumps have no labels */
	struct tp_err err;
	int status = check_view(cmd);

	*out = (struct cmd_profiles){0};
	/* A single dump is not added up, and so not copied. */
	if (!status && !other)
		status = cmd_dumps_load(cmd, paths, n, opt->each_dump, sum && n > 1, &other, out);
	if (!status && !other)
		note_run(cmd);
	if (!status && other) {
		bool adds_up = cmd->adds_up;

		cmd->adds_up |= sum;
		status = load_mixed(cmd, paths, n, opt->by, out);
		cmd->adds_up = adds_up;
	}
	if (!status && (other || !sum) && (opt->adds_up || sum) && out->n > 1)
		status = settle(cmd, out);
	if (!status && other && sum && out->n > 1)
		status = add_up(cmd, out);
	if (!status)
		status = keep_range(cmd, out);
	if (!status)
		status = keep_request(cmd, out);
	if (!status && type && !opt->by && !sum && keep_type(out, 0, type, true, &err))
		status = cmd_fail(cmd, NULL, &err);
	if (!status) {
		tell_untyped(cmd, out, sample_type(cmd));
		tell_silent(cmd, out);
		tell_nameless(cmd, out);
	}
	return status;
}

int cmd_profiles_open(struct cmd *cmd, const char *const *paths, size_t n,
		      const struct cmd_profiles_options *opt, struct cmd_profiles *out)
{
	static const struct cmd_profiles_options plain;

	return load(cmd, paths, n, opt ? opt : &plain, false, out);
}

int cmd_profiles_sum(struct cmd *cmd, const char *const *paths, size_t n, struct cmd_profiles *out)
{
	static const struct cmd_profiles_options plain;

	return load(cmd, paths, n, &plain, true, out);
}

/* ---- options about traces ---- */

static void tell_members(const struct cmd *cmd, const struct cmd_profiles *list)
{
	char text[REP_MEMBERS_SIZE];

	if (list->n && *rep_members_say(&list->members, text, sizeof(text)))
		cmd_note(cmd, "%s: %s", list->item[0].name, text);
}

int cmd_profiles_check_trace(const struct cmd *cmd, const struct cmd_profiles list[2])
{
	const struct rep_trace_profile_options *view = cmd_view(cmd);
	const char *filter = view ? cmd_view_filter_not_time(view) : NULL, *profile = NULL;
	size_t ntraces = 0;

	if (!view)
		return CMD_OK;
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < list[side].n; i++) {
			ntraces += list[side].item[i].ntraces;
			if (!profile && list[side].item[i].nprofiles)
				profile = list[side].item[i].name;
		}
	if (!profile || (!filter && (!cmd->view->given || ntraces))) {
		tell_members(cmd, &list[CMD_OLD]);
		tell_members(cmd, &list[CMD_NEW]);
		return CMD_OK;
	}
	return cmd_reject(cmd, CMD_USAGE, "--%s is for traces, and %s is a profile",
			  filter     ? filter
			  : view->go ? "pprof"
				     : "view",
			  profile);
}
