/* Diffs of traces as tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/table.h"
#include "diff/trace/interval.h"

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
			      rep_amount_digits(old_tasks, d->old_tasks),
			      rep_amount_digits(new_tasks, d->new_tasks));
	snprintf(text + n, sizeof(text) - (size_t)n, "; totals and counts are %s",
		 per_text(d, per));
	code = rep_output_note(out, false, text, err);
	if ((load > 1.1 || load < 1 / 1.1) && d->opt.per.per != REP_PER_TASK) {
		snprintf(
		    text, sizeof(text),
		    "the load differs: %.3g times the tasks a second; --per=task compares what "
		    "a task takes",
		    load);
		code = rep_output_note(out, true, text, err);
	} else if (!tasks && d->opt.per.per == REP_PER_RUN &&
		   fabs(d->new_length / d->old_length - 1) > 0.05) {
		code = rep_output_note(
		    out, true,
		    "the lengths of the runs differ, and totals and counts grow with "
		    "them; --per=second divides by the length",
		    err);
	}
	return code;
}

static int put_heading(const struct rep_diff *d, const struct rep_diff_show *show,
		       struct rep_output *out, struct tp_err *err)
{
	char text[800];

	snprintf(text, sizeof(text), "%.300s, then %.300s: traces", show->old, show->new);
	rep_output_note(out, true, text, err);
	put_load(d, out, err);
	if (d->sets)
		snprintf(text, sizeof(text),
			 "medians of %zu and %zu runs; changed: Q at most %g, %zu tests", d->nold,
			 d->nnew, d->opt.alpha, d->tests);
	else
		snprintf(
		    text, sizeof(text),
		    "differs: by more than the windows of each run do (Q at most %g, %zu "
		    "tests); runs of one build differ, too: to allow for that, compare several "
		    "of each",
		    d->opt.alpha, d->tests);
	return rep_output_note(out, false, text, err);
}

/* ---- rows ---- */

static void put_percent(char text[24], double percent)
{
	if (fabs(percent) >= 999.5)
		snprintf(text, 24, percent > 0 ? ">999" : "<-999");
	else
		snprintf(text, 24, fabs(percent) < 9.95 ? "%+.1f" : "%+.0f", percent);
}

static void put_interval(const struct rep_diff_row *row, char text[64])
{
	char low[24], high[24];

	text[0] = '\0';
	if (!row->of_delta.known || !(row->old > 0))
		return;
	put_percent(low, row->of_delta.low / row->old * 100);
	put_percent(high, row->of_delta.high / row->old * 100);
	snprintf(text, 64, "%s..%s%%", low, high);
}

static void put_row(struct rep_diff_table *t, const struct rep_diff_row *row)
{
	const struct rep_diff *d = t->d;
	const char *unit = rep_stats_of[row->stat].unit;
	bool divided = row->stat == REP_STAT_TOTAL || row->stat == REP_STAT_COUNT;

	if (t->texts)
		put_interval(row, t->more[0]);
	rep_diff_cell(t,
		      (struct rep_column){.name = "metric",
					  .title = "METRIC",
					  .kind = REP_TEXT,
					  .shorten = REP_SHORTEN_MIDDLE,
					  .least = 34},
		      rep_text((char *)t->name.data, t->name.size));
	rep_diff_text_cell(t, "OLD", "old", 0, t->old);
	rep_diff_text_cell(t, "NEW", "new", 0, t->new);
	rep_diff_delta_cells(t, row, "delta", "change", 4);
	rep_diff_text_cell(t, "95%", "delta_low", 2, t->more[0]);
	if (d->sets)
		rep_diff_text_cell(t, "Q", "q", 3, t->q);
	rep_diff_verdict_cell(t, row, 7);
	rep_diff_raw_cell(t, "section", REP_TEXT, rep_str(rep_trace_sections[row->section].name));
	rep_diff_raw_cell(t, "family", REP_TEXT, rep_str(rep_families[row->family].name));
	rep_diff_raw_cell(t, "by", REP_TEXT, rep_str(rep_measure_bys[row->by]));
	rep_diff_raw_cell(t, "name", REP_TEXT, rep_str(row->name));
	rep_diff_raw_cell(t, "stat", REP_TEXT, rep_str(rep_stats_of[row->stat].name));
	rep_diff_raw_cell(t, "unit", REP_TEXT,
			  rep_str(d->ticks && !strcmp(unit, "nanoseconds") ? "ticks" : unit));
	rep_diff_raw_cell(t, "per", REP_TEXT, rep_str(divided ? rep_pers[d->opt.per.per] : ""));
	rep_diff_raw_cell(t, "exact", REP_BOOL, rep_int(row->exact));
	rep_diff_raw_cell(t, "status", REP_TEXT, rep_str(rep_statuses[row->status]));
	rep_diff_raw_cell(t, "old", REP_FLOAT, rep_diff_number(row->old));
	rep_diff_raw_cell(t, "new", REP_FLOAT, rep_diff_number(row->new));
	rep_diff_raw_cell(t, "delta", REP_FLOAT, rep_diff_number(row->new - row->old));
	rep_diff_raw_cell(t, "change", REP_FLOAT, rep_diff_number(row->change));
	rep_diff_range_cells(t, row);
	rep_diff_raw_cell(t, "old_events", REP_COUNT, rep_int(row->old_count));
	rep_diff_raw_cell(t, "new_events", REP_COUNT, rep_int(row->new_count));
	rep_diff_run_cells(t);
	rep_diff_test_cells(t, row);
}

