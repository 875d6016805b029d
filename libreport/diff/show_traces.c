/* Diffs of traces as tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "diff/table.h"
#include "diff/traces.h"

static const struct rep_diff_column columns[] = {
    {REP_CELL_NAME,
     REP_OF_ALL,
     {.name = "metric",
      .title = "METRIC",
      .kind = REP_TEXT,
      .shorten = REP_SHORTEN_MIDDLE,
      .least = 34}},
    REP_DIFF_PEOPLE(OLD_TEXT, ALL, "OLD", "old", 0),
    REP_DIFF_PEOPLE(NEW_TEXT, ALL, "NEW", "new", 0),
    REP_DIFF_PEOPLE(DELTA_TEXT, ALL, "DELTA", "delta", 4),
    REP_DIFF_PEOPLE(CHANGE_TEXT, ALL, "CHANGE", "change", 0),
    REP_DIFF_PEOPLE(INTERVAL, ALL, "95%", "delta_low", 2),
    REP_DIFF_PEOPLE(Q_TEXT, SETS, "Q", "q", 3),
    {REP_CELL_VERDICT,
     REP_OF_ALL,
     {.name = "VERDICT", .kind = REP_TEXT, .table_only = true, .least = 7}},
    REP_DIFF_RAW(SECTION, ALL, "section", REP_TEXT),
    REP_DIFF_RAW(FAMILY, ALL, "family", REP_TEXT),
    REP_DIFF_RAW(BY, ALL, "by", REP_TEXT),
    REP_DIFF_RAW(MEASURE, ALL, "name", REP_TEXT),
    REP_DIFF_RAW(STAT, ALL, "stat", REP_TEXT),
    REP_DIFF_RAW(UNIT, ALL, "unit", REP_TEXT),
    REP_DIFF_RAW(PER, ALL, "per", REP_TEXT),
    REP_DIFF_RAW(EXACT, ALL, "exact", REP_BOOL),
    REP_DIFF_RAW(STATUS, ALL, "status", REP_TEXT),
    REP_DIFF_RAW(OLD, ALL, "old", REP_FLOAT),
    REP_DIFF_RAW(NEW, ALL, "new", REP_FLOAT),
    REP_DIFF_RAW(DELTA, ALL, "delta", REP_FLOAT),
    REP_DIFF_RAW(CHANGE, ALL, "change", REP_FLOAT),
    REP_DIFF_RAW(OLD_LOW, ALL, "old_low", REP_FLOAT),
    REP_DIFF_RAW(OLD_HIGH, ALL, "old_high", REP_FLOAT),
    REP_DIFF_RAW(NEW_LOW, ALL, "new_low", REP_FLOAT),
    REP_DIFF_RAW(NEW_HIGH, ALL, "new_high", REP_FLOAT),
    REP_DIFF_RAW(DELTA_LOW, ALL, "delta_low", REP_FLOAT),
    REP_DIFF_RAW(DELTA_HIGH, ALL, "delta_high", REP_FLOAT),
    REP_DIFF_RAW(OLD_EVENTS, ALL, "old_events", REP_COUNT),
    REP_DIFF_RAW(NEW_EVENTS, ALL, "new_events", REP_COUNT),
    REP_DIFF_RAW(N_OLD, ALL, "n_old", REP_COUNT),
    REP_DIFF_RAW(N_NEW, ALL, "n_new", REP_COUNT),
    REP_DIFF_RAW(P, ALL, "p", REP_FLOAT),
    REP_DIFF_RAW(Q, ALL, "q", REP_FLOAT),
    REP_DIFF_RAW(VERDICT, ALL, "verdict", REP_TEXT),
};

/* ---- heading ---- */

static const char *per_text(const struct rep_diff *d, char text[200])
{
	switch (d->opt.per.per) {
	case REP_PER_SECOND:
		return d->ticks ? "per 10^9 ticks of a run" : "per second of a run";
	case REP_PER_TASK:
		snprintf(text, 200, "per complete task%s%.120s", d->opt.per.task ? " of type " : "",
			 d->opt.per.task ? d->opt.per.task : "");
		return text;
	default:
		return "of whole runs, whatever their length";
	}
}

