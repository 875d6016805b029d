/* TSV: a header line, lines end in LF, fields are separated by one tab. Tab, newline, carriage
 * return and backslash are written \t \n \r \\, other controls and invalid bytes \x1b, so cut, awk
 * and sort need no quoting rules. NULL is an empty field. Several tables are separated by an empty
 * line. */
#include <math.h>

#include "output/ops.h"

static int put_value(struct tp_buf *b, const struct rep_value *v)
{
	switch (v->type) {
	case REP_TYPE_INT:
		return rep_put_int(b, v->i);
	case REP_TYPE_FLOAT:
		return isfinite(v->f) ? rep_put_double(b, v->f) : 0;
	case REP_TYPE_TEXT:
		return rep_escape(b, v->text.data, v->text.size, REP_ESCAPE_TSV);
	case REP_TYPE_BLOB:
		return rep_put_hex(b, v->text.data, v->text.size);
	case REP_TYPE_ABSENT:
	case REP_TYPE_NULL:
		break;
	}
	return 0;
}

static int begin(struct rep_output *out, const char *name)
{
	int code = out->tables ? rep_put(&out->buf, "\n") : 0;
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
			code = rep_escape(&out->buf, column, strlen(column), REP_ESCAPE_TSV);
		sep = "\t";
	}
	return code ? code : rep_put(&out->buf, "\n");
}

static int row(struct rep_output *out, const struct rep_value *values)
{
	const char *sep = "";
	int code = 0;

	for (size_t i = 0; !code && i < out->ncolumns; i++) {
		if (out->columns[i].table_only)
			continue;
		code = rep_put(&out->buf, sep);
		if (!code)
			code = put_value(&out->buf, &values[i]);
		sep = "\t";
	}
	return code ? code : rep_put(&out->buf, "\n");
}

static int end(struct rep_output *out)
{
	(void)out;
	return 0;
}

const struct rep_output_ops rep_output_tsv = {.begin = begin, .row = row, .end = end};
