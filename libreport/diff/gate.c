#include "diff/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff/kind.h"

const char *const rep_outcomes[] = {
    [REP_OUTCOME_PASSED] = "passed",
    [REP_OUTCOME_UNDECIDED] = "undecided",
    [REP_OUTCOME_EXCEEDED] = "exceeded",
};

/* A one-sided gate passes what fell like this, but not silently: a measurement that collapsed is
 * more often broken than good. */
#define COLLAPSE   0.5
#define HIST_ERROR 0.008 /* of one percentile from a histogram */

struct judging {
	const struct rep_gate *g;
	struct rep_diff *d;
	bool plain;	   /* there is no test: the numbers decide */
	double least_p;	   /* that a test can have; 0: any */
	double limit, min; /* in the metric's unit; limit: or a share of the old value */
	bool few;	   /* no test could have a p up to alpha */
	bool alone_hidden; /* so many rows that no single one among them could be significant */
	unsigned weight;   /* of the row that says why, as far as it was judged */
	double order;	   /* how much that changed */
};

/* ---- limits ---- */

/* A plain number is no amount of a time or size: people mean ms, and the profile has ns. */
static int find_amount(const struct rep_gate *g, const struct rep_gate_amount *a, const char *unit,
		       const char *words, double *value, struct tp_err *err)
{
	const char *units = unit ? rep_amount_units(unit) : NULL;

	if ((!unit && a->unit[0]) || !rep_amount_in(a->number, a->unit, unit ? unit : "", value))
		return rep_gate_wrong(g, err, "has an amount in another unit: %s", words);
	if (units && !a->unit[0] && a->number > 0)
		return rep_gate_wrong(g, err, "has an amount without a unit: %s; units are %s",
				      words, units);
	return 0;
}

static int find_limits(struct judging *j, struct tp_err *err)
{
	const struct rep_gate *g = j->g;
	char words[160];
	const char *unit = g->kind->gates->unit(g, j->d, words);
	int code = 0;

	j->limit = g->limit.number / 100;
	if (!g->limit.percent)
		code = find_amount(g, &g->limit, unit, words, &j->limit, err);
	return code ? code : find_amount(g, &g->min, unit, words, &j->min, err);
}

/* By how much the row is beyond its limit: more than 0, relative to what matters. */
static double beyond_by(const struct judging *j, const struct rep_diff_row *row)
{
	const struct rep_gate *g = j->g;
	double by = row->new - row->old;

	if (g->threshold)
		return g->threshold == REP_LIMIT_ABOVE ? row->new - j->limit : j->limit - row->new;
	if (g->limit.percent && row->old != 0)
		by /= fabs(row->old);
	else if (g->limit.percent && by != 0) /* from nothing */
		by = by > 0 ? (double)INFINITY : -(double)INFINITY;
	return (g->change == REP_GATE_ABOVE   ? by
		: g->change == REP_GATE_BELOW ? -by
					      : fabs(by)) -
	       j->limit;
}

/* Are the numbers beyond the limit, noise aside? */
static bool beyond(const struct judging *j, const struct rep_diff_row *row)
{
	if (row->wrapped || isnan(row->new))
		return false;
	if (!j->g->threshold &&
	    (isnan(row->old) || row->new == row->old || fabs(row->new - row->old) < j->min))
		return false;
	return beyond_by(j, row) > 0;
}

/* Could exact percentiles be on the other side of the limit? */
static bool is_close(const struct judging *j, const struct rep_diff_row *row)
{
	double by = fabs(beyond_by(j, row)), error = HIST_ERROR * row->new;

	if (row->exact || isnan(by))
		return false;
	if (!j->g->threshold)
		error += HIST_ERROR * row->old;
	if (!j->g->threshold && j->g->limit.percent)
		error = row->old > 0 ? 2 * HIST_ERROR * row->new / row->old : 0;
	return by <= error * 1.05;
}

/* ---- the sign test of a limit ---- */

/* The one-sided p that a build most of whose runs are within the limit has so many of n beyond it.
 */
