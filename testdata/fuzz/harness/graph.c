/* Reports on profiles: top, tree, dot …, flame graphs, sums, differences, series and pages. */
#include <string.h>

#include "export/anonymise.h"
#include "flame/flame.h"
#include "flame/part.h"
#include "fuzz.h"
#include "page/page.h"
#include "profile/merge/difference.h"
#include "profile/merge/merge.h"
#include "profile/report.h"
#include "profile/top.h"
#include "profile/view.h"
#include "series/series.h"

static const char *const patterns[] = {NULL, NULL, NULL, "main", ".", "^$", "a|b", "runtime"};

static const char *pattern(uint64_t *pick)
{
	return patterns[fuzz_pick(pick, sizeof(patterns) / sizeof(patterns[0]))];
}

static struct rep_profile_options options(uint64_t *pick)
{
	struct rep_profile_options o = REP_PROFILE_OPTIONS_INIT;

	o.granularity = (enum rep_granularity)fuzz_pick(pick, REP_NGRANULARITIES);
	o.no_inlines = fuzz_pick(pick, 4) == 0;
	o.show_columns = fuzz_pick(pick, 4) == 0;
	o.no_trim = fuzz_pick(pick, 2);
	o.cum = fuzz_pick(pick, 2);
	o.mean = fuzz_pick(pick, 6) == 0;
	o.call_tree = fuzz_pick(pick, 4) == 0;
	o.relative_percentages = fuzz_pick(pick, 4) == 0;
	o.drop_negative = fuzz_pick(pick, 6) == 0;
	o.all_frames = fuzz_pick(pick, 4) == 0;
	switch (fuzz_pick(pick, 12)) {
	case 0:
		o.focus = pattern(pick);
		o.ignore = pattern(pick);
		break;
	case 1:
		o.hide = pattern(pick);
		o.show = pattern(pick);
		break;
	case 2:
		o.show_from = pattern(pick);
		o.prune_from = pattern(pick);
		break;
	case 3:
		o.tag_focus = fuzz_pick(pick, 2) ? "1:100" : ".";
		o.tag_ignore = pattern(pick);
		break;
	case 4:
		o.tag_show = pattern(pick);
		o.tag_hide = pattern(pick);
		break;
	case 5:
		o.tag_root = "key";
		o.tag_leaf = "bytes";
		break;
	case 6:
		o.unit = fuzz_pick(pick, 2) ? "auto" : "ms";
		break;
	default:
		break;
	}
	return o;
}

static void top(struct tp_profile *p, uint64_t *pick)
{
	const struct rep_profile_options opt = options(pick);
	struct rep_profile_top t;
	struct tp_err err = {0};

	if (rep_profile_top(&t, p, &opt, &err)) {
		MUST_SAY(err);
	} else {
		struct tp_buf text = {0};
		struct rep_output *out = fuzz_paper(&text, pick, false);

		fuzz_paper_end(out, &text, rep_profile_top_print(&t, out, &err), &err);
	}
	rep_profile_top_release(&t);
}

/* Those that run programs or open files that the profile names are left out. */
static bool safe(const struct rep_profile_report *r)
{
	return strcmp(r->name, "svg") && strcmp(r->name, "list") && strcmp(r->name, "disasm");
}

static void report(struct tp_profile *p, uint64_t *pick)
{
	const struct rep_profile_options opt = options(pick);
	const struct rep_profile_report *r;
	struct rep_profile_view v;
	struct tp_err err = {0};
	size_t n = 0;

	while (rep_profile_reports[n])
		n++;
	do
		r = rep_profile_reports[fuzz_pick(pick, (unsigned)n)];
	while (!safe(r));
	if (rep_profile_view_init(&v, p, &opt, &r->traits, &err)) {
		MUST_SAY(err);
	} else if (r->table && fuzz_pick(pick, 2)) {
		struct tp_buf text = {0};
		struct rep_output *out = fuzz_paper(&text, pick, true);

		fuzz_paper_end(out, &text, r->table(&v, r->arg ? "." : NULL, out, &err), &err);
	} else {
		struct tp_buf text = {0};
		const struct rep_sink sink = rep_sink_buf(&text);

		if (r->print(&v, r->arg ? "." : NULL, &sink, &err))
			MUST_SAY(err);
		if (!r->binary)
			fuzz_printable(&text);
		tp_buf_release(&text);
	}
	rep_profile_view_release(&v);
}

