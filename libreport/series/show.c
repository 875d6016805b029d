#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
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
	COLUMN_UNIT,
	COLUMN_PICTURE,
	COLUMN_TREND,
	COLUMN_NAME,
	NCOLUMNS
};

static const struct rep_column fixed[NCOLUMNS] = {
    [COLUMN_FIRST] = {.name = "first", .doc = "in the first run", .title = "FIRST", .drop = 2},
    [COLUMN_LAST] = {.name = "last", .doc = "in the last run", .title = "LAST"},
    [COLUMN_GROWTH] = {.name = "growth", .doc = "last minus first", .title = "GROWTH"},
    [COLUMN_SLOPE] = {.doc = "slope of the line through the runs",
		      .drop = 1}, /* named by the unit */
    [COLUMN_LEAST] = {.name = "least", .doc = "the smallest of all runs", .raw_only = true},
    [COLUMN_MOST] = {.name = "most", .doc = "the largest of all runs", .raw_only = true},
    [COLUMN_RUNS] = {.name = "runs",
		     .doc = "runs that have it",
		     .kind = REP_COUNT,
		     .raw_only = true},
    [COLUMN_UNIT] = {.name = "unit",
		     .doc = "of the row's values: nanoseconds, bytes, count or share; empty: none",
		     .kind = REP_TEXT,
		     .raw_only = true},
    [COLUMN_PICTURE] = {.name = "picture",
			.doc = "its values over the runs, with --json-head",
			.title = "OVER RUNS",
			.kind = REP_TEXT,
			.table_only = true},
    [COLUMN_TREND] = {.name = "trend",
		      .doc = "rises, falls, or neither",
		      .title = "TREND",
		      .kind = REP_TEXT},
    [COLUMN_NAME] = {.name = "name",
		     .doc = "what the row is about",
		     .title = "NAME",
		     .kind = REP_TEXT,
		     .shorten = REP_SHORTEN_LEFT,
		     .least = 20},
};

static const char *unit_of(enum rep_kind kind)
{
	return kind == REP_NS	   ? "nanoseconds"
	       : kind == REP_BYTES ? "bytes"
	       : kind == REP_COUNT ? "count"
	       : kind == REP_SHARE ? "share"
				   : "";
}

static bool is_taken(const struct rep_column *columns, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (columns[i].name && !strcmp(columns[i].name, name))
			return true;
	return false;
}

/* Returns the name of run i as a key that no column before it has: "x.heap (2)". NULL: out of memory. */
static const char *key_of(const struct rep_series *s, size_t i, const struct rep_column *columns,
			  struct tp_arena *names)
{
	const char *name = s->point[i].name;
	size_t size = strlen(name) + 24, k = 1 + is_taken(columns, NCOLUMNS, name);
	char *text;

	if (!is_taken(columns, NCOLUMNS + i, name))
		return name;
	for (size_t j = 0; j < i; j++)
		k += !strcmp(s->point[j].name, name);
	text = tp_arena_alloc(names, size);
	if (!text)
		return NULL;
	do
		snprintf(text, size, "%s (%zu)", name, k++);
	while (is_taken(columns, NCOLUMNS + i, text));
	return text;
}

/* Returns whether rows are of several kinds (the metrics of traces), which tables show as text. */
static bool is_mixed(const struct rep_series *s)
{
	for (size_t i = 1; i < s->nrows; i++)
		if (s->row[i].kind != s->row[0].kind)
			return true;
	return false;
}

/* Of the parts of a profile's time, sums say more than how the first differs from the last. */
static void as_parts(struct rep_column column[NCOLUMNS])
{
	column[COLUMN_FIRST] =
	    (struct rep_column){.name = "sum", .doc = "of all parts", .title = "SUM"};
	column[COLUMN_LAST].raw_only = column[COLUMN_GROWTH].raw_only = true;
	column[COLUMN_SLOPE].raw_only = true;
	column[COLUMN_MOST].raw_only = false;
	column[COLUMN_MOST].title = "MOST";
	column[COLUMN_PICTURE].title = "OVER TIME";
}

struct table {
	const struct rep_series *s;
	struct rep_column *column;
	struct rep_value *value;
	double *y;
	struct tp_buf picture, text;
	struct tp_arena texts; /* of the row being written */
	struct tp_arena names; /* of columns */
	size_t n, points;      /* number of all columns, and of those of runs */
	bool ascii, mixed, raw;
};

static int table_init(struct table *t, const struct rep_series *s, bool people, struct tp_err *err)
{
	enum rep_kind kind = s->nrows ? s->row[0].kind : REP_COUNT;

	t->s = s;
	t->points = people ? 0 : s->npoints;
	t->n = NCOLUMNS + t->points;
	t->column = calloc(t->n, sizeof(*t->column));
	t->value = calloc(t->n, sizeof(*t->value));
	t->y = calloc(s->npoints + 1, sizeof(*t->y));
	if (!t->column || !t->value || !t->y)
		return tp_nomem(err);
	t->raw = !people;
	t->mixed = people && is_mixed(s);
	memcpy(t->column, fixed, sizeof(fixed));
	if (s->parts)
		as_parts(t->column);
	t->column[COLUMN_SLOPE].name = s->unit->column;
	t->column[COLUMN_SLOPE].title = s->unit->title;
	for (size_t i = 0; i < t->n; i++) {
		if (i >= NCOLUMNS)
			t->column[i].name = key_of(s, i - NCOLUMNS, t->column, &t->names);
		if (!t->column[i].name)
			return tp_nomem(err);
		if (i >= NCOLUMNS || i <= COLUMN_MOST) {
			t->column[i].kind = t->mixed ? REP_TEXT : people ? kind : REP_FLOAT;
			t->column[i].right = t->mixed;
		}
	}
	if (s->functions)
		t->column[COLUMN_NAME].shorten = REP_SHORTEN_FUNCTION;
	return 0;
}

