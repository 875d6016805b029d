#include "engine/quote.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void rep_sql_put(struct rep_sql *s, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(text))
		s->failed = 1;
	else
		s->failed |= tp_buf_put(&s->text, text, (size_t)n);
}

/* What is no plain character is \xHH, so a statement is ASCII whatever it speaks of. */
static void put_quoted(struct rep_sql *s, char quote, const char *data, size_t size)
{
	static const char digits[] = "0123456789abcdef";

	s->failed |= tp_buf_put(&s->text, &quote, 1);
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)data[i];

		if (c < ' ' || c > '~' || c == '\\' || c == '\'' || c == '`' || c == '"')
			s->failed |= tp_buf_put(
			    &s->text, (char[]){'\\', 'x', digits[c >> 4], digits[c & 15]}, 4);
		else
			s->failed |= tp_buf_put(&s->text, &c, 1);
	}
	s->failed |= tp_buf_put(&s->text, &quote, 1);
}

void rep_sql_string(struct rep_sql *s, const void *data, size_t size)
{
	put_quoted(s, '\'', data, size);
}

void rep_sql_name(struct rep_sql *s, const char *name)
{
	put_quoted(s, '`', name, strlen(name));
}

const char *rep_sql_text(struct rep_sql *s)
{
	if (!s->failed && !tp_buf_reserve(&s->text, 1)) {
		s->text.data[s->text.size] = '\0';
		return (const char *)s->text.data;
	}
	return NULL;
}

void rep_sql_release(struct rep_sql *s)
{
	tp_buf_release(&s->text);
	s->failed = 0;
}
