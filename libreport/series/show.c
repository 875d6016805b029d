#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "chart/chart.h"
#include "output/ops.h"
#include "series/series.h"

#define SPARK_CELLS 16

enum {
	COLUMN_FIRST,
	COLUMN_LAST,
	COLUMN_GROWTH,
	COLUMN_SLOPE,
	COLUMN_LEAST,
	COLUMN_MOST,
	COLUMN_RUNS,
	COLUMN_PICTURE,
	COLUMN_TREND,
	COLUMN_NAME,
	NCOLUMNS
};

static const struct rep_column fixed[NCOLUMNS] = {
    [COLUMN_FIRST] = {.name = "first", .title = "FIRST", .drop = 2},
    [COLUMN_LAST] = {.name = "last", .title = "LAST"},
    [COLUMN_GROWTH] = {.name = "growth", .title = "GROWTH"},
    [COLUMN_SLOPE] = {.name = "slope_per_run", .title = "PER RUN", .drop = 1},
    [COLUMN_LEAST] = {.name = "least", .raw_only = true},
    [COLUMN_MOST] = {.name = "most", .raw_only = true},
    [COLUMN_RUNS] = {.name = "runs", .kind = REP_COUNT, .raw_only = true},
    [COLUMN_PICTURE] = {.name = "picture",
			.title = "OVER RUNS",
			.kind = REP_TEXT,
			.table_only = true},
    [COLUMN_TREND] = {.name = "trend", .title = "TREND", .kind = REP_TEXT},
    [COLUMN_NAME] = {.name = "name",
		     .title = "NAME",
		     .kind = REP_TEXT,
		     .shorten = REP_SHORTEN_LEFT,
		     .least = 20},
};

/* The column of the slope, by the unit of time. */
static const struct {
	const char *unit, *name, *title;
} slopes[] = {
    {"second", "slope_per_second", "PER SECOND"},
    {"minute", "slope_per_minute", "PER MINUTE"},
    {"hour", "slope_per_hour", "PER HOUR"},
    {"day", "slope_per_day", "PER DAY"},
};

/* Is it of one kind, or of several (the metrics of traces)? Those are numbers by text in tables. */
static bool one_kind(const struct rep_series_row *row, size_t n, enum rep_kind *kind)
{
	*kind = n ? row[0].kind : REP_COUNT;
	for (size_t i = 1; i < n; i++)
		if (row[i].kind != *kind)
			return false;
	return true;
}

struct table {
	const struct rep_series *s;
	struct rep_column *column;
	struct rep_value *value;
	double *y;
	struct tp_buf picture, text; /* text: of numbers of different kinds, one after the other */
	size_t at[NCOLUMNS];
	size_t n, points; /* columns of all, of runs among them */
	bool ascii, mixed, raw, failed;
};

static int table_init(struct table *t, const struct rep_series *s, bool people, struct tp_err *err)
{
	size_t nrows, points = rep_series_points(s);
	const struct rep_series_row *row = rep_series_rows(s, &nrows);
	enum rep_kind kind;

	t->s = s;
	t->points = people ? 0 : points;
	t->n = NCOLUMNS + t->points;
	t->column = calloc(t->n, sizeof(*t->column));
	t->value = calloc(t->n, sizeof(*t->value));
	t->y = calloc(points + 1, sizeof(*t->y));
	if (!t->column || !t->value || !t->y)
		return tp_nomem(err);
	t->raw = !people;
	t->mixed = !one_kind(row, nrows, &kind) && people;
	for (size_t i = 0; i < t->n; i++) {
		if (i < NCOLUMNS)
			t->column[i] = fixed[i];
		else
			t->column[i] =
			    (struct rep_column){.name = rep_series_point_name(s, i - NCOLUMNS)};
		if (i >= NCOLUMNS || i <= COLUMN_MOST) {
			t->column[i].kind = t->mixed ? REP_TEXT : people ? kind : REP_FLOAT;
			t->column[i].right = t->mixed;
		}
	}
	if (rep_series_functions(s))
		t->column[COLUMN_NAME].shorten = REP_SHORTEN_FUNCTION;
	for (size_t i = 0; i < sizeof(slopes) / sizeof(slopes[0]); i++) {
		if (strcmp(slopes[i].unit, rep_series_unit(s)->name) != 0)
			continue;
		t->column[COLUMN_SLOPE].name = slopes[i].name;
		t->column[COLUMN_SLOPE].title = slopes[i].title;
	}
	return 0;
}

static void table_release(struct table *t)
{
	free(t->column);
	free(t->value);
	free(t->y);
	tp_buf_release(&t->picture);
	tp_buf_release(&t->text);
}

static int64_t whole(double value)
{
	return value >= 9.2e18 ? INT64_MAX : value <= -9.2e18 ? INT64_MIN + 1 : llround(value);
}

