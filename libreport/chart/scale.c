#include "chart/scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- steps that are round in the unit of an axis ---- */

/* Steps of a clock from a second up to a day; below and above, steps are 1, 2, 5, 10 … */
static const double clock_steps[] = {1e9,    2e9,    5e9,     10e9,    15e9,	30e9,
				     60e9,   120e9,  300e9,   600e9,   900e9,	1800e9,
				     3600e9, 7200e9, 10800e9, 21600e9, 43200e9, 86400e9};

/* Returns the least of base × 1, 2, 5, 10, 20, 50 … that is at least `least`. */
static double decimal_step(double least)
{
	double base = pow(10, floor(log10(least) + 1e-9));

	for (int i = 0; i < 3; i++) {
		static const double of[] = {1, 2, 5};

		if (base * of[i] >= least * (1 - 1e-9))
			return base * of[i];
	}
	return base * 10;
}

static double round_step(enum rep_kind kind, double least)
{
	double unit;

	switch (kind) {
	case REP_NS:
		if (least < 1)
			return 1;
		if (least < 1e9 * (1 - 1e-9))
			return decimal_step(least);
		for (size_t i = 0; i < sizeof(clock_steps) / sizeof(clock_steps[0]); i++) {
			if (clock_steps[i] >= least * (1 - 1e-9))
				return clock_steps[i];
		}
		return decimal_step(least / 86400e9) * 86400e9;
	case REP_BYTES:
		if (least < 1)
			return 1;
		for (unit = 1; least / unit > 500 * (1 + 1e-9); unit *= 1024)
			;
		return least <= unit ? unit : decimal_step(least / unit) * unit;
	case REP_COUNT:
	case REP_ID:
	case REP_BOOL:
		return least < 1 ? 1 : decimal_step(least);
	default:
		return decimal_step(least);
	}
}

/* ---- labels ---- */

/* Writes a value with as many decimals as distinguish it from value + step, without trailing
 * zeros. */
static void put_number(char *text, size_t room, double value, double step, const char *unit)
{
	int decimals = 0;
	size_t n;

	if (step > 0 && step < 1)
		decimals = (int)ceil(-log10(step) - 1e-9);
	if (decimals > 9)
		decimals = 9;
	if (fabs(value) >= 1e15 || (value != 0 && fabs(value) < 1e-9)) {
		snprintf(text, room, "%.3g%s", value, unit);
		return;
	}
	n = (size_t)snprintf(text, room, "%.*f", decimals, value);
	if (n >= room)
		return;
	if (decimals) {
		while (n && text[n - 1] == '0')
			text[--n] = 0;
		if (n && text[n - 1] == '.')
			text[--n] = 0;
	}
	snprintf(text + n, room - n, "%s", unit);
}

struct unit {
	double size;
	const char *name;
};

static void put_units(char *text, size_t room, double v, double step, const struct unit *units,
		      size_t n)
{
	size_t i = 0;

	while (i + 1 < n && fabs(v) >= units[i + 1].size * (1 - 1e-12))
		i++;
	put_number(text, room, v / units[i].size, step / units[i].size, units[i].name);
}

/* Writes "1m30s", "2h", "1d12h": only the parts that are not zero. */
static void put_clock(char *text, size_t room, double v)
{
	static const struct unit parts[] = {{86400, "d"}, {3600, "h"}, {60, "m"}, {1, "s"}};
	double left = round(fabs(v) / 1e9);
	size_t n = 0;

	if (v < 0)
		text[n++] = '-';
	for (size_t i = 0; i < 4; i++) {
		double whole = floor(left / parts[i].size);

		left -= whole * parts[i].size;
		if (whole > 0 && n < room)
			n += (size_t)snprintf(text + n, room - n, "%.0f%s", whole, parts[i].name);
	}
}

