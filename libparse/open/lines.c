#include "open/lines.h"

#include <string.h>

struct tp_lines tp_lines(const void *data, size_t size)
{
	const char *p = data ? data : "";

	return (struct tp_lines){.start = p, .next = p, .end = p + size, .line = {p, p}};
}

bool tp_lines_next(struct tp_lines *l)
{
	const char *end;

	l->line.at = l->line.end = l->next;
	if (l->next == l->end)
		return false;
	end = memchr(l->next, '\n', (size_t)(l->end - l->next));
	l->next = end ? end + 1 : l->end;
	if (!end)
		end = l->end;
	if (end > l->line.at && end[-1] == '\r')
		end--;
	l->line.end = end;
	l->number++;
	return true;
}

uint64_t tp_lines_offset(const struct tp_lines *l)
{
	return (uint64_t)(l->line.at - l->start);
}

uint64_t tp_lines_bytes(const struct tp_lines *l)
{
	return (uint64_t)(l->next - l->line.at);
}

size_t tp_scan_left(const struct tp_scan *s)
{
	return (size_t)(s->end - s->at);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == '\n';
}

struct tp_scan tp_scan_trim(struct tp_scan s)
{
	while (s.at < s.end && is_blank(s.at[0]))
		s.at++;
	while (s.at < s.end && is_blank(s.end[-1]))
		s.end--;
	return s;
}

size_t tp_scan_blanks(struct tp_scan *s)
{
	const char *from = s->at;

	while (s->at < s->end && is_blank(*s->at))
		s->at++;
	return (size_t)(s->at - from);
}

size_t tp_scan_spaces(struct tp_scan *s)
{
	const char *from = s->at;

	while (s->at < s->end && *s->at == ' ')
		s->at++;
	return (size_t)(s->at - from);
}

bool tp_scan_begins(struct tp_scan s, const char *text)
{
	size_t n;

	/* Most texts differ in the first character. */
	if (s.at == s.end || *s.at != *text)
		return !*text;
	n = strlen(text);
	return tp_scan_left(&s) >= n && !memcmp(s.at, text, n);
}

bool tp_scan_is(struct tp_scan s, const char *text)
{
	return tp_scan_left(&s) == strlen(text) && tp_scan_begins(s, text);
}

bool tp_scan_text(struct tp_scan *s, const char *text)
{
	if (!tp_scan_begins(*s, text))
		return false;
	s->at += strlen(text);
	return true;
}

const char *tp_scan_find(struct tp_scan s, const char *text)
{
	return memmem(s.at, tp_scan_left(&s), text, strlen(text));
}

struct tp_scan tp_scan_run(struct tp_scan *s, const char *set)
{
	struct tp_scan run = {s->at, s->at};

	while (s->at < s->end && *s->at && strchr(set, *s->at))
		s->at++;
	run.end = s->at;
	return run;
}

enum tp_number tp_scan_int(struct tp_scan *s, bool sign, int64_t *v)
{
	const char *at = s->at;
	bool negative = sign && at < s->end && *at == '-', huge = false;
	int64_t n = 0;

	at += negative;
	if (at == s->end || *at < '0' || *at > '9')
		return TP_NUMBER_NONE;
	/* Count downwards, because int64_t has one more negative number. */
	for (; at < s->end && *at >= '0' && *at <= '9'; at++)
		huge = huge || __builtin_mul_overflow(n, 10, &n) ||
		       __builtin_sub_overflow(n, *at - '0', &n);
	s->at = at;
	if (!negative)
		huge = huge || __builtin_sub_overflow(0, n, &n);
	*v = huge ? 0 : n;
	return huge ? TP_NUMBER_HUGE : TP_NUMBER_OK;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'Z')
		return c - 'A' + 10;
	return 99;
}

enum tp_number tp_scan_hex(struct tp_scan *s, uint64_t *v)
{
	const char *at = s->at;
	bool huge = false;
	uint64_t n = 0;

	for (; at < s->end && digit(*at) < 16; at++) {
		huge |= n >> 60 != 0;
		n = n << 4 | (uint64_t)digit(*at);
	}
	if (at == s->at)
		return TP_NUMBER_NONE;
	s->at = at;
	*v = huge ? 0 : n;
	return huge ? TP_NUMBER_HUGE : TP_NUMBER_OK;
}

bool tp_scan_whole_int(struct tp_scan s, int64_t *v)
{
	bool negative = false;
	int64_t n = 0;
	int base = 10;

	if (s.at < s.end && (*s.at == '-' || *s.at == '+'))
		negative = *s.at++ == '-';
	if (s.end - s.at > 1 && *s.at == '0') {
		char c = s.at[1];

		base = c == 'x' || c == 'X' ? 16 : c == 'b' || c == 'B' ? 2 : 8;
		s.at += 1 + (base != 8 || c == 'o' || c == 'O');
	}
	if (s.at == s.end)
		return false;
	for (; s.at < s.end; s.at++) {
		int d = digit(*s.at);

		if (d >= base || __builtin_mul_overflow(n, base, &n) ||
		    __builtin_sub_overflow(n, d, &n))
			return false;
	}
	if (!negative && __builtin_sub_overflow(0, n, &n))
		return false;
	*v = n;
	return true;
}
