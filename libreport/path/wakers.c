/* Writes who wakes whom as a table. */
#include "base/many.h"
#include "path/table.h"

static const struct rep_column wake_columns[] = {
    {.name = "count", .doc = "wake-ups", .title = "COUNT", .kind = REP_COUNT},
    {.name = "waited_ns", .doc = "time waited until then", .title = "WAITED", .kind = REP_NS},
    {.name = "p50_ns",
     .doc = "median of the time from the wake-up until it runs",
     .title = "P50",
     .kind = REP_NS,
     .drop = 2},
    {.name = "p90_ns", .doc = "90th percentile of that", .kind = REP_NS, .raw_only = true},
    {.name = "p99_ns", .doc = "99th percentile of that", .title = "P99", .kind = REP_NS},
    {.name = "max_ns", .doc = "the longest of that", .title = "MAX", .kind = REP_NS, .drop = 1},
    {.name = "worst_at_ns",
     .doc = "when that wake-up was, since the run began",
     .title = "WORST AT",
     .kind = REP_NS,
     .drop = 3},
    {.name = "waker",
     .doc = "the waker, with --json-head",
     .title = "WAKER",
     .table_only = true,
     .shorten = REP_SHORTEN_FUNCTION},
    {.name = "woken",
     .doc = "whom it wakes, with --json-head",
     .title = "WAKES",
     .table_only = true,
     .shorten = REP_SHORTEN_FUNCTION},
    {.name = "reason", .doc = "what was waited for, as Go names it", .title = "FROM"},
    {.name = "ran",
     .doc = "wake-ups after which the goroutine ran in the run",
     .kind = REP_COUNT,
     .raw_only = true},
    {.name = "latency_ns",
     .doc = "sum of the times from wake-ups until it runs",
     .kind = REP_NS,
     .raw_only = true},
    {.name = "exact",
     .doc = "percentiles are exact, not from histograms",
     .kind = REP_BOOL,
     .raw_only = true},
    {.name = "waker_kind", .doc = "goroutine, or what woke from outside", .raw_only = true},
    {.name = "waker_entry", .doc = "entry function of the waker", .raw_only = true},
    {.name = "waker_function",
     .doc = "the waker's innermost function outside the runtime",
     .raw_only = true},
    {.name = "waker_stack", .doc = "where it woke, leaf first", .raw_only = true},
    {.name = "woken_entry", .doc = "entry function of the goroutine woken", .raw_only = true},
    {.name = "woken_function", .doc = "innermost function where it waited", .raw_only = true},
    {.name = "woken_stack", .doc = "where it waited, leaf first", .raw_only = true},
};
#define WAKE_COLUMNS TP_COUNT_OF(wake_columns)

static struct rep_value percentile(const struct rep_wake *w, int which)
{
	int64_t ns = w->latency.ns[which];

	if (!w->latency.known)
		return rep_null();
	return rep_int(ns > w->max_ns ? w->max_ns : ns);
}

/* Returns the place of a goroutine: the site of its stack, or with `stacks` all frames from the site on. */
static struct rep_value place(struct rep_path_table *p, uint32_t entry, uint32_t stack, bool stacks)
{
	struct tp_text site = rep_path_function(p->v->dict, entry, stack);

	return stacks ? rep_table_where(p, entry, stack) : rep_text(site.text, site.size);
}

static int write_wake(struct rep_path_table *p, const struct rep_wake *w, bool exact, bool stacks,
		      struct tp_err *err)
{
	bool goroutine = !w->outside;
	struct rep_value outside = rep_str(rep_path_kinds[w->outside].name);
	struct rep_value row[WAKE_COLUMNS] = {
	    rep_int(w->count),
	    rep_int(w->waited_ns),
	    percentile(w, REP_P50),
	    percentile(w, REP_P90),
	    percentile(w, REP_P99),
	    w->ran ? rep_int(w->max_ns) : rep_null(),
	    w->ran ? rep_int(w->worst_ns) : rep_null(),
	    goroutine ? place(p, w->waker_entry, w->waker_stack, stacks) : outside,
	    place(p, w->entry, w->stack, stacks),
	    rep_table_string(p, w->reason),
	    rep_int(w->ran),
	    rep_int(w->latency_ns),
	    rep_int(exact),
	    goroutine ? rep_str("goroutine") : outside,
	    goroutine ? rep_table_string(p, w->waker_entry) : rep_null(),
	    rep_stack_function(&p->texts, w->waker_stack),
	    rep_stack_names(&p->texts, w->waker_stack),
	    rep_table_string(p, w->entry),
	    rep_stack_function(&p->texts, w->stack),
	    rep_stack_names(&p->texts, w->stack),
	};

	return rep_table_row(p, row, err);
}

int rep_wakes_show(struct rep_output *out, struct rep_view *v, const struct rep_wakes *wakes,
		   int64_t rows, bool stacks, struct tp_err *err)
{
	const struct rep_path_page ask = {.v = v, .rows = rows};
	struct rep_path_table p;
	struct rep_column own[WAKE_COLUMNS];
	size_t shown;
	int code;

	rep_table_init(&p, &ask, out);
	shown = rep_table_limit(&p, wakes->n, REP_TABLE_ROWS / 2);
	code = rep_table_begin(&p, "wakers", wake_columns, WAKE_COLUMNS, own, err);
	for (size_t i = 0; i < shown && !code; i++)
		code = write_wake(&p, &wakes->wake[i], wakes->exact, stacks, err);
	if (!code)
		code = rep_table_end(&p, shown, wakes->n, rep_wake_keys[wakes->sort].first, err);
	if (!code && !wakes->exact)
		code = rep_output_note(out, false, REP_DIST_WITHIN, err);
	return rep_texts_end(&p.texts, code, err);
}
