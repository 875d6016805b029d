#include "diff/trace/gate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "decode/dict.h"
#include "diff/stats.h"
#include "diff/trace/show.h"
#include "keys.h"

#define COLLAPSE   0.5	 /* as of gates on profiles: worth a word */
#define HIST_ERROR 0.008 /* of one percentile from a histogram */
#define LISTED	   6	 /* names in a sentence */

/* ---- what it is about ---- */

/* Rows that match, with the measures of each run: nruns pointers a row. */
struct found {
	const struct rep_measure **of;
	struct {
		enum rep_measure_by by;
		const char *key;
	} * row;
	size_t n, nruns, row_room, of_room;
	struct tp_dict *names; /* of rows, by which they are found: */
	struct rep_keys keys;  /* by, name */
};

static void release_found(struct found *f)
{
	free(f->of);
	free(f->row);
	rep_keys_release(&f->keys);
	tp_dict_free(f->names);
}

static const struct rep_metrics *run_at(const struct rep_trace_side *old,
					const struct rep_trace_side *new, size_t r)
{
	return r < old->n ? old->run[r] : new->run[r - old->n];
}

static int add_found(struct found *f, size_t r, const struct rep_measure *x)
{
	uint32_t name, i;
	int code = tp_dict_string(f->names, x->key, strlen(x->key), &name);

	if (!code)
		code = rep_keys_add(&f->keys, (uint32_t)x->by, name, 0, 0, &i);
	if (!code && i == f->n) {
		code = tp_grow(&f->row, &f->row_room, i, sizeof(*f->row));
		if (!code)
			code = tp_grow(&f->of, &f->of_room, (i + (size_t)1) * f->nruns - 1,
					sizeof(*f->of));
		if (code)
			return code;
		f->row[f->n].by = x->by;
		f->row[f->n++].key = x->key;
	}
	if (!code)
		f->of[i * f->nruns + r] = x;
	return code;
}

static int find(const struct rep_trace_gate *g, const struct rep_trace_side *old,
		const struct rep_trace_side *new, struct found *f)
{
	int code;

	f->nruns = old->n + new->n;
	f->names = tp_dict_new();
	code = f->names ? 0 : TP_ENOMEM;
	for (size_t r = 0; !code && r < f->nruns; r++) {
		const struct rep_metrics *m = run_at(old, new, r);
		const struct rep_measure *x;
		size_t n;

		if (!g->regex) {
			x = rep_metrics_measure(m, &g->metric);
			if (x)
				code = add_found(f, r, x);
			continue;
		}
		x = rep_metrics_measures(m, &n);
		for (size_t i = 0; !code && i < n; i++) {
			int rc = x[i].family == g->metric.family && x[i].by != REP_MEASURE_ALL
				     ? tp_regex_find(&g->gate.regex, x[i].name, strlen(x[i].name))
				     : 0;

			code = rc == 1 ? add_found(f, r, &x[i]) : rc;
		}
	}
	return code;
}

/* ---- judging ---- */

struct judging {
	const struct rep_trace_gate *g;
	const struct rep_trace_side *old, *new;
	const struct rep_trace_gate_options *opt;
	double limit, min; /* in the metric's unit; limit: or a share of the old value */
	bool sets;
	bool few;	 /* of sets: no test could have a p up to alpha */
	size_t tests;	 /* rows that are tested together */
	unsigned weight; /* of the row that says why, as far as it was judged */
	bool inexact;
};

static int find_limits(struct judging *j, struct tp_err *err)
{
	const struct rep_trace_gate *g = j->g;
	bool number = g->metric.stat == REP_STAT_COUNT || g->metric.stat == REP_STAT_RATE ||
		      g->metric.stat == REP_STAT_SHARE;
	const char *unit = number ? "count" : "nanoseconds";

	j->limit = g->gate.limit.number / 100;
	if ((!g->gate.limit.percent &&
	     !rep_amount_in(g->gate.limit.number, g->gate.limit.unit, unit, &j->limit)) ||
	    !rep_amount_in(g->gate.min.number, g->gate.min.unit, unit, &j->min) ||
	    (number && (g->gate.limit.unit[0] || g->gate.min.unit[0])) ||
	    (j->opt->ticks && !number && (g->gate.limit.unit[0] || g->gate.min.unit[0])))
		return rep_trace_gate_wrong(
		    g->gate.text, err, "has an amount in another unit: %s.%s is %s",
		    rep_families[g->metric.family].name, rep_stats_of[g->metric.stat].name,
		    number	    ? "a number"
		    : j->opt->ticks ? "in ticks, as the trace has no clock"
				    : "a time");
	return 0;
}

