#include "diff/selfcheck.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/random.h"
#include "diff/trace/set.h"

/* What is asked in every round. */
struct game {
	const struct rep_diff_options *opt;
	const struct rep_gate *gate;
	size_t ngates;
	uint64_t seed;
	struct rep_check *check;
};

/* Returns a number below n, which is not 0, as Fisher and Yates shuffle with. */
static size_t pick(struct game *g, size_t n)
{
	return n ? (size_t)(tp_random(&g->seed) % n) : 0;
}

static int play(struct game *g, const struct rep_diff_side *a, const struct rep_diff_side *b,
		struct tp_err *err)
{
	struct rep_diff *d = NULL;
	int code = rep_diff_new(&d, a, b, g->opt, err);
	bool changed = false, told = false, few = false;

	/* What is the same in the last digit says nothing about what a test could tell. */
	for (size_t i = 0; !code && i < d->n; i++) {
		const struct rep_diff_row *row = &d->row[i];

		changed = changed || row->verdict == REP_VERDICT_CHANGED;
		told = told || (row->verdict == REP_VERDICT_SAME && row->old != row->new);
		few = few || row->verdict == REP_VERDICT_FEW;
	}
	g->check->rounds++;
	g->check->changed += changed;
	g->check->few += few && !told && !changed;
	rep_diff_free(d);
	for (size_t i = 0; !code && i < g->ngates; i++) {
		struct rep_gate_result r = {0};

		code = rep_gate_judge(&g->gate[i], a, b, g->opt, &r, err);
		g->check->exceeded[i] += !code && r.outcome == REP_OUTCOME_EXCEEDED;
		g->check->undecided[i] += !code && r.outcome == REP_OUTCOME_UNDECIDED;
		rep_gate_result_release(&r);
	}
	return code;
}

static int play_runs(struct game *g, struct rep_diff_run *run, size_t n, size_t half,
		     struct tp_err *err)
{
	for (size_t i = n - 1; i > 0; i--) {
		size_t j = pick(g, i + 1);
		struct rep_diff_run swap = run[i];

		run[i] = run[j];
		run[j] = swap;
	}
	return play(g, &(struct rep_diff_side){run, half},
		    &(struct rep_diff_side){run + half, half}, err);
}

/* The windows of one run in two halves. */
static int play_windows(struct game *g, const struct rep_metrics *m, struct tp_err *err)
{
	struct rep_diff_run half[2] = {{.metrics = NULL}, {.metrics = NULL}};
	size_t order[REP_METRICS_WINDOWS] = {0}, n = m->base.windows;
	int code = 0;

	for (size_t i = 0; i < n; i++)
		order[i] = i;
	for (size_t i = n - 1; i > 0; i--) {
		size_t j = pick(g, i + 1), swap = order[i];

		order[i] = order[j];
		order[j] = swap;
	}
	for (int k = 0; !code && k < 2; k++) {
		bool use[REP_METRICS_WINDOWS] = {false};

		for (size_t i = k ? n / 2 : 0; i < (k ? n / 2 * 2 : n / 2); i++)
			use[order[i]] = true;
		code = rep_set_part(m, use, &half[k].metrics, err);
	}
	if (!code)
		code = play(g, &(struct rep_diff_side){&half[0], 1},
			    &(struct rep_diff_side){&half[1], 1}, err);
	rep_metrics_free(half[0].metrics);
	rep_metrics_free(half[1].metrics);
	return code;
}

static int check_enough(const struct rep_diff_side *runs, struct tp_err *err)
{
	const struct rep_metrics *m = runs->n ? runs->run[0].metrics : NULL;

	if (m && runs->n == 1 && m->base.windows < 2 * REP_LEAST_WINDOWS)
		return tp_err_set(
		    err, TP_EFORMAT, TP_OFFSET_NONE,
		    "a run of %zu windows cannot be compared with itself; give one of "
		    "%d windows or more, or several runs",
		    m->base.windows, 2 * REP_LEAST_WINDOWS);
	if ((!m || runs->n > 1) && runs->n < REP_SELF_CHECK_LEAST)
		return tp_err_set(
		    err, TP_EFORMAT, TP_OFFSET_NONE,
		    "too few old runs to compare with each other: %zu; it takes %s%d, "
		    "and %zu to find a change",
		    runs->n, m ? "one, or " : "", REP_SELF_CHECK_LEAST,
		    2 * rep_stats_least_runs(0.05));
	return 0;
}

