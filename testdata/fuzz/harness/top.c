/* Ranked tables over whatever a damaged dump left in a store: with and without a time range and a
 * filter, in every format, and as profiles. */
#include "fuzz.h"
#include "profile/trace.h"
#include "top/top.h"

static const struct rep_filter_text filters[] = {
    {0},
    {.from = "25%", .to = "75%"},
    {.focus = "main", .state = "running,blocked"},
    {.goroutine = "1", .ignore = "runtime"},
    {.task = "."},
    {.region = ".", .from = "10%"},
};

static size_t count(void)
{
	size_t n = 0;

	while (rep_reports[n])
		n++;
	return n;
}

static void report(struct fuzz_store *f, const struct rep_report *r,
		   const struct rep_filter_text *filter, uint64_t *pick)
{
	struct tp_buf text = {0};
	struct rep_top_options opt = {
	    .report = r,
	    .filter = *filter,
	    .tables = fuzz_pick(pick, 2),
	    .rows = fuzz_pick(pick, 2) ? 5 : 0,
	    .each = filter->region && r->filters & REP_BY_EACH,
	    .regions = filter->region != NULL,
	    .slowest = r->filters & REP_BY_SLOWEST ? "40%" : NULL,
	    .mmu = {.include = fuzz_pick(pick, 16), .per_p = fuzz_pick(pick, 2)},
	};
	struct rep_output *out;
	struct tp_err err = {0};

	opt.mmu.as_go = opt.mmu.include & 1;
	/* Not every filter makes sense for every report, nor is every time range within the run. */
	if (rep_top_check(&opt, &err) || rep_filter_check_run(&opt.filter, f->run, &err)) {
		MUST_SAY(err);
		return;
	}
	out = fuzz_paper(&text, pick, rep_top_several(r));
	fuzz_paper_end(out, &text, rep_top(out, f->s, f->run, 1, &opt, &err), &err);
}

void fuzz_top(struct fuzz_store *f, uint64_t pick)
{
	for (int i = 0; i < 4; i++) {
		const struct rep_report *r = rep_reports[fuzz_pick(&pick, (unsigned)count())];

		report(f, r, &filters[fuzz_pick(&pick, sizeof(filters) / sizeof(filters[0]))],
		       &pick);
	}
}

static void profile(int code, struct tp_profile *p, const struct tp_err *err, uint64_t pick)
{
	if (code) {
		MUST(!p);
		MUST_SAY(*err);
		return;
	}
	fuzz_profile_check(p);
	fuzz_profile_round(p);
	fuzz_profile_reports(p, pick);
	tp_profile_free(p);
}

void fuzz_trace_profiles(struct fuzz_store *f, uint64_t pick)
{
	const struct rep_filter_text *filter = &filters[fuzz_pick(&pick, 6)];
	struct rep_trace_profile_options opt = {0};
	struct rep_top_options top = {.rows = fuzz_pick(&pick, 2) * 3};
	struct tp_err err = {0};
	struct tp_profile *p = NULL;
	int code;

	if (fuzz_pick(&pick, 2)) {
		opt.view = (enum rep_trace_view)fuzz_pick(&pick, REP_NTRACE_VIEWS);
		opt.filter = *filter;
		opt.filter.task = opt.filter.region = NULL;
		opt.task = filter->task;
		opt.region = filter->region;
	} else {
		opt.go = (enum rep_trace_go)(1 + fuzz_pick(&pick, REP_NTRACE_GO - 1));
		opt.filter = (struct rep_filter_text){.from = filter->from, .to = filter->to};
	}
	if (!rep_trace_profile_check(&opt, &err)) {
		code = rep_trace_profile(f->s, f->run, &opt, &p, &err);
		profile(code, p, &err, pick);
	}
	top.report = rep_reports[fuzz_pick(&pick, (unsigned)count())];
	top.filter = *filter;
	code = rep_top_profile(&p, f->s, f->run, 1, &top, &err);
	profile(code, p, &err, pick);
}
