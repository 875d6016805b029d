#include "output/html.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "output/ops.h"

static void put(struct html *h, const void *data, size_t size)
{
	if (!h->code)
		h->code = tp_buf_put(&h->buf, data, size);
}

void html_put(struct html *h, const char *markup)
{
	put(h, markup, strlen(markup));
}

void html_f(struct html *h, const char *format, ...)
{
	char text[501];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	put(h, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

void html_px(struct html *h, double px)
{
	long tenths = lround(px * 10);

	if (tenths % 10)
		html_f(h, "%s%ld.%ld", tenths < 0 ? "-" : "", labs(tenths) / 10, labs(tenths) % 10);
	else
		html_f(h, "%ld", tenths / 10);
}

void html_text(struct html *h, const char *text, size_t size)
{
	if (!h->code)
		h->code = rep_escape(&h->buf, text, size, REP_ESCAPE_XML);
}

void html_str(struct html *h, const char *text)
{
	html_text(h, text, strlen(text));
}

void html_attribute(struct html *h, const char *name, const char *value)
{
	html_f(h, " %s=\"", name);
	html_str(h, value);
	html_put(h, "\"");
}

void html_value(struct html *h, enum rep_kind kind, const struct rep_value *value)
{
	struct tp_buf shown = {0};

	if (value->type == REP_TYPE_TEXT) {
		html_text(h, value->text.data, value->text.size);
		return;
	}
	if (!h->code)
		h->code = rep_put_shown(&shown, kind, value);
	html_text(h, shown.data ? (const char *)shown.data : "", shown.size);
	tp_buf_release(&shown);
}

void html_ns(struct html *h, int64_t ns)
{
	char text[TP_UNITS_SIZE];

	html_put(h, tp_fmt_ns(text, ns));
}

void html_bytes(struct html *h, int64_t bytes)
{
	char text[TP_UNITS_SIZE];

	html_put(h, tp_fmt_bytes(text, bytes));
}

void html_count(struct html *h, int64_t n)
{
	struct rep_value v = rep_int(n);

	html_value(h, REP_COUNT, &v);
}

void html_share(struct html *h, double share)
{
	struct rep_value v = rep_float(share);

	html_value(h, REP_SHARE, &v);
}

void html_counted(struct html *h, int64_t n, const char *noun)
{
	html_count(h, n);
	html_f(h, " %s%s", noun, n == 1 ? "" : "s");
}

void html_document(struct html *h, const void *data, size_t size)
{
	const char *s = data;
	size_t from = 0;

	for (size_t i = 0; i < size; i++) {
		const char *entity = s[i] == '&' ? "&amp;" : s[i] == '"' ? "&quot;" : NULL;

		if (s[i] == '<') /* not needed, but nobody has to know that */
			entity = "&lt;";
		if (!entity)
			continue;
		put(h, s + from, i - from);
		html_put(h, entity);
		from = i + 1;
	}
	put(h, s + from, size - from);
}

void html_append(struct html *h, const struct html *more)
{
	if (more->code)
		h->code = more->code;
	else
		put(h, more->buf.data, more->buf.size);
}

void html_release(struct html *h)
{
	tp_buf_release(&h->buf);
}
