#include "tprof-web/query.h"

#include <string.h>

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes the text up to `end` and ends it with a NUL at *to, which moves behind that. Returns what it has
 * decoded; NULL if an escape is broken or the text has a NUL. */
static const char *decode(const char *text, const char *end, char **to)
{
	char *start = *to, *out = start;

	for (; text < end; text++) {
		int c = *text == '+' ? ' ' : (unsigned char)*text;

		if (c == '%') {
			if (end - text < 3 || digit(text[1]) < 0 || digit(text[2]) < 0)
				return NULL;
			c = digit(text[1]) << 4 | digit(text[2]);
			text += 2;
		}
		if (!c)
			return NULL;
		*out++ = (char)c;
	}
	*out++ = '\0';
	*to = out;
	return start;
}

int web_query_parse(struct web_query *q, const char *text, size_t size, struct tp_err *err)
{
	const char *end = text + size;
	char *to = q->text;

	q->n = 0;
	if (size > WEB_QUERY_SIZE)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE, "the address is too long");
	while (text < end) {
		const char *next = memchr(text, '&', (size_t)(end - text)), *equals;
		struct web_pair *p = &q->pair[q->n];

		if (!next)
			next = end;
		if (q->n == WEB_QUERY_PAIRS)
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "the address has more than %d values", WEB_QUERY_PAIRS);
		equals = memchr(text, '=', (size_t)(next - text));
		p->name = decode(text, equals ? equals : next, &to);
		p->value = decode(equals ? equals + 1 : next, next, &to);
		if (!p->name || !p->value)
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "the address has a broken escape or a zero byte");
		q->n++;
		text = next < end ? next + 1 : end;
	}
	return 0;
}

const char *web_query_get(const struct web_query *q, const char *name)
{
	for (size_t i = 0; i < q->n; i++)
		if (!strcmp(q->pair[i].name, name))
			return q->pair[i].value;
	return NULL;
}