/* As a number, or, where rows are of different kinds, as the text that a table would show. */
static struct rep_value number(struct table *t, size_t column, enum rep_kind kind, double value)
{
	struct rep_value v;
	size_t from = t->text.size;

	if (isnan(value))
		return rep_null();
	/* Less than one in a run is something. */
	if (t->raw || kind == REP_SHARE || kind == REP_FLOAT)
		v = rep_float(value);
	else if (kind == REP_COUNT && fabs(value) < 100)
		v = rep_float(round(value * 100) / 100);
	else
		v = rep_int(whole(value));
	if (!t->mixed)
		return v;
	if (rep_put_shown(&t->text, kind, &v) || tp_buf_put(&t->text, "", 1))
		t->failed = true;
	t->at[column] = from;
	return t->failed ? rep_null() : rep_text(NULL, t->text.size - 1 - from);
}

static int print_row(struct table *t, const struct rep_series_row *row, struct rep_output *out,
		     struct tp_err *err)
{
	const double values[] = {row->first, row->last,	 row->growth,
				 row->slope, row->least, row->most};

	t->text.size = 0;
	for (size_t c = 0; c <= COLUMN_MOST; c++)
		t->value[c] = number(t, c, row->kind, values[c]);
	/* Only now does the buffer stay where it is. */
	for (size_t c = 0; c <= COLUMN_MOST && t->mixed; c++)
		if (t->value[c].type == REP_TYPE_TEXT)
			t->value[c].text.data = (const char *)t->text.data + t->at[c];
	rep_series_values(t->s, row, t->y);
	t->picture.size = 0;
	if (t->failed ||
	    rep_sparkline(&t->picture, t->y, rep_series_points(t->s), SPARK_CELLS, t->ascii))
		return tp_nomem(err);
	t->value[COLUMN_RUNS] = rep_int((int64_t)row->runs);
	t->value[COLUMN_PICTURE] = rep_text((const char *)t->picture.data, t->picture.size);
	t->value[COLUMN_TREND] = rep_str(rep_trend_names[row->trend]);
	t->value[COLUMN_NAME] = rep_text(row->name, row->size);
	for (size_t i = 0; i < t->points; i++)
		t->value[NCOLUMNS + i] = number(t, NCOLUMNS + i, row->kind, t->y[i]);
	return rep_output_row(out, t->value, err);
}

int rep_series_print(const struct rep_series *s, struct rep_output *out,
		     const struct rep_series_show *show, struct tp_err *err)
{
	struct table t = {.ascii = show->ascii};
	size_t n, shown;
	const struct rep_series_row *row = rep_series_rows(s, &n);
	int code = table_init(&t, s, rep_output_for_people(out), err);

	shown = show->rows && show->rows < n ? show->rows : n;
	if (!code)
		code = rep_output_begin(out, "series", t.column, t.n, err);
	for (size_t i = 0; i < shown && !code; i++)
		code = print_row(&t, &row[i], out, err);
	if (!code)
		code = rep_output_end(out, err);
	if (!code)
		code = rep_output_more(out, shown, n, "rows", err);
	table_release(&t);
	return code;
}

int rep_series_svg(const struct rep_series *s, const char *title, struct rep_sink sink,
		   struct tp_err *err)
{
	struct rep_chart_line line[REP_SERIES_LINES];
	size_t n, points = rep_series_points(s), lines = 0;
	const struct rep_series_row *row = rep_series_rows(s, &n);
	int64_t unit = rep_series_unit(s)->ns;
	double *x = tp_many(points + 1, sizeof(*x));
	double *y = tp_many(points * REP_SERIES_LINES + 1, sizeof(*y));
	char *names[REP_SERIES_LINES] = {0};
	bool failed = !x || !y;
	int code;

	for (size_t i = 0; x && i < points && !failed; i++)
		x[i] = unit ? rep_series_x(s, i) * (double)unit : rep_series_x(s, i) + 1;
	/* One axis: rows of another kind than the first have no place on it. */
	for (size_t i = 0; i < n && lines < REP_SERIES_LINES && !failed; i++) {
		if (row[i].kind != row[0].kind)
			continue;
		names[lines] = strndup(row[i].name, row[i].size);
		failed |= !names[lines];
		rep_series_values(s, &row[i], y + lines * points);
		line[lines] = (struct rep_chart_line){
		    .name = names[lines], .x = x, .y = y + lines * points, .n = points};
		lines++;
	}
	if (failed) {
		code = tp_nomem(err);
	} else {
		const struct rep_chart chart = {
		    .title = title,
		    .x = {.title = unit ? "time since the first run" : "run",
			  .kind = unit ? REP_NS : REP_COUNT},
		    .y = {.title = "", .kind = n ? row[0].kind : REP_COUNT},
		    .lines = line,
		    .nlines = lines,
		};

		code = rep_chart_svg(&chart, 960, 480, sink, err);
	}
	for (size_t i = 0; i < REP_SERIES_LINES; i++)
		free(names[i]);
	free(x);
	free(y);
	return code;
}
