#include "series/series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "decode/dict.h"
#include "series/trend.h"

#define HOUR_NS	    3600e9
#define MAX_ENTRIES ((size_t)1 << 30)

const char *const rep_series_sorts[REP_NSERIES_SORTS] = {
    [REP_SERIES_BY_GROWTH] = "growth", [REP_SERIES_BY_SLOPE] = "slope",
    [REP_SERIES_BY_LAST] = "last",     [REP_SERIES_BY_NAME] = "name",
    [REP_SERIES_BY_SUM] = "sum",
};

struct rep_series_entry {
	uint32_t row, point;
	double value;
};

/* A unit is used if the runs span at least two of it. */
static const struct rep_series_unit units[] = {
    {"run", 0, "slope_per_run", "PER RUN"},
    {"second", 1000000000, "slope_per_second", "PER SECOND"},
    {"minute", 60000000000, "slope_per_minute", "PER MINUTE"},
    {"hour", 3600000000000, "slope_per_hour", "PER HOUR"},
    {"day", 86400000000000, "slope_per_day", "PER DAY"},
};

static int fail(struct tp_err *err, int code)
{
	return tp_err_full(err, code, "the runs have too many numbers");
}

int rep_series_new(struct rep_series **s, struct tp_err *err)
{
	*s = calloc(1, sizeof(**s));
	if (*s)
		(*s)->names = tp_dict_new();
	if (!*s || !(*s)->names) {
		rep_series_free(*s);
		*s = NULL;
		return fail(err, TP_ENOMEM);
	}
	return 0;
}

void rep_series_free(struct rep_series *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->npoints; i++)
		free(s->point[i].name);
	free(s->point);
	free(s->row);
	free(s->row_of);
	free(s->latest);
	free(s->entry);
	free(s->begin);
	free(s->x);
	tp_dict_free(s->names);
	free(s);
}

int rep_series_point(struct rep_series *s, const char *name, int64_t time_ns, struct tp_err *err)
{
	struct rep_series_run *more = tp_more(s->point, s->npoints + 1, sizeof(*more));

	if (!more)
		return fail(err, TP_ENOMEM);
	s->point = more;
	more[s->npoints] = (struct rep_series_run){.name = strdup(name), .time_ns = time_ns};
	if (!more[s->npoints].name)
		return fail(err, TP_ENOMEM);
	s->npoints++;
	if (s->nrows)
		memset(s->latest, 0, s->nrows * sizeof(*s->latest));
	return 0;
}

/* ---- adding numbers ---- */

static int room_for_names(struct rep_series *s)
{
	return tp_grow(&s->row_of, &s->nrow_of, tp_dict_strings(s->names) - 1, sizeof(*s->row_of));
}

static int add_row(struct rep_series *s, uint32_t string, const struct rep_series_number *number)
{
	struct tp_text t = tp_dict_text(s->names, string);

	if (tp_grow(&s->row, &s->row_room, s->nrows, sizeof(*s->row)) ||
	    tp_grow(&s->latest, &s->latest_room, s->nrows, sizeof(*s->latest)))
		return TP_ENOMEM;
	s->latest[s->nrows] = 0;
	s->row[s->nrows] = (struct rep_series_row){.name = t.text,
						   .size = t.size,
						   .kind = number->kind,
						   .absent = number->absent,
						   .id = s->nrows};
	s->row_of[string] = (uint32_t)++s->nrows;
	return 0;
}

static int add_entry(struct rep_series *s, uint32_t row, double value)
{
	if (s->latest[row]) {
		s->entry[s->latest[row] - 1].value += value;
		return 0;
	}
	if (s->nentries == MAX_ENTRIES)
		return TP_ELIMIT;
	if (tp_grow_raw(&s->entry, &s->entry_room, s->nentries, sizeof(*s->entry)))
		return TP_ENOMEM;
	s->entry[s->nentries++] = (struct rep_series_entry){row, (uint32_t)(s->npoints - 1), value};
	s->latest[row] = (uint32_t)s->nentries;
	return 0;
}

int rep_series_put(struct rep_series *s, const struct rep_series_number *number, struct tp_err *err)
{
	uint32_t string;
	int code;

	if (isnan(number->value) || !s->npoints)
		return 0;
	code = tp_dict_string(s->names, number->name, number->size, &string);
	if (!code)
		code = room_for_names(s);
	if (!code && !s->row_of[string])
		code = add_row(s, string, number);
	if (!code)
		code = add_entry(s, s->row_of[string] - 1, number->value);
	return code ? fail(err, code) : 0;
}

void rep_series_say(struct rep_series *s, const char *what, const char *unit, bool functions)
{
	if (s->said)
		return;
	s->said = true;
	snprintf(s->what, sizeof(s->what), "%s", what);
	snprintf(s->what_unit, sizeof(s->what_unit), "%s", unit);
	s->functions = functions;
}

/* ---- the runs in order ---- */

