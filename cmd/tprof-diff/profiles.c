/* Profiles compared: tables, gates, the difference as a profile, what is found by chance. */
#include <stdlib.h>
#include <string.h>

#include "common/common.h"
#include "common/profiles.h"
#include "common/proto.h"
#include "diff/prepare.h"
#include "diff/selfcheck.h"
#include "diff/show.h"
#include "profile/merge/difference.h"

#include "diff.h"

int diff_write(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	(void)ctx;
	return cmd_write(data, size, err);
}

bool diff_one_table(const struct args *args)
{
	return args->cmd.format == REP_FORMAT_CSV || args->cmd.format == REP_FORMAT_TSV;
}

static int show_gates(struct args *args, const struct rep_gate_result *result,
		      struct rep_output *out, struct tp_err *err)
{
	int code = rep_output_note(out, false, "", err);

	return code ? code : rep_gate_rows(args->gate, result, args->ngates, out, err);
}

int diff_tell_gates(const struct args *args, const struct rep_gate *gate,
		    const struct rep_gate_result *result, size_t n, bool damaged)
{
	int status = CMD_OK;

	for (size_t i = 0; i < n; i++) {
		const struct rep_gate_result *r = &result[i];

		if (r->outcome == REP_OUTCOME_PASSED && diff_one_table(args))
			cmd_note(&args->cmd, "gate %s: passed: %s", gate[i].text,
				 (char *)r->why.data);
		if (r->outcome != REP_OUTCOME_PASSED)
			cmd_note(&args->cmd, "gate %s: %s: %s%s", gate[i].text,
				 rep_outcomes[r->outcome], (char *)r->why.data,
				 r->outcome == REP_OUTCOME_EXCEEDED ? ""
				 : r->blind && damaged && !gate[i].damaged_passes
				     ? "; counted as failed (damaged=pass judges what is left)"
				 : r->wrapped ? "; counted as failed"
				 : r->blind   ? "; counted as failed (missing=pass lets it pass)"
				 : r->fails   ? "; counted as exceeded, as undecided=fail"
				 : r->tested
				     ? "; counted as not exceeded (undecided=fail changes that)"
				     : "; counted as not exceeded (missing=fail changes that)");
		if (r->note.size > 1)
			cmd_note(&args->cmd, "gate %s: %s", gate[i].text, (char *)r->note.data);
		if (r->fails && status != CMD_FOUND)
			status = r->blind ? CMD_INPUT : CMD_FOUND;
	}
	return status;
}

static int show(struct args *args, const struct rep_diff *d, const struct rep_diff_show *how,
		const struct rep_gate_result *result)
{
	struct rep_sink sink = {.write = diff_write};
	struct rep_output *out = NULL;
	struct tp_err err;
	char advice[REP_DIFF_ADVICE_SIZE];
	bool gates = args->ngates > 0 && !diff_one_table(args);
	int status, code;

	if (args->junit) {
		code = rep_gate_junit(args->gate, result, args->ngates, "tprof-diff", &sink, &err);
		return code ? cmd_fail(&args->cmd, NULL, &err) : CMD_OK;
	}
	cmd_pager(&args->cmd);
	status = cmd_output(&args->cmd, gates, &out);
	if (status)
		return status;
	code = rep_diff_heading(d, how, out, &err);
	if (!code)
		code = rep_diff_rows(d, how, out, &err);
	if (!code && gates)
		code = show_gates(args, result, out, &err);
	if (!code)
		code = rep_output_finish(out, &err);
	if (!code && !rep_output_for_people(out) && *rep_diff_advice(d, advice))
		cmd_note(&args->cmd, "%s", advice);
	if (code)
		status = cmd_fail(&args->cmd, NULL, &err);
	rep_output_free(out);
	return status;
}

/* What was asked does not fit the profiles: nothing is wrong with any of them. */
static int refuse(struct args *args, struct tp_err *err, int status)
{
	if (err->code != TP_EFORMAT && err->code != TP_ENOENT)
		return cmd_fail(&args->cmd, NULL, err);
	cmd_error(&args->cmd, "%s", err->msg);
	return status;
}

