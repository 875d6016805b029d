/* JSON (RFC 8259): an array of objects, one per row, one row per line; with `several`, an object of
 * such arrays by the tables' names. Always valid UTF-8: bytes that are not are escaped, \xff. */
#include <math.h>

#include "output/ops.h"

static int put_string(struct tp_buf *b, const char *text, size_t size)
{
	int code = rep_put(b, "\"");

	if (!code)
		code = rep_escape(b, text, size, REP_ESCAPE_JSON);
	return code ? code : rep_put(b, "\"");
}

static int put_value(struct tp_buf *b, const struct rep_column *c, const struct rep_value *v)
{
	int code;

	switch (v->type) {
	case REP_TYPE_INT:
		if (c->kind == REP_BOOL)
			return rep_put(b, v->i ? "true" : "false");
		return rep_put_int(b, v->i);
	case REP_TYPE_FLOAT:
		return isfinite(v->f) ? rep_put_double(b, v->f) : rep_put(b, "null");
	case REP_TYPE_TEXT:
		return put_string(b, v->text.data, v->text.size);
	case REP_TYPE_BLOB:
		code = rep_put(b, "\"");
		if (!code)
			code = rep_put_hex(b, v->text.data, v->text.size);
		return code ? code : rep_put(b, "\"");
	case REP_TYPE_ABSENT:
		return put_string(b, "", 0);
	case REP_TYPE_NULL:
		break;
	}
	return rep_put(b, "null");
}

static int begin(struct rep_output *out, const char *name)
{
	int code;

	if (!out->opt.several)
		return rep_put(&out->buf, "[");
	code = rep_put(&out->buf, out->tables ? ",\n" : "{");
	if (!code)
		code = put_string(&out->buf, name, strlen(name));
	return code ? code : rep_put(&out->buf, ": [");
}

static int row(struct rep_output *out, const struct rep_value *values)
{
	int code = rep_put(&out->buf, out->rows ? ",\n{" : "\n{");
	const char *sep = "";

	for (size_t i = 0; !code && i < out->ncolumns; i++) {
		const struct rep_column *c = &out->columns[i];

		if (c->table_only)
			continue;
		code = rep_put(&out->buf, sep);
		if (!code)
			code = put_string(&out->buf, c->name, strlen(c->name));
		if (!code)
			code = rep_put(&out->buf, ": ");
		if (!code)
			code = put_value(&out->buf, c, &values[i]);
		sep = ", ";
	}
	return code ? code : rep_put(&out->buf, "}");
}

static int end(struct rep_output *out)
{
	int code = rep_put(&out->buf, out->rows ? "\n]" : "]");

	return code || out->opt.several ? code : rep_put(&out->buf, "\n");
}

static int finish(struct rep_output *out)
{
	if (!out->opt.several)
		return 0;
	return rep_put(&out->buf, out->tables ? "}\n" : "{}\n");
}

const struct rep_output_ops rep_output_json = {
    .begin = begin,
    .row = row,
    .end = end,
    .finish = finish,
};