static int put_load(const struct rep_diff *d, struct rep_output *out, struct tp_err *err)
{
	char text[600], per[200], old[REP_AMOUNT_SIZE], new[REP_AMOUNT_SIZE];
	char old_tasks[REP_DIFF_VALUE], new_tasks[REP_DIFF_VALUE];
	const char *unit = d->ticks ? "ticks" : "nanoseconds";
	bool tasks = d->old_tasks > 0 && d->new_tasks > 0;
	double load = tasks ? d->new_tasks / d->old_tasks : 1;
	int n = snprintf(text, sizeof(text), "%s%s, then %s", d->sets ? "lengths (medians): " : "",
			 rep_amount(old, (int64_t)d->old_length, unit, NULL),
			 rep_amount(new, (int64_t)d->new_length, unit, NULL));
	int code;

	if (tasks)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "; %s tasks/s, then %s",
			      rep_traces_number(old_tasks, d->old_tasks),
			      rep_traces_number(new_tasks, d->new_tasks));
	snprintf(text + n, sizeof(text) - (size_t)n, "; times and numbers are %s",
		 per_text(d, per));
	code = rep_output_note(out, false, text, err);
	if (!code && (load > 1.1 || load < 1 / 1.1) && d->opt.per.per != REP_PER_TASK) {
		snprintf(
		    text, sizeof(text),
		    "the load differs: %.3g times the tasks a second; --per=task compares what "
		    "a task takes",
		    load);
		code = rep_output_note(out, true, text, err);
	} else if (!code && !tasks && d->opt.per.per == REP_PER_RUN &&
		   fabs(d->new_length / d->old_length - 1) > 0.05) {
		code = rep_output_note(out, true,
				       "the runs are of different length, which totals and counts "
				       "follow; --per=second divides by it",
				       err);
	}
	return code;
}

int rep_traces_heading(const struct rep_diff *d, const struct rep_diff_show *show,
		       struct rep_output *out, struct tp_err *err)
{
	char text[800];
	int code;

	snprintf(text, sizeof(text), "%.300s, then %.300s: traces", show->old, show->new);
	code = rep_output_note(out, true, text, err);
	if (!code)
		code = put_load(d, out, err);
	if (d->sets)
		snprintf(text, sizeof(text),
			 "medians of %zu and %zu runs; changed: Q at most %g, %zu tests", d->nold,
			 d->nnew, d->opt.alpha, d->tests);
	else
		snprintf(text, sizeof(text),
			 "differs: by more than the windows of each run do (Q at most %g, %zu "
			 "tests); how far two runs of one build differ takes several of each",
			 d->opt.alpha, d->tests);
	return code ? code : rep_output_note(out, false, text, err);
}

/* ---- rows ---- */

static void put_percent(char text[24], double percent, bool sign)
{
	if (fabs(percent) >= 999.5)
		snprintf(text, 24, percent > 0 ? ">999" : "<-999");
	else
		snprintf(text, 24, fabs(percent) < 9.95 ? sign ? "%+.1f" : "%.1f" : "%+.0f",
			 percent);
}

static void put_interval(const struct rep_diff_row *row, char text[64])
{
	char low[24], high[24];

	text[0] = '\0';
	if (!row->of_delta.known || !(row->old > 0))
		return;
	put_percent(low, row->of_delta.low / row->old * 100, true);
	put_percent(high, row->of_delta.high / row->old * 100, true);
	snprintf(text, 64, "%s..%s%%", low, high);
}

