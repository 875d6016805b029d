#include "profile/measure.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Units by family (pprof: measurement.UnitTypes). Names are looked for in lower case and, when they
 * are longer than two bytes, without an "s" at the end. */
struct unit {
	const char *name;	/* as shown; NULL ends a family */
	const char *aliases[4]; /* as looked for */
	double factor;
};

struct family {
	const struct unit *units;
	struct unit fallback; /* for values below all units, and for target units outside the
				 family */
};

/* clang-format off */
static const struct unit sizes[] = {
	{"B",  {"b", "byte"},                  1},
	{"kB", {"kb", "kbyte", "kilobyte"},    1024.0},
	{"MB", {"mb", "mbyte", "megabyte"},    1048576.0},
	{"GB", {"gb", "gbyte", "gigabyte"},    1073741824.0},
	{"TB", {"tb", "tbyte", "terabyte"},    1099511627776.0},
	{"PB", {"pb", "pbyte", "petabyte"},    1125899906842624.0},
	{NULL, {NULL}, 0},
};
static const struct unit times[] = {
	{"ns",  {"ns", "nanosecond"},                 1},
	{"us",  {"\xce\xbcs", "us", "microsecond"},   1e3},
	{"ms",  {"ms", "millisecond"},                1e6},
	{"s",   {"s", "sec", "second"},               1e9},
	{"hrs", {"hour", "hr"},                       3600e9},
	{NULL,  {NULL}, 0},
};
static const struct unit gcus[] = {
	{"n*GCU", {"nanogcu"},  1e-9},
	{"u*GCU", {"microgcu"}, 1e-6},
	{"m*GCU", {"milligcu"}, 1e-3},
	{"GCU",   {"gcu"},      1},
	{"k*GCU", {"kilogcu"},  1e3},
	{"M*GCU", {"megagcu"},  1e6},
	{"G*GCU", {"gigagcu"},  1e9},
	{"T*GCU", {"teragcu"},  1e12},
	{"P*GCU", {"petagcu"},  1e15},
	{NULL,    {NULL}, 0},
};
static const struct family families[] = {
	{sizes, {.name = "B",   .factor = 1}},
	{times, {.name = "s",   .factor = 1e9}},
	{gcus,  {.name = "GCU", .factor = 1}},
};
/* clang-format on */

#define NFAMILIES (sizeof(families) / sizeof(families[0]))

static const struct unit *find(const struct family *f, const char *name)
{
	char low[16];
	size_t n = strlen(name);

	if (n >= sizeof(low))
		return NULL;
	for (size_t i = 0; i <= n; i++)
		low[i] = (char)tolower((unsigned char)name[i]);
	if (n > 2 && low[n - 1] == 's')
		low[n - 1] = '\0';
	for (const struct unit *u = f->units; u->name; u++)
		for (size_t i = 0; i < 4 && u->aliases[i]; i++)
			if (!strcmp(u->aliases[i], low))
				return u;
	return NULL;
}

/* Returns the unit that was asked for: what pprof calls kB may be called KiB. */
static const struct unit *find_wanted(const struct family *f, const char *name)
{
	char plain[] = {name[0], 'B', '\0'};

	return find(f, strlen(name) == 3 && name[1] == 'i' && name[2] == 'B' ? plain : name);
}

/* Returns the largest unit in which the value is at least 1; NULL if it is below 1 in all. */
static const struct unit *suitable(const struct family *f, double value)
{
	const struct unit *best = NULL;

	for (const struct unit *u = f->units; u->name; u++)
		if ((!best || u->factor >= best->factor) && value / u->factor >= 1.0)
			best = u;
	return best;
}

static bool automatic(const char *unit)
{
	return !strcmp(unit, "minimum") || !strcmp(unit, "auto");
}

/* NOLINTNEXTLINE(misc-no-recursion): once, without the sign */
double rep_scale(int64_t value, const char *from, const char *to, const char **unit)
{
	static const char *const dull[] = {"count", "sample", "unit", "minimum", "auto"};
	const char *ignored;

	if (!unit)
		unit = &ignored;
	if (value < 0 && value != INT64_MIN)
		return -rep_scale(-value, from, to, unit);
	for (size_t i = 0; i < NFAMILIES; i++) {
		const struct unit *u = find(&families[i], from);
		const struct unit *want;
		double v;

		if (!u)
			continue;
		v = (double)value * u->factor;
		want = automatic(to) ? suitable(&families[i], v) : find_wanted(&families[i], to);
		if (!want)
			want = &families[i].fallback;
		*unit = want->name;
		return v / want->factor;
	}
	*unit = to;
	for (size_t i = 0; i < sizeof(dull) / sizeof(dull[0]); i++)
		if (!strcmp(to, dull[i]))
			*unit = "";
	return (double)value;
}

double rep_unit_ratio(const char *from, const char *to)
{
	return rep_scale(1, from, to, NULL);
}

bool rep_units_compatible(const char *a, const char *b)
{
	for (size_t i = 0; i < NFAMILIES; i++)
		if (find(&families[i], a) && find(&families[i], b))
			return true;
	return !strcmp(a, b);
}

bool rep_unit_unknown(const char *from, const char *to, char names[REP_MEASURE_SIZE])
{
	size_t used = 0;

	for (size_t i = 0; i < NFAMILIES && !automatic(to); i++) {
		if (!find(&families[i], from) || find_wanted(&families[i], to))
			continue;
		for (const struct unit *u = families[i].units; u->name && used < REP_MEASURE_SIZE;
		     u++)
			used += (size_t)snprintf(names + used, REP_MEASURE_SIZE - used, "%s%s",
						 used ? ", " : "", u->name);
		return true;
	}
	return false;
}

char *rep_scaled_label(char text[REP_MEASURE_SIZE], int64_t value, const char *from, const char *to)
{
	const char *unit;
	double v = rep_scale(value, from, to, &unit);
	size_t n = (size_t)snprintf(text, REP_MEASURE_SIZE, "%.2f", v);

	if (n > 3 && !strcmp(text + n - 3, ".00"))
		text[n -= 3] = '\0';
	if (!strcmp(text, "0") || !strcmp(text, "-0"))
		snprintf(text, REP_MEASURE_SIZE, "0");
	else
		snprintf(text + n, REP_MEASURE_SIZE - n, "%s", unit);
	return text;
}

char *rep_binary_label(char text[REP_MEASURE_SIZE], int64_t value, const char *from, const char *to)
{
	size_t n = strlen(rep_scaled_label(text, value, from, to));

	/* "512.05kB"; not "12B". */
	if (n > 2 && isalpha((unsigned char)text[n - 2]) && find(&families[0], from)) {
		text[n - 2] = (char)toupper((unsigned char)text[n - 2]);
		memcpy(text + n - 1, "iB", 3);
	}
	return text;
}

char *rep_percentage(char text[REP_PERCENTAGE_SIZE], int64_t value, int64_t total)
{
	double share = total ? fabs((double)value / (double)total) * 100 : 0;

	if (share >= 99.95 && share <= 100.05)
		snprintf(text, REP_PERCENTAGE_SIZE, "  100%%");
	else if (share >= 1)
		snprintf(text, REP_PERCENTAGE_SIZE, "%5.2f%%", share);
	else
		snprintf(text, REP_PERCENTAGE_SIZE, "%5.2g%%", share);
	return text;
}

char *rep_percentage_trimmed(char text[REP_PERCENTAGE_SIZE], int64_t value, int64_t total)
{
	size_t blanks;

	rep_percentage(text, value, total);
	blanks = strspn(text, " ");
	memmove(text, text + blanks, strlen(text) + 1 - blanks);
	return text;
}