static double sign_test(size_t beyond, size_t n)
{
	double p = 0, term = -(double)n * log(2);

	/* term: the logarithm, as 2^n is soon too much, of C(n, k) / 2^n, from k = 0 on; those with
	 * k or fewer within. */
	for (size_t k = 0; k <= n - beyond; k++) {
		p += exp(term);
		term += k < n ? log((double)(n - k) / (double)(k + 1)) : 0;
	}
	return p < 1 ? p : 1;
}

static void test_limit(struct judging *j)
{
	size_t n = j->d->nnew;

	for (size_t i = 0; i < j->d->n; i++) {
		size_t beyond = 0;

		for (size_t r = 0; j->d->value && r < n; r++) {
			const double *of = &j->d->value[j->d->row[i].measure * n];

			beyond += beyond_by(j, &(struct rep_diff_row){.new = of[r]}) > 0;
		}
		j->d->row[i].p = j->few || n < 2 ? (double)NAN : sign_test(beyond, n);
	}
}

/* ---- sentences ---- */

/* Errors stay with the texts, which are asked for them at the end. */

/* "main.f: 1MiB, then 1.2MiB (+20.0%, p=0.008)"; without the name where `named` is not set. */
static void say_value(struct tp_buf *b, const struct judging *j, const struct rep_diff_row *row,
		      bool named, double p)
{
	char old[REP_DIFF_VALUE], new[REP_DIFF_VALUE], limit[REP_DIFF_VALUE];
	char percent[REP_AMOUNT_SIZE];
	size_t names;

	if (named) {
		rep_diff_name(j->d, row, b, &names);
		tp_buf_text(b, ": ");
	}
	rep_diff_value(j->d, row, row->old, old);
	rep_diff_value(j->d, row, row->new, new);
	tp_buf_printf(b, "%s, then %s", *old ? old : "nothing", *new ? new : "nothing");
	if (!isnan(row->old) && !isnan(row->new)) {
		tp_buf_printf(b, " (%s",
			      row->old == row->new
				  ? "the same"
				  : rep_amount_percent(percent, row->change * 100));
		if (!isnan(p))
			tp_buf_printf(b, ", p=%.3g", p);
		tp_buf_text(b, ")");
	}
	/* It is no change that is judged. */
	if (j->g->threshold)
		tp_buf_printf(b, "; at %s %s",
			      j->g->threshold == REP_LIMIT_ABOVE ? "most" : "least",
			      rep_diff_value(j->d, row, j->limit, limit));
}

static void say_collapse(const struct judging *j, const struct rep_diff_row *row,
			 struct rep_gate_result *r)
{
	const struct rep_gate *g = j->g;
	double change = row->change;
	size_t names;

	if (g->threshold || g->change == REP_GATE_EITHER || isnan(change) ||
	    fabs(change) < COLLAPSE || (change > 0) == (g->change == REP_GATE_ABOVE) ||
	    fabs(row->new - row->old) < j->min || (j->d->sets && !(row->q <= g->alpha)) ||
	    r->note.size)
		return;
	if (row->is_total)
		tp_buf_text(&r->note, j->d->type);
	else
		rep_diff_name(j->d, row, &r->note, &names);
	tp_buf_printf(&r->note,
		      " %s by %.0f%%, which a gate on one direction passes; +- checks both",
		      change > 0 ? "grew" : "fell", fabs(change) * 100);
}

/* A row that exceeds the gate; names and values end where their line does. */
static void note_exceeded(const struct judging *j, const struct rep_diff_row *row,
			  struct rep_gate_result *r)
{
	struct tp_buf *const texts[] = {&r->names, &r->each};
	size_t names;

	for (int i = 0; i < 2; i++) {
		size_t at = texts[i]->size;

		if (i)
			say_value(texts[i], j, row, true, row->q);
		else
			rep_diff_name(j->d, row, texts[i], &names);
		for (; at < texts[i]->size; at++)
			if (texts[i]->data[at] == '\n')
				texts[i]->data[at] = ' ';
		tp_buf_text(texts[i], "\n");
	}
}

