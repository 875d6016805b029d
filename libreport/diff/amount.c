#include "diff/amount.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "profile/measure.h"

/* Texts of tprof's own reports, where there is a formatter for the unit. */
static bool known(char *text, int64_t value, const char *unit)
{
	/* The least number stands for no value there. */
	if (value == INT64_MIN)
		return false;
	if (!strcmp(unit, "bytes"))
		tp_fmt_bytes(text, value);
	else if (!strcmp(unit, "nanoseconds"))
		tp_fmt_ns(text, value);
	else
		return false;
	return true;
}

char *rep_amount(char text[REP_AMOUNT_SIZE], int64_t value, const char *unit, const char *show)
{
	if (show) {
		char label[REP_MEASURE_SIZE];

		snprintf(text, REP_AMOUNT_SIZE, "%s", rep_binary_label(label, value, unit, show));
		return text;
	}
	if (known(text, value, unit))
		return text;
	tp_fmt_count(text, value);
	if (strcmp(unit, "count") != 0 && *unit) {
		size_t n = strlen(text);

		snprintf(text + n, REP_AMOUNT_SIZE - n, " %s", unit);
	}
	return text;
}

char *rep_amount_signed(char text[REP_AMOUNT_SIZE], int64_t value, const char *unit,
			const char *show)
{
	char plain[REP_AMOUNT_SIZE];

	rep_amount(plain, value, unit, show);
	snprintf(text, REP_AMOUNT_SIZE, "%s%.*s", value > 0 ? "+" : "", REP_AMOUNT_SIZE - 2, plain);
	return text;
}

char *rep_amount_digits(char text[REP_AMOUNT_SIZE], double v)
{
	double most = fabs(v);

	if (most >= 99.95 && most < 9e18)
		return tp_fmt_count(text, llround(v));
	snprintf(text, REP_AMOUNT_SIZE, "%.3g", v);
	return text;
}

char *rep_amount_percent(char text[REP_AMOUNT_SIZE], double percent)
{
	if (isnan(percent))
		snprintf(text, REP_AMOUNT_SIZE, "from nothing");
	else if (fabs(percent) >= 99950)
		snprintf(text, REP_AMOUNT_SIZE, "%+.0fx", percent / 100 + 1);
	else if (fabs(percent) > 0 && fabs(percent) < 0.05)
		snprintf(text, REP_AMOUNT_SIZE, percent > 0 ? "+<0.1%%" : "-<0.1%%");
	else
		snprintf(text, REP_AMOUNT_SIZE, percent == 0 ? "0%%" : "%+.1f%%", percent);
	return text;
}

bool rep_amount_parse(const char *text, double *number, char unit[REP_AMOUNT_UNIT])
{
	char *end;
	size_t n;

	unit[0] = '\0';
	if (!strchr("0123456789.+-", *text) || !*text)
		return false;
	*number = strtod(text, &end);
	if (end == text || !isfinite(*number))
		return false;
	end += *end == ' ';
	n = strlen(end);
	if (n >= REP_AMOUNT_UNIT)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!((end[i] >= 'a' && end[i] <= 'z') || (end[i] >= 'A' && end[i] <= 'Z')))
			return false;
	memcpy(unit, end, n + 1);
	return true;
}

const char *rep_amount_units(const char *profile_unit)
{
	return rep_units_compatible("ns", profile_unit)	 ? "us, ms and s"
	       : rep_units_compatible("B", profile_unit) ? "B, KiB, MiB and GiB"
							 : NULL;
}

bool rep_amount_in(double number, const char *unit, const char *profile_unit, double *value)
{
	char plain[REP_AMOUNT_UNIT + 2];
	size_t n = strlen(unit);

	*value = number;
	if (!n)
		return true;
	/* pprof's kB, MB … are what others call KiB, MiB; K, M and G alone are sizes, too. */
	memcpy(plain, unit, n + 1);
	if (n == 3 && plain[1] == 'i')
		memmove(plain + 1, plain + 2, 2);
	else if (n == 1 && strchr("KMGTP", plain[0]))
		memcpy(plain + 1, "B", 2);
	if (!rep_units_compatible(plain, profile_unit))
		return false;
	*value = number * rep_unit_ratio(plain, profile_unit);
	return true;
}
