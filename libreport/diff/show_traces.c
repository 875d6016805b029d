/* Diffs of traces as tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "diff/traces.h"

enum column {
	METRIC,
	/* for people */
	OLD,
	NEW,
	DELTA,
	CHANGE,
	INTERVAL,
	Q,
	VERDICT,
	/* for programs */
	SECTION,
	FAMILY,
	BY,
	NAME,
	STAT,
	UNIT,
	PER,
	EXACT,
	STATUS,
	RAW_OLD,
	RAW_NEW,
	RAW_DELTA,
	RAW_CHANGE,
	OLD_LOW,
	OLD_HIGH,
	NEW_LOW,
	NEW_HIGH,
	DELTA_LOW,
	DELTA_HIGH,
	OLD_EVENTS,
	NEW_EVENTS,
	N_OLD,
	N_NEW,
	P,
	RAW_Q,
	RAW_VERDICT,
	NCOLUMNS
};

#define PEOPLE(id, text, raw, rank)                                                                \
	[id] = {.name = (text),                                                                    \
		.title = (text),                                                                   \
		.by = (raw),                                                                       \
		.kind = REP_TEXT,                                                                  \
		.right = true,                                                                     \
		.table_only = true,                                                                \
		.drop = (rank)}
#define RAW(id, text, type) [id] = {.name = (text), .kind = (type), .raw_only = true}