/* By how much the row is beyond its limit: more than 0, relative to what matters. */
static double beyond_by(const struct judging *j, const struct rep_trace_row *row)
{
	const struct rep_gate *g = &j->g->gate;
	double delta = row->new - row->old, by;

	if (j->g->threshold)
		return j->g->threshold == REP_LIMIT_ABOVE ? row->new - j->limit
							  : j->limit - row->new;
	if (g->limit.percent)
		by = row->old > 0 ? delta / row->old : delta > 0 ? (double)INFINITY : 0;
	else
		by = delta;
	return (g->change == REP_GATE_ABOVE   ? by
		: g->change == REP_GATE_BELOW ? -by
					      : fabs(by)) -
	       j->limit;
}

static bool beyond(const struct judging *j, const struct rep_trace_row *row)
{
	if (isnan(row->new) || (!j->g->threshold && (isnan(row->old) || row->new == row->old ||
						     fabs(row->new - row->old) < j->min)))
		return false;
	return beyond_by(j, row) > 0;
}

/* Could exact percentiles be on the other side of the limit? */
static bool is_close(const struct judging *j, const struct rep_trace_row *row)
{
	double by = fabs(beyond_by(j, row)), error = HIST_ERROR * row->new;

	if (row->exact || isnan(by))
		return false;
	if (!j->g->threshold)
		error += HIST_ERROR * row->old;
	if (!j->g->threshold && j->g->gate.limit.percent)
		error = row->old > 0 ? 2 * HIST_ERROR * row->new / row->old : 0;
	return by <= error * 1.05;
}

/* A limit of several runs: the sign test's one-sided p that a build most of whose runs are within
 * it has as many beyond it; NaN where the runs are so few that none could have a p up to alpha. */
static double sign_test(size_t beyond, size_t n, double alpha)
{
	double p = 0, term = -(double)n * log(2);

	if (exp(term) > alpha)
		return (double)NAN;
	/* term: the logarithm, as 2^n is soon too much, of C(n, k) / 2^n, from k = 0 on; those with
	 * k or fewer within. */
	for (size_t k = 0; k <= n - beyond; k++) {
		p += exp(term);
		term += k < n ? log((double)(n - k) / (double)(k + 1)) : 0;
	}
	return p < 1 ? p : 1;
}

/* How many runs it takes for that. */
static size_t least_for_limit(double alpha)
{
	size_t n = 1;

	while (n < REP_STATS_MAX && exp(-(double)n * log(2)) > alpha)
		n++;
	return n;
}

static int limit_p(const struct judging *j, const struct rep_measure *const *of, double *p)
{
	struct rep_trace_row one[REP_NSTATS];
	size_t n = 0;
	int code = 0;

	*p = (double)NAN;
	if (j->new->n < 2)
		return 0;
	for (size_t r = 0; !code && r < j->new->n; r++) {
		const struct rep_trace_side self = {&j->new->run[r], 1};
		struct rep_trace_pick pick = {
		    .old = &of[r],
		    .new = &of[r],
		    .family = j->g->metric.family,
		    .stats = 1u << j->g->metric.stat,
		};

		code = rep_trace_compare(&self, &self, &pick, &j->opt->per, one);
		n += !code && beyond_by(j, &one[j->g->metric.stat]) > 0;
	}
	if (!code)
		*p = sign_test(n, j->new->n, j->g->gate.alpha);
	return code;
}

static int say_value(struct tp_buf *b, const struct judging *j, const struct rep_trace_row *row,
		     double p)
{
	char old[REP_TRACE_VALUE], new[REP_TRACE_VALUE], percent[REP_AMOUNT_SIZE];
	char limit[REP_TRACE_VALUE];
	double change = rep_trace_change(row);
	int code = rep_trace_metric_name(row, b);

	rep_trace_value(old, row, row->old, &j->opt->per, j->opt->ticks);
	rep_trace_value(new, row, row->new, &j->opt->per, j->opt->ticks);
	if (!code)
		code = rep_gate_say(b, ": %s, then %s", *old ? old : "nothing",
				    *new ? new : "nothing");
	if (!code && !isnan(row->old) && !isnan(row->new))
		code = rep_gate_say(
		    b, " (%s",
		    row->old == row->new ? "the same" : rep_amount_percent(percent, change * 100));
	if (!code && !isnan(row->old) && !isnan(row->new))
		code = isnan(p) ? rep_gate_say(b, ")") : rep_gate_say(b, ", p=%.3g)", p);
	if (code || !j->g->threshold)
		return code;
	/* It is no change that is judged. */
	rep_trace_value(limit, row, j->limit, &j->opt->per, j->opt->ticks);
	return rep_gate_say(b, "; at %s %s", j->g->threshold == REP_LIMIT_ABOVE ? "most" : "least",
			    limit);
}

