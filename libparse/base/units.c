#include "base/units.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"

/* Writes value/unit with three significant digits. Returns false if that rounds to `limit` units or
 * more and the caller has to use the next unit. */
static bool put_scaled(char *text, const char *sign, uint64_t value, uint64_t unit, uint64_t limit,
		       const char *name)
{
	uint64_t scale, whole, rest;
	int size;

	if (unit >> 56) { /* keeps rest * 100 within 64 bits, and three digits right */
		value >>= 10;
		unit >>= 10;
	}
	whole = value / unit;
	rest = value % unit;
	if (whole >= limit)
		return false;
	for (scale = 100; scale >= 1; scale /= 10) { /* steps per unit */
		uint64_t n = whole * scale + (rest * scale + unit / 2) / unit;

		if (scale > 1 && n >= 1000)
			continue;
		if (n >= limit * scale)
			return false;
		if (scale == 100 && n % 10 == 0) {
			n /= 10;
			scale = 10;
		}
		if (scale == 10 && n % 10 == 0) {
			n /= 10;
			scale = 1;
		}
		if (scale == 1)
			size = snprintf(text, TP_UNITS_SIZE, "%s%llu%s", sign,
					(unsigned long long)n, name);
		else
			size = snprintf(text, TP_UNITS_SIZE, "%s%llu.%0*llu%s", sign,
					(unsigned long long)(n / scale), scale == 100 ? 2 : 1,
					(unsigned long long)(n % scale), name);
		return size < TP_UNITS_SIZE;
	}
	return false;
}

static uint64_t magnitude(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

static const uint64_t us = 1000, ms = 1000 * 1000, sec = 1000 * 1000 * 1000;

/* Writes "2m05s": two units, the smaller one with two digits. */
static void put_clock(char *text, const char *sign, uint64_t ns)
{
	uint64_t s = (ns + sec / 2) / sec, m = (ns + 30 * sec) / (60 * sec),
		 h = (ns + 1800 * sec) / (3600 * sec);

	if (s < 3600)
		snprintf(text, TP_UNITS_SIZE, "%s%um%02us", sign, (unsigned)(s / 60),
			 (unsigned)(s % 60));
	else if (m < 24 * 60)
		snprintf(text, TP_UNITS_SIZE, "%s%uh%02um", sign, (unsigned)(m / 60),
			 (unsigned)(m % 60));
	else if (h < 24 * 1000)
		snprintf(text, TP_UNITS_SIZE, "%s%ud%02uh", sign, (unsigned)(h / 24),
			 (unsigned)(h % 24));
	else
		snprintf(text, TP_UNITS_SIZE, "%s%ud", sign, (unsigned)((h + 12) / 24));
}

char *tp_fmt_ns(char text[TP_UNITS_SIZE], int64_t ns)
{
	const char *sign = ns < 0 ? "-" : "";
	uint64_t v = magnitude(ns);

	text[0] = 0;
	if (ns == INT64_MIN)
		return text;
	if (v == 0)
		snprintf(text, TP_UNITS_SIZE, "0s");
	else if (!put_scaled(text, sign, v, 1, 1000, "ns") &&
		 !put_scaled(text, sign, v, us, 1000, "us") &&
		 !put_scaled(text, sign, v, ms, 1000, "ms") &&
		 !put_scaled(text, sign, v, sec, 60, "s"))
		put_clock(text, sign, v);
	return text;
}

char *tp_fmt_bytes(char text[TP_UNITS_SIZE], int64_t bytes)
{
	static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	const char *sign = bytes < 0 ? "-" : "";
	uint64_t v = magnitude(bytes), unit = 1;

	text[0] = 0;
	if (bytes == INT64_MIN)
		return text;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++, unit *= 1024)
		if (put_scaled(text, sign, v, unit, 1024, names[i]))
			break;
	return text;
}

/* Returns the unit at *text in ns and moves past it, or returns 0 if *text does not begin with a unit. Tries
 * longer names first. */
static uint64_t take_unit(const char **text)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
	    {"ns", 1},
	    {"us", 1000},
	    {"\xc2\xb5s", 1000}, /* micro sign */
	    {"\xce\xbcs", 1000}, /* Greek mu */
	    {"ms", 1000 * 1000},
	    {"s", 1000 * 1000 * 1000},
	    {"m", 60ull * 1000 * 1000 * 1000},
	    {"h", 3600ull * 1000 * 1000 * 1000},
	    {"d", 24 * 3600ull * 1000 * 1000 * 1000},
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t n = strlen(units[i].name);

		if (!strncmp(*text, units[i].name, n)) {
			*text += n;
			return units[i].ns;
		}
	}
	return 0;
}

/* Parses one part such as "12.5s" of "1m12.5s". A part without a unit must be the last. */
static int take_part(const char **text, uint64_t *ns)
{
	double fraction = 0, scale = 1; /* a fraction of a day in ns has 14 digits */
	uint64_t whole = 0, unit;
	bool digits = false;
	const char *p = *text;

	for (; *p >= '0' && *p <= '9'; p++, digits = true) {
		unsigned digit = (unsigned)(*p - '0');

		if (whole > ((uint64_t)INT64_MAX - digit) / 10)
			return TP_ELIMIT;
		whole = whole * 10 + digit;
	}
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9'; p++, digits = true)
			if (scale < 1e15) {
				fraction = fraction * 10 + (*p - '0');
				scale *= 10;
			}
	if (!digits)
		return TP_EFORMAT;
	unit = take_unit(&p);
	if (!unit && *p)
		return TP_EFORMAT;
	if (!unit)
		unit = 1;
	if (whole > INT64_MAX / unit)
		return TP_ELIMIT;
	*ns += whole * unit; /* both below 2^63 */
	if (*ns > INT64_MAX)
		return TP_ELIMIT;
	*ns += (uint64_t)(fraction / scale * (double)unit + 0.5);
	if (*ns > INT64_MAX)
		return TP_ELIMIT;
	*text = p;
	return 0;
}

char *tp_fmt_count(char text[TP_COUNT_SIZE], int64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%lld", (long long)n), sign = n < 0;
	char *out = text;

	for (int i = 0; i < len; i++) {
		if (i > sign && (len - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = '\0';
	return text;
}

int tp_parse_ns(const char *text, int64_t *ns)
{
	uint64_t sum = 0;
	bool negative = *text == '-';
	int err;

	if (*text == '-' || *text == '+')
		text++;
	do {
		err = take_part(&text, &sum);
		if (err)
			return err;
	} while (*text);
	*ns = negative ? -(int64_t)sum : (int64_t)sum;
	return 0;
}

bool tp_lacks_unit(const char *text)
{
	const char *p = text + strlen(text);
	bool zero = true;
	int64_t ns;

	if (p == text || tp_parse_ns(text, &ns))
		return false;
	for (; p > text && (p[-1] == '.' || (p[-1] >= '0' && p[-1] <= '9')); p--)
		zero = zero && (p[-1] == '.' || p[-1] == '0');
	return !zero;
}

int tp_ask_unit(const char *option, const char *text, struct tp_err *err)
{
	if (!tp_lacks_unit(text))
		return 0;
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "%s: %.40s has no unit; write %.40sus, %.40sms, %.40ss or %.40sm", option,
			  text, text, text, text, text);
}