/* Why there are too few runs, and how many would do. */
static char *advice(const struct judging *j, char text[REP_STATS_ADVICE])
{
	const struct rep_gate_kind *kind = j->g->kind->gates;

	return rep_stats_advice(
	    j->g->threshold ? 0 : j->d->nold, j->d->nnew, j->d->n, j->g->alpha, kind->rows,
	    kind->shares ? "share=, or a narrower name" : "a narrower name", text);
}

static void say_undecided(const struct judging *j, struct rep_gate_result *r)
{
	const struct rep_gate *g = j->g;
	char text[REP_STATS_ADVICE];

	if (j->few || j->alone_hidden)
		tp_buf_text(&r->why, advice(j, text));
	else if (j->d->sets)
		tp_buf_printf(&r->why,
			      "too few of the runs have it to tell it from noise at alpha %g",
			      g->alpha);
	else
		tp_buf_text(&r->why,
			    g->metric.stat == REP_STAT_MAX
				? "the maxima of two runs do not show how much is noise; give "
				  "several runs, or a limit (>2ms)"
				: "too few events in these runs to tell it from noise");
}

/* A gate that passed could have been exceeded by many rows, but by none alone. */
static void note_hidden(const struct judging *j, struct rep_gate_result *r)
{
	char text[REP_STATS_ADVICE];

	if (j->alone_hidden && r->outcome == REP_OUTCOME_PASSED && !r->note.size)
		tp_buf_text(&r->note, advice(j, text));
}

static void say_wrapped(struct rep_gate_result *r)
{
	r->wrapped = true;
	tp_buf_text(&r->why, "the sums do not fit 64 bits, so they cannot be compared");
}

/* ---- rows ---- */

bool rep_gate_none_is_fine(const struct rep_gate *g)
{
	return !g->several && !g->metric.named && g->change == REP_GATE_ABOVE &&
	       g->threshold != REP_LIMIT_BELOW;
}

/* Old and new value as programs get them. */
static void put_numbers(const struct judging *j, const struct rep_diff_row *row,
			struct rep_gate_result *r)
{
	bool whole = j->g->kind->whole;

	r->old = whole ? rep_int(rep_diff_main(j->d, row).old) : rep_diff_number(row->old);
	r->new = whole ? rep_int(rep_diff_main(j->d, row).new) : rep_diff_number(row->new);
}

/* Runs of a side have no such number at all. */
static bool is_missing(const struct judging *j, const struct rep_diff_row *row)
{
	if (!j->g->threshold && isnan(row->old))
		return true;
	return isnan(row->new) && !rep_gate_none_is_fine(j->g);
}

static void note_missing(const struct judging *j, const struct rep_diff_row *row,
			 struct rep_gate_result *r)
{
	const char *who = !isnan(row->old)   ? "only the old runs have it"
			  : !isnan(row->new) ? "only the new runs have it"
					     : "no run has it";
	size_t names;

	if (!r->tested && !r->why.size) {
		put_numbers(j, row, r);
		say_value(&r->why, j, row, true, (double)NAN);
		tp_buf_printf(&r->why, "; %s", who);
	}
	/* Of many names some come and go. */
	if (j->g->several && !r->note.size) {
		rep_diff_name(j->d, row, &r->note, &names);
		tp_buf_printf(&r->note, ": %s, so it is not compared", who);
	}
}

static enum rep_outcome outcome_of(const struct judging *j, const struct rep_diff_row *row,
				   bool far)
{
	/* Nothing that the runs might hold could exceed it. */
	if (row->wrapped || j->few)
		return REP_OUTCOME_UNDECIDED;
	if (!far)
		return REP_OUTCOME_PASSED;
	if (j->plain)
		return REP_OUTCOME_EXCEEDED;
	if (isnan(row->q))
		return REP_OUTCOME_UNDECIDED;
	if (row->q <= j->g->alpha)
		return REP_OUTCOME_EXCEEDED;
	/* What they hold could not on its own. */
	return j->alone_hidden && row->p <= j->g->alpha ? REP_OUTCOME_UNDECIDED
							: REP_OUTCOME_PASSED;
}