static void flame(struct tp_profile *p, uint64_t *pick)
{
	const struct rep_profile_options opt = options(pick);
	const struct rep_flame_tree_options how = {.reverse = fuzz_pick(pick, 4) == 0,
						   .compared = fuzz_pick(pick, 3) == 0};
	struct rep_flame_options look = REP_FLAME_OPTIONS_INIT;
	struct rep_flame_heading heading = {0};
	struct rep_flame_part parts[] = {{.profile = p, .name = "new"},
					 {.profile = p, .name = "old", .side = REP_FLAME_OLD}};
	struct rep_flame_build_options build = {0};
	struct rep_flame_tree tree = {0};
	struct tp_err err = {0};
	struct tp_buf text = {0};
	const struct rep_sink sink = rep_sink_buf(&text);
	size_t failed;
	int code;

	code = rep_flame_parts_view(parts, 1, &opt, &failed, &err);
	parts[1].view = parts[0].view;
	build.normalize = how.compared && fuzz_pick(pick, 2);
	if (!code)
		code = rep_flame_build(&tree, &heading, &how, parts, how.compared ? 2 : 1, &build,
				       &err);
	if (!code) {
		look.title = heading.title;
		look.subtitle = heading.subtitle;
		look.type = heading.type;
		look.unit = heading.unit;
		look.upwards = fuzz_pick(pick, 2);
		look.by_name = fuzz_pick(pick, 2);
		code = rep_flame_write(&tree,
				       (enum rep_flame_format)fuzz_pick(pick, REP_FLAME_NFORMATS),
				       &look, &sink, &err);
	}
	if (code)
		MUST_SAY(err);
	fuzz_printable(&text);
	tp_buf_release(&text);
	rep_flame_heading_release(&heading);
	rep_flame_tree_release(&tree);
	rep_flame_parts_release(parts, 1);
}

static void sum(struct tp_profile *p, uint64_t *pick)
{
	const struct rep_merge_part parts[] = {
	    {.profile = p, .ratio = 1}, {.profile = p, .ratio = fuzz_pick(pick, 2) ? 1 : -0.5}};
	struct rep_difference_options opt = {.normalize = fuzz_pick(pick, 2),
					     .mark = fuzz_pick(pick, 2)};
	struct tp_profile *out = NULL;
	struct tp_err err = {0};
	int code = fuzz_pick(pick, 2) ? rep_profile_merge(parts, 2, &out, &err)
				      : rep_profile_difference(p, p, &opt, &out, &err);

	if (code) {
		MUST_SAY(err);
		return;
	}
	fuzz_profile_check(out);
	fuzz_profile_round(out);
	tp_profile_free(out);
}

static void follow(struct tp_profile *p, uint64_t *pick)
{
	const struct rep_profile_options opt = options(pick);
	size_t rows = fuzz_pick(pick, 2) * 7;
	struct rep_series *s;
	struct tp_err err = {0};
	int code = 0;

	MUST(!rep_series_new(&s, &err));
	for (int i = 0; i < 3 && !code; i++) {
		MUST(!rep_series_point(s, "point", i * 1000000, &err));
		MUST(!rep_series_put_counters(s, p, &err));
		code = rep_series_put_profile(s, p, &opt, &err);
	}
	if (code) {
		MUST_SAY(err);
	} else {
		struct tp_buf text = {0};
		struct rep_output *out = fuzz_paper(&text, pick, false);

		MUST(!rep_series_finish(s, (enum rep_series_sort)fuzz_pick(pick, REP_NSERIES_SORTS),
					&err));
		fuzz_paper_end(out, &text, rep_series_print(s, out, rows, &err), &err);
	}
	rep_series_free(s);
}

static void page(struct tp_profile *p, uint64_t *pick)
{
	const struct rep_page_options opt = {.target = "a.pb.gz",
					     .diff = "b.pb.gz a.pb.gz",
					     .flame = "--base=b.pb.gz a.pb.gz",
					     .version = "1",
					     .rows = 1 + fuzz_pick(pick, 20)};
	const struct rep_page_profile one = {p, "name"};
	const struct rep_page_sides sides = {&p, &p, 1, 1, "old", "new"};
	struct tp_buf text = {0};
	const struct rep_sink sink = rep_sink_buf(&text);
	struct tp_err err = {0};
	int code = fuzz_pick(pick, 2) ? rep_page_profile(&one, &opt, &sink, &err)
				      : rep_page_profiles(&sides, &opt, &sink, &err);

	if (code)
		MUST_SAY(err);
	fuzz_printable(&text);
	tp_buf_release(&text);
}

static void rename_all(struct tp_profile *p, uint64_t *pick)
{
	struct rep_anonymise a = {.all = fuzz_pick(pick, 2)};
	struct tp_err err = {0};

	rep_anonymise_key(&a, "key", 3);
	if (rep_anonymise_profile(&a, p, &err)) {
		MUST_SAY(err);
		return;
	}
	fuzz_profile_check(p);
	fuzz_profile_round(p);
}

void fuzz_profile_reports(struct tp_profile *p, uint64_t pick)
{
	static void (*const reports[])(struct tp_profile * p, uint64_t * pick) = {
	    top, report, report, report, flame, flame, sum, follow, page, rename_all};

	reports[fuzz_pick(&pick, sizeof(reports) / sizeof(reports[0]))](p, &pick);
}
