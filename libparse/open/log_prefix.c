/* Recognises the prefix that a logger puts before each line. A prefix is learned from one line and
 * found again in others: its words and punctuation stay the same, its numbers (times, counters,
 * addresses) vary, and so do some words. */
#include <string.h>
#include <strings.h>

#include "open/dumpline.h"
#include "open/log.h"

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Reads a word, or a number with its fraction: "18.298191503Z", which is "18Z" at a full second. */
static struct tp_scan word_of(struct tp_scan *s, bool *number)
{
	struct tp_scan w = *s;

	*number = false;
	for (; s->at < s->end; s->at++) {
		char c = *s->at;

		*number |= is_digit(c);
		if (is_word(c) || ((c == '.' || c == ',') && s->at > w.at && is_digit(s->at[-1]) &&
				   s->at + 1 < s->end && is_digit(s->at[1])))
			continue;
		break;
	}
	w.end = s->at;
	return w;
}

static bool is_same(struct tp_scan a, struct tp_scan b)
{
	return tp_scan_left(&a) == tp_scan_left(&b) && !memcmp(a.at, b.at, tp_scan_left(&a));
}

/* Returns whether a word may vary: it is part of a time, a level or a stream. */
static bool varies(struct tp_scan w)
{
	static const char words[] =
	    " jan feb mar apr may jun jul aug sep oct nov dec mon tue wed thu fri sat sun am pm "
	    "trace debug info notice warn warning error err fatal panic crit critical alert emerg "
	    "t d i n w e f p c trc dbg inf wrn ftl pnc stdout stderr out "; /* stdout and stderr */
	size_t n = tp_scan_left(&w);

	for (const char *at = words; n && n < 10 && (at = strchr(at, ' ')) != NULL && at[1];) {
		at++;
		if (!strncasecmp(at, w.at, n) && at[n] == ' ')
			return true;
	}
	return false;
}

/* Compares punctuation. grep writes "12:" before a match and "13-" before a line of context. */
static bool same_sign(char a, char b)
{
	return a == b || (a == ':' && b == '-') || (a == '-' && b == ':');
}

static size_t blanks(struct tp_scan *s, size_t most)
{
	size_t n = 0;

	for (; n < most && s->at < s->end && is_blank(*s->at); s->at++)
		n++;
	return n;
}

const char *tp_log_cri(struct tp_scan s, bool *part)
{
	if (s.at == s.end || !is_digit(*s.at))
		return NULL;
	tp_scan_run(&s, TP_DIGITS "-:.+TZ");
	if (!tp_scan_text(&s, " std") || (!tp_scan_text(&s, "out ") && !tp_scan_text(&s, "err ")))
		return NULL;
	*part = tp_scan_text(&s, "P ");
	return *part || tp_scan_text(&s, "F ") ? s.at : NULL;
}

struct tp_scan tp_log_source(struct tp_scan s)
{
	struct tp_scan source = s;
	const char *at;

	if (tp_scan_begins(s, "[pod/")) {
		at = memchr(s.at, ']', tp_scan_left(&s));
		source.end = at && at + 1 < s.end && is_blank(at[1]) ? at + 1 : s.at;
		return source;
	}
	while (s.at < s.end && (is_word(*s.at) || memchr("_.-", *s.at, 3)))
		s.at++;
	source.end = s.at;
	if (!blanks(&s, SIZE_MAX) || varies(source) || !tp_scan_text(&s, "|") ||
	    (s.at < s.end && !is_blank(*s.at)))
		source.end = source.at;
	return source;
}

/* Moves both past one word, punctuation mark or run of blanks; returns false if they differ. */
static bool step(struct tp_scan *t, struct tp_scan *s)
{
	bool number, other;
	struct tp_scan a, b;

	if (is_blank(*t->at)) {
		size_t n = blanks(t, SIZE_MAX), got;

		/* After the last blanks of the prefix, further blanks belong to the content. */
		got = blanks(s, t->at == t->end ? n : SIZE_MAX);
		/* Numbers may be padded with blanks, so a longer number has fewer before it. */
		return got || s->at == s->end ||
		       (t->at < t->end && is_word(*t->at) && s->at < s->end && is_digit(*s->at));
	}
	if (!is_word(*t->at)) {
		if (s->at == s->end || !same_sign(*t->at, *s->at))
			return false;
		t->at++;
		s->at++;
		return true;
	}
	a = word_of(t, &number);
	b = word_of(s, &other);
	return is_same(a, b) || (number && other) || (varies(a) && varies(b));
}

const char *tp_log_match(const struct tp_log_shape *shape, struct tp_scan s)
{
	struct tp_scan t = {shape->text, shape->text + shape->n}, only = t;

	if (!shape->n)
		return s.at;
	if (tp_scan_left(&s) >= shape->n && !memcmp(s.at, shape->text, shape->n))
		return s.at + shape->n;
	/* If the prefix is only indentation, a line may have less of it. */
	if (blanks(&only, SIZE_MAX) == shape->n) {
		blanks(&s, shape->n);
		return s.at;
	}
	while (t.at < t.end)
		if (!step(&t, &s))
			return NULL;
	return s.at;
}

static const char *stack_at(struct tp_scan s)
{
	enum tp_dump_line kind;

	kind = tp_dump_line(s, NULL);
	if (!tp_dump_is_stack(kind))
		return NULL;
	/* Calls are not indented; places are. */
	if (kind == TP_LINE_CALL || kind == TP_LINE_CALL_CUT || kind == TP_LINE_CREATOR ||
	    kind == TP_LINE_CREATOR_CUT)
		tp_scan_blanks(&s);
	return s.at;
}

#define STEPS 64

const char *tp_log_first(const struct tp_log_shape *head, struct tp_scan line)
{
	struct tp_scan t = {head->text, head->text + head->n}, s = line;
	const char *cut[STEPS], *at = tp_log_match(head, line);
	size_t n = 0;

	if (at && (at = stack_at((struct tp_scan){at, line.end})) != NULL)
		return at;
	cut[n++] = line.at;
	while (t.at < t.end && step(&t, &s) && n < STEPS)
		cut[n++] = s.at;
	if (s.at == line.end && n > 1) /* an empty line with a shorter prefix */
		return s.at;
	while (n--)
		if ((at = stack_at((struct tp_scan){cut[n], line.end})) != NULL)
			return at;
	/* The line may have another prefix that ends with a blank. */
	for (n = 0, at = line.at; at < line.end && n < STEPS; at++) {
		if (at > line.at && !is_blank(*at) && is_blank(at[-1])) {
			enum tp_dump_line kind = tp_dump_line((struct tp_scan){at, line.end}, NULL);

			n++;
			if (kind == TP_LINE_CALL || kind == TP_LINE_CREATOR)
				return at;
		}
	}
	return NULL;
}

bool tp_log_shape(struct tp_log_shape *shape, const char *from, const char *to)
{
	shape->n = 0;
	if (to - from > TP_LOG_PREFIX)
		return false;
	shape->n = (size_t)(to - from);
	memcpy(shape->text, from, shape->n);
	return true;
}
