/* Not a format: tables handed on to a visitor. */
#include "output/ops.h"

static int begin(struct rep_output *out, const char *name)
{
	const struct rep_output_visitor *v = &out->visitor;

	return v->begin ? v->begin(v->ctx, name, out->columns, out->ncolumns, out->err) : 0;
}

static int row(struct rep_output *out, const struct rep_value *values)
{
	const struct rep_output_visitor *v = &out->visitor;

	return v->row ? v->row(v->ctx, values, out->err) : 0;
}

static int end(struct rep_output *out)
{
	(void)out;
	return 0;
}

static int note(struct rep_output *out, bool strong, const char *text)
{
	const struct rep_output_visitor *v = &out->visitor;

	return v->note ? v->note(v->ctx, strong, text, out->err) : 0;
}

const struct rep_output_ops rep_output_visited = {
    .begin = begin, .row = row, .end = end, .note = note};
