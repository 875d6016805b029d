/* Gates on traces: a metric, or those whose name matches. */
#include <stdio.h>
#include <string.h>

#include "diff/kind.h"

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

static int parse_metric(struct rep_gate *g, char *metric, struct tp_err *err)
{
	int code = parse_regex(g, metric, err);

	if (!code && rep_metric_parse(&g->metric, metric, err)) {
		tp_err_prefix(err, "the gate '%.80s'", g->text);
		code = err->code;
	}
	return code;
}

static void set_options(const struct rep_gate *g, struct rep_diff_options *opt)
{
	(void)g;
	opt->sort = REP_SORT_PERCENT; /* metrics have different units */
}

static const char *unit_of(const struct rep_gate *g, const struct rep_diff *d, char words[160])
{
	enum rep_stat stat = g->metric.stat;
	bool time = !strcmp(rep_stats_of[stat].unit, "nanoseconds");

	snprintf(words, 160, "%s.%s is %s", rep_families[g->metric.family].name,
		 rep_stats_of[stat].name,
		 !time	    ? "a number"
		 : d->ticks ? "in ticks, as the trace has no clock"
			    : "a time");
	return time && !d->ticks ? "nanoseconds" : NULL;
}

/* "no task has this name, so nothing can be compared; names are order, refund" */
static void say_none(const struct rep_gate *g, const struct rep_diff_side *new, struct tp_buf *why,
		     bool *fine)
{
	const struct rep_family_desc *family = &rep_families[g->metric.family];
	size_t n, names = 0;
	const struct rep_measure *x = rep_metrics_measures(new->run[0].metrics, &n);

	*fine = g->threshold && rep_gate_none_is_fine(g);
	if (*fine) {
		tp_buf_printf(why, "the runs have no %s", family->doc);
		return;
	}
	tp_buf_printf(why,
		      g->several || g->metric.named
			  ? "no %s has this name, so nothing can be compared"
			  : "the runs have no %s, so nothing can be compared",
		      family->name);
	for (size_t i = 0; i < n; i++) {
		if (x[i].family != g->metric.family || x[i].by == REP_MEASURE_ALL || !*x[i].name ||
		    ++names > LISTED)
			continue;
		tp_buf_printf(why, "%s%.120s", names == 1 ? "; names are " : ", ", x[i].name);
	}
	if (names > LISTED)
		tp_buf_printf(why, " and %zu more", names - LISTED);
}

const struct rep_gate_kind rep_traces_gates = {
    .example = "sched.p99>+10%",
    .rows = "metrics",
    .limits = true,
    .parse_metric = parse_metric,
    .options = set_options,
    .unit = unit_of,
    .none = say_none,
};
