#include "diff/trace/selfcheck.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "diff/selfcheck.h"
#include "diff/trace/set.h"

static int play(const struct rep_trace_side *a, const struct rep_trace_side *b,
		const struct rep_trace_options *opt, const struct rep_trace_gate *gate,
		size_t ngates, const struct rep_trace_gate_options *judge,
		struct rep_trace_check *check, struct tp_err *err)
{
	struct rep_trace_diff *d = NULL;
	int code = rep_trace_diff_new(&d, a, b, opt, err);
	bool changed = false, told = false, few = false;

	/* What is the same to the nanosecond says nothing about what a test could tell. */
	for (size_t i = 0; !code && i < d->n; i++) {
		const struct rep_trace_row *row = &d->row[i];

		changed = changed || row->verdict == REP_VERDICT_CHANGED;
		told = told || (row->verdict == REP_VERDICT_SAME && row->old != row->new);
		few = few || row->verdict == REP_VERDICT_FEW;
	}
	check->rounds++;
	check->changed += changed;
	check->few += few && !told && !changed;
	rep_trace_diff_free(d);
	for (size_t i = 0; !code && i < ngates; i++) {
		struct rep_gate_result r = {0};
		bool inexact;

		code = rep_trace_gate_judge(&gate[i], a, b, judge, &r, &inexact, err);
		check->exceeded[i] += !code && r.outcome == REP_OUTCOME_EXCEEDED;
		check->undecided[i] += !code && r.outcome == REP_OUTCOME_UNDECIDED;
		rep_gate_result_release(&r);
	}
	return code;
}

/* One run: its windows in two halves. */
static int play_windows(const struct rep_metrics *m, uint64_t *seed,
			const struct rep_trace_options *opt, const struct rep_trace_gate *gate,
			size_t ngates, const struct rep_trace_gate_options *judge,
			struct rep_trace_check *check, struct tp_err *err)
{
	struct rep_metrics *half[2] = {NULL, NULL};
	size_t order[REP_METRICS_WINDOWS], n = m->base.windows;
	int code = 0;

	for (size_t i = 0; i < n; i++)
		order[i] = i;
	rep_deal(order, n, sizeof(*order), seed);
	for (int k = 0; !code && k < 2; k++) {
		bool use[REP_METRICS_WINDOWS] = {false};

		for (size_t i = k ? n / 2 : 0; i < (k ? n / 2 * 2 : n / 2); i++)
			use[order[i]] = true;
		code = rep_set_part(m, use, &half[k], err);
	}
	if (!code)
		code = play(&(struct rep_trace_side){&half[0], 1},
			    &(struct rep_trace_side){&half[1], 1}, opt, gate, ngates, judge, check,
			    err);
	rep_metrics_free(half[0]);
	rep_metrics_free(half[1]);
	return code;
}

int rep_trace_check(const struct rep_trace_side *runs, bool single,
		    const struct rep_trace_options *opt, const struct rep_trace_gate *gate,
		    size_t ngates, const struct rep_trace_gate_options *judge,
		    struct rep_trace_check *check, struct tp_err *err)
{
	struct rep_metrics **run = tp_many(runs->n + 1, sizeof(struct rep_metrics *));
	size_t half = single ? 1 : runs->n / 2;
	uint64_t seed = 1;
	int code = 0;

	memset(check, 0, sizeof(*check));
	check->exceeded = calloc(ngates + 1, sizeof(*check->exceeded));
	check->undecided = calloc(ngates + 1, sizeof(*check->undecided));
	if (!run || !check->exceeded || !check->undecided) {
		free(run);
		return tp_nomem(err);
	}
	if (runs->n == 1 && runs->run[0]->base.windows < 2 * REP_LEAST_WINDOWS)
		code = tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "one run of %zu windows cannot be compared with itself; it takes "
				  "%d, or several runs",
				  runs->run[0]->base.windows, 2 * REP_LEAST_WINDOWS);
	else if (runs->n > 1 && runs->n < REP_SELF_CHECK_LEAST)
		code = tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "%zu runs cannot be compared with each other; it takes one, or "
				  "%d, and 8 to be of use",
				  runs->n, REP_SELF_CHECK_LEAST);
	memcpy(run, runs->run, runs->n * sizeof(*run));
	check->runs = runs->n > 1 ? half : 0;
	for (int i = 0; !code && i < REP_TRACE_CHECK_ROUNDS; i++) {
		if (runs->n == 1) {
			code = play_windows(run[0], &seed, opt, gate, ngates, judge, check, err);
			continue;
		}
		rep_deal(run, runs->n, sizeof(*run), &seed);
		code = play(&(struct rep_trace_side){run, half},
			    &(struct rep_trace_side){run + half, half}, opt, gate, ngates, judge,
			    check, err);
	}
	free(run);
	return code;
}

void rep_trace_check_release(struct rep_trace_check *check)
{
	free(check->exceeded);
	free(check->undecided);
	memset(check, 0, sizeof(*check));
}

static int put_check(const struct rep_trace_check *c, const struct rep_trace_gate *gate,
		     size_t ngates, struct rep_output *out, struct tp_err *err)
{
	double rounds = (double)(c->rounds ? c->rounds : 1);
	int code = 0;

	for (size_t i = 0; !code && i <= ngates; i++) {
		size_t exceeded = i ? c->exceeded[i - 1] : c->changed;
		size_t undecided = i ? c->undecided[i - 1] : c->few;
		struct rep_value row[] = {
		    rep_str(i ? gate[i - 1].gate.text : "any metric changed"),
		    c->runs ? rep_int((int64_t)c->runs) : rep_null(),
		    rep_int((int64_t)c->rounds),
		    rep_float((double)exceeded / rounds),
		    rep_float((double)undecided / rounds),
		};

		code = rep_output_row(out, row, err);
	}
	return code;
}

int rep_trace_self_check(const struct rep_trace_side *runs, const struct rep_trace_options *opt,
			 const struct rep_trace_gate *gate, size_t ngates,
			 const struct rep_trace_gate_options *judge, struct rep_output *out,
			 struct tp_err *err)
{
	static const struct rep_column columns[] = {
	    {.name = "what", .title = "WHAT", .kind = REP_TEXT},
	    {.name = "runs", .title = "RUNS A SIDE", .kind = REP_COUNT},
	    {.name = "rounds", .title = "ROUNDS", .kind = REP_COUNT},
	    {.name = "exceeded", .title = "EXCEEDED", .kind = REP_SHARE},
	    {.name = "undecided", .title = "UNDECIDED", .kind = REP_SHARE},
	};
	struct rep_trace_check sets = {0}, single = {0};
	int code = rep_trace_check(runs, false, opt, gate, ngates, judge, &sets, err);

	if (!code && runs->n > 1)
		code = rep_trace_check(runs, true, opt, gate, ngates, judge, &single, err);
	if (!code)
		code = rep_output_begin(out, "selfcheck", columns, 5, err);
	if (!code)
		code = put_check(&sets, gate, ngates, out, err);
	if (!code && runs->n > 1)
		code = put_check(&single, gate, ngates, out, err);
	if (!code)
		code = rep_output_end(out, err);
	rep_trace_check_release(&sets);
	rep_trace_check_release(&single);
	return code;
}