static void table_release(struct table *t)
{
	free(t->column);
	free(t->value);
	free(t->y);
	tp_buf_release(&t->picture);
	tp_buf_release(&t->text);
	tp_arena_clear(&t->texts);
	tp_arena_clear(&t->names);
}

static int64_t whole(double value)
{
	return value >= 9.2e18 ? INT64_MAX : value <= -9.2e18 ? INT64_MIN + 1 : llround(value);
}

/* Returns a number or, if rows are of different kinds, the text that a table would show. */
static struct rep_value number(struct table *t, enum rep_kind kind, double value)
{
	struct rep_value v;
	const char *text;

	if (isnan(value))
		return rep_null();
	/* Averages below one must stay visible. */
	if (t->raw || kind == REP_SHARE || kind == REP_FLOAT)
		v = rep_float(value);
	else if (kind == REP_COUNT && fabs(value) < 100)
		v = rep_float(round(value * 100) / 100);
	else
		v = rep_int(whole(value));
	if (!t->mixed)
		return v;
	t->text.size = 0;
	if (rep_put_shown(&t->text, kind, &v))
		return rep_lack();
	text = tp_arena_strndup(&t->texts, t->text.data, t->text.size);
	return text ? rep_text(text, t->text.size) : rep_lack();
}

static int print_row(struct table *t, const struct rep_series_row *row, struct rep_output *out,
		     struct tp_err *err)
{
	const double values[] = {t->s->parts ? row->sum : row->first,
				 row->last,
				 row->growth,
				 row->slope,
				 row->least,
				 row->most};

	tp_arena_clear(&t->texts);
	for (size_t c = 0; c <= COLUMN_MOST; c++)
		t->value[c] = number(t, row->kind, values[c]);
	rep_series_values(t->s, row, t->y);
	t->picture.size = 0;
	if (rep_sparkline(&t->picture, t->y, t->s->npoints, SPARK_CELLS, t->ascii))
		return tp_nomem(err);
	t->value[COLUMN_RUNS] = rep_int((int64_t)row->runs);
	t->value[COLUMN_UNIT] = rep_str(unit_of(row->kind));
	t->value[COLUMN_PICTURE] = rep_text((const char *)t->picture.data, t->picture.size);
	t->value[COLUMN_TREND] = rep_str(rep_trend_names[row->trend]);
	t->value[COLUMN_NAME] = rep_text(row->name, row->size);
	for (size_t i = 0; i < t->points; i++)
		t->value[NCOLUMNS + i] = number(t, row->kind, t->y[i]);
	return rep_output_row(out, t->value, err);
}

int rep_series_print(const struct rep_series *s, struct rep_output *out, size_t rows,
		     struct tp_err *err)
{
	struct table t = {.ascii = out->opt.ascii};
	size_t shown = rows && rows < s->nrows ? rows : s->nrows;
	int code = table_init(&t, s, rep_output_for_people(out), err);

	if (!code)
		code = rep_output_begin(out, "series", t.column, t.n, err);
	for (size_t i = 0; i < shown && !code; i++)
		code = print_row(&t, &s->row[i], out, err);
	if (!code)
		code = rep_output_end(out, err);
	if (!code)
		code = rep_output_more(out, shown, s->nrows, "rows", err);
	table_release(&t);
	return code;
}

int rep_series_svg(const struct rep_series *s, const char *title, struct rep_sink sink,
		   struct tp_err *err)
{
	struct rep_chart_line line[REP_SERIES_LINES];
	size_t points = s->npoints, lines = 0;
	const struct rep_series_row *row = s->row;
	int64_t unit = s->unit->ns;
	double *x = tp_many(points + 1, sizeof(*x));
	double *y = tp_many(points * REP_SERIES_LINES + 1, sizeof(*y));
	char *names[REP_SERIES_LINES] = {0};
	bool failed = !x || !y;
	int code;

	for (size_t i = 0; x && i < points && !failed; i++)
		x[i] = unit ? s->x[i] * (double)unit : s->x[i] + 1;
	/* There is one axis, so rows of another kind than the first are left out. */
	for (size_t i = 0; i < s->nrows && lines < REP_SERIES_LINES && !failed; i++) {
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
		    .x = {.title = s->parts ? "time since the first sample"
				   : unit   ? "time since the first run"
					    : "run",
			  .kind = unit ? REP_NS : REP_COUNT},
		    .y = {.title = "", .kind = s->nrows ? row[0].kind : REP_COUNT},
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