/* Is it about what the gate looks for? */
static bool heads(const struct rep_gate *g, const struct rep_diff_row *row)
{
	if (g->threshold)
		return false;
	return g->change == REP_GATE_ABOVE   ? row->new > row->old
	       : g->change == REP_GATE_BELOW ? row->new < row->old
					     : row->new != row->old;
}

/* Which row says why: the worst outcome, then, where nothing could be decided, one beyond the limit
 * or at least on its way there; before all these what cannot be judged. */
static unsigned weight(const struct rep_gate *g, enum rep_outcome outcome, bool far,
		       const struct rep_diff_row *row)
{
	unsigned w = 4 * (unsigned)outcome;

	if (outcome != REP_OUTCOME_UNDECIDED)
		return w;
	return w + (row->wrapped ? 3 : far ? 2 : heads(g, row));
}

static void say_why(const struct judging *j, const struct rep_diff_row *row,
		    enum rep_outcome outcome, bool far, struct rep_gate_result *r)
{
	/* Of several rows that went the other way none is why. */
	bool why = !j->g->several || j->weight != 4 * REP_OUTCOME_UNDECIDED;
	size_t names;

	r->why.size = 0;
	if (row->wrapped) {
		if (!row->is_total) {
			rep_diff_name(j->d, row, &r->why, &names);
			tp_buf_text(&r->why, ": ");
		}
		say_wrapped(r);
		return;
	}
	if (why)
		say_value(&r->why, j, row, !row->is_total, row->q);
	if (outcome == REP_OUTCOME_UNDECIDED) {
		tp_buf_text(&r->why, why ? "; " : "");
		say_undecided(j, r);
	} else if (far && outcome == REP_OUTCOME_PASSED) {
		tp_buf_text(&r->why, "; beyond the limit, but not significant");
	}
}

static void judge_row(struct judging *j, const struct rep_diff_row *row, struct rep_gate_result *r)
{
	bool far = beyond(j, row);
	enum rep_outcome outcome = outcome_of(j, row, far);
	unsigned w = weight(j->g, outcome, far, row);

	if (is_missing(j, row)) {
		note_missing(j, row, r);
		return;
	}
	r->inexact = r->inexact || is_close(j, row);
	r->tested++;
	r->exceeded += outcome == REP_OUTCOME_EXCEEDED;
	if (outcome == REP_OUTCOME_EXCEEDED && !row->is_total)
		note_exceeded(j, row, r);
	/* Of what weighs the same the greatest change. */
	if (r->tested == 1 || w > j->weight || (w == j->weight && row->order > j->order)) {
		j->weight = w;
		j->order = row->order;
		r->outcome = outcome;
		put_numbers(j, row, r);
		r->change = row->change;
		r->p = row->q;
		say_why(j, row, outcome, far, r);
	}
	if (!row->wrapped)
		say_collapse(j, row, r);
}

static int judge_rows(struct judging *j, struct rep_gate_result *r)
{
	struct rep_diff *d = j->d;
	double *p = calloc(d->n + 1, sizeof(*p));
	int code = p ? 0 : TP_ENOMEM;

	for (size_t i = 0; !code && i < d->n; i++) {
		/* What is the same in all runs counts among those that are tested. */
		if (d->kind->whole && d->sets && isnan(d->row[i].p))
			d->row[i].p = 1;
		p[i] = d->row[i].p;
	}
	if (!code)
		code = rep_stats_adjust(p, d->n, p);
	for (size_t i = 0; !code && i < d->n; i++) {
		d->row[i].q = p[i];
		judge_row(j, &d->row[i], r);
	}
	free(p);
	if (!code && r->exceeded > 1)
		tp_buf_printf(&r->why, ", and %zu more of %zu", r->exceeded - 1, r->tested);
	if (!code)
		note_hidden(j, r);
	return code;
}