/* Name of a run that lost something: it may be one that was left out for that. */
static const char *damaged_one(const struct loaded *in)
{
	for (size_t l = 0; l < 2; l++)
		if (in->list[l].untyped)
			return in->list[l].untyped;
	for (size_t l = 0; l < 2; l++)
		for (size_t i = 0; i < in->list[l].n; i++)
			if (in->list[l].item[i].damaged)
				return in->list[l].item[i].name;
	return NULL;
}

/* Gates and rows of what is prepared. Status 2 for a gate that does not fit the profiles. */
static int compare(struct args *args, const struct loaded *in, const struct rep_diff_side *old,
		   const struct rep_diff_side *new)
{
	struct rep_gate_result *result = calloc(args->ngates + 1, sizeof(*result));
	struct rep_diff_show how = {
	    .old = in->old_name,
	    .new = in->new_name,
	    .unit = strcmp(args->profile.unit, "minimum") ? args->profile.unit : NULL,
	    .divide_by = args->profile.divide_by,
	};
	struct rep_diff *d = NULL;
	struct tp_err err;
	int status = CMD_OK, code = 0;

	if (!result)
		return cmd_nomem(&args->cmd);
	args->diff.damaged = damaged_one(in);
	for (size_t i = 0; !code && i < args->ngates; i++)
		code = rep_gate_judge(&args->gate[i], old, new, &args->diff, &result[i], &err);
	if (code)
		status = refuse(args, &err, CMD_USAGE);
	if (!code && !args->junit) {
		code = rep_diff_new(&d, old, new, &args->diff, &err);
		if (code)
			status = refuse(args, &err, code == TP_ENOENT ? CMD_USAGE : CMD_INPUT);
	}
	how.rows = args->rows >= 0		   ? (size_t)args->rows
		   : args->profile.node_count >= 0 ? (size_t)args->profile.node_count
		   : args->cmd.format == REP_FORMAT_TABLE || args->cmd.format == REP_FORMAT_MARKDOWN
		       ? TABLE_ROWS
		       : 0;
	if (!code && d && how.unit)
		cmd_tell_unit(&args->cmd, d->unit, how.unit);
	/* In the table it is part of the heading. */
	if (!code && d && *d->zero && args->cmd.format != REP_FORMAT_TABLE)
		cmd_note(&args->cmd, "%s", d->zero);
	if (!code && d && (d->wrapped || d->total.flat_wrapped))
		cmd_note(&args->cmd,
			 "values of %s add up to more than fits 64 bits: sums of them "
			 "have wrapped, as in pprof, and are wrong",
			 d->type);
	if (!code)
		status = show(args, d, &how, result);
	if (!code && status == CMD_OK)
		status = diff_tell_gates(args, args->gate, result, args->ngates,
					 args->diff.damaged != NULL);
	for (size_t i = 0; i < args->ngates; i++)
		rep_gate_result_release(&result[i]);
	free(result);
	rep_diff_free(d);
	return status;
}

static int self_check(struct args *args, const struct loaded *in, const struct rep_diff_side *old)
{
	struct rep_output *out = NULL;
	struct tp_err err;
	char text[512];
	int status = cmd_output(&args->cmd, false, &out), code;

	if (status)
		return status;
	snprintf(text, sizeof(text),
		 "%.400s, in random halves: what is found where nothing changed", in->old_name);
	code = rep_output_note(out, true, text, &err);
	if (!code)
		code = rep_output_note(out, false, "", &err);
	if (!code)
		code = rep_self_check(old, &args->diff, args->gate, args->ngates, out, &err);
	if (!code)
		code = rep_output_finish(out, &err);
	rep_output_free(out);
	return code ? refuse(args, &err, CMD_USAGE) : CMD_OK;
}

/* Those of the new ones; a filter that found nothing in these may have found what is gone. */
static void tell_notes(struct args *args, const struct rep_filter_notes *old,
		       const struct rep_filter_notes *new)
{
	for (size_t at = 0; at < new->texts.size;) {
		const char *text = (char *)new->texts.data + at;

		if (!rep_filter_note_nothing(text) || rep_filter_notes_have(old, text))
			cmd_note(&args->cmd, "%s", text);
		at += strlen(text) + 1;
	}
}

