/* Paths and wake-ups over whatever a damaged dump left in a store: of tasks, regions, goroutines
 * and time ranges, as every report and as stacks. What is walked adds up. */
#include "fuzz.h"
#include "path/show.h"

static const struct rep_path_options picks[] = {
    {.at_most = INT64_MAX},
    {.task = ".", .at_most = INT64_MAX},
    {.task = ".", .at_most = INT64_MAX, .slowest = 1},
    {.region = ".", .at_most = INT64_MAX, .slowest_share = 0.5},
};

static const struct rep_filter_text filters[] = {
    {0},
    {.from = "25%", .to = "75%"},
    {.goroutine = "1"},
    {.goroutine = "."},
};

#define HOPS 20000 /* so that one input does not take for ever */

static void to_profile(int code, struct tp_profile *p, const struct tp_err *err)
{
	if (code) {
		MUST_SAY(*err);
		return;
	}
	fuzz_profile_check(p);
	fuzz_profile_round(p);
	tp_profile_free(p);
}

static void show(struct rep_view *v, const struct rep_path_requests *list,
		 const struct rep_path *path, uint64_t *pick)
{
	struct tp_profile *p;
	struct tp_err err = {0};

	static const char *const what_if[] = {"main -50%", ". -100%"};

	for (int r = 0; r < REP_NPATH_REPORTS; r++) {
		const struct rep_path_page page = {.v = v,
						   .list = list,
						   .path = path,
						   .rows = r % 2 ? 5 : -1,
						   .stacks = r % 3,
						   .what_if = what_if,
						   .nwhat_if = fuzz_pick(pick, 3)};
		struct tp_buf text = {0};
		struct rep_output *out;

		if (r == REP_PATH_WAKERS)
			continue;
		out = fuzz_paper(&text, pick, rep_path_reports[r].several);
		fuzz_paper_end(out, &text, rep_path_show(out, &page, (enum rep_path_report)r, &err),
			       &err);
	}
	if (!fuzz_pick(pick, 2)) {
		int code = rep_path_profile(v, path, &p, &err);

		to_profile(code, p, &err);
	}
}

static void walk(struct rep_view *v, const struct rep_path_options *opt, uint64_t *pick)
{
	struct rep_path_requests list;
	struct rep_path path = {0};
	struct tp_err err = {0};
	int64_t total = 0;
	bool over = false;
	int code = rep_path_pick(v, opt, &list, &err);

	if (!code && list.n > 2)
		code = rep_path_mark_bands(v, &list, &err);
	if (!code)
		code = rep_path_walk(v, list.request, list.n, HOPS, &path, &err);
	if (code) {
		MUST_SAY(err);
	} else {
		for (size_t i = 0; i < path.nsums; i++)
			over |= __builtin_add_overflow(total, path.sum[i].total_ns, &total);
		MUST(over ? path.total_ns == INT64_MAX : total == path.total_ns);
		for (size_t i = 1; i < path.hops.n; i++)
			MUST(rep_path_hop(&path, i).from == rep_path_hop(&path, i - 1).to);
		show(v, &list, &path, pick);
	}
	rep_path_release(&path);
	rep_path_requests_release(&list);
}

static void wakes(struct rep_view *v, uint64_t *pick)
{
	unsigned how = fuzz_pick(pick, 6);
	struct rep_wakes w;
	struct tp_err err = {0};

	if (!rep_wakes_add_up(v, how % 2 ? "." : NULL, NULL, how % 3, &w, &err)) {
		struct tp_buf text = {0};
		struct rep_output *out = fuzz_paper(&text, pick, false);

		fuzz_paper_end(out, &text, rep_wakes_show(out, v, &w, -1, how % 3, &err), &err);
	} else {
		MUST_SAY(err);
	}
	rep_wakes_release(&w);
}

void fuzz_path_reports(struct fuzz_store *f, uint64_t pick)
{
	const struct rep_filter_text *text =
	    &filters[fuzz_pick(&pick, sizeof(filters) / sizeof(filters[0]))];
	struct rep_filter filter;
	struct rep_view v = {0};
	struct tp_err err;

	MUST(!rep_filter_init(&filter, text, &err));
	/* A time range may be empty. */
	if (!rep_view_init(&v, f->s, f->run, &filter, NULL, &err)) {
		for (int i = 0; i < 2; i++)
			walk(&v, &picks[fuzz_pick(&pick, sizeof(picks) / sizeof(picks[0]))], &pick);
		wakes(&v, &pick);
	}
	rep_view_release(&v);
	rep_filter_release(&filter);
}
