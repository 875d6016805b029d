#include "diff/selfcheck.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"

struct count {
	unsigned exceeded, undecided;
};

/* Fisher and Yates. */
void rep_deal(void *items, size_t n, size_t size, uint64_t *seed)
{
	char *at = items, swap[REP_DEAL_MOST];

	for (size_t i = n - 1; i > 0; i--) {
		size_t j = (size_t)(tp_random(seed) % (i + 1));

		memcpy(swap, at + i * size, size);
		memcpy(at + i * size, at + j * size, size);
		memcpy(at + j * size, swap, size);
	}
}

static int play(const struct rep_diff_side *a, const struct rep_diff_side *b,
		const struct rep_diff_options *opt, const struct rep_gate *gate, size_t ngates,
		struct count *count, struct tp_err *err)
{
	struct rep_diff *d = NULL;
	int code = rep_diff_new(&d, a, b, opt, err);
	bool changed = false, few = false;

	for (size_t i = 0; !code && i < d->n; i++) {
		changed = changed || d->row[i].verdict == REP_VERDICT_CHANGED;
		few = few || d->row[i].verdict == REP_VERDICT_FEW;
	}
	count[0].exceeded += changed;
	count[0].undecided += few;
	rep_diff_free(d);
	for (size_t i = 0; !code && i < ngates; i++) {
		struct rep_gate_result r;

		code = rep_gate_judge(&gate[i], a, b, opt, &r, err);
		count[i + 1].exceeded += !code && r.outcome == REP_OUTCOME_EXCEEDED;
		count[i + 1].undecided += !code && r.outcome == REP_OUTCOME_UNDECIDED;
		rep_gate_result_release(&r);
	}
	return code;
}

static int show(const struct rep_gate *gate, size_t ngates, size_t half, const struct count *count,
		struct rep_output *out, struct tp_err *err)
{
	static const struct rep_column columns[] = {
	    {.name = "what", .title = "WHAT", .kind = REP_TEXT},
	    {.name = "runs", .title = "RUNS A SIDE", .kind = REP_COUNT},
	    {.name = "rounds", .title = "ROUNDS", .kind = REP_COUNT},
	    {.name = "exceeded", .title = "EXCEEDED", .kind = REP_SHARE},
	    {.name = "undecided", .title = "UNDECIDED", .kind = REP_SHARE},
	};
	int code = rep_output_begin(out, "selfcheck", columns, 5, err);

	for (size_t i = 0; !code && i <= ngates; i++) {
		struct rep_value row[] = {
		    rep_str(i ? gate[i - 1].text : "any row changed"),
		    rep_int((int64_t)half),
		    rep_int(REP_SELF_CHECK_ROUNDS),
		    rep_float((double)count[i].exceeded / REP_SELF_CHECK_ROUNDS),
		    rep_float((double)count[i].undecided / REP_SELF_CHECK_ROUNDS),
		};

		code = rep_output_row(out, row, err);
	}
	return code ? code : rep_output_end(out, err);
}

int rep_self_check(const struct rep_diff_side *runs, const struct rep_diff_options *opt,
		   const struct rep_gate *gate, size_t ngates, struct rep_output *out,
		   struct tp_err *err)
{
	struct count *count = calloc(ngates + 1, sizeof(*count));
	struct rep_diff_run *run = calloc(runs->n ? runs->n : 1, sizeof(*run));
	size_t half = runs->n / 2;
	uint64_t seed = 1;
	int code = 0;

	_Static_assert(sizeof(*run) <= REP_DEAL_MOST, "runs can be dealt");
	if (!count || !run) {
		code = tp_nomem(err);
	} else if (runs->n < REP_SELF_CHECK_LEAST) {
		code =
		    tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			       "%zu old runs cannot be compared with each other; it takes %d, and "
			       "8 to be of use",
			       runs->n, REP_SELF_CHECK_LEAST);
	} else {
		memcpy(run, runs->run, runs->n * sizeof(*run));
	}
	for (int i = 0; !code && i < REP_SELF_CHECK_ROUNDS; i++) {
		struct rep_diff_side a = {run, half}, b = {run + half, half};

		rep_deal(run, runs->n, sizeof(*run), &seed);
		code = play(&a, &b, opt, gate, ngates, count, err);
	}
	if (!code)
		code = show(gate, ngates, half, count, out, err);
	free(count);
	free(run);
	return code;
}
