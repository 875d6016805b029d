/* The diff of what was loaded: tables, gates, what is found by chance. */
#include <stdlib.h>
#include <string.h>

#include "common/common.h"
#include "common/proto.h"
#include "diff/selfcheck.h"
#include "diff/show.h"

#include "diff.h"

#define SECTION_ROWS  5 /* of an overview */
#define MARKDOWN_ROWS 20

/* These formats hold one table, so what gates say has no place in them. */
static bool one_table(const struct args *args)
{
	return args->cmd.format == REP_FORMAT_CSV || args->cmd.format == REP_FORMAT_TSV;
}

/* Reports gates that must not be missed on stderr, too, where no output format hides them. Returns
 * the exit status of the gates. */
static int tell_gates(const struct args *args, const struct rep_gate_result *result, bool damaged)
{
	const struct rep_gate *gate = args->gate;
	int status = CMD_OK;

	for (size_t i = 0; i < args->ngates; i++) {
		const struct rep_gate_result *r = &result[i];

		if (r->outcome == REP_OUTCOME_PASSED && one_table(args))
			cmd_note(&args->cmd, "gate %s: passed: %s", gate[i].text,
				 (char *)r->why.data);
		if (r->outcome != REP_OUTCOME_PASSED)
			cmd_note(&args->cmd, "gate %s: %s: %s%s", gate[i].text,
				 rep_outcomes[r->outcome], (char *)r->why.data,
				 r->outcome == REP_OUTCOME_EXCEEDED ? ""
				 : r->blind && damaged && !gate[i].damaged_passes
				     ? "; counted as failed (damaged=pass judges what is left)"
				 : r->wrapped  ? "; counted as failed"
				 : r->blind    ? "; counted as failed (missing=pass lets it pass)"
				 : r->unjudged ? "; counted as failed (undecided=pass lets it pass)"
				 : r->fails    ? "; counted as exceeded, as undecided=fail"
				 : r->tested
				     ? "; counted as not exceeded, as undecided=pass"
				     : "; counted as not exceeded (missing=fail changes that)");
		if (r->note.size > 1)
			cmd_note(&args->cmd, "gate %s: %s", gate[i].text, (char *)r->note.data);
		if (r->fails && status != CMD_FOUND)
			status = r->unjudged ? CMD_INPUT : CMD_FOUND;
	}
	return status;
}

static int write_diff(struct args *args, const struct rep_diff *d, const struct rep_diff_show *how,
		      const struct rep_gate_result *result)
{
	struct rep_output *out = NULL;
	struct tp_err err;
	char advice[REP_DIFF_ADVICE_SIZE];
	bool gates = args->ngates > 0 && !one_table(args);
	int status, code;

	cmd_pager(&args->cmd);
	status = cmd_output(&args->cmd, gates, &out);
	if (status)
		return status;
	code = rep_diff_heading(d, how, out, &err);
	if (!code)
		code = rep_diff_rows(d, how, out, &err);
	if (!code && gates)
		code = rep_output_note(out, false, "", &err);
	if (!code && gates)
		code = rep_gate_rows(args->gate, result, args->ngates, out, &err);
	if (!code && !rep_output_for_people(out) && *rep_diff_advice(d, advice))
		cmd_note(&args->cmd, "%s", advice);
	return cmd_output_end(&args->cmd, out, NULL, code, &err);
}

/* Judges all gates, anew. */
static int judge(struct args *args, const struct loaded *l, struct rep_gate_result *result)
{
	struct rep_diff_options opt = args->diff;
	struct tp_err err = {.code = 0};
	int code = 0;

	opt.damaged = l->damaged;
	for (size_t i = 0; i < args->ngates; i++)
		rep_gate_result_release(&result[i]);
	for (size_t i = 0; !code && i < args->ngates; i++)
		code = rep_gate_judge(&args->gate[i], &l->side[0], &l->side[1], &opt, &result[i],
				      &err);
	return code ? cmd_refuse(&args->cmd, NULL, &err, CMD_USAGE) : CMD_OK;
}

static size_t rows_of(const struct args *args)
{
	int64_t given = args->cmd.rows;

	if (given < 0 && !args->traces)
		given = args->profile.node_count;
	if (given < 0 && !args->traces && args->cmd.format == REP_FORMAT_MARKDOWN)
		return MARKDOWN_ROWS;
	if (given < 0 && args->traces && !args->diff.sections &&
	    args->cmd.format == REP_FORMAT_TABLE)
		given = SECTION_ROWS;
	return (size_t)cmd_rows(&args->cmd, given);
}

static int write_junit(struct args *args, const struct rep_gate_result *result)
{
	const struct rep_sink sink = {.write = cmd_write_out};
	struct tp_err err;
	int code = rep_gate_junit(args->gate, result, args->ngates, "tprof-diff", &sink, &err);

	return code ? cmd_fail(&args->cmd, NULL, &err) : CMD_OK;
}