static int prepare_and_compare(struct args *args, struct loaded *in)
{
	struct rep_diff_prepared old = {0}, new = {0};
	struct rep_filter_notes old_notes = {0}, new_notes = {0};
	struct tp_err err;
	int status = CMD_OK, code = 0;

	if (args->of_change)
		code = rep_diff_change_weight(in->profile, in->nold, in->profile + in->nold,
					      in->n - in->nold, &args->diff, &args->profile,
					      &args->diff.base, &err);
	if (!code)
		code =
		    rep_diff_prepare(in->profile, in->nold, &args->profile, &old, &old_notes, &err);
	if (!code)
		code = rep_diff_prepare(in->profile + in->nold, in->n - in->nold, &args->profile,
					&new, &new_notes, &err);
	if (!code) {
		rep_diff_prepared_times(&old, in->times);
		rep_diff_prepared_times(&new, in->times + in->nold);
		rep_diff_prepared_names(&old, in->names);
		rep_diff_prepared_names(&new, in->names + in->nold);
		tell_notes(args, &old_notes, &new_notes);
	}
	if (code)
		status = refuse(args, &err, CMD_USAGE);
	else if (args->self_check)
		status = self_check(args, in, &old.side);
	else
		status = compare(args, in, &old.side, &new.side);
	rep_diff_prepared_release(&old);
	rep_diff_prepared_release(&new);
	rep_filter_notes_release(&old_notes);
	rep_filter_notes_release(&new_notes);
	return status;
}

/* --format=pprof: each side added up, the old one marked, as pprof's -diff_base has it. */
static int write_pprof(struct args *args, const struct cmd_profiles_options *open)
{
	const struct rep_difference_options how = {.normalize = args->diff.normalize, .mark = true};
	struct cmd_profile item = {0};
	struct loaded in = {0};
	struct tp_err err;
	int status;

	if (args->cmd.tty) {
		cmd_error(&args->cmd, "--format=pprof is not for terminals; send it to a file");
		return CMD_USAGE;
	}
	status = sides_load(&args->cmd, &args->sides, open, true, &in);
	if (!status && args->view.given)
		status = cmd_profiles_check_trace(&args->cmd, &args->view.trace, true, &in.list[0],
						  &in.list[1]);
	if (!status &&
	    rep_profile_difference(in.profile[0], in.profile[in.nold], &how, &item.profile, &err))
		status = refuse(args, &err, CMD_INPUT);
	item.name = in.new_name;
	if (!status)
		status = cmd_write_proto(&args->cmd, &item, &args->profile, NULL, NULL);
	tp_profile_free(item.profile);
	loaded_release(&in);
	return status;
}

int diff_profiles(struct args *args)
{
	struct cmd_profiles_options open = {.trace = args->view.given ? &args->view.trace : NULL,
					    .binary = args->profile.binary,
					    .symbol_path = args->profile.symbol_path,
					    .demangle = args->profile.demangle,
					    .sample_index = args->profile.sample_index,
					    .by = args->average_by};
	struct loaded in = {0};
	int status;

	if (args->pprof)
		return write_pprof(args, &open);
	args->diff.sample_index = args->profile.sample_index;
	args->diff.mean = args->profile.mean;
	args->diff.cum = args->profile.cum;
	args->diff.drop_negative = args->profile.drop_negative;
	args->diff.relative = args->profile.relative_percentages;
	args->diff.keys.no_inlines = args->profile.no_inlines;
	/* A glob behind --base, and no --, is pprof's way to say something else. */
	if (args->sides.spelled && args->sides.n > 1)
		cmd_note(
		    &args->cmd,
		    "compared to %s alone, the other %zu files added up; of sets -- tells which "
		    "are new: --base OLD... -- NEW...",
		    args->sides.old[args->sides.nold - 1], args->sides.n);
	status = sides_load(&args->cmd, &args->sides, &open, args->sum, &in);
	if (!status && args->view.given)
		status = cmd_profiles_check_trace(&args->cmd, &args->view.trace, true, &in.list[0],
						  &in.list[1]);
	if (!status)
		status = prepare_and_compare(args, &in);
	loaded_release(&in);
	return status;
}
