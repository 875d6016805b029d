/* What happened when: bins, curves, clocks, and lives of single goroutines. */
#include "clock/clock.h"
#include "fuzz.h"
#include "life/life.h"
#include "store/tables.h"
#include "time/time.h"

static void bins(struct fuzz_store *f, uint64_t *pick)
{
	static const struct rep_filter_text texts[] = {{0}, {.from = "30%", .to = "70%"}};
	struct rep_filter filter;
	struct rep_view v = {0};
	struct rep_time t = {0};
	struct rep_time_curve c = {0};
	struct tp_err err = {0};

	MUST(!rep_filter_init(&filter, &texts[fuzz_pick(pick, 2)], &err));
	if (!rep_view_init(&v, f->s, f->run, &filter, NULL, &err)) {
		if (rep_time_load(&t, &v, &err))
			MUST_SAY(err);
		else if (rep_time_metric(&t, &v, REP_METRIC_HEAP_NAME, &c, &err))
			MUST_SAY(err);
		rep_time_curve_release(&c);
		rep_time_release(&t);
	}
	rep_view_release(&v);
	rep_filter_release(&filter);
}

static void clocks(struct fuzz_store *f)
{
	struct rep_clock clock = {0};
	struct tp_err err = {0};
	int64_t wall, ns;

	if (rep_clock_load(f->s, f->run, &clock, &err))
		MUST_SAY(err);
	else if (rep_clock_wall(&clock, f->run->row.duration_ns / 2, &wall))
		rep_clock_run(&clock, wall, &ns);
	rep_clock_release(&clock);
}

static void live(struct fuzz_store *f, int64_t goroutine, uint64_t *pick)
{
	struct rep_life *life;
	struct tp_span span[16];
	struct tp_err err = {0};
	int64_t last = INT64_MIN, number, count, seen = 0;
	size_t got = 1;
	int code = 0;

	if (rep_life_new(&life, f->s, f->run, &(struct rep_goid){goroutine, 0}, NULL, &err)) {
		MUST_SAY(err);
		return;
	}
	count = rep_life_count(life);
	for (int64_t at = 0; at < count && at < 160 && got && !code; at += (int64_t)got) {
		code = rep_life_spans(life, at, 16, span, &got, NULL, &err);
		for (size_t i = 0; i < got && !code; i++, seen++) {
			MUST(f->hostile || (span[i].start >= last && span[i].end >= span[i].start));
			last = span[i].start;
		}
	}
	if (!code)
		code = rep_life_at(life, f->run->row.duration_ns / 2, NULL, &number, &err);
	MUST_WORK(f, code, err);
	if (!code) {
		MUST(f->hostile || count >= 160 || seen == count);
		MUST(number >= 0 && (number < count || !count));
	}
	if (!code) {
		struct tp_buf text = {0};
		struct rep_output *out = fuzz_paper(&text, pick, true);

		code = rep_life_origin(life, out, &err);
		if (!code)
			code = rep_life_print(life, number, 10, NULL, out, &err);
		fuzz_paper_end(out, &text, code, &err);
	}
	rep_life_free(life);
}

void fuzz_time(struct fuzz_store *f, uint64_t pick)
{
	struct tp_rows g = {0};
	struct tp_err err = {0};
	int code;

	bins(f, &pick);
	clocks(f);
	code = tp_rows_load(f->s, f->run->row.id, TP_TABLE_GOROUTINE, 1u << TP_COL(GOROUTINE, id),
			    &g, &err);
	MUST_WORK(f, code, err);
	for (int i = 0; i < 3 && !code && g.nrows; i++)
		live(f, g.col[TP_COL(GOROUTINE, id)][fuzz_pick(&pick, (unsigned)g.nrows)], &pick);
	live(f, 12345, &pick);
	tp_rows_release(&g);
}
