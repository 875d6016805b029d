/* TSV: a header line, lines end in LF, fields are separated by one tab. Tab, newline, carriage
 * return and backslash are written \t \n \r \\, other controls and invalid bytes \x1b, so cut, awk
 * and sort need no quoting rules. NULL is an empty field. Several tables are separated by an empty
 * line. */
#include "output/fields.h"

static int put_text(struct tp_buf *b, const char *text, size_t size)
{
	return rep_escape(b, text, size, REP_ESCAPE_TSV);
}

static const struct rep_fields fields = {.between = "\t", .end = "\n", .text = put_text};

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

const struct rep_output_ops rep_output_tsv = {.begin = begin, .row = row, .end = end};
