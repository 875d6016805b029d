/* Rows as fields between separators: what csv.c and tsv.c have in common. Inline, as each row goes
 * through it, so that a format's own is known to the compiler. */
#ifndef REP_OUTPUT_FIELDS_H
#define REP_OUTPUT_FIELDS_H

#include <math.h>
#include <string.h>

#include "output/ops.h"

struct rep_fields {
	const char *between, *end; /* fields and lines; the lines of two tables, too */
	int (*text)(struct tp_buf *b, const char *text, size_t size);
};

/* NULL and what is not there are empty fields. */
static inline int rep_fields_value(const struct rep_fields *f, struct tp_buf *b,
				   const struct rep_value *v)
{
	switch (v->type) {
	case REP_TYPE_INT:
		return rep_put_int(b, v->i);
	case REP_TYPE_FLOAT:
		return isfinite(v->f) ? rep_put_double(b, v->f) : 0;
	case REP_TYPE_TEXT:
		return f->text(b, v->text.data, v->text.size);
	case REP_TYPE_BLOB:
		return rep_put_hex(b, v->text.data, v->text.size);
	case REP_TYPE_ABSENT:
	case REP_TYPE_NULL:
		break;
	}
	return 0;
}

static inline int rep_fields_begin(const struct rep_fields *f, struct rep_output *out)
{
	int code = out->tables ? rep_put(&out->buf, f->end) : 0;
	const char *sep = "";

	if (out->opt.no_header)
		return code;
	for (size_t i = 0; !code && i < out->ncolumns; i++) {
		const char *column = out->columns[i].name;

		if (out->columns[i].table_only)
			continue;
		code = rep_put(&out->buf, sep);
		if (!code)
			code = f->text(&out->buf, column, strlen(column));
		sep = f->between;
	}
	return code ? code : rep_put(&out->buf, f->end);
}

static inline int rep_fields_row(const struct rep_fields *f, struct rep_output *out,
				 const struct rep_value *values)
{
	bool first = true;
	int code = 0;

	for (size_t i = 0; !code && i < out->ncolumns; i++) {
		if (out->columns[i].table_only)
			continue;
		if (!first)
			code = tp_buf_put(&out->buf, f->between, strlen(f->between));
		if (!code)
			code = rep_fields_value(f, &out->buf, &values[i]);
		first = false;
	}
	return code ? code : tp_buf_put(&out->buf, f->end, strlen(f->end));
}

#endif
