#include "output/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "output/ops.h"

void html_px(struct tp_buf *h, double px)
{
	long tenths = lround(px * 10);

	if (tenths % 10)
		tp_buf_printf(h, "%s%ld.%ld", tenths < 0 ? "-" : "", labs(tenths) / 10,
			      labs(tenths) % 10);
	else
		tp_buf_printf(h, "%ld", tenths / 10);
}

void html_text(struct tp_buf *h, const char *text, size_t size)
{
	rep_escape(h, text, size, REP_ESCAPE_XML);
}

void html_str(struct tp_buf *h, const char *text)
{
	html_text(h, text, strlen(text));
}

void html_attribute(struct tp_buf *h, const char *name, const char *value)
{
	tp_buf_printf(h, " %s=\"", name);
	html_str(h, value);
	tp_buf_text(h, "\"");
}

void html_value(struct tp_buf *h, enum rep_kind kind, const struct rep_value *value)
{
	struct tp_buf shown = {0};

	if (value->type == REP_TYPE_TEXT) {
		html_text(h, value->text.data, value->text.size);
		return;
	}
	if (rep_put_shown(&shown, kind, value))
		tp_buf_fail(h);
	html_text(h, shown.data ? (const char *)shown.data : "", shown.size);
	tp_buf_release(&shown);
}

void html_ns(struct tp_buf *h, int64_t ns)
{
	char text[TP_UNITS_SIZE];

	tp_buf_text(h, tp_fmt_ns(text, ns));
}

void html_bytes(struct tp_buf *h, int64_t bytes)
{
	char text[TP_UNITS_SIZE];

	tp_buf_text(h, tp_fmt_bytes(text, bytes));
}

void html_count(struct tp_buf *h, int64_t n)
{
	struct rep_value v = rep_int(n);

	html_value(h, REP_COUNT, &v);
}

void html_share(struct tp_buf *h, double share)
{
	struct rep_value v = rep_float(share);

	html_value(h, REP_SHARE, &v);
}

void html_counted(struct tp_buf *h, int64_t n, const char *noun)
{
	html_count(h, n);
	tp_buf_printf(h, " %s%s", noun, n == 1 ? "" : "s");
}

void html_document(struct tp_buf *h, const void *data, size_t size)
{
	const char *s = data;
	size_t from = 0;

	for (size_t i = 0; i < size; i++) {
		const char *entity = s[i] == '&' ? "&amp;" : s[i] == '"' ? "&quot;" : NULL;

		if (s[i] == '<') /* not required by HTML, but safe for all readers */
			entity = "&lt;";
		if (!entity)
			continue;
		tp_buf_put(h, s + from, i - from);
		tp_buf_text(h, entity);
		from = i + 1;
	}
	tp_buf_put(h, s + from, size - from);
}
