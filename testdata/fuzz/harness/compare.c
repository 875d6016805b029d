/* Diffs of whatever reads as a profile or a trace: of one run and of two that differ a little, by
 * everything there is, with names matched and exactly. */
#include <string.h>

#include "diff/gate.h"
#include "diff/prepare.h"
#include "diff/show.h"
#include "fuzz.h"
#include "series/series.h"

static void diff(struct tp_profile *const *p, size_t n, const struct rep_diff_options *opt,
		 uint64_t *pick)
{
	struct rep_profile_options filters = REP_PROFILE_OPTIONS_INIT;
	struct rep_filter_notes notes = {0};
	struct rep_diff_side old = {0}, new = {0};
	struct rep_diff *d = NULL;
	struct tp_err err = {0};

	MUST(!rep_diff_side_profiles(&old, p, n, &err));
	MUST(!rep_diff_side_profiles(&new, p + n, n, &err));
	if (!rep_diff_prepare(&old, &filters, &notes, &err) &&
	    !rep_diff_prepare(&new, &filters, &notes, &err) &&
	    !rep_diff_new(&d, &old, &new, opt, &err)) {
		struct rep_diff_show show = {.old = "old", .new = "new", .rows = 50};
		struct tp_buf text = {0};
		struct rep_output *out = fuzz_paper(&text, pick, true);
		int code = rep_diff_heading(d, &show, out, &err);

		if (!code)
			code = rep_diff_rows(d, &show, out, &err);
		fuzz_paper_end(out, &text, code, &err);
	} else {
		MUST_SAY(err);
	}
	rep_diff_free(d);
	rep_diff_side_release(&old);
	rep_diff_side_release(&new);
	rep_filter_notes_release(&notes);
}

void fuzz_profile_diff(const uint8_t *data, size_t size, uint64_t pick)
{
	struct tp_profile_options opt = {0};
	struct rep_diff_options o = REP_DIFF_OPTIONS_INIT;
	struct tp_profile *p[4] = {NULL};
	struct tp_err err;
	bool all = true;

	/* The second of each side is what can be read of less of the input. */
	for (int i = 0; i < 4; i++)
		if (tp_profile_read(data, i & 1 ? size - size / 4 : size, &opt, &p[i], &err) &&
		    (!(i & 1) || tp_profile_read(data, size, &opt, &p[i], &err)))
			all = false;
	o.keys.by = (enum rep_diff_by)fuzz_pick(&pick, REP_NDIFF_BY);
	o.keys.exact = fuzz_pick(&pick, 2);
	o.keys.no_inlines = !fuzz_pick(&pick, 4);
	o.normalize = fuzz_pick(&pick, 2);
	o.cum = fuzz_pick(&pick, 2);
	o.mean = !fuzz_pick(&pick, 4);
	if (all)
		diff(p, 1 + fuzz_pick(&pick, 2), &o, &pick);
	for (int i = 0; i < 4; i++)
		tp_profile_free(p[i]);
}

/* ---- traces ---- */

static void series(const struct rep_metrics *m, uint64_t *pick)
{
	size_t rows = fuzz_pick(pick, 2) * 7;
	struct rep_series *s;
	struct tp_err err = {0};
	struct tp_buf text = {0}, svg = {0};
	struct rep_output *out = fuzz_paper(&text, pick, false);

	MUST(!rep_series_new(&s, &err));
	for (int i = 0; i < 3; i++) {
		MUST(!rep_series_point(s, "run", i * 1000, &err));
		MUST(!rep_series_put_metrics(s, m, &err));
	}
	MUST(!rep_series_finish(s, (enum rep_series_sort)fuzz_pick(pick, REP_NSERIES_SORTS), &err));
	MUST(!rep_series_svg(s, "title", rep_sink_buf(&svg), &err));
	fuzz_printable(&svg);
	tp_buf_release(&svg);
	fuzz_paper_end(out, &text, rep_series_print(s, out, rows, &err), &err);
	rep_series_free(s);
}

static const char *const gates[] = {"sched.p99>+10%",
				    "stw.max>2ms",
				    "task.rate<100",
				    "block(.).total+-20%",
				    "region(.).p95>+5ms,min=1ms",
				    "cpu(.).share>1%,undecided=fail"};

static void gate(const struct rep_diff_side *a, const struct rep_diff_side *b, uint64_t *pick)
{
	const struct rep_diff_options opt = {
	    .per = {.per = (enum rep_per)fuzz_pick(pick, REP_NPER)}};
	struct rep_gate_result result;
	struct rep_gate g;
	struct tp_err err = {0};

	MUST(!rep_gate_parse(&g, gates[fuzz_pick(pick, sizeof(gates) / sizeof(gates[0]))],
			     &rep_diff_of_traces, &err));
	if (rep_gate_judge(&g, a, b, &opt, &result, &err))
		MUST_SAY(err);
	rep_gate_result_release(&result);
	rep_gate_release(&g);
}

static const struct rep_filter_text ranges[] = {
    {0}, {.from = "20%"}, {.to = "60%"}, {.goroutine = "."}};

void fuzz_trace_diff(struct fuzz_store *f, uint64_t pick)
{
	struct rep_metrics_options opts[2] = {
	    {.exact = fuzz_pick(&pick, 2), .exact_names = fuzz_pick(&pick, 2)},
	    {.filter = &ranges[fuzz_pick(&pick, 4)], .tables = fuzz_pick(&pick, 2)}};
	struct rep_diff_run run[2] = {{.metrics = NULL}, {.metrics = NULL}};
	const struct rep_diff_side old = {run, 1}, new = {run + 1, 1};
	struct rep_diff_options opt = {.per = {.per = (enum rep_per)fuzz_pick(&pick, REP_NPER)},
				       .every_stat = fuzz_pick(&pick, 2),
				       .sort =
					   (enum rep_diff_sort)fuzz_pick(&pick, REP_NDIFF_SORTS)};
	struct rep_diff *d = NULL;
	struct tp_err err = {0};

	if (rep_metrics_new(&run[0].metrics, f->s, f->run, &opts[0], &err) ||
	    rep_metrics_new(&run[1].metrics, f->s, f->run, &opts[1], &err) ||
	    rep_diff_new(&d, &old, &new, &opt, &err)) {
		MUST_SAY(err);
	} else {
		const struct rep_diff_show show = {
		    .old = "old", .new = "new", .rows = 30, .overview = fuzz_pick(&pick, 2)};
		struct tp_buf text = {0};
		struct rep_output *out = fuzz_paper(&text, &pick, true);
		int code = rep_diff_heading(d, &show, out, &err);

		if (!code)
			code = rep_diff_rows(d, &show, out, &err);
		fuzz_paper_end(out, &text, code, &err);
		gate(&old, &new, &pick);
	}
	if (run[0].metrics && !fuzz_pick(&pick, 2))
		series(run[0].metrics, &pick);
	rep_diff_free(d);
	rep_metrics_free(run[0].metrics);
	rep_metrics_free(run[1].metrics);
}