/* Is the row one of the largest changes? Where sets are so small that nothing can be called changed,
 * rows that may be chance are, too. */
static bool is_large(const struct rep_diff *d, const struct rep_diff_row *row)
{
	return row->verdict == REP_VERDICT_CHANGED || row->verdict == REP_VERDICT_DIFFERS ||
	       (d->few && rep_diff_stands_out(d, row));
}

/* The largest changes, each measure once. */
static int put_most(struct rep_diff_table *t, size_t rows, struct tp_err *err)
{
	const struct rep_diff *d = t->d;
	size_t n = 0;
	bool *seen;
	char text[160];
	int code;

	rep_output_note(t->out, false, "", err);
	for (size_t i = 0; i < d->n; i++)
		n += is_large(d, &d->row[i]);
	if (!n)
		return rep_output_note(
		    t->out, true,
		    d->sets ? "these runs show no change of any metric"
			    : "no metric differs by more than its windows do among themselves",
		    err);
	rep_output_note(
	    t->out, true,
	    d->few ? "largest changes of metrics in which all new runs lie beyond all old ones"
		   : "largest changes, ordered by the smallest change within the 95 % interval",
	    err);
	code = rep_diff_table_begin(t, "most", err);
	if (code)
		return code;
	seen = calloc(d->measures + 1, sizeof(*seen));
	if (!seen)
		return tp_nomem(err);
	for (size_t i = 0; !code && i < d->n && rows; i++) {
		const struct rep_diff_row *row = &d->row[i];

		if (is_large(d, row) && !seen[row->measure]) {
			code = rep_diff_table_row(t, row, err);
			rows--;
		}
		seen[row->measure] = true;
	}
	free(seen);
	if (!code)
		code = rep_output_end(t->out, err);
	if (d->sets && !d->few)
		snprintf(text, sizeof(text), "%zu of %zu metrics changed, %zu more differ",
			 n - d->differing, d->all, d->differing);
	else
		snprintf(text, sizeof(text), "%zu of %zu metrics %s", n, d->all,
			 d->few	  ? "differ in all runs"
			 : n == 1 ? "differs"
				  : "differ");
	return code ? code : rep_output_note(t->out, false, text, err);
}

static int put_section(struct rep_diff_table *t, unsigned section, size_t rows, struct tp_err *err)
{
	const struct rep_diff *d = t->d;
	char text[160];
	size_t n = 0, empty = 0, shown = 0;
	int code;

	for (size_t i = 0; i < d->n; i++) {
		n += d->row[i].section == section;
		empty += d->row[i].section == section && rep_diff_is_empty(t, &d->row[i]);
	}
	if (n == empty)
		return 0;
	rep_output_note(t->out, false, "", err);
	snprintf(text, sizeof(text), "%s: %s", rep_trace_sections[section].name,
		 rep_trace_sections[section].doc);
	rep_output_note(t->out, true, text, err);
	code = rep_diff_table_begin(t, rep_trace_sections[section].name, err);
	for (size_t i = 0; !code && i < d->n && (!rows || shown < rows); i++) {
		if (d->row[i].section != section || rep_diff_is_empty(t, &d->row[i]))
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

static int put_tables(struct rep_diff_table *t, struct tp_err *err)
{
	const struct rep_diff *d = t->d;
	size_t rows = t->show->rows, shown = 0;
	bool any_hist = false;
	int code = 0;

	if (t->show->one || !t->people) {
		code = rep_diff_table_begin(t, "metrics", err);
		for (size_t i = 0; !code && i < d->n && (!rows || shown < rows); i++) {
			if (rep_diff_is_empty(t, &d->row[i]))
				continue;
			code = rep_diff_table_row(t, &d->row[i], err);
			shown++;
		}
		return code ? code : rep_output_end(t->out, err);
	}
	if (t->show->overview)
		code = put_most(t, rows ? 2 * rows : d->n, err);
	for (unsigned s = 0; !code && s < REP_NTRACE_SECTIONS; s++)
		code = put_section(t, s, rows, err);
	for (size_t i = 0; i < d->n; i++)
		any_hist = any_hist || !d->row[i].exact;
	if (!code && any_hist)
		code =
		    rep_output_note(t->out, false,
				    "percentiles of goroutine states are from histograms, within "
				    "1 %; all others are exact",
				    err);
	return code;
}

const struct rep_diff_show_kind rep_traces_show = {put_heading, put_row, put_tables};
