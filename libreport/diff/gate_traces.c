/* Gates on traces: a metric, or those whose name matches. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "decode/dict.h"
#include "diff/kind.h"
#include "diff/traces.h"

#define LISTED 6 /* names in a sentence */

/* Takes "(regex)" out of "family(regex).stat". */
static int parse_regex(struct rep_gate *g, char *metric, struct tp_err *err)
{
	char *open = strchr(metric, '('), *close = strrchr(metric, ')');
	int code;

	if (!open || (strchr(metric, '[') && strchr(metric, '[') < open))
		return 0;
	if (!close || close < open)
		return rep_gate_wrong(g, err, "has ( without )");
	*close = '\0';
	code = tp_regex_init(&g->regex, open + 1, "--gate", err);
	g->several = !code;
	memmove(open, close + 1, strlen(close + 1) + 1);
	return code;
}

int rep_traces_parse_metric(struct rep_gate *g, char *metric, struct tp_err *err)
{
	int code = parse_regex(g, metric, err);

	if (!code && rep_metric_parse(&g->metric, metric, err)) {
		tp_err_prefix(err, "the gate '%.80s'", g->text);
		code = err->code;
	}
	return code;
}

/* The measures of a run that a gate is about. */
static int meet_run(const struct rep_gate *g, struct rep_traces_meeting *t, struct tp_dict *names,
		    const struct rep_metrics *m, size_t r)
{
	const struct rep_measure *x;
	size_t n;
	int code = 0;

	if (!g->several) {
		x = rep_metrics_measure(m, &g->metric);
		return x ? rep_traces_meet(t, names, r, x) : 0;
	}
	x = rep_metrics_measures(m, &n);
	for (size_t i = 0; !code && i < n; i++) {
		int rc = x[i].family == g->metric.family && x[i].by != REP_MEASURE_ALL
			     ? tp_regex_find(&g->regex, x[i].name, strlen(x[i].name))
			     : 0;

		code = rc == 1 ? rep_traces_meet(t, names, r, &x[i]) : rc;
	}
	return code;
}

static void say_untested(const struct rep_gate *g, const struct rep_diff *d, char text[200])
{
	if (d->sets)
		snprintf(text, 200, "too few of the runs have it to tell it from noise at alpha %g",
			 g->alpha);
	else
		snprintf(text, 200, "%s",
			 g->metric.stat == REP_STAT_MAX
			     ? "a maximum of one run against one says nothing about noise: give "
			       "several runs, or a limit (>2ms)"
			     : "too few events in these runs to tell it from noise");
}

/* What each new run has of the i-th, for a limit. */
static int put_values(const struct rep_gate *g, const struct rep_diff *d,
		      const struct rep_traces_meeting *t, const struct rep_diff_side *new, size_t i,
		      double *value)
{
	int code = 0;

	for (size_t r = 0; !code && r < new->n; r++)
		code = rep_traces_value(new->run[r].metrics, t->of[i * t->nruns + d->nold + r],
					g->metric.stat, &d->opt.per, &value[i * new->n + r]);
	return code;
}

static int put_rows(const struct rep_gate *g, const struct rep_traces_meeting *t,
		    const struct rep_diff_side *old, const struct rep_diff_side *new,
		    struct rep_gate_rows *rows)
{
	struct rep_diff *d = rows->d;
	struct rep_diff_row each[REP_NSTATS];
	size_t room = 0;
	int code = 0;

	if (g->threshold && new->n > 1) {
		rows->value = tp_many(t->keys.n * new->n + 1, sizeof(*rows->value));
		code = rows->value ? 0 : TP_ENOMEM;
	}
	for (size_t i = 0; !code && i < t->keys.n; i++) {
		struct rep_diff_row *row = rep_diff_add(d, &room);

		code = row ? rep_traces_compare(d, t, i, old, new, 1u << g->metric.stat, each)
			   : TP_ENOMEM;
		if (code)
			return code;
		*row = each[g->metric.stat];
		row->order = fabs(row->change);
		if (rows->value)
			code = put_values(g, d, t, new, i, rows->value);
	}
	return code;
}

int rep_traces_gate_rows(const struct rep_gate *g, const struct rep_diff_side *old,
			 const struct rep_diff_side *new, const struct rep_diff_options *opt,
			 struct rep_gate_rows *rows, struct tp_err *err)
{
	struct rep_traces_meeting t = {.nruns = old->n + new->n};
	int code = rep_diff_begin(&rows->d, old, new, opt, err);

	if (!code)
		code = rep_traces_begin(rows->d, old, new, err);
	if (code)
		return code;
	for (size_t r = 0; !code && r < t.nruns; r++)
		code = meet_run(g, &t, rows->d->names, rep_traces_run(old, new, r), r);
	if (!code)
		code = put_rows(g, &t, old, new, rows);
	rep_traces_meeting_release(&t);
	rows->plain = g->threshold && new->n < 2;
	if (!g->threshold && rows->d->sets)
		rows->least_p = rep_stats_least_p(old->n, new->n);
	say_untested(g, rows->d, rows->untested);
	return tp_regex_unknown(code, err);
}

const char *rep_traces_gate_unit(const struct rep_gate *g, const struct rep_diff *d,
				 char words[160])
{
	enum rep_stat stat = g->metric.stat;
	bool number = stat == REP_STAT_COUNT || stat == REP_STAT_RATE || stat == REP_STAT_SHARE;

	snprintf(words, 160, "%s.%s is %s", rep_families[g->metric.family].name,
		 rep_stats_of[stat].name,
		 number	    ? "a number"
		 : d->ticks ? "in ticks, as the trace has no clock"
			    : "a time");
	return number || d->ticks ? NULL : "nanoseconds";
}

/* "no task has this name; there are order, refund" */
int rep_traces_gate_none(const struct rep_gate *g, const struct rep_diff_side *new,
			 struct tp_buf *why, bool *fine)
{
	const struct rep_family_desc *family = &rep_families[g->metric.family];
	size_t n, names = 0;
	const struct rep_measure *x = rep_metrics_measures(new->run[0].metrics, &n);
	int code;

	*fine = g->threshold && rep_gate_none_is_fine(g);
	if (*fine)
		return rep_gate_say(why, "there are no %s", family->doc);
	code = rep_gate_say(why,
			    g->several || g->metric.named
				? "no %s has such a name, so there is nothing to compare"
				: "the runs have no %s, so there is nothing to compare",
			    family->name);
	for (size_t i = 0; !code && i < n; i++) {
		if (x[i].family != g->metric.family || x[i].by == REP_MEASURE_ALL || !*x[i].name ||
		    ++names > LISTED)
			continue;
		code = rep_gate_say(why, "%s%.120s", names == 1 ? "; there are " : ", ", x[i].name);
	}
	return code || names <= LISTED ? code : rep_gate_say(why, " and %zu more", names - LISTED);
}
