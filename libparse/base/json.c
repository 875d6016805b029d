#include "base/json.h"

#include <string.h>

#define DIGIT(c) ((unsigned char)((c) - '0') < 10)

struct scan {
	const char *at, *end;
	const char *wrong; /* at `at`; NULL: nothing */
};

static bool fail(struct scan *s, const char *wrong)
{
	s->wrong = wrong;
	return false;
}

static void skip_blanks(struct scan *s)
{
	while (s->at < s->end &&
	       (*s->at == ' ' || *s->at == '\n' || *s->at == '\t' || *s->at == '\r'))
		s->at++;
}

/* Skips a string, from its first quote on. */
static bool skip_string(struct scan *s)
{
	for (s->at++; s->at < s->end; s->at++) {
		if (*s->at == '"') {
			s->at++;
			return true;
		}
		if ((unsigned char)*s->at < ' ')
			return fail(s, "has a control character within a string");
		if (*s->at != '\\')
			continue;
		if (++s->at == s->end)
			break;
		if ((unsigned char)*s->at < ' ')
			return fail(s, "has a control character within a string");
	}
	return fail(s, "ends within a string");
}

static void skip_digits(struct scan *s)
{
	while (s->at < s->end && DIGIT(*s->at))
		s->at++;
}

static bool skip_number(struct scan *s)
{
	const char *digits = s->at += *s->at == '-';

	skip_digits(s);
	if (s->at == digits || (*digits == '0' && s->at > digits + 1))
		return fail(s,
			    s->at == s->end ? "ends within a number" : "is not JSON at this place");
	if (s->at < s->end && *s->at == '.') {
		digits = ++s->at;
		skip_digits(s);
	}
	if (s->at > digits && s->at < s->end && (*s->at == 'e' || *s->at == 'E')) {
		s->at++;
		if (s->at < s->end && (*s->at == '+' || *s->at == '-'))
			s->at++;
		digits = s->at;
		skip_digits(s);
	}
	if (s->at == digits)
		return fail(s,
			    s->at == s->end ? "ends within a number" : "is not JSON at this place");
	return true;
}

static bool skip_scalar(struct scan *s)
{
	static const char *const words[] = {"true", "false", "null"};

	if (*s->at == '"')
		return skip_string(s);
	if (*s->at == '-' || DIGIT(*s->at))
		return skip_number(s);
	for (size_t i = 0; i < 3; i++) {
		size_t n = strlen(words[i]), left = (size_t)(s->end - s->at);

		if (memcmp(s->at, words[i], left < n ? left : n) != 0)
			continue;
		s->at += left < n ? left : n;
		return left >= n || fail(s, "ends within a word");
	}
	return fail(s, "is not JSON at this place");
}

/* Skips a key and its colon. */
static bool skip_key(struct scan *s, struct tp_json *key)
{
	skip_blanks(s);
	if (s->at == s->end)
		return fail(s, "ends within an object");
	if (*s->at != '"')
		return fail(s, "has an object with a member that has no name");
	key->at = s->at + 1;
	if (!skip_string(s))
		return false;
	key->end = s->at - 1;
	skip_blanks(s);
	if (s->at == s->end || *s->at != ':')
		return fail(s, s->at == s->end ? "ends within an object"
					       : "has an object with a name and no value");
	s->at++;
	return true;
}

/* Skips one value with all that is in it. */
static bool skip_value(struct scan *s)
{
	enum { VALUE, FIRST, AFTER } state = VALUE;
	uint64_t objects = 0; /* a bit for each container that is open: whether it is an object */
	unsigned depth = 0;
	struct tp_json key;

	do {
		char c;

		skip_blanks(s);
		if (s->at == s->end)
			return fail(s, !depth	     ? "ends where a value should be"
				       : objects & 1 ? "ends within an object"
						     : "ends within an array");
		c = *s->at;
		if (c == '}' || c == ']') {
			if (state == VALUE || !depth || (c == '}') != (objects & 1))
				return fail(s, "is not JSON at this place");
			s->at++;
			objects >>= 1;
			depth--;
			state = AFTER;
			continue;
		}
		if (state == AFTER) {
			if (c != ',')
				return fail(s, "lacks a comma");
			s->at++;
			state = VALUE;
			if ((objects & 1) && !skip_key(s, &key))
				return false;
			continue;
		}
		if (state == FIRST && (objects & 1)) {
			if (!skip_key(s, &key))
				return false;
			state = VALUE;
			continue;
		}
		if (c != '{' && c != '[') {
			if (!skip_scalar(s))
				return false;
			state = AFTER;
			continue;
		}
		if (depth++ == TP_JSON_DEPTH)
			return fail(s, "is nested too deeply");
		objects = objects << 1 | (c == '{');
		s->at++;
		state = FIRST;
	} while (depth || state != AFTER);
	return true;
}

