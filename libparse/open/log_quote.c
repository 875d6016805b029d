/* Finds quoted strings in lines: by JSON key, by logfmt name (msg="…"), or bare, by the text before
 * them. They may be alone, in lists, or written as a list of bytes, which journald uses for text
 * with control characters. */
#include <string.h>

#include "base/err.h"
#include "open/dumpline.h"
#include "open/log.h"

/* ---- found ---- */

/* Returns the name in "name=" before a string, with its sign; empty if there is no name. */
static struct tp_scan logfmt_name(struct tp_scan before)
{
	struct tp_scan name = {before.end, before.end};

	if (before.end > before.at && before.end[-1] == '=')
		while (name.at > before.at && name.at[-1] > ' ')
			name.at--;
	return name;
}

/* Stores how the string after `before` is recognised: by its JSON key (key.at is NULL without one),
 * by its logfmt name, or by all the text before it. */
static void learn(struct tp_log_level *level, struct tp_scan before, struct tp_scan key)
{
	struct tp_scan name = key.at ? key : logfmt_name(before);

	level->quote = key.at ? TP_LOG_JSON : TP_LOG_LOGFMT;
	level->nkey = tp_scan_left(&name);
	if ((key.at || level->nkey > 1) && level->nkey <= TP_LOG_KEY) {
		memcpy(level->key, name.at, level->nkey);
		return;
	}
	level->quote =
	    tp_log_shape(&level->head, before.at, before.end) ? TP_LOG_PLAIN_STRING : TP_LOG_BARE;
}

/* Returns whether the text from `at`, where "goroutine 18 [" is, to `end` begins with the first
 * line of a stack. Escapes may follow it; they must if the string is not closed. */
static bool begins_stack(const char *at, const char *end, bool closed)
{
	struct tp_scan s = {at, end};

	if (*at == 'g') {
		at = memchr(at, ']', tp_scan_left(&s));
		s.at = at ? at + 1 : s.end;
		if (!tp_scan_begins(s, ":") && !tp_scan_begins(s, " {"))
			return false;
	}
	return closed || memchr(s.at, '\\', tp_scan_left(&s));
}

bool tp_log_quoted(struct tp_log_level *level, struct tp_scan line, const char *at,
		   struct tp_scan *string)
{
	struct tp_scan s = line, last = {0}, list = {0};

	while ((s.at = memchr(s.at, '"', tp_scan_left(&s))) != NULL && s.at < at) {
		struct tp_scan between = {last.at ? last.end + 1 : line.at, s.at}, content;
		struct tp_scan sign, key = {0};
		bool closed;

		if (between.at > between.end)
			between.at = between.end;
		sign = tp_scan_trim(between);
		if (tp_scan_left(&sign) && sign.end[-1] == '[')
			list = *sign.at == ':' ? last : (struct tp_scan){0};
		if (tp_scan_is(sign, ":"))
			key = last;
		else if (tp_scan_left(&sign) && (sign.end[-1] == '[' || tp_scan_is(sign, ",")))
			key = list;
		string->at = s.at;
		closed = tp_log_string(&s, &content);
		if (at >= content.end) {
			last = content;
			continue;
		}
		string->end = line.end;
		if (!begins_stack(at, content.end, closed))
			return false;
		learn(level, (struct tp_scan){line.at, string->at}, key);
		return true;
	}
	return false;
}

/* Returns the end of "oroutine " written as a list of bytes; NULL if it is not found. */
static const char *past_numbers(struct tp_scan s)
{
	static const char *const ways[] = {"111,114,111,117,116,105,110,101,32",
					   "111, 114, 111, 117, 116, 105, 110, 101, 32"};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		const char *at = tp_scan_find(s, ways[i]);

		if (at)
			return at + strlen(ways[i]);
	}
	return NULL;
}

bool tp_log_has_numbers(struct tp_scan text)
{
	return past_numbers(text) != NULL;
}

void tp_log_numbers(struct tp_log_level *level, struct tp_scan line)
{
	struct tp_scan key = {line.at, past_numbers(line)};
	const char *begin;

	if (!key.end)
		return;
	while (key.end > key.at && key.end[-1] != '[')
		key.end--;
	key.end -= key.end > key.at;
	key = tp_scan_trim(key);
	if (!tp_scan_left(&key) || key.end[-1] != ':')
		return;
	key.end--;
	key = tp_scan_trim(key);
	if (tp_scan_left(&key) < 2 || key.end[-1] != '"')
		return;
	key.end--;
	begin = memrchr(key.at, '"', tp_scan_left(&key));
	if (begin && key.end - begin - 1 <= TP_LOG_KEY)
		learn(level, line, (struct tp_scan){begin + 1, key.end});
}

/* ---- taken ---- */

/* Docker cuts lines into parts of 16 KiB, of which only the last has a line end. */
#define DOCKER_PART ((size_t)16 << 10)

