/* Cleans text that terminals, loggers and editors have changed: escapes, encodings, colours. */
#include <string.h>

#include "base/err.h"
#include "open/log.h"

static int put(struct tp_buf *out, const char *at, const char *end)
{
	return tp_buf_put(out, at, (size_t)(end - at));
}

static int put_rune(struct tp_buf *out, uint32_t c)
{
	uint8_t b[4];
	size_t n = 1;

	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd;
	if (c < 0x80) {
		b[0] = (uint8_t)c;
	} else if (c < 0x800) {
		b[0] = (uint8_t)(0xc0 | c >> 6);
		n = 2;
	} else if (c < 0x10000) {
		b[0] = (uint8_t)(0xe0 | c >> 12);
		n = 3;
	} else {
		b[0] = (uint8_t)(0xf0 | c >> 18);
		n = 4;
	}
	for (size_t i = 1; i < n; i++)
		b[i] = (uint8_t)(0x80 | (c >> 6 * (n - 1 - i) & 0x3f));
	return tp_buf_put(out, b, n);
}

/* ---- escapes ---- */

/* Reads at least `least` and at most `most` digits of a base. */
static bool digits(struct tp_scan *s, unsigned base, int least, int most, uint32_t *v)
{
	struct tp_scan all = {s->at, s->end - s->at > most ? s->at + most : s->end}, run;
	uint64_t n = 0;

	run = tp_scan_run(&all, base == 16 ? TP_HEXITS : base == 8 ? "01234567" : TP_DIGITS);
	if (run.end - run.at < least)
		return false;
	s->at = run.end;
	for (; run.at < run.end; run.at++)
		n = n * base +
		    (uint64_t)(*run.at <= '9' ? *run.at - '0' : (*run.at | 32) - 'a' + 10);
	*v = n > 0x10ffff ? 0xfffd : (uint32_t)n;
	return true;
}

/* Reads the escape after a backslash; returns false if it is not one. */
static bool backslash(struct tp_scan *s, uint32_t *v)
{
	static const char letters[] = "ntrbfvae\"'\\/";
	static const char means[] = "\n\t\r\b\f\v\a\033\"'\\/";
	const char *letter;
	uint32_t low;

	if (s->at == s->end)
		return false;
	letter = *s->at ? strchr(letters, *s->at) : NULL;
	if (letter) {
		s->at++;
		*v = (uint8_t)means[letter - letters];
		return true;
	}
	if (digits(s, 8, 3, 3, v))
		return true;
	if (tp_scan_text(s, "x"))
		return digits(s, 16, 2, 2, v);
	if (tp_scan_text(s, "U"))
		return digits(s, 16, 8, 8, v);
	if (!tp_scan_text(s, "u") || !digits(s, 16, 4, 4, v))
		return false;
	if (*v >= 0xd800 && *v < 0xdc00) {
		struct tp_scan second = *s;

		if (tp_scan_text(&second, "\\u") && digits(&second, 16, 4, 4, &low) &&
		    low >= 0xdc00 && low < 0xe000) {
			*v = 0x10000 + ((*v - 0xd800) << 10) + (low - 0xdc00);
			*s = second;
		}
	}
	return true;
}

static bool entity(struct tp_scan *s, uint32_t *v)
{
	static const struct {
		const char *name;
		char means;
	} names[] = {{"lt;", '<'},   {"gt;", '>'},    {"amp;", '&'},
		     {"quot;", '"'}, {"apos;", '\''}, {"nbsp;", ' '}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (tp_scan_text(s, names[i].name)) {
			*v = (uint8_t)names[i].means;
			return true;
		}
	}
	if (tp_scan_text(s, "#x") || tp_scan_text(s, "#X"))
		return digits(s, 16, 1, 6, v) && tp_scan_text(s, ";");
	return tp_scan_text(s, "#") && digits(s, 10, 1, 7, v) && tp_scan_text(s, ";");
}

enum tp_log_escape tp_log_newline(struct tp_scan s)
{
	struct tp_scan rest = s;
	uint32_t v = 0;

	while (tp_scan_text(&rest, "\\"))
		;
	if (rest.at > s.at && (tp_scan_begins(rest, "n") || tp_scan_begins(rest, "r") ||
			       tp_scan_begins(rest, "012") || tp_scan_begins(rest, "015") ||
			       tp_scan_begins(rest, "x0a") || tp_scan_begins(rest, "x0A") ||
			       tp_scan_begins(rest, "u000a") || tp_scan_begins(rest, "u000A")))
		return TP_LOG_BACKSLASH;
	if (tp_scan_begins(s, "#012") || tp_scan_begins(s, "#015"))
		return TP_LOG_OCTAL;
	if (tp_scan_text(&s, "&") && entity(&s, &v) && (v == '\n' || v == '\r'))
		return TP_LOG_ENTITY;
	return TP_LOG_NO_ESCAPE;
}