/* ---- walks ---- */

struct tp_json tp_json(const void *data, size_t size)
{
	struct tp_json text = {data, (const char *)data + size};
	struct scan s = {.at = text.at, .end = text.end};

	if (size >= 3 && !memcmp(data, "\xef\xbb\xbf", 3))
		s.at += 3;
	skip_blanks(&s);
	while (text.end > s.at && strchr(" \n\t\r", text.end[-1]) && text.end[-1])
		text.end--;
	text.at = s.at;
	return text;
}

struct tp_json_walk tp_json_walk(struct tp_json value)
{
	struct tp_json_walk w = {.at = value.at, .end = value.end};

	if (w.at < w.end && (*w.at == '{' || *w.at == '['))
		w.object = *w.at++ == '{';
	else
		w.done = true;
	return w;
}

static bool next(struct tp_json_walk *w, struct scan *s)
{
	bool begun = w->begun;

	w->key = w->value = (struct tp_json){0};
	skip_blanks(s);
	w->begun = true;
	if (s->at == s->end)
		return fail(s, w->object ? "ends within an object" : "ends within an array");
	w->done = *s->at == (w->object ? '}' : ']');
	if (w->done)
		return false;
	if (begun && *s->at != ',')
		return fail(s, "lacks a comma");
	s->at += begun;
	if (w->object && !skip_key(s, &w->key))
		return false;
	skip_blanks(s);
	w->value.at = s->at;
	skip_value(s);
	w->value.end = s->at;
	return w->value.at < w->value.end;
}

bool tp_json_next(struct tp_json_walk *w)
{
	struct scan s = {.at = w->at, .end = w->end};
	bool more = !w->done && next(w, &s);

	w->done |= !more || s.wrong;
	w->wrong = s.wrong ? s.wrong : w->wrong;
	w->at = s.at;
	return more;
}

bool tp_json_is(struct tp_json text, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(text.end - text.at) == n && !memcmp(text.at, word, n);
}

/* ---- numbers ---- */

/* Returns the exponent behind the digits, kept so small that it can be added to. */
static int64_t exponent(const char *at, const char *end)
{
	bool negative = at < end && *at == '-';
	int64_t n = 0;

	for (at += at < end && !DIGIT(*at); at < end; at++)
		n = n < 100000000 ? n * 10 + (*at - '0') : n;
	return negative ? -n : n;
}

bool tp_json_scaled(struct tp_json value, unsigned places, int64_t *number, bool *rounded)
{
	struct scan s = {.at = value.at, .end = value.end};
	bool negative = value.at < value.end && *value.at == '-', fraction = false, more = false;
	const char *e = value.at, *at;
	int64_t n = 0, behind = 0, shift;

	if (value.at == value.end || (!negative && !DIGIT(*value.at)) || !skip_number(&s) ||
	    s.at != value.end)
		return false;
	while (e < value.end && *e != 'e' && *e != 'E')
		e++;
	for (at = value.at; at < e; at++)
		behind += *at != '.' && fraction, fraction |= *at == '.';
	/* Digits behind this place (negative: in front of it) do not count. */
	shift = (int64_t)places + (e < value.end ? exponent(e + 1, value.end) : 0) - behind;
	*rounded = false;
	at = value.at + negative;
	for (int64_t left = (e - at) - fraction; at < e; at++) {
		int digit = *at - '0';

		if (*at == '.')
			continue;
		left--;
		if (left + shift >= 0) {
			if (__builtin_mul_overflow(n, 10, &n) ||
			    __builtin_add_overflow(n, negative ? -digit : digit, &n))
				return false;
			continue;
		}
		*rounded |= digit > 0;
		if (left + shift == -1)
			more = digit >= 5;
	}
	for (; n && shift > 0; shift--)
		if (__builtin_mul_overflow(n, 10, &n))
			return false;
	*number = n;
	return !more || !__builtin_add_overflow(n, negative ? -1 : 1, number);
}
