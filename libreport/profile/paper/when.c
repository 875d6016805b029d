#include "profile/paper/when.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SECOND 1000000000

/* ".5" for 500,000,000 of 10^9; nothing for 0. */
static void put_fraction(char text[16], uint64_t part, int digits)
{
	size_t n;

	text[0] = 0;
	if (!part)
		return;
	snprintf(text, 16, ".%0*" PRIu64, digits, part);
	for (n = strlen(text); text[n - 1] == '0'; n--)
		;
	text[n] = 0;
}

char *rep_when_exact(char text[REP_WHEN_SIZE], int64_t unix_ns)
{
	int64_t ns = (unix_ns % SECOND + SECOND) % SECOND;
	time_t t = (time_t)(unix_ns / SECOND - (unix_ns % SECOND < 0));
	char date[32], fraction[16];
	struct tm tm;

	put_fraction(fraction, (uint64_t)ns, 9);
	if (!gmtime_r(&t, &tm) || !strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm))
		date[0] = 0;
	snprintf(text, REP_WHEN_SIZE, "%s%s +0000 UTC", date, fraction);
	return text;
}

char *rep_when_duration(char text[REP_WHEN_SIZE], int64_t ns)
{
	uint64_t u = ns < 0 ? -(uint64_t)ns : (uint64_t)ns, s = u / SECOND;
	const char *sign = ns < 0 ? "-" : "";
	char fraction[16];

	if (!u) {
		snprintf(text, REP_WHEN_SIZE, "0s");
	} else if (u < 1000) {
		snprintf(text, REP_WHEN_SIZE, "%s%" PRIu64 "ns", sign, u);
	} else if (u < 1000000) {
		put_fraction(fraction, u % 1000, 3);
		snprintf(text, REP_WHEN_SIZE, "%s%" PRIu64 "%sµs", sign, u / 1000, fraction);
	} else if (u < SECOND) {
		put_fraction(fraction, u % 1000000, 6);
		snprintf(text, REP_WHEN_SIZE, "%s%" PRIu64 "%sms", sign, u / 1000000, fraction);
	} else {
		put_fraction(fraction, u % SECOND, 9);
		if (s >= 3600)
			snprintf(text, REP_WHEN_SIZE, "%s%" PRIu64 "h%" PRIu64 "m%" PRIu64 "%ss",
				 sign, s / 3600, s / 60 % 60, s % 60, fraction);
		else if (s >= 60)
			snprintf(text, REP_WHEN_SIZE, "%s%" PRIu64 "m%" PRIu64 "%ss", sign, s / 60,
				 s % 60, fraction);
		else
			snprintf(text, REP_WHEN_SIZE, "%s%" PRIu64 "%ss", sign, s, fraction);
	}
	return text;
}