static int by_time(const void *a, const void *b, void *ctx)
{
	const struct rep_series_run *p = ctx;
	const struct rep_series_run *x = &p[*(const size_t *)a], *y = &p[*(const size_t *)b];

	return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

/* Returns whether the runs have usable times to be placed by. */
static bool has_times(const struct rep_series_run *point, const size_t *order, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (point[order[i]].time_ns <= 0 ||
		    (i && point[order[i]].time_ns == point[order[i - 1]].time_ns))
			return false;
	return n > 1;
}

static const struct rep_series_unit *unit_for(int64_t length_ns)
{
	size_t i = sizeof(units) / sizeof(units[0]) - 1;

	while (i > 1 && length_ns < 2 * units[i].ns)
		i--;
	return &units[i];
}

static int place_points(struct rep_series *s)
{
	size_t *order = tp_many(s->npoints + 1, sizeof(*order));
	struct rep_series_run *sorted = tp_many(s->npoints + 1, sizeof(*sorted));
	bool timed;

	s->x = tp_many(s->npoints + 1, sizeof(*s->x));
	if (!order || !sorted || !s->x) {
		free(order);
		free(sorted);
		return TP_ENOMEM;
	}
	for (size_t i = 0; i < s->npoints; i++)
		order[i] = i;
	qsort_r(order, s->npoints, sizeof(*order), by_time, s->point);
	timed = has_times(s->point, order, s->npoints);
	s->unit = &units[0];
	if (timed)
		s->unit =
		    unit_for(s->point[order[s->npoints - 1]].time_ns - s->point[order[0]].time_ns);
	for (size_t i = 0; i < s->npoints; i++) {
		size_t from = timed ? order[i] : i;

		sorted[i] = s->point[from];
		s->point[from].place = i;
		s->x[i] =
		    timed ? (double)(sorted[i].time_ns - sorted[0].time_ns) / (double)s->unit->ns
			  : (double)i;
	}
	for (size_t i = 0; i < s->nentries; i++)
		s->entry[i].point = (uint32_t)s->point[s->entry[i].point].place;
	if (s->npoints)
		memcpy(s->point, sorted, s->npoints * sizeof(*sorted));
	free(order);
	free(sorted);
	return 0;
}

static int by_row(const void *a, const void *b)
{
	const struct rep_series_entry *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return x->point < y->point ? -1 : x->point > y->point;
}

static int place_entries(struct rep_series *s)
{
	size_t at = 0;

	s->begin = tp_many(s->nrows + 1, sizeof(*s->begin));
	if (!s->begin)
		return TP_ENOMEM;
	if (s->nentries)
		qsort(s->entry, s->nentries, sizeof(*s->entry), by_row);
	for (size_t r = 0; r <= s->nrows; r++) {
		while (at < s->nentries && s->entry[at].row < r)
			at++;
		s->begin[r] = at;
	}
	return 0;
}

/* ---- statistics of a row ---- */

static void judge(const struct rep_series *s, struct rep_series_row *row, double *y)
{
	bool any = false;

	rep_series_values(s, row, y);
	row->runs = s->begin[row->id + 1] - s->begin[row->id];
	for (size_t i = 0; i < s->npoints; i++) {
		if (isnan(y[i]))
			continue;
		if (!any)
			row->first = row->least = row->most = y[i];
		row->sum = any ? row->sum + y[i] : y[i];
		any = true;
		row->last = y[i];
		row->least = y[i] < row->least ? y[i] : row->least;
		row->most = y[i] > row->most ? y[i] : row->most;
	}
	row->growth = row->last - row->first;
	row->slope = rep_slope(s->x, y, s->npoints);
	row->trend = rep_trend(y, s->npoints);
}

#define ORDER(a, b) ((a) < (b) ? -1 : (a) > (b))

static int by_name(const struct rep_series_row *x, const struct rep_series_row *y)
{
	int c = memcmp(x->name, y->name, x->size < y->size ? x->size : y->size);

	return c ? c : ORDER(x->size, y->size);
}

/* Compares values; NaN comes last. */
static int by_value(double x, double y)
{
	if (isnan(x) || isnan(y))
		return isnan(x) - isnan(y);
	return ORDER(y, x);
}

struct order {
	enum rep_series_sort sort;
	bool relative;
};

/* Numbers of different kinds are compared by their factor of growth. */
static double growth_of(const struct rep_series_row *row, const struct order *o, double growth)
{
	double first = fabs(row->first);

	return !o->relative || isnan(growth) ? growth
	       : first > 0		     ? growth / first
	       : growth > 0		     ? INFINITY
					     : 0;
}

static int by_order(const void *a, const void *b, void *ctx)
{
	const struct order *o = ctx;
	const struct rep_series_row *x = a, *y = b;
	int c = 0;

	switch (o->sort) {
	case REP_SERIES_BY_GROWTH:
		c = by_value(growth_of(x, o, x->growth), growth_of(y, o, y->growth));
		break;
	case REP_SERIES_BY_SLOPE:
		c = by_value(growth_of(x, o, x->slope), growth_of(y, o, y->slope));
		break;
	case REP_SERIES_BY_SUM:
		c = by_value(x->sum, y->sum);
		break;
	case REP_SERIES_BY_LAST:
	case REP_SERIES_BY_NAME:
	case REP_NSERIES_SORTS:
		break;
	}
	if (!c && o->sort != REP_SERIES_BY_NAME)
		c = by_value(x->last, y->last);
	return c ? c : by_name(x, y);
}

int rep_series_finish(struct rep_series *s, enum rep_series_sort sort, struct tp_err *err)
{
	struct order order = {.sort = sort};
	double *y = tp_many(s->npoints + 1, sizeof(*y));
	int code = y ? place_points(s) : TP_ENOMEM;

	if (!code)
		code = place_entries(s);
	for (size_t r = 0; r < s->nrows && !code; r++)
		judge(s, &s->row[r], y);
	for (size_t r = 1; r < s->nrows; r++)
		order.relative = order.relative || s->row[r].kind != s->row[0].kind;
	free(y);
	if (code)
		return fail(err, code);
	if (s->nrows)
		qsort_r(s->row, s->nrows, sizeof(*s->row), by_order, &order);
	return 0;
}

/* ---- reading ---- */

void rep_series_values(const struct rep_series *s, const struct rep_series_row *row, double *y)
{
	for (size_t i = 0; i < s->npoints; i++)
		y[i] = row->absent == REP_SERIES_ZERO ? 0 : NAN;
	for (size_t i = s->begin[row->id]; i < s->begin[row->id + 1]; i++)
		y[s->entry[i].point] = s->entry[i].value;
}