void rep_traces_texts(const struct rep_diff *d, const struct rep_diff_show *show,
		      const struct rep_diff_row *row, struct rep_diff_texts *t)
{
	double delta = row->new - row->old, change = row->change;
	char plain[REP_DIFF_VALUE];

	(void)show;
	rep_diff_value(d, row, row->old, t->old);
	rep_diff_value(d, row, row->new, t->new);
	rep_diff_value(d, row, delta, plain);
	snprintf(t->delta, sizeof(t->delta), "%s%s", delta > 0 ? "+" : "", plain);
	if (row->status == REP_STATUS_ADDED || row->status == REP_STATUS_GONE)
		snprintf(t->change, sizeof(t->change),
			 row->status == REP_STATUS_ADDED ? "new" : "gone");
	else if (isnan(change))
		snprintf(t->change, sizeof(t->change), "%s",
			 delta > 0    ? "+\xe2\x88\x9e"
			 : delta == 0 ? "0%"
				      : "");
	else
		rep_amount_percent(t->change, change * 100);
	put_interval(row, t->interval);
}

static struct rep_value number(double v)
{
	return isnan(v) ? rep_null() : rep_float(v);
}

void rep_traces_cells(const struct rep_diff *d, const struct rep_diff_row *row, struct rep_value *v)
{
	bool divided = row->stat == REP_STAT_TOTAL || row->stat == REP_STAT_COUNT;

	v[REP_CELL_SECTION] = rep_str(rep_trace_sections[row->section].name);
	v[REP_CELL_FAMILY] = rep_str(rep_families[row->family].name);
	v[REP_CELL_BY] = rep_str(rep_measure_bys[row->by]);
	v[REP_CELL_MEASURE] = rep_str(row->name);
	v[REP_CELL_STAT] = rep_str(rep_stats_of[row->stat].name);
	v[REP_CELL_UNIT] =
	    rep_str(d->ticks && !strcmp(row->unit, "nanoseconds") ? "ticks" : row->unit);
	v[REP_CELL_PER] = rep_str(divided ? rep_pers[d->opt.per.per] : "");
	v[REP_CELL_EXACT] = rep_int(row->exact);
	v[REP_CELL_OLD] = number(row->old);
	v[REP_CELL_NEW] = number(row->new);
	v[REP_CELL_DELTA] = number(row->new - row->old);
	v[REP_CELL_CHANGE] = number(row->change);
	v[REP_CELL_OLD_EVENTS] = rep_int(row->old_count);
	v[REP_CELL_NEW_EVENTS] = rep_int(row->new_count);
}

/* By what they measure, then in their order. */
static int by_measure(const void *pa, const void *pb)
{
	const struct rep_diff_row *a = *(const struct rep_diff_row *const *)pa,
				  *b = *(const struct rep_diff_row *const *)pb;
	int order;

	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	if (a->by != b->by)
		return a->by < b->by ? -1 : 1;
	order = strcmp(a->name, b->name);
	return order ? order : (a > b) - (a < b);
}

static bool same_measure(const struct rep_diff_row *a, const struct rep_diff_row *b)
{
	return a->family == b->family && a->by == b->by && !strcmp(a->name, b->name);
}

static int in_order(const void *pa, const void *pb)
{
	const struct rep_diff_row *a = *(const struct rep_diff_row *const *)pa,
				  *b = *(const struct rep_diff_row *const *)pb;

	return (a > b) - (a < b);
}

/* The first row of each measure, where that changed, in the order of the rows; `row` has room for
 * all. How many there are. */
static size_t first_of_each(const struct rep_diff *d, const struct rep_diff_row **row)
{
	const struct rep_diff_row *last = NULL;
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		row[i] = &d->row[i];
	qsort(row, d->n, sizeof(*row), by_measure);
	for (size_t i = 0; i < d->n; i++) {
		bool first = !last || !same_measure(last, row[i]);

		last = row[i];
		if (first && last->verdict == REP_VERDICT_CHANGED)
			row[n++] = last;
	}
	qsort(row, n, sizeof(*row), in_order);
	return n;
}