static int say_collapse(const struct judging *j, const struct rep_trace_row *row, double p,
			struct rep_gate_result *r)
{
	double change = rep_trace_change(row);
	int code;

	if (j->g->threshold || j->g->gate.change == REP_GATE_EITHER || isnan(change) ||
	    fabs(change) < COLLAPSE || r->note.size || fabs(row->new - row->old) < j->min ||
	    (change > 0) == (j->g->gate.change == REP_GATE_ABOVE) ||
	    (j->sets && !(p <= j->g->gate.alpha)))
		return 0;
	code = rep_trace_metric_name(row, &r->note);
	return code ? code
		    : rep_gate_say(
			  &r->note,
			  " %s by %.0f%%, which a gate for one direction lets pass; +- looks at "
			  "both",
			  change > 0 ? "grew" : "fell", fabs(change) * 100);
}

static enum rep_outcome outcome_of(const struct judging *j, bool far, double p)
{
	/* Nothing that the runs might hold could exceed it. */
	if (j->few)
		return REP_OUTCOME_UNDECIDED;
	if (!far)
		return REP_OUTCOME_PASSED;
	if (j->g->threshold && j->new->n < 2)
		return REP_OUTCOME_EXCEEDED;
	if (isnan(p))
		return REP_OUTCOME_UNDECIDED;
	return p <= j->g->gate.alpha ? REP_OUTCOME_EXCEEDED : REP_OUTCOME_PASSED;
}

static int say_why(const struct judging *j, enum rep_outcome outcome, bool far,
		   struct rep_gate_result *r)
{
	double alpha = j->g->gate.alpha;
	char takes[REP_STATS_TAKES], among[80] = "";

	if (j->tests > 1)
		snprintf(among, sizeof(among), " to be sure of one among %zu metrics", j->tests);
	if (outcome == REP_OUTCOME_UNDECIDED && j->few && j->g->threshold)
		return rep_gate_say(
		    &r->why,
		    "; too few runs: %zu new ones cannot tell it from noise at alpha %g: it "
		    "takes %zu%s",
		    j->new->n, alpha, least_for_limit(alpha / (double)j->tests), among);
	if (outcome == REP_OUTCOME_UNDECIDED && j->few)
		return rep_gate_say(
		    &r->why,
		    "; too few runs: of %zu and %zu no difference has p below %.2g, and "
		    "alpha is %g: it takes %s%s",
		    j->old->n, j->new->n, rep_stats_least_p(j->old->n, j->new->n), alpha,
		    rep_stats_takes(j->old->n, j->new->n, alpha / (double)j->tests, takes), among);
	if (outcome == REP_OUTCOME_UNDECIDED && j->sets)
		return rep_gate_say(
		    &r->why, "; too few of the runs have it to tell it from noise at alpha %g",
		    alpha);
	if (outcome == REP_OUTCOME_UNDECIDED)
		return rep_gate_say(
		    &r->why,
		    j->g->metric.stat == REP_STAT_MAX
			? "; a maximum of one run against one says nothing about noise: give "
			  "several runs, or a limit (>2ms)"
			: "; too few events in these runs to tell it from noise");
	if (far && outcome == REP_OUTCOME_PASSED)
		return rep_gate_say(&r->why, "; beyond the limit, but not significant");
	return 0;
}

static int note_exceeded(const struct judging *j, const struct rep_trace_row *row, double p,
			 struct rep_gate_result *r)
{
	size_t at = r->names.size;
	int code = rep_trace_metric_name(row, &r->names);