static void label(char text[REP_TICK_TEXT], enum rep_kind kind, double v, double step)
{
	static const struct unit ns[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
	static const struct unit bytes[] = {{1, "B"},
					    {1024., "KiB"},
					    {1048576., "MiB"},
					    {1073741824., "GiB"},
					    {1099511627776., "TiB"},
					    {1125899906842624., "PiB"}};
	static const struct unit counts[] = {{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}};

	if (fabs(v) < step * 1e-9)
		v = 0;
	if (kind == REP_NS && v == 0)
		snprintf(text, REP_TICK_TEXT, "0s");
	else if (kind == REP_NS && fabs(v) >= 60e9 && step >= 1e9 * (1 - 1e-9))
		put_clock(text, REP_TICK_TEXT, v);
	else if (kind == REP_NS)
		put_units(text, REP_TICK_TEXT, v, step, ns, 4);
	else if (kind == REP_BYTES)
		put_units(text, REP_TICK_TEXT, v, step, bytes, 6);
	else if (kind == REP_SHARE)
		put_number(text, REP_TICK_TEXT, v * 100, step * 100, "%");
	else if (kind == REP_ID || fabs(v) < 10000)
		put_number(text, REP_TICK_TEXT, v, step, "");
	else
		put_units(text, REP_TICK_TEXT, v, step, counts, 4);
}

static void add_tick(struct rep_scale *s, double v, double step)
{
	struct rep_tick *t;

	if (s->nticks == REP_TICKS)
		return;
	t = &s->ticks[s->nticks++];
	t->value = v;
	label(t->text, s->kind, v, step);
}

/* ---- scales ---- */

/* Limits a value to where sums and logarithms of doubles are finite. */
static double bounded(double v)
{
	return fabs(v) < 1e-300 ? 0 : fmax(-1e300, fmin(1e300, v));
}

static void init_linear(struct rep_scale *s, const struct rep_chart_axis *axis, double least,
			double most, unsigned want, bool round_ends)
{
	bool given = axis->from < axis->to;
	double step, first, last;

	s->from = given ? axis->from : isnan(least) ? NAN : bounded(least);
	s->to = given ? axis->to : isnan(most) ? NAN : bounded(most);
	if (isnan(s->from) || isnan(s->to)) {
		s->from = 0;
		s->to = 1;
	}
	if (!given && round_ends) {
		double spread = s->to - s->from;

		if (s->from > 0 && (axis->from_zero || (s->from <= s->to * 0.6 && spread > 0)))
			s->from = 0;
		if (s->to < 0 && s->to >= s->from * 0.6 && spread > 0)
			s->to = 0;
	}
	if (!(s->to - s->from > 0) || s->to - s->from < fabs(s->from) * 1e-12) {
		double middle = s->from; /* a single value is the middle, or the top if the axis
					    begins at 0 */

		if (middle > 0 && round_ends) {
			s->from = 0;
		} else if (middle == 0) {
			s->to = 1;
		} else {
			s->from = middle - fabs(middle) * 0.5;
			s->to = middle + fabs(middle) * 0.5;
		}
	}
	step = round_step(s->kind, (s->to - s->from) / (want ? want : 1));
	first = floor(s->from / step + 1e-9) * step;
	last = ceil(s->to / step - 1e-9) * step;
	if (!given && round_ends && (last - first) / step < REP_TICKS) {
		s->from = first;
		s->to = last > first ? last : first + step;
	} else {
		first = ceil(s->from / step - 1e-9) * step;
	}
	for (size_t i = 0; i < REP_TICKS; i++) {
		double v = first + (double)i * step;

		if (v > s->to + step * 1e-6)
			break;
		add_tick(s, v, step);
	}
}

/* Puts ticks at powers of ten (for bytes at powers of two, including 1024); every second, third …
 * if they are many, with 2 and 5 between them if they are few. */
static void init_logarithmic(struct rep_scale *s, const struct rep_chart_axis *axis, double least,
			     double most, unsigned want, bool round_ends)
{
	bool given = axis->from < axis->to && axis->from > 0;
	double base = s->kind == REP_BYTES ? 4 : 10;
	int first, last, stride;
	bool between;

	s->from = fmax(1e-290, fmin(1e290, given ? axis->from : least));
	s->to = fmax(1e-290, fmin(1e290, given ? axis->to : most));
	if (!(s->to > s->from)) {
		s->from /= base;
		s->to *= base;
	}
	first = (int)floor(log(s->from) / log(base) + 1e-9);
	last = (int)ceil(log(s->to) / log(base) - 1e-9);
	if (last <= first)
		last = first + 1;
	if (!given && round_ends) {
		s->from = pow(base, first);
		s->to = pow(base, last);
	}
	if (want < 2)
		want = 2;
	stride = (last - first + (int)want - 1) / (int)want;
	if (stride < 1)
		stride = 1;
	between = stride == 1 && base == 10 && (unsigned)(last - first) * 3 <= want + 1;
	for (int e = first; e <= last; e += stride) {
		for (int i = 0; i < (between ? 3 : 1); i++) {
			static const double of[] = {1, 2, 5};
			double v = pow(base, e) * of[i];

			if (v >= s->from * (1 - 1e-9) && v <= s->to * (1 + 1e-9))
				add_tick(s, v, v);
		}
	}
}

void rep_scale_init(struct rep_scale *s, const struct rep_chart_axis *axis, double least,
		    double most, unsigned want, bool round_ends)
{
	memset(s, 0, sizeof(*s));
	s->kind = axis->kind;
	s->logarithmic = axis->logarithmic && least > 0;
	if (s->logarithmic)
		init_logarithmic(s, axis, least, most, want, round_ends);
	else
		init_linear(s, axis, least, most, want, round_ends);
}

double rep_scale_at(const struct rep_scale *s, double value)
{
	if (!s->logarithmic)
		return (value - s->from) / (s->to - s->from);
	if (!(value > 0))
		return NAN;
	return log(value / s->from) / log(s->to / s->from);
}

static void widen(double extent[2], double v)
{
	if (isnan(extent[0]) || v < extent[0])
		extent[0] = v;
	if (isnan(extent[1]) || v > extent[1])
		extent[1] = v;
}

void rep_chart_extent(const struct rep_chart *chart, double x[2], double y[2])
{
	x[0] = x[1] = y[0] = y[1] = NAN;
	for (size_t i = 0; i < chart->nlines; i++) {
		const struct rep_chart_line *l = &chart->lines[i];

		for (size_t k = 0; k < l->n; k++) {
			if (!isfinite(l->x[k]) || (chart->x.logarithmic && l->x[k] <= 0))
				continue;
			widen(x, l->x[k]);
			if (isfinite(l->y[k]) && !(chart->y.logarithmic && l->y[k] <= 0))
				widen(y, l->y[k]);
		}
	}
}

bool rep_chart_names_lines(const struct rep_chart *chart)
{
	for (size_t i = 0; i < chart->nlines; i++)
		if (chart->lines[i].name && (chart->nlines > 1 || !chart->title))
			return true;
	return false;
}