int rep_check(const struct rep_diff_side *runs, bool single, const struct rep_diff_options *opt,
	      const struct rep_gate *gate, size_t ngates, struct rep_check *check,
	      struct tp_err *err)
{
	struct game g = {.opt = opt, .gate = gate, .ngates = ngates, .seed = 1, .check = check};
	struct rep_diff_run *run = tp_many(runs->n + 1, sizeof(*run));
	size_t half = single ? 1 : runs->n / 2;
	int code;

	memset(check, 0, sizeof(*check));
	check->exceeded = calloc(ngates + 1, sizeof(*check->exceeded));
	check->undecided = calloc(ngates + 1, sizeof(*check->undecided));
	if (!run || !check->exceeded || !check->undecided) {
		free(run);
		return tp_nomem(err);
	}
	code = check_enough(runs, err);
	memcpy(run, runs->run, runs->n * sizeof(*run));
	check->runs = runs->n > 1 ? half : 0;
	for (int i = 0; !code && i < REP_SELF_CHECK_ROUNDS; i++)
		code = runs->n == 1 ? play_windows(&g, run[0].metrics, err)
				    : play_runs(&g, run, runs->n, half, err);
	free(run);
	return code;
}

void rep_check_release(struct rep_check *check)
{
	free(check->exceeded);
	free(check->undecided);
	memset(check, 0, sizeof(*check));
}

static void put_check(const struct rep_check *c, const struct rep_gate *gate, size_t ngates,
		      struct rep_output *out, struct tp_err *err)
{
	double rounds = (double)(c->rounds ? c->rounds : 1);

	for (size_t i = 0; i <= ngates; i++) {
		size_t exceeded = i ? c->exceeded[i - 1] : c->changed;
		size_t undecided = i ? c->undecided[i - 1] : c->few;
		struct rep_value row[] = {
		    rep_str(i ? gate[i - 1].text : "any row changed"),
		    c->runs ? rep_int((int64_t)c->runs) : rep_null(),
		    rep_int((int64_t)c->rounds),
		    rep_float((double)exceeded / rounds),
		    rep_float((double)undecided / rounds),
		};

		rep_output_row(out, row, err);
	}
}

/* Says if halves of the runs are too small for any change to be found, as *few then is: an error if
 * that is all that is asked for. */
static int check_power(const struct rep_diff_side *runs, const struct rep_diff_options *opt,
		       size_t ngates, bool both, struct rep_output *out, bool *few,
		       struct tp_err *err)
{
	double alpha = opt->alpha > 0 ? opt->alpha : 0.05;
	size_t half = runs->n / 2, least = rep_stats_least_runs(alpha);
	char text[200];
	int code;

	*few = runs->n >= REP_SELF_CHECK_LEAST && half < least;
	if (!*few)
		return 0;
	snprintf(text, sizeof(text),
		 "halves of %zu runs cannot show a change, whatever they hold: it takes %zu runs, "
		 "%zu in each half",
		 runs->n, 2 * least, least);
	if (!both && !ngates)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE, "%s", text);
	code = rep_output_note(out, true, text, err);
	return code ? code : rep_output_note(out, false, "", err);
}

int rep_self_check(const struct rep_diff_side *runs, const struct rep_diff_options *opt,
		   const struct rep_gate *gate, size_t ngates, struct rep_output *out,
		   struct tp_err *err)
{
	static const struct rep_column columns[] = {
	    {.name = "what", .doc = "gate, or all rows", .title = "WHAT", .kind = REP_TEXT},
	    {.name = "runs", .doc = "runs a side", .title = "RUNS A SIDE", .kind = REP_COUNT},
	    {.name = "rounds", .doc = "comparisons made", .title = "ROUNDS", .kind = REP_COUNT},
	    {.name = "exceeded",
	     .doc = "comparisons in which it was exceeded",
	     .title = "EXCEEDED",
	     .kind = REP_SHARE},
	    {.name = "undecided",
	     .doc = "comparisons without a verdict",
	     .title = "UNDECIDED",
	     .kind = REP_SHARE},
	};
	struct rep_check sets = {0}, single = {0};
	bool both = runs->n > 1 && runs->run[0].metrics;
	bool few;
	int code = check_power(runs, opt, ngates, both, out, &few, err);

	if (!code && (!few || ngates))
		code = rep_check(runs, false, opt, gate, ngates, &sets, err);
	if (!code && both)
		code = rep_check(runs, true, opt, gate, ngates, &single, err);
	if (!code) {
		rep_output_begin(out, "selfcheck", columns, 5, err);
		if (!few || ngates)
			put_check(&sets, gate, ngates, out, err);
		if (both)
			put_check(&single, gate, ngates, out, err);
		code = rep_output_end(out, err);
	}
	rep_check_release(&sets);
	rep_check_release(&single);
	return code;
}