static int take(struct tp_scan content, struct tp_log_taken *taken)
{
	struct tp_buf *out = taken->out;
	size_t from = out->size;
	int code = tp_log_unescape(out, content, TP_LOG_BACKSLASH, NULL);
	const void *end;

	if (code)
		return code;
	taken->part = out->size - from >= DOCKER_PART && out->data[out->size - 1] != '\n';
	if (out->size == from || out->data[out->size - 1] != '\n')
		code = tp_buf_put(out, "\n", 1);
	if (code)
		return code;
	end = memchr(out->data + from, '\n', out->size - from);
	taken->whole |= end != out->data + out->size - 1;
	return 1;
}

/* Reads a list of bytes: 27, 91, 51, … */
static int take_bytes(struct tp_scan *s, struct tp_buf *out)
{
	size_t from = out->size;
	int64_t v;

	while (tp_scan_int(s, false, &v) == TP_NUMBER_OK) {
		if (v > 255) {
			out->size = from;
			return 0;
		}
		if (tp_buf_put(out, &(uint8_t){(uint8_t)v}, 1))
			return TP_ENOMEM;
		tp_scan_blanks(s);
		if (!tp_scan_text(s, ","))
			break;
		tp_scan_blanks(s);
	}
	return out->size > from ? (tp_buf_put(out, "\n", 1) ? TP_ENOMEM : 1) : 0;
}

/* Takes the string at *s and, in a list, those after it. */
static int take_all(struct tp_scan *s, struct tp_log_taken *taken)
{
	int n = 0, code = 1;

	while (code > 0) {
		struct tp_scan content;

		if (s->at == s->end || *s->at != '"')
			return n;
		taken->cut = !tp_log_string(s, &content);
		code = take(content, taken);
		n++;
		tp_scan_blanks(s);
		if (!tp_scan_text(s, ","))
			break;
		tp_scan_blanks(s);
		/* A string before a colon is the next key of an object, not part of the list. */
		if (s->at < s->end && *s->at == '"') {
			struct tp_scan peek = *s;

			tp_log_string(&peek, &content);
			tp_scan_blanks(&peek);
			if (tp_scan_begins(peek, ":"))
				break;
		}
	}
	return code < 0 ? code : n;
}

/* Takes the values with the level's key, from one or more objects on a line. */
static int take_keyed(const struct tp_log_level *level, struct tp_scan s,
		      struct tp_log_taken *taken)
{
	int n = 0;

	while ((s.at = memchr(s.at, '"', tp_scan_left(&s))) != NULL) {
		struct tp_scan name;
		bool list;
		int got = 0;

		tp_log_string(&s, &name);
		if (tp_scan_left(&name) != level->nkey ||
		    memcmp(name.at, level->key, level->nkey) != 0)
			continue;
		tp_scan_blanks(&s);
		if (!tp_scan_text(&s, ":"))
			continue;
		tp_scan_blanks(&s);
		list = tp_scan_text(&s, "[");
		tp_scan_blanks(&s);
		if (s.at < s.end && *s.at == '"')
			got = take_all(&s, taken);
		else if (list && tp_scan_begins(s, "]")) /* the bytes of an empty line */
			got = tp_buf_put(taken->out, "\n", 1) ? TP_ENOMEM : 1;
		else if (list)
			got = take_bytes(&s, taken->out);
		if (got < 0)
			return got;
		n += got;
	}
	return n;
}

static int take_logfmt(const struct tp_log_level *level, struct tp_scan s,
		       struct tp_log_taken *taken)
{
	struct tp_scan rest = s;

	for (; (rest.at = memmem(rest.at, tp_scan_left(&rest), level->key, level->nkey)) != NULL;
	     rest.at++) {
		struct tp_scan value = {rest.at + level->nkey, s.end}, word = value;

		if (rest.at > s.at && rest.at[-1] > ' ')
			continue;
		if (value.at < value.end && *value.at == '"')
			return take_all(&value, taken);
		while (word.at<word.end && * word.at> ' ')
			word.at++;
		return take((struct tp_scan){value.at, word.at}, taken);
	}
	return 0;
}

int tp_log_take(const struct tp_log_level *level, struct tp_scan line, const char *at,
		struct tp_log_taken *taken)
{
	struct tp_scan s = {at ? at : line.at, line.end};
	int first = 0, more;

	if (at) {
		first = take_all(&s, taken);
		if (first < 0 || level->quote != TP_LOG_JSON)
			return first;
	}
	switch (level->quote) {
	case TP_LOG_JSON:
		more = take_keyed(level, s, taken);
		return more < 0 ? more : first + more;
	case TP_LOG_LOGFMT:
		return take_logfmt(level, s, taken);
	case TP_LOG_PLAIN_STRING:
		s.at = tp_log_match(&level->head, line);
		return s.at ? take_all(&s, taken) : 0;
	default:
		return 0;
	}
}

bool tp_log_is_json(struct tp_scan line)
{
	struct tp_scan s = tp_scan_trim(line), name;

	if (!tp_scan_left(&s))
		return true;
	if (*s.at == '{' && memchr(s.at, '"', tp_scan_left(&s))) {
		s.end -= s.end[-1] == ',';
		return s.end[-1] != '}';
	}
	if (memchr("{}[],", *s.at, 5))
		return true;
	if (*s.at != '"' || !tp_log_string(&s, &name))
		return false;
	tp_scan_blanks(&s);
	return tp_scan_begins(s, ":");
}