/* What changed most, each measure once. */
static int put_most(struct rep_diff_table *t, size_t rows, struct tp_err *err)
{
	const struct rep_diff *d = t->d;
	const struct rep_diff_row **row;
	size_t changed = 0, n;
	char text[160];
	int code = rep_output_note(t->out, false, "", err);

	for (size_t i = 0; i < d->n; i++)
		changed += d->row[i].verdict == REP_VERDICT_CHANGED;
	if (!code && !changed)
		return rep_output_note(t->out, true,
				       d->sets ? "no metric changed, as far as these runs can tell"
					       : "no metric differs by more than its windows do",
				       err);
	if (!code)
		code = rep_output_note(t->out, true,
				       "what changed most, by the least change that its interval "
				       "leaves possible",
				       err);
	if (!code)
		code = rep_diff_table_begin(t, "most", err);
	if (code)
		return code;
	row = tp_many(d->n, sizeof(*row));
	if (!row)
		return tp_nomem(err);
	n = first_of_each(d, row);
	for (size_t i = 0; !code && i < n && i < rows; i++)
		code = rep_diff_table_row(t, row[i], err);
	free(row);
	if (!code)
		code = rep_output_end(t->out, err);
	snprintf(text, sizeof(text), "%zu of %zu metrics %s", changed, d->n,
		 d->sets	? "changed"
		 : changed == 1 ? "differs"
				: "differ");
	return code ? code : rep_output_note(t->out, false, text, err);
}

static int put_section(struct rep_diff_table *t, unsigned section, size_t rows, struct tp_err *err)
{
	const struct rep_diff *d = t->d;
	char text[160];
	size_t n = 0, shown = 0;
	int code;

	for (size_t i = 0; i < d->n; i++)
		n += d->row[i].section == section;
	if (!n)
		return 0;
	code = rep_output_note(t->out, false, "", err);
	snprintf(text, sizeof(text), "%s: %s", rep_trace_sections[section].name,
		 rep_trace_sections[section].doc);
	if (!code)
		code = rep_output_note(t->out, true, text, err);
	if (!code)
		code = rep_diff_table_begin(t, rep_trace_sections[section].name, err);
	for (size_t i = 0; !code && i < d->n && (!rows || shown < rows); i++) {
		if (d->row[i].section != section)
			continue;
		code = rep_diff_table_row(t, &d->row[i], err);
		shown++;
	}
	if (!code)
		code = rep_output_end(t->out, err);
	if (code || shown == n)
		return code;
	snprintf(text, sizeof(text), "%zu of %zu; --by=%s shows more, -n 0 all", shown, n,
		 rep_trace_sections[section].name);
	return rep_output_note(t->out, false, text, err);
}

int rep_traces_rows(const struct rep_diff *d, const struct rep_diff_show *show,
		    struct rep_output *out, struct tp_err *err)
{
	struct rep_diff_table t;
	bool any_hist = false;
	int code = 0;

	rep_diff_table_init(&t, d, show, out, columns, sizeof(columns) / sizeof(columns[0]));
	if (show->one || !t.people) {
		code = rep_diff_table_begin(&t, "metrics", err);
		for (size_t i = 0; !code && i < d->n && (!show->rows || i < show->rows); i++)
			code = rep_diff_table_row(&t, &d->row[i], err);
		rep_diff_table_release(&t);
		return code ? code : rep_output_end(out, err);
	}
	if (show->overview)
		code = put_most(&t, show->rows ? 2 * show->rows : d->n, err);
	for (unsigned s = 0; !code && s < REP_NTRACE_SECTIONS; s++)
		code = put_section(&t, s, show->rows, err);
	rep_diff_table_release(&t);
	for (size_t i = 0; i < d->n; i++)
		any_hist = any_hist || !d->row[i].exact;
	if (!code && any_hist)
		code = rep_output_note(out, false,
				       "percentiles: of what goroutines do from histograms, within "
				       "1 %; others exact",
				       err);
	return code;
}