int tp_log_unescape(struct tp_buf *out, struct tp_scan s, enum tp_log_escape how, bool *odd)
{
	static const char begins[] = {
	    [TP_LOG_BACKSLASH] = '\\', [TP_LOG_OCTAL] = '#', [TP_LOG_ENTITY] = '&'};
	int code = 0;

	while (s.at < s.end && !code) {
		const char *at =
		    how == TP_LOG_NO_ESCAPE ? NULL : memchr(s.at, begins[how], tp_scan_left(&s));
		struct tp_scan after;
		uint32_t v = 0;
		bool ok;

		code = put(out, s.at, at ? at : s.end);
		if (!at || code)
			break;
		after = (struct tp_scan){at + 1, s.end};
		ok = how == TP_LOG_BACKSLASH ? backslash(&after, &v)
		     : how == TP_LOG_OCTAL   ? digits(&after, 8, 3, 3, &v)
					     : entity(&after, &v);
		/* \x80, \200 and #200 mean a byte; \u0080 and &#128; mean a character. */
		if (ok && v < 0x100 && v >= 0x80 && how != TP_LOG_ENTITY && after.at - at == 4)
			code = tp_buf_put(out, &(uint8_t){(uint8_t)v}, 1);
		else if (ok)
			code = put_rune(out, v);
		else
			code = put(out, at, at + 1);
		if (!ok && odd)
			*odd = true;
		s.at = ok ? after.at : at + 1;
	}
	return code;
}

bool tp_log_string(struct tp_scan *s, struct tp_scan *content)
{
	char quote = *s->at++;

	content->at = s->at;
	for (; s->at < s->end; s->at++) {
		if (*s->at == quote) {
			content->end = s->at++;
			return true;
		}
		if (*s->at == '\\' && s->at + 1 < s->end)
			s->at++;
	}
	content->end = s->end;
	return false;
}

/* ---- UTF-16 ---- */

static uint32_t unit(const char *at, bool big)
{
	return (uint32_t)(uint8_t)at[big] | (uint32_t)(uint8_t)at[!big] << 8;
}

int tp_log_utf16(struct tp_buf *out, struct tp_scan s, bool big)
{
	int code = 0;

	out->size = 0;
	while (s.end - s.at >= 2 && !code) {
		uint32_t v = unit(s.at, big);

		s.at += 2;
		if (v >= 0xd800 && v < 0xdc00 && s.end - s.at >= 2) {
			uint32_t low = unit(s.at, big);

			if (low >= 0xdc00 && low < 0xe000) {
				v = 0x10000 + ((v - 0xd800) << 10) + (low - 0xdc00);
				s.at += 2;
			}
		}
		code = put_rune(out, v);
	}
	return code;
}

/* ---- additions of terminals and editors ---- */

static const char *const spellings[] = {
    "#033[", "^[[", "\\x1b[", "\\x1B[", "\\033[", "\\u001b[", "\\u001B[", "\\e[", "\xe2\x90\x9b[",
};
#define NSPELLINGS (sizeof(spellings) / sizeof(spellings[0]))

void tp_log_look(struct tp_log_level *level, struct tp_scan text)
{
	size_t n = tp_scan_left(&text);

	level->escapes = n && (memchr(text.at, '\033', n) || memchr(text.at, '\b', n));
	level->wide =
	    n && (memchr(text.at, 0xc2, n) || memchr(text.at, 0xe2, n) || memchr(text.at, 0xef, n));
	level->numbers = n && memchr(text.at, '"', n) && tp_log_has_numbers(text);
	level->spelled = false;
	if (n && (level->wide || memchr(text.at, '#', n) || memchr(text.at, '^', n) ||
		  memchr(text.at, '\\', n)))
		for (size_t i = 0; i < NSPELLINGS && !level->spelled; i++)
			level->spelled = tp_scan_find(text, spellings[i]) != NULL;
}

#define MAX_SEQUENCE 1000

/* Returns where the current string of a terminal sequence ends, at BEL or ESC \, or the end of the
 * line. *known keeps the place, so that it is searched for only once. */
