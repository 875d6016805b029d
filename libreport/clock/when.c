#include "clock/when.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define NS_PER_S 1000000000

bool rep_is_when(const char *text)
{
	return text[0] == '@' || (strspn(text, "0123456789") == 4 && text[4] == '-');
}

/* Reads n digits. */
static bool number(const char **at, int n, int *v)
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

/* Reads ".25" as ns; an empty text is 0. Digits below a nanosecond are skipped. */
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
	int sign, h, m;

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
	struct tm t = {0};
	int64_t ns = 0, off, sec;
	int year, month, day, s = 0;
	const char *at = text;

	if (*text == '@')
		return unix_time(text + 1, wall);
	if (!number(&at, 4, &year) || !literal(&at, '-') || !number(&at, 2, &month) ||
	    !literal(&at, '-') || !number(&at, 2, &day))
		return false;
	if ((!literal(&at, 'T') && !literal(&at, ' ')) || !number(&at, 2, &t.tm_hour) ||
	    !literal(&at, ':') || !number(&at, 2, &t.tm_min))
		return false;
	if (*at == ':' && (!literal(&at, ':') || !number(&at, 2, &s) || !fraction(&at, &ns)))
		return false;
	if (t.tm_hour > 23 || t.tm_min > 59 || s > 60 || !zone(&at, &off) || *at)
		return false;
	t.tm_year = year - 1900;
	t.tm_mon = month - 1;
	t.tm_mday = day;
	sec = timegm(&t) + s - off;
	/* timegm turns a day that the month lacks into one of another month. */
	if (t.tm_mon != month - 1 || t.tm_mday != day || sec < 0 || sec > INT64_MAX / NS_PER_S - 1)
		return false;
	*wall = sec * NS_PER_S + ns;
	return true;
}

char *rep_when_text(char text[REP_WHEN_SIZE], int64_t wall)
{
	int64_t ns = (wall % NS_PER_S + NS_PER_S) % NS_PER_S;
	time_t sec = wall / NS_PER_S - (wall % NS_PER_S < 0);
	struct tm t;
	size_t n = strftime(text, REP_WHEN_SIZE, "%Y-%m-%dT%H:%M:%S", gmtime_r(&sec, &t));

	snprintf(text + n, REP_WHEN_SIZE - n, ".%09lldZ", (long long)ns);
	return text;
}
