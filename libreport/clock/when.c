#include "clock/when.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define NS_PER_S 1000000000

bool rep_is_when(const char *text)
{
	return text[0] == '@' || (strspn(text, "0123456789") == 4 && text[4] == '-');
}

/* Days from 1970-01-01 to a day of the Gregorian calendar (its rules, with years that begin in
 * March so that the leap day is the last). */
static int64_t days_of(int64_t y, int64_t m, int64_t d)
{
	int64_t shifted = (m + 9) % 12, year = y - (m <= 2),
		era = (year >= 0 ? year : year - 399) / 400;
	int64_t of_era = year - era * 400, day = (153 * shifted + 2) / 5 + d - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + day - 719468;
}

/* n digits. */
static bool number(const char **at, int n, int64_t *v)
{
	*v = 0;
	for (int i = 0; i < n; i++, (*at)++) {
		if (!isdigit((unsigned char)**at))
			return false;
		*v = *v * 10 + (**at - '0');
	}
	return true;
}

static bool literal(const char **at, char c)
{
	if (**at != c)
		return false;
	(*at)++;
	return true;
}

/* ".25" into ns; nothing is 0. Digits beyond ns are left out. */
static bool fraction(const char **at, int64_t *ns)
{
	int64_t unit = NS_PER_S / 10;

	*ns = 0;
	if (**at != '.')
		return true;
	(*at)++;
	if (!isdigit((unsigned char)**at))
		return false;
	for (; isdigit((unsigned char)**at); (*at)++, unit /= 10)
		*ns += unit * (**at - '0');
	return true;
}

static bool zone(const char **at, int64_t *seconds)
{
	int64_t sign, h, m;

	*seconds = 0;
	if (literal(at, 'Z'))
		return true;
	sign = **at == '-' ? -1 : 1;
	if (!literal(at, '+') && !literal(at, '-'))
		return false;
	if (!number(at, 2, &h) || !(literal(at, ':') || true) || !number(at, 2, &m) || h > 23 ||
	    m > 59)
		return false;
	*seconds = sign * (h * 3600 + m * 60);
	return true;
}

static bool unix_time(const char *at, int64_t *wall)
{
	int64_t sec = 0, ns;

	if (!isdigit((unsigned char)*at))
		return false;
	for (; isdigit((unsigned char)*at); at++) {
		sec = sec * 10 + (*at - '0');
		if (sec >= INT64_MAX / NS_PER_S)
			return false;
	}
	if (!fraction(&at, &ns) || *at)
		return false;
	*wall = sec * NS_PER_S + ns;
	return true;
}

bool rep_when(const char *text, int64_t *wall)
{
	static const uint8_t days[12] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int64_t y, mo, d, h, mi, s = 0, ns = 0, off, sec;
	const char *at = text;

	if (*text == '@')
		return unix_time(text + 1, wall);
	if (!number(&at, 4, &y) || !literal(&at, '-') || !number(&at, 2, &mo) ||
	    !literal(&at, '-') || !number(&at, 2, &d) || mo < 1 || mo > 12 || d < 1 ||
	    d > days[mo - 1] || (mo == 2 && d == 29 && (y % 4 || (y % 100 == 0 && y % 400))))
		return false;
	if ((!literal(&at, 'T') && !literal(&at, ' ')) || !number(&at, 2, &h) ||
	    !literal(&at, ':') || !number(&at, 2, &mi))
		return false;
	if (*at == ':' && (!literal(&at, ':') || !number(&at, 2, &s) || !fraction(&at, &ns)))
		return false;
	if (h > 23 || mi > 59 || s > 60 || !zone(&at, &off) || *at)
		return false;
	sec = days_of(y, mo, d) * 86400 + h * 3600 + mi * 60 + s - off;
	if (sec < 0 || sec > INT64_MAX / NS_PER_S - 1)
		return false;
	*wall = sec * NS_PER_S + ns;
	return true;
}

char *rep_when_text(char text[REP_WHEN_SIZE], int64_t wall)
{
	int64_t sec = wall / NS_PER_S, ns = wall % NS_PER_S, day, era, of_era, year, of_year, m;
	int size;

	if (ns < 0) {
		ns += NS_PER_S;
		sec--;
	}
	day = sec / 86400;
	sec %= 86400;
	if (sec < 0) {
		sec += 86400;
		day--;
	}
	day += 719468;
	era = (day >= 0 ? day : day - 146096) / 146097;
	of_era = day - era * 146097;
	year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	of_year = of_era - (365 * year + year / 4 - year / 100);
	m = (5 * of_year + 2) / 153;
	size =
	    snprintf(text, REP_WHEN_SIZE, "%04lld-%02lld-%02lldT%02lld:%02lld:%02lld.%09lldZ",
		     (long long)(year + era * 400 + (m >= 10)), (long long)(m < 10 ? m + 3 : m - 9),
		     (long long)(of_year - (153 * m + 2) / 5 + 1), (long long)(sec / 3600),
		     (long long)(sec / 60 % 60), (long long)(sec % 60), (long long)ns);
	if (size >= REP_WHEN_SIZE)
		*text = '\0'; /* does not happen: 64 bits of ns are the years 1677 to 2262 */
	return text;
}
