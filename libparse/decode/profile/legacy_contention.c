/* Waiting for locks, as text (pprof: parseContention; Go writes the second and third header):
 *
 *   --- contentionz 1 ---   or   --- contention:   or   --- mutex:
 *   cycles/second = N
 *   sampling period = N
 *   ms since reset = N
 *   discarded samples = N
 *   CYCLES COUNT @ 0xADDRESS …
 *
 * Both values stand for `sampling period` times as much, and cycles become nanoseconds by the
 * frequency the dump states; without it they are nanoseconds already. */
#include <string.h>

#include "decode/profile/legacy.h"

struct header {
	int64_t hz;
	bool mutex; /* the first line is that of Go's mutex profile */
};

static int read_attribute(struct tp_legacy *l, struct header *h, struct tp_scan line,
			  const char *equals)
{
	struct tp_scan key = tp_scan_trim((struct tp_scan){line.at, equals});
	struct tp_scan value = tp_scan_trim((struct tp_scan){equals + 1, line.end});
	int64_t v;

	if (tp_scan_is(key, "discarded samples"))
		return 0;
	if (!tp_scan_whole_int(value, &v))
		return tp_legacy_lose(l, 0, "does not have a 64-bit number after '='");
	if (tp_scan_is(key, "cycles/second"))
		h->hz = v;
	else if (tp_scan_is(key, "sampling period"))
		l->p->period = v;
	else if (tp_scan_is(key, "ms since reset"))
		l->p->duration_ns = (int64_t)((uint64_t)v * 1000000);
	return 0;
}

/* Reads the header; the next line is then the first one after it. */
static int read_header(struct tp_legacy *l, struct header *h)
{
	int code = tp_legacy_period_type(l, "contentions", "count");

	if (!code)
		code = tp_legacy_add_type(l, "contentions", "count");
	if (!code)
		code = tp_legacy_add_type(l, "delay", "nanoseconds");
	l->p->period = 1;
	tp_lines_next(&l->lines);
	h->mutex = tp_scan_begins(tp_scan_trim(l->lines.line), "--- mutex:");
	for (struct tp_lines before = l->lines; !code && tp_lines_next(&l->lines);
	     before = l->lines) {
		struct tp_scan line = tp_scan_trim(l->lines.line);
		const char *equals = tp_scan_find(line, "=");

		if (tp_legacy_is_comment(line))
			continue;
		if (!equals || tp_scan_begins(line, "---")) {
			l->lines = before;
			break;
		}
		code = read_attribute(l, h, line, equals);
	}
	return code;
}

/* Finds two numbers before " @", anywhere in the line; a single number is split before its last
 * digit. */
static bool find_numbers(struct tp_scan *s, struct tp_scan number[2])
{
	const char *begin = s->at, *at, *p;

	for (p = s->at; (at = memchr(p, '@', (size_t)(s->end - p))) != NULL; p = at + 1) {
		const char *q = at - 1;

		if (at == begin || *q != ' ')
			continue;
		number[1].end = q;
		while (q > begin && q[-1] >= '0' && q[-1] <= '9')
			q--;
		number[1].at = q;
		if (number[1].at == number[1].end)
			continue;
		while (q > begin && q[-1] == ' ')
			q--;
		number[0].end = q;
		while (q > begin && q[-1] >= '0' && q[-1] <= '9')
			q--;
		number[0].at = q;
		if (number[0].at == number[0].end) {
			if (number[1].end - number[1].at < 2)
				continue;
			number[0] = (struct tp_scan){number[1].at, number[1].end - 1};
			number[1].at = number[1].end - 1;
		}
		s->at = at + 1;
		return true;
	}
	return false;
}

/* Converts like x86-64, also values that do not fit. */
static int64_t to_int(double v)
{
	return v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : INT64_MIN;
}

static int read_sample(struct tp_legacy *l, const struct header *h)
{
	struct tp_scan s = tp_scan_trim(l->lines.line), number[2];
	int64_t value[TP_LEGACY_VALUES], period = l->p->period;

	if (!find_numbers(&s, number))
		return tp_legacy_lose(l, 1, "is not a sample of waiting for locks");
	if (tp_scan_int(&number[0], false, &value[1]) != TP_NUMBER_OK ||
	    tp_scan_int(&number[1], false, &value[0]) != TP_NUMBER_OK)
		return tp_legacy_lose(l, 1, "has a number that does not fit 64 bits");
	if (period > 0 && h->hz > 0)
		value[1] = to_int((double)value[1] * (double)period / ((double)h->hz / 1e9));
	if (period > 0)
		value[0] = (int64_t)((uint64_t)value[0] * (uint64_t)period);
	return tp_legacy_add_sample(l, s, 1, value, 0);
}

/* Adds a notice for Go's mutex profiles with a period. Since 1.26 Go scales the values itself, but
 * still writes the period, by which readers multiply (runtime/pprof: writeProfileInternal). The
 * text does not say which release wrote it. */
static int note_period(struct tp_legacy *l, const struct header *h)
{
	if (!h->mutex || l->p->period <= 1)
		return 0;
	return tp_legacy_fail(
	    l,
	    tp_profile_add_notice(l->p, TP_WARNING, TP_OFFSET_NONE,
				  "the values are multiplied by the sampling period, %lld; if Go "
				  "1.26 or later wrote this text, they are that many times too "
				  "large: use the profile without debug=1",
				  (long long)l->p->period));
}

int tp_legacy_contention(struct tp_legacy *l)
{
	struct header h = {0};
	int code = read_header(l, &h);

	if (!code)
		code = note_period(l, &h);
	while (tp_legacy_next(l, &code) && !tp_scan_begins(tp_scan_trim(l->lines.line), "---"))
		code = read_sample(l, &h);
	return code ? code : tp_legacy_find_maps(l);
}
