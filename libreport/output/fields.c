/* Rows as fields between separators. NULL and what is not there are empty fields; an empty line
 * separates two tables.
 *
 * CSV (RFC 4180): a header line, lines end in CRLF, fields with commas, quotes or line breaks are
 * quoted. A text that a spreadsheet would take for a formula (it begins with = + - @, a tab or a
 * line break, which some skip) gets an apostrophe in front.
 *
 * TSV: a header line, lines end in LF, fields are separated by one tab. Tab, newline, carriage
 * return and backslash are written \t \n \r \\, other controls and invalid bytes \x1b, so cut, awk
 * and sort need no quoting rules. */
#include <math.h>
#include <string.h>

#include "output/ops.h"

static bool is_tsv(const struct rep_output *out)
{
	return out->opt.format == REP_FORMAT_TSV;
}

/* Returns whether a text needs no escapes or quotes. Most consist of letters, digits and characters
 * between them in names. */
static bool is_plain(const char *text, size_t size)
{
	if (size && (text[0] == '-' || text[0] == '+' || text[0] == '=' || text[0] == '@'))
		return false;
	for (size_t i = 0; i < size; i++)
		if (text[i] < ' ' || text[i] > '~' || text[i] == ',' || text[i] == '"')
			return false;
	return true;
}

static int put_csv(struct tp_buf *b, const char *text, size_t size)
{
	bool quote = false, formula = size && memchr("=+-@\t\r\n", text[0], 7);

	if (is_plain(text, size))
		return tp_buf_put(b, text, size);
	for (size_t i = 0; i < size && !quote; i++)
		quote = memchr(",\"\n\r\t", text[i], 5) != NULL;
	tp_buf_text(b, quote ? "\"" : "");
	tp_buf_text(b, formula ? "'" : "");
	rep_escape(b, text, size, REP_ESCAPE_CSV);
	return tp_buf_text(b, quote ? "\"" : "");
}

static int put_text(struct rep_output *out, const char *text, size_t size)
{
	return is_tsv(out) ? rep_escape(&out->buf, text, size, REP_ESCAPE_TSV)
			   : put_csv(&out->buf, text, size);
}

static int put_value(struct rep_output *out, const struct rep_value *v)
{
	switch (v->type) {
	case REP_TYPE_INT:
		return rep_put_int(&out->buf, v->i);
	case REP_TYPE_FLOAT:
		return isfinite(v->f) ? rep_put_double(&out->buf, v->f) : 0;
	case REP_TYPE_TEXT:
		return put_text(out, v->text.data, v->text.size);
	case REP_TYPE_BLOB:
		return rep_put_hex(&out->buf, v->text.data, v->text.size);
	case REP_TYPE_ABSENT:
	case REP_TYPE_NULL:
		break;
	}
	return 0;
}

static int end_line(struct rep_output *out)
{
	return tp_buf_text(&out->buf, is_tsv(out) ? "\n" : "\r\n");
}

/* Writes a row; without values, the names of the columns. */
static int row(struct rep_output *out, const struct rep_value *values)
{
	const char *between = is_tsv(out) ? "\t" : ",", *sep = "";

	for (size_t i = 0; i < out->ncolumns; i++) {
		const char *name = out->columns[i].name;

		if (out->columns[i].table_only)
			continue;
		tp_buf_text(&out->buf, sep);
		if (values)
			put_value(out, &values[i]);
		else
			put_text(out, name, strlen(name));
		sep = between;
	}
	return end_line(out);
}

static int begin(struct rep_output *out, const char *name)
{
	int code = out->tables ? end_line(out) : 0;

	(void)name;
	return out->opt.no_header ? code : row(out, NULL);
}

const struct rep_output_ops rep_output_fields = {.begin = begin, .row = row};