static const char *string_end(struct tp_scan s, const char **known)
{
	const char *p = s.at;

	if (!*known || *known < s.at) {
		while (p < s.end && *p != '\a' && !(*p == '\033' && p + 1 < s.end && p[1] == '\\'))
			p++;
		*known = p;
	}
	return *known;
}

/* Returns where a terminal sequence ends (ECMA-48); s begins after ESC, or at the '[' of a
 * spelled-out "ESC [". */
static const char *past_sequence(struct tp_scan s, const char **known)
{
	if (s.at == s.end)
		return s.at;
	if (memchr("]_P^X", *s.at, 5)) {
		const char *end = string_end(s, known);

		if (end == s.end || end - s.at > MAX_SEQUENCE)
			return s.at + 1;
		return end + (*end == '\a' ? 1 : 2);
	}
	if (*s.at++ == '[')
		while (s.at < s.end && *s.at >= 0x20 && *s.at < 0x40)
			s.at++;
	else if (s.at[-1] >= 0x20 && s.at[-1] < 0x30)
		while (s.at < s.end && *s.at >= 0x20 && *s.at < 0x30)
			s.at++;
	else
		return s.at;
	return s.at < s.end ? s.at + 1 : s.at;
}

/* Returns the end of the text at s.at to drop, or to replace by a blank (then sets *blank); NULL if
 * the text stays. */
static const char *left_out(const struct tp_log_level *level, struct tp_scan s, const char **known,
			    bool *blank)
{
	static const char *const blanks[] = {"\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x87"};
	static const char *const nothing[] = {"\xef\xbb\xbf", "\xe2\x80\x8b", "\xe2\x81\xa0"};

	*blank = false;
	if (*s.at == '\033')
		return past_sequence((struct tp_scan){s.at + 1, s.end}, known);
	if (level->spelled)
		for (size_t i = 0; i < NSPELLINGS; i++)
			if (tp_scan_begins(s, spellings[i]))
				return past_sequence(
				    (struct tp_scan){s.at + strlen(spellings[i]) - 1, s.end},
				    known);
	if (!level->wide || (uint8_t)*s.at < 0x80)
		return NULL;
	for (size_t i = 0; i < 3; i++) {
		*blank = tp_scan_begins(s, blanks[i]);
		if (*blank)
			return s.at + strlen(blanks[i]);
		if (tp_scan_begins(s, nothing[i]))
			return s.at + strlen(nothing[i]);
	}
	return NULL;
}

/* Strips colours that have lost their ESC: [31m at the beginning, [0m at the end. */
static void without_bare(struct tp_scan *s)
{
	struct tp_scan head = *s;
	const char *at = s->end;

	while (tp_scan_text(&head, "[") && head.at < head.end && strchr(TP_DIGITS, *head.at)) {
		tp_scan_run(&head, TP_DIGITS ";");
		if (!tp_scan_text(&head, "m"))
			break;
		s->at = head.at;
	}
	while (at - s->at > 3 && at[-1] == 'm') {
		for (at--; at > s->at && at[-1] && strchr(TP_DIGITS ";", at[-1]); at--)
			;
		if (at == s->at || at[-1] != '[' || *at == 'm')
			break;
		s->end = --at;
	}
}

static void trim_end(struct tp_scan *s)
{
	while (s->end > s->at && (uint8_t)s->end[-1] <= ' ' && memchr(" \t\r\f\v", s->end[-1], 5))
		s->end--;
}

int tp_log_clean(struct tp_log_level *level, struct tp_scan *line)
{
	struct tp_scan s = *line;
	const char *kept = s.at, *known = NULL;
	bool written = false, blank;
	int code = 0;

	if (level->escapes || level->spelled || level->wide) {
		while (s.at < s.end && !code) {
			const char *to = left_out(level, s, &known, &blank);

			if (!to) {
				s.at++;
				continue;
			}
			if (!written)
				level->line.size = 0;
			written = true;
			code = put(&level->line, kept, s.at);
			if (!code && blank)
				code = tp_buf_put(&level->line, " ", 1);
			kept = s.at = to;
		}
		if (written && !code)
			code = put(&level->line, kept, s.end);
		if (written && level->line.size)
			*line = (struct tp_scan){(const char *)level->line.data,
						 (const char *)level->line.data + level->line.size};
		else if (written)
			line->end = line->at;
	}
	trim_end(line);
	if (line->at < line->end && (*line->at == '[' || line->end[-1] == 'm')) {
		without_bare(line);
		trim_end(line);
	}
	return code;
}
