/* CSV (RFC 4180): a header line, lines end in CRLF, fields with commas, quotes or line breaks are
 * quoted. A text that a spreadsheet would take for a formula (it begins with = + - @, a tab or a
 * line break, which some skip) gets an apostrophe in front. Several tables are separated by an
 * empty line. */
#include "output/fields.h"

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
	bool quote = false, formula = size && memchr("=+-@\t\r\n", text[0], 7);
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

static const struct rep_fields fields = {.between = ",", .end = "\r\n", .text = put_field};

static int begin(struct rep_output *out, const char *name)
{
	(void)name;
	return rep_fields_begin(&fields, out);
}

static int row(struct rep_output *out, const struct rep_value *values)
{
	return rep_fields_row(&fields, out, values);
}

static int end(struct rep_output *out)
{
	(void)out;
	return 0;
}

const struct rep_output_ops rep_output_csv = {.begin = begin, .row = row, .end = end};