	for (size_t i = at; i < r->names.size; i++)
		if (r->names.data[i] == '\n')
			r->names.data[i] = ' ';
	if (!code)
		code = tp_buf_put(&r->names, "\n", 1);
	at = r->each.size;
	if (!code)
		code = say_value(&r->each, j, row, p);
	for (size_t i = at; i < r->each.size; i++)
		if (r->each.data[i] == '\n')
			r->each.data[i] = ' ';
	return code ? code : tp_buf_put(&r->each, "\n", 1);
}

/* That there is none of something is an answer to a limit from above (stw.max>2ms passes), and that
 * there is none any more to growth. Of a name it is not: one that was changed must not switch its
 * gate off. */
static bool none_is_fine(const struct rep_trace_gate *g)
{
	return !g->regex && !g->metric.named && g->gate.change == REP_GATE_ABOVE &&
	       g->threshold != REP_LIMIT_BELOW;
}

/* Runs of a side have no such number at all. */
static bool is_missing(const struct judging *j, const struct rep_trace_row *row)
{
	if (!j->g->threshold && isnan(row->old))
		return true;
	return isnan(row->new) && !none_is_fine(j->g);
}

static int note_missing(const struct judging *j, const struct rep_trace_row *row,
			struct rep_gate_result *r)
{
	const char *who = !isnan(row->old)   ? "only the old runs have it"
			  : !isnan(row->new) ? "only the new runs have it"
					     : "no run has it";
	int code = 0;

	if (!r->tested && !r->why.size) {
		r->real = true;
		r->old = row->old;
		r->new = row->new;
		code = say_value(&r->why, j, row, (double)NAN);
		if (!code)
			code = rep_gate_say(&r->why, "; %s", who);
	}
	/* Of many names some come and go. */
	if (code || !j->g->regex || r->note.size)
		return code;
	code = rep_trace_metric_name(row, &r->note);
	return code ? code : rep_gate_say(&r->note, ": %s, so it is not compared", who);
}

/* Which row says why: the worst outcome, then, where nothing could be decided, one beyond the limit
 * or at least on its way there. */
static unsigned weight(const struct judging *j, enum rep_outcome outcome, bool far,
		       const struct rep_trace_row *row)
{
	bool heads = j->g->threshold			   ? false
		     : j->g->gate.change == REP_GATE_ABOVE ? row->new > row->old
		     : j->g->gate.change == REP_GATE_BELOW ? row->new < row->old
							   : true;
	unsigned w = 3 * (unsigned)outcome;

	return outcome != REP_OUTCOME_UNDECIDED ? w : w + (far ? 2 : heads);
}

static int judge_row(struct judging *j, const struct rep_trace_row *row, double p,
		     struct rep_gate_result *r)
{
	bool far = beyond(j, row);
	enum rep_outcome outcome = outcome_of(j, far, p);
	unsigned w = weight(j, outcome, far, row);
	int code;

	if (is_missing(j, row))
		return note_missing(j, row, r);
	j->inexact = j->inexact || is_close(j, row);
	r->tested++;
	r->exceeded += outcome == REP_OUTCOME_EXCEEDED;
	if (outcome == REP_OUTCOME_EXCEEDED) {
		code = note_exceeded(j, row, p, r);
		if (code)
			return code;
	}
	/* Of what weighs the same the greatest change. */
	if (r->tested == 1 || w > j->weight ||
	    (w == j->weight && fabs(rep_trace_change(row)) > fabs(r->change))) {
		j->weight = w;
		r->outcome = outcome;
		r->real = true;
		r->old = row->old;
		r->new = row->new;
		r->change = rep_trace_change(row);
		r->p = p;
		r->why.size = 0;
		code = say_value(&r->why, j, row, p);
		if (!code)
			code = say_why(j, outcome, far, r);
		if (code)
			return code;
	}
	return say_collapse(j, row, p, r);
}

