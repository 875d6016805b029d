#include "flame/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/units.h"
#include "output/text.h"

/* Sets the unit, which is text of the profile. It is written to terminals, pages and their data, so
 * characters with a meaning there are replaced. */
static void set_noun(struct rep_flame_measure *m, const char *noun)
{
	struct tp_buf b = {0};
	size_t n;

	m->failed = rep_escape(&b, noun, strlen(noun), REP_ESCAPE_SHOWN) != 0;
	if (m->failed)
		b.size = 0;
	n = b.size < sizeof(m->noun) ? b.size : sizeof(m->noun) - 1;
	/* Do not cut within a character. */
	while (n && n < b.size && (b.data[n] & 0xc0) == 0x80)
		n--;
	for (size_t i = 0; i < n; i++)
		m->noun[i] = strchr("<>&\"'\\", b.data[i]) ? '?' : (char)b.data[i];
	m->noun[n] = '\0';
	tp_buf_release(&b);
}

struct rep_flame_measure rep_flame_measure(const char *type, const char *unit)
{
	static const struct {
		const char *unit, *noun;
		enum rep_flame_kind kind;
		int64_t scale;
	} units[] = {
	    {"nanoseconds", "ns", REP_FLAME_TIME, 1},
	    {"nanosecond", "ns", REP_FLAME_TIME, 1},
	    {"ns", "ns", REP_FLAME_TIME, 1},
	    {"microseconds", "us", REP_FLAME_TIME, 1000},
	    {"us", "us", REP_FLAME_TIME, 1000},
	    {"milliseconds", "ms", REP_FLAME_TIME, 1000000},
	    {"ms", "ms", REP_FLAME_TIME, 1000000},
	    {"seconds", "s", REP_FLAME_TIME, 1000000000},
	    {"s", "s", REP_FLAME_TIME, 1000000000},
	    {"bytes", "bytes", REP_FLAME_SIZE, 1},
	    {"byte", "bytes", REP_FLAME_SIZE, 1},
	    {"B", "bytes", REP_FLAME_SIZE, 1},
	    {"kilobytes", "KiB", REP_FLAME_SIZE, 1024},
	    {"kB", "KiB", REP_FLAME_SIZE, 1024},
	    {"megabytes", "MiB", REP_FLAME_SIZE, 1048576},
	    {"MB", "MiB", REP_FLAME_SIZE, 1048576},
	};
	struct rep_flame_measure m = {.kind = REP_FLAME_COUNT, .scale = 1};
	const char *noun = unit;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(unit, units[i].unit))
			continue;
		m.kind = units[i].kind;
		m.scale = units[i].scale;
		noun = units[i].noun;
	}
	/* The type names the counted things: inuse_objects, contentions, samples. */
	if (!strcmp(unit, "count") || !*unit) {
		const char *last = strrchr(type, '_');

		noun = last ? last + 1 : type;
		/* Go names these types like their profiles. */
		if (!strcmp(noun, "goroutine") || !strcmp(noun, "goroutineleak"))
			noun = "goroutines";
		else if (!strcmp(noun, "threadcreate"))
			noun = "threads";
	}
	set_noun(&m, noun);
	return m;
}

/* Returns the length of the noun for a value: "1 sample", of "samples". */
static int noun_size(const struct rep_flame_measure *m, int64_t v)
{
	size_t n = strlen(m->noun);

	if ((v == 1 || v == -1) && n > 2 && m->noun[n - 1] == 's' && m->noun[n - 2] != 's')
		n--;
	return n < 60 ? (int)n : 60;
}

char *rep_flame_human(char text[REP_FLAME_WORDS], const struct rep_flame_measure *m, int64_t v)
{
	int64_t scaled;

	if (__builtin_mul_overflow(v, m->scale, &scaled))
		scaled = v < 0 ? -INT64_MAX : INT64_MAX;
	switch (m->kind) {
	case REP_FLAME_TIME:
		return tp_fmt_ns(text, scaled);
	case REP_FLAME_SIZE:
		return tp_fmt_bytes(text, scaled);
	default:
		tp_fmt_count(text, v);
		snprintf(text + strlen(text), REP_FLAME_WORDS - strlen(text), "%s%.*s",
			 *m->noun ? " " : "", noun_size(m, v), m->noun);
		return text;
	}
}

char *rep_flame_percent(char text[REP_FLAME_WORDS], double share)
{
	double a = fabs(share) * 100, p = a < 0.0005 ? 0 : share * 100;

	snprintf(text, REP_FLAME_WORDS,
		 a >= 99.95 || a < 0.0005 ? "%.0f%%"
		 : a >= 9.95		  ? "%.1f%%"
		 : a >= 0.095		  ? "%.2f%%"
					  : "%.1g%%",
		 p);
	return text;
}