static const struct rep_column columns[NCOLUMNS] = {
    [METRIC] = {.name = "metric",
		.title = "METRIC",
		.kind = REP_TEXT,
		.shorten = REP_SHORTEN_MIDDLE,
		.least = 34},
    PEOPLE(OLD, "OLD", "old", 0),
    PEOPLE(NEW, "NEW", "new", 0),
    PEOPLE(DELTA, "DELTA", "delta", 4),
    PEOPLE(CHANGE, "CHANGE", "change", 0),
    PEOPLE(INTERVAL, "95%", "delta_low", 2),
    PEOPLE(Q, "Q", "q", 3),
    [VERDICT] = {.name = "VERDICT", .kind = REP_TEXT, .table_only = true, .least = 7},
    RAW(SECTION, "section", REP_TEXT),
    RAW(FAMILY, "family", REP_TEXT),
    RAW(BY, "by", REP_TEXT),
    RAW(NAME, "name", REP_TEXT),
    RAW(STAT, "stat", REP_TEXT),
    RAW(UNIT, "unit", REP_TEXT),
    RAW(PER, "per", REP_TEXT),
    RAW(EXACT, "exact", REP_BOOL),
    RAW(STATUS, "status", REP_TEXT),
    RAW(RAW_OLD, "old", REP_FLOAT),
    RAW(RAW_NEW, "new", REP_FLOAT),
    RAW(RAW_DELTA, "delta", REP_FLOAT),
    RAW(RAW_CHANGE, "change", REP_FLOAT),
    RAW(OLD_LOW, "old_low", REP_FLOAT),
    RAW(OLD_HIGH, "old_high", REP_FLOAT),
    RAW(NEW_LOW, "new_low", REP_FLOAT),
    RAW(NEW_HIGH, "new_high", REP_FLOAT),
    RAW(DELTA_LOW, "delta_low", REP_FLOAT),
    RAW(DELTA_HIGH, "delta_high", REP_FLOAT),
    RAW(OLD_EVENTS, "old_events", REP_COUNT),
    RAW(NEW_EVENTS, "new_events", REP_COUNT),
    RAW(N_OLD, "n_old", REP_COUNT),
    RAW(N_NEW, "n_new", REP_COUNT),
    RAW(P, "p", REP_FLOAT),
    RAW(RAW_Q, "q", REP_FLOAT),
    RAW(RAW_VERDICT, "verdict", REP_TEXT),
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

struct texts {
	char old[REP_DIFF_VALUE], new[REP_DIFF_VALUE], delta[REP_DIFF_VALUE + 2];
	char change[REP_AMOUNT_SIZE], interval[64], q[REP_AMOUNT_SIZE];
};

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

static void put_texts(const struct rep_diff *d, const struct rep_diff_row *row, struct texts *t)
{
	double delta = row->new - row->old, change = row->change;
	char plain[REP_DIFF_VALUE];

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
	rep_diff_put_q(t->q, row->q);
}

static struct rep_value number(double v)
{
	return isnan(v) ? rep_null() : rep_float(v);
}

static struct rep_value bound(const struct rep_diff_range *r, double v)
{
	return r->known ? number(v) : rep_null();
}

static void put_values(const struct rep_diff *d, const struct rep_diff_row *row,
		       const struct texts *t, const struct tp_buf *metric, struct rep_value *v)
{
	v[METRIC] = rep_text((const char *)metric->data, metric->size);
	v[OLD] = rep_str(t->old);
	v[NEW] = rep_str(t->new);
	v[DELTA] = rep_str(t->delta);
	v[CHANGE] = rep_str(t->change);
	v[INTERVAL] = rep_str(t->interval);
	v[Q] = rep_str(t->q);
	v[VERDICT] = v[RAW_VERDICT] = rep_str(rep_diff_verdict(d, row->verdict));
	v[SECTION] = rep_str(rep_trace_sections[row->section].name);
	v[FAMILY] = rep_str(rep_families[row->family].name);
	v[BY] = rep_str(rep_measure_bys[row->by]);
	v[NAME] = rep_str(row->name);
	v[STAT] = rep_str(rep_stats_of[row->stat].name);
	v[UNIT] = rep_str(d->ticks && !strcmp(row->unit, "nanoseconds") ? "ticks" : row->unit);
	v[PER] = rep_str(row->stat == REP_STAT_TOTAL || row->stat == REP_STAT_COUNT
			     ? rep_pers[d->opt.per.per]
			     : "");
	v[EXACT] = rep_int(row->exact);
	v[STATUS] = rep_str(rep_statuses[row->status]);
	v[RAW_OLD] = number(row->old);
	v[RAW_NEW] = number(row->new);
	v[RAW_DELTA] = number(row->new - row->old);
	v[RAW_CHANGE] = number(row->change);
	v[OLD_LOW] = bound(&row->of_old, row->of_old.low);
	v[OLD_HIGH] = bound(&row->of_old, row->of_old.high);
	v[NEW_LOW] = bound(&row->of_new, row->of_new.low);
	v[NEW_HIGH] = bound(&row->of_new, row->of_new.high);
	v[DELTA_LOW] = bound(&row->of_delta, row->of_delta.low);
	v[DELTA_HIGH] = bound(&row->of_delta, row->of_delta.high);
	v[OLD_EVENTS] = rep_int(row->old_count);
	v[NEW_EVENTS] = rep_int(row->new_count);
	v[N_OLD] = rep_int((int64_t)d->nold);
	v[N_NEW] = rep_int((int64_t)d->nnew);
	v[P] = number(row->p);
	v[RAW_Q] = number(row->q);
}

/* Columns that this kind of diff has. */
static size_t pick_columns(const struct rep_diff *d, struct rep_column *picked, enum column *place)
{
	size_t n = 0;

	for (int i = 0; i < NCOLUMNS; i++) {
		if (i == Q && !d->sets)
			continue;
		picked[n] = columns[i];
		place[n++] = (enum column)i;
	}
	return n;
}

struct table {
	const struct rep_diff *d;
	struct rep_output *out;
	struct rep_column column[NCOLUMNS];
	enum column place[NCOLUMNS];
	size_t ncolumns;
};

static int put_row(struct table *t, const struct rep_diff_row *row, struct tp_err *err)
{
	struct rep_value all[NCOLUMNS], values[NCOLUMNS];
	struct tp_buf metric = {0};
	struct texts texts;
	size_t names;
	int code = 0;

	if (rep_diff_name(t->d, row, &metric, &names)) {
		tp_buf_release(&metric);
		return tp_nomem(err);
	}
	put_texts(t->d, row, &texts);
	put_values(t->d, row, &texts, &metric, all);
	for (size_t i = 0; i < t->ncolumns; i++)
		values[i] = all[t->place[i]];
	code = rep_output_row(t->out, values, err);
	tp_buf_release(&metric);
	return code;
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
static int put_most(struct table *t, size_t rows, struct tp_err *err)
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
		code = rep_output_begin(t->out, "most", t->column, t->ncolumns, err);
	if (code)
		return code;
	row = tp_many(d->n, sizeof(*row));
	if (!row)
		return tp_nomem(err);
	n = first_of_each(d, row);
	for (size_t i = 0; !code && i < n && i < rows; i++)
		code = put_row(t, row[i], err);
	free(row);
	if (!code)
		code = rep_output_end(t->out, err);
	snprintf(text, sizeof(text), "%zu of %zu metrics %s", changed, d->n,
		 d->sets	? "changed"
		 : changed == 1 ? "differs"
				: "differ");
	return code ? code : rep_output_note(t->out, false, text, err);
}

static int put_section(struct table *t, unsigned section, size_t rows, struct tp_err *err)
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
		code = rep_output_begin(t->out, rep_trace_sections[section].name, t->column,
					t->ncolumns, err);
	for (size_t i = 0; !code && i < d->n && (!rows || shown < rows); i++) {
		if (d->row[i].section != section)
			continue;
		code = put_row(t, &d->row[i], err);
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
	struct table t = {.d = d, .out = out};
	bool any_hist = false;
	int code = 0;

	t.ncolumns = pick_columns(d, t.column, t.place);
	if (show->one || !rep_output_for_people(out)) {
		code = rep_output_begin(out, "metrics", t.column, t.ncolumns, err);
		for (size_t i = 0; !code && i < d->n && (!show->rows || i < show->rows); i++)
			code = put_row(&t, &d->row[i], err);
		return code ? code : rep_output_end(out, err);
	}
	if (show->overview)
		code = put_most(&t, show->rows ? 2 * show->rows : d->n, err);
	for (unsigned s = 0; !code && s < REP_NTRACE_SECTIONS; s++)
		code = put_section(&t, s, show->rows, err);
	for (size_t i = 0; i < d->n; i++)
		any_hist = any_hist || !d->row[i].exact;
	if (!code && any_hist)
		code = rep_output_note(out, false,
				       "percentiles: of what goroutines do from histograms, within "
				       "1 %; others exact",
				       err);
	return code;
}