/* What one must know of the values. */
static void tell_values(struct args *args, const struct rep_diff *d, const char *unit)
{
	if (unit)
		cmd_tell_unit(&args->cmd, d->unit, unit);
	/* In the table it is part of the heading. */
	if (*d->zero && args->cmd.format != REP_FORMAT_TABLE)
		cmd_note(&args->cmd, "%s", d->zero);
	if (d->wrapped || d->total.wrapped)
		cmd_note(&args->cmd,
			 "values of %s add up to more than 64 bits hold: their sums wrap around, "
			 "as in pprof, and are wrong",
			 d->type);
}

static void name_side(const struct args *args, const struct loaded *l, bool is_new,
		      char text[SIDES_NAME])
{
	const char *first = l->first[is_new];

	sides_name(&args->cmd, !is_new, first ? first : "", l->first[!is_new], l->side[is_new].n,
		   text);
}

static int show_diff(struct args *args, const struct loaded *l,
		     const struct rep_gate_result *result)
{
	char names[2][SIDES_NAME];
	const struct rep_diff_show how = {
	    .old = names[0],
	    .new = names[1],
	    .unit = strcmp(args->profile.unit, "minimum") ? args->profile.unit : NULL,
	    .divide_by = args->profile.divide_by,
	    .rows = rows_of(args),
	    .overview = !args->diff.sections,
	};
	struct rep_diff *d;
	struct tp_err err;
	int status, code = rep_diff_new(&d, &l->side[0], &l->side[1], &args->diff, &err);

	if (code)
		return cmd_refuse(&args->cmd, NULL, &err,
				  args->traces || code == TP_ENOENT ? CMD_USAGE : CMD_INPUT);
	name_side(args, l, false, names[0]);
	name_side(args, l, true, names[1]);
	tell_values(args, d, how.unit);
	status = write_diff(args, d, &how, result);
	rep_diff_free(d);
	return status;
}

static void loaded_release(struct loaded *l)
{
	for (int i = 0; i < 2; i++) {
		rep_diff_side_release(&l->side[i]);
		cmd_profiles_release(&l->list[i]);
	}
	for (int i = 0; i < 3; i++)
		free(l->owned[i]);
}

/* A gate that is closer to its limit than its histogram is exact reads every event. */
static int judge_exactly(struct args *args, struct rep_gate_result *result)
{
	struct loaded exact = {0};
	int status = diff_load_exactly(args, &exact);

	if (!status)
		status = judge(args, &exact, result);
	loaded_release(&exact);
	return status;
}

/* Judges all gates, then shows the diff and what they say. */
static int compare(struct args *args, const struct loaded *l)
{
	struct rep_gate_result *result = calloc(args->ngates + 1, sizeof(*result));
	bool inexact = false;
	int status, verdict = CMD_OK;

	if (!result)
		return cmd_nomem(&args->cmd);
	status = judge(args, l, result);
	for (size_t i = 0; !status && i < args->ngates; i++)
		inexact = inexact || result[i].inexact;
	if (inexact && args->traces)
		status = judge_exactly(args, result);
	if (!status && args->cmd.json_head) /* JSON ends with the notes on gates */
		verdict = tell_gates(args, result, l->damaged != NULL);
	if (!status)
		status = args->junit ? write_junit(args, result) : show_diff(args, l, result);
	if (!status)
		status =
		    args->cmd.json_head ? verdict : tell_gates(args, result, l->damaged != NULL);
	for (size_t i = 0; i < args->ngates; i++)
		rep_gate_result_release(&result[i]);
	free(result);
	return status;
}

/* How often the old runs differ from each other. */
static int self_check(struct args *args, const struct loaded *l)
{
	const struct rep_diff_side *old = &l->side[0];
	struct rep_output *out = NULL;
	struct tp_err err;
	char text[SIDES_NAME + 100], name[SIDES_NAME];
	int status = cmd_output(&args->cmd, false, &out), code;

	if (status)
		return status;
	name_side(args, l, false, name);
	snprintf(text, sizeof(text), "%s, %s %zu times: what is found where nothing changed", name,
		 old->n > 1 ? "divided at random" : "its windows in random halves",
		 args->check.rounds ? args->check.rounds : REP_SELF_CHECK_ROUNDS);
	code = rep_output_note(out, true, text, &err);
	if (!code)
		code = rep_output_note(out, false, "", &err);
	args->check.new_runs = args->sides.old_only ? 0 : l->side[1].n;
	if (!code)
		code = rep_self_check(old, &args->check, &args->diff, args->gate, args->ngates, out,
				      &err);
	if (!code)
		code = rep_output_finish(out, &err);
	rep_output_free(out);
	return code ? cmd_refuse(&args->cmd, NULL, &err, CMD_USAGE) : CMD_OK;
}

int diff_run(struct args *args)
{
	struct loaded l = {0};
	int status = args->traces ? diff_load_traces(args, &l) : diff_load_profiles(args, &l);

	if (!status)
		status = args->self_check ? self_check(args, &l) : compare(args, &l);
	loaded_release(&l);
	return status;
}