static int judge(struct judging *j, const struct rep_diff_side *new, struct rep_gate_result *r)
{
	const struct rep_gate *g = j->g;
	const char *damaged = j->d->opt.damaged;
	size_t nold = g->threshold ? 0 : j->d->nold, nnew = j->d->nnew;
	bool fine = false;
	int code = 0;

	r->outcome = REP_OUTCOME_UNDECIDED;
	if (damaged && !g->damaged_passes) {
		r->blind = true;
		return tp_buf_printf(
		    &r->why, "%.200s is damaged, and what it lost may be what changed", damaged);
	}
	if (j->d->wrapped) {
		say_wrapped(r);
		return 0;
	}
	r->outcome = REP_OUTCOME_PASSED;
	j->plain = g->threshold ? nnew < 2 : !j->d->sets && !g->kind->tests_pairs;
	if (g->threshold ? nnew > 1 : j->d->sets)
		j->least_p = rep_stats_least_p(nold, nnew);
	j->few = j->least_p > g->alpha;
	if (g->threshold)
		test_limit(j);
	j->alone_hidden = !j->few && j->least_p * (double)j->d->n > g->alpha;
	if (j->d->n)
		code = judge_rows(j, r);
	else
		g->kind->gates->none(g, new, &r->why, &fine);
	if (!r->tested && !fine) {
		r->outcome = REP_OUTCOME_UNDECIDED;
		r->blind = !g->missing_passes;
		r->note.size = 0; /* it is what the gate says */
	}
	return code;
}

/* The options of the diff that a gate judges. */
static struct rep_diff_options options_of(const struct rep_gate *g,
					  const struct rep_diff_options *opt)
{
	struct rep_diff_options own = *opt;

	own.gate = g;
	own.alpha = g->alpha;
	own.changed = own.drop_negative = false;
	own.min_share = g->share;
	g->kind->gates->options(g, &own);
	return own;
}

int rep_gate_greatest(const struct rep_gate *g, const struct rep_diff_side *runs,
		      const struct rep_diff_options *opt, struct tp_buf *name, struct tp_err *err)
{
	struct rep_diff_options own = options_of(g, opt);
	struct rep_diff *d;
	size_t names;
	int code;

	own.sort = REP_SORT_OLD;
	code = rep_diff_new(&d, runs, runs, &own, err);
	if (code)
		return code;
	if (d->n && g->kind->whole)
		code = rep_diff_name(d, &d->row[0], name, &names);
	else if (d->n)
		code = tp_buf_text(name, d->row[0].name);
	if (!code && d->n)
		code = tp_buf_put(name, "", 1);
	rep_diff_free(d);
	return code ? tp_nomem(err) : 0;
}

int rep_gate_judge(const struct rep_gate *g, const struct rep_diff_side *old,
		   const struct rep_diff_side *new, const struct rep_diff_options *opt,
		   struct rep_gate_result *r, struct tp_err *err)
{
	struct rep_diff_options own = options_of(g, opt);
	struct judging j = {.g = g};
	struct tp_buf *const texts[] = {&r->why, &r->note, &r->names, &r->each};
	int code;

	memset(r, 0, sizeof(*r));
	r->old = r->new = rep_null();
	r->p = r->change = (double)NAN;
	code = rep_diff_new(&j.d, old, new, &own, err);
	if (code == TP_ENOENT)
		tp_err_prefix(err, "the gate '%.80s'", g->text);
	if (!code)
		code = find_limits(&j, err);
	if (!code) {
		code = judge(&j, new, r);
		for (size_t i = 0; !code && i < 4; i++)
			code = tp_buf_put(texts[i], "", 1);
		code = tp_regex_unknown(code, err);
	}
	r->wrapped &= r->outcome == REP_OUTCOME_UNDECIDED;
	r->blind |= r->wrapped;
	r->fails = r->outcome == REP_OUTCOME_EXCEEDED || r->blind ||
		   (r->outcome == REP_OUTCOME_UNDECIDED && r->tested && !g->undecided_passes);
	r->unjudged =
	    r->blind || (r->fails && r->outcome == REP_OUTCOME_UNDECIDED && !g->undecided_fails);
	rep_diff_free(j.d);
	return code;
}

void rep_gate_result_release(struct rep_gate_result *r)
{
	tp_buf_release(&r->why);
	tp_buf_release(&r->note);
	tp_buf_release(&r->names);
	tp_buf_release(&r->each);
}
