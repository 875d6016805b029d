/* JSON (RFC 8259): an array of objects, one per row, one row per line; with `several`, an object of
 * such arrays by the tables' names. Always valid UTF-8: bytes that are not are escaped, \xff. */
#include <math.h>

#include "output/ops.h"

static int put_string(struct tp_buf *b, const char *text, size_t size)
{
	tp_buf_text(b, "\"");
	rep_escape(b, text, size, REP_ESCAPE_JSON);
	return tp_buf_text(b, "\"");
}

static int put_value(struct tp_buf *b, const struct rep_column *c, const struct rep_value *v)
{
	switch (v->type) {
	case REP_TYPE_INT:
		if (c->kind == REP_BOOL)
			return tp_buf_text(b, v->i ? "true" : "false");
		return rep_put_int(b, v->i);
	case REP_TYPE_FLOAT:
		return isfinite(v->f) ? rep_put_double(b, v->f) : tp_buf_text(b, "null");
	case REP_TYPE_TEXT:
		return put_string(b, v->text.data, v->text.size);
	case REP_TYPE_BLOB:
		tp_buf_text(b, "\"");
		rep_put_hex(b, v->text.data, v->text.size);
		return tp_buf_text(b, "\"");
	case REP_TYPE_ABSENT:
		return put_string(b, "", 0);
	case REP_TYPE_NULL:
		break;
	}
	return tp_buf_text(b, "null");
}

static int begin(struct rep_output *out, const char *name)
{
	if (!out->opt.several)
		return tp_buf_text(&out->buf, "[");
	tp_buf_text(&out->buf, out->tables ? ",\n" : "{");
	put_string(&out->buf, name, strlen(name));
	return tp_buf_text(&out->buf, ": [");
}

static int row(struct rep_output *out, const struct rep_value *values)
{
	const char *sep = "";

	tp_buf_text(&out->buf, out->rows ? ",\n{" : "\n{");
	for (size_t i = 0; i < out->ncolumns; i++) {
		const struct rep_column *c = &out->columns[i];

		if (c->table_only)
			continue;
		tp_buf_text(&out->buf, sep);
		put_string(&out->buf, c->name, strlen(c->name));
		tp_buf_text(&out->buf, ": ");
		put_value(&out->buf, c, &values[i]);
		sep = ", ";
	}
	return tp_buf_text(&out->buf, "}");
}

static int end(struct rep_output *out)
{
	tp_buf_text(&out->buf, out->rows ? "\n]" : "]");
	return tp_buf_text(&out->buf, out->opt.several ? "" : "\n");
}

static int finish(struct rep_output *out)
{
	if (!out->opt.several)
		return 0;
	return tp_buf_text(&out->buf, out->tables ? "}\n" : "{}\n");
}

const struct rep_output_ops rep_output_json = {
    .begin = begin,
    .row = row,
    .end = end,
    .finish = finish,
};
