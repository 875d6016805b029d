/* CSV (RFC 4180): a header line, lines end in CRLF, fields with commas, quotes or line breaks are
 * quoted. A text that a spreadsheet would take for a formula (it begins with = + - @, a tab or a
 * carriage return) gets an apostrophe in front. Several tables are separated by an empty line. */
#include <math.h>

#include "output/ops.h"

/* Of most texts nothing needs a second look: letters, digits, and what stands between them in
 * names. */
static bool is_plain(const char *text, size_t size)
{
	if (size && (text[0] == '-' || text[0] == '+' || text[0] == '=' || text[0] == '@'))
		return false;
	for (size_t i = 0; i < size; i++)
		if (text[i] < ' ' || text[i] > '~' || text[i] == ',' || text[i] == '"')
			return false;
	return true;
}

static int put_field(struct tp_buf *b, const char *text, size_t size)
{
	bool quote = false, formula = size && memchr("=+-@\t\r", text[0], 6);
	int code = 0;

	if (is_plain(text, size))
		return tp_buf_put(b, text, size);
	for (size_t i = 0; i < size && !quote; i++)
		quote = memchr(",\"\n\r\t", text[i], 5) != NULL;
	if (quote)
		code = rep_put(b, "\"");
	if (!code && formula)
		code = rep_put(b, "'");
	if (!code)
		code = rep_escape(b, text, size, REP_ESCAPE_CSV);
	return code || !quote ? code : rep_put(b, "\"");
}

static int put_value(struct tp_buf *b, const struct rep_value *v)
{
	switch (v->type) {
	case REP_TYPE_INT:
		return rep_put_int(b, v->i);
	case REP_TYPE_FLOAT:
		return isfinite(v->f) ? rep_put_double(b, v->f) : 0;
	case REP_TYPE_TEXT:
		return put_field(b, v->text.data, v->text.size);
	case REP_TYPE_BLOB:
		return rep_put_hex(b, v->text.data, v->text.size);
	case REP_TYPE_ABSENT:
		return put_field(b, "", 0);
	case REP_TYPE_NULL:
		break;
	}
	return 0;
}

static int begin(struct rep_output *out, const char *name)
{
	int code = out->tables ? rep_put(&out->buf, "\r\n") : 0;
	const char *sep = "";

	(void)name;
	if (out->opt.no_header)
		return code;
	for (size_t i = 0; !code && i < out->ncolumns; i++) {
		const char *column = out->columns[i].name;

		if (out->columns[i].table_only)
			continue;
		code = rep_put(&out->buf, sep);
		if (!code)
			code = put_field(&out->buf, column, strlen(column));
		sep = ",";
	}
	return code ? code : rep_put(&out->buf, "\r\n");
}

static int row(struct rep_output *out, const struct rep_value *values)
{
	bool first = true;
	int code = 0;

	for (size_t i = 0; !code && i < out->ncolumns; i++) {
		if (out->columns[i].table_only)
			continue;
		code = tp_buf_put(&out->buf, ",", first ? 0 : 1);
		if (!code)
			code = put_value(&out->buf, &values[i]);
		first = false;
	}
	return code ? code : tp_buf_put(&out->buf, "\r\n", 2);
}

static int end(struct rep_output *out)
{
	(void)out;
	return 0;
}

const struct rep_output_ops rep_output_csv = {.begin = begin, .row = row, .end = end};