static int judge_found(struct judging *j, const struct found *f, struct rep_gate_result *r)
{
	struct rep_trace_row *row = calloc(f->n + 1, sizeof(*row));
	double *p = calloc(f->n + 1, sizeof(*p));
	struct rep_trace_row each[REP_NSTATS];
	int code = row && p ? 0 : TP_ENOMEM;

	for (size_t i = 0; !code && i < f->n; i++) {
		struct rep_trace_pick pick = {
		    .old = f->of + i * f->nruns,
		    .new = f->of + i * f->nruns + j->old->n,
		    .family = j->g->metric.family,
		    .stats = 1u << j->g->metric.stat,
		};

		code = rep_trace_compare(j->old, j->new, &pick, &j->opt->per, each);
		if (code)
			break;
		row[i] = each[j->g->metric.stat];
		row[i].by = f->row[i].by;
		for (size_t k = 0; k < f->nruns; k++)
			if (f->of[i * f->nruns + k])
				row[i].name = f->of[i * f->nruns + k]->name;
		p[i] = row[i].p;
		if (!code && j->g->threshold)
			code = limit_p(j, pick.new, &p[i]);
	}
	if (!code)
		code = rep_stats_adjust(p, f->n, p);
	j->tests = f->n;
	for (size_t i = 0; !code && i < f->n; i++)
		code = judge_row(j, &row[i], p[i], r);
	if (!code && !r->tested) {
		r->outcome = REP_OUTCOME_UNDECIDED;
		r->blind = !j->g->gate.missing_passes;
		r->note.size = 0; /* it is what the gate says */
	}
	if (!code && r->exceeded > 1)
		code = rep_gate_say(&r->why, ", and %zu more of %zu", r->exceeded - 1, r->tested);
	free(row);
	free(p);
	return code;
}

/* "no task has this name; there are order, refund" */
static int say_missing(const struct judging *j, struct rep_gate_result *r)
{
	const struct rep_metrics *m = j->new->run[0];
	const char *family = rep_families[j->g->metric.family].name;
	size_t n, names = 0;
	const struct rep_measure *x = rep_metrics_measures(m, &n);
	int code = rep_gate_say(&r->why,
				j->g->regex || j->g->metric.named
				    ? "no %s has such a name, so there is nothing to compare"
				    : "the runs have no %s, so there is nothing to compare",
				family);

	for (size_t i = 0; !code && i < n; i++) {
		if (x[i].family != j->g->metric.family || x[i].by == REP_MEASURE_ALL ||
		    !*x[i].name || ++names > LISTED)
			continue;
		code = rep_gate_say(&r->why, "%s%.120s", names == 1 ? "; there are " : ", ",
				    x[i].name);
	}
	return code || names <= LISTED ? code
				       : rep_gate_say(&r->why, " and %zu more", names - LISTED);
}

int rep_trace_gate_judge(const struct rep_trace_gate *g, const struct rep_trace_side *old,
			 const struct rep_trace_side *new, const struct rep_trace_gate_options *opt,
			 struct rep_gate_result *r, bool *inexact, struct tp_err *err)
{
	struct judging j = {.g = g, .old = old, .new = new, .opt = opt};
	struct found f = {0};
	int code;

	memset(r, 0, sizeof(*r));
	r->p = r->change = (double)NAN;
	j.sets = old->n > 1 || new->n > 1;
	j.few = g->threshold ? new->n > 1 && new->n < least_for_limit(g->gate.alpha)
			     : j.sets &&rep_stats_least_p(old->n, new->n) > g->gate.alpha;
	code = find_limits(&j, err);
	if (code)
		return code;
	if (opt->damaged && !g->gate.damaged_passes) {
		r->outcome = REP_OUTCOME_UNDECIDED;
		r->blind = true;
		code =
		    rep_gate_say(&r->why, "%.200s is damaged, and what it lost may be what changed",
				 opt->damaged);
	} else {
		code = find(g, old, new, &f);
		if (!code && f.n) {
			code = judge_found(&j, &f, r);
		} else if (!code && g->threshold && none_is_fine(g)) {
			r->outcome = REP_OUTCOME_PASSED;
			code = rep_gate_say(&r->why, "there are no %s",
					    rep_families[g->metric.family].doc);
		} else if (!code) {
			r->outcome = REP_OUTCOME_UNDECIDED;
			r->blind = !g->gate.missing_passes;
			code = say_missing(&j, r);
		}
	}
	if (!code)
		code = tp_buf_put(&r->why, "", 1);
	if (!code)
		code = tp_buf_put(&r->note, "", 1);
	if (!code)
		code = tp_buf_put(&r->names, "", 1);
	if (!code)
		code = tp_buf_put(&r->each, "", 1);
	r->fails = r->outcome == REP_OUTCOME_EXCEEDED || r->blind ||
		   (r->outcome == REP_OUTCOME_UNDECIDED && r->tested && g->gate.undecided_fails);
	*inexact = j.inexact;
	release_found(&f);
	return tp_regex_unknown(code, err);
}
