/* Copies and saves a table. Formats for programs have only the rows of the report; markdown, which is for
 * people, has unfolded rows, too. */
#include <stdlib.h>
#include <string.h>

#include "tprof-tui/widget/inside.h"

static bool is_below(const struct tui_table *t, uint32_t row)
{
	return t->sheet->branch && t->sheet->branch[row].above;
}

/* Writes an unfolded row with its name indented. */
static int put_indented(struct tui_table *t, struct rep_output *out, uint32_t row,
			struct tp_err *err)
{
	size_t n = t->sheet->ncolumns, in = 2 * (size_t)t->sheet->branch[row].depth;
	const struct rep_value *from = rep_sheet_at(t->sheet, row, 0);
	struct rep_value *values = malloc((n + 1) * sizeof(*values));
	struct tp_buf name = {0};
	int code = 0;

	if (!values)
		return tp_nomem(err);
	memcpy(values, from, n * sizeof(*values));
	if (t->naming >= 0 && values[t->column[t->naming]].type == REP_TYPE_TEXT) {
		struct rep_value *v = &values[t->column[t->naming]];

		while (in-- && !code)
			code = tp_buf_put(&name, "\xc2\xa0", 2);
		if (!code)
			code = tp_buf_put(&name, v->text.data, v->text.size);
		v->text.data = (const char *)name.data;
		v->text.size = name.size;
	}
	code = code ? tp_nomem(err) : rep_output_row(out, values, err);
	free(values);
	tp_buf_release(&name);
	return code;
}

static int put_row(struct tui_table *t, struct rep_output *out, uint32_t row, struct tp_err *err)
{
	return rep_output_row(out, rep_sheet_at(t->sheet, row, 0), err);
}

static int put_rows(struct tui_table *t, struct rep_output *out, enum rep_format format,
		    struct tp_err *err)
{
	int code = 0;

	for (size_t i = 0; i < t->n && !code; i++) {
		if (!is_below(t, t->order[i]))
			code = put_row(t, out, t->order[i], err);
		else if (format == REP_FORMAT_MARKDOWN)
			code = put_indented(t, out, t->order[i], err);
	}
	return code;
}

static int write_rows(struct tui_table *t, const struct rep_output_options *opt, long only,
		      struct tp_err *err)
{
	struct rep_output *out = NULL;
	int code = rep_output_new(&out, opt, err);

	if (!code)
		code = rep_output_begin(out, t->sheet->name, t->sheet->columns, t->sheet->ncolumns,
					err);
	if (!code)
		code = only >= 0 ? put_row(t, out, (uint32_t)only, err)
				 : put_rows(t, out, opt->format, err);
	if (!code)
		code = rep_output_end(out, err);
	if (!code)
		code = rep_output_finish(out, err);
	rep_output_free(out);
	return code;
}

int tui_table_write(struct tui_table *t, const struct rep_output_options *opt, struct tp_err *err)
{
	return t->sheet ? write_rows(t, opt, -1, err) : 0;
}

int tui_table_yank(struct tui_table *t, bool all, struct tp_buf *buf)
{
	const struct rep_output_options opt = {.format = REP_FORMAT_TSV, .sink = rep_sink_buf(buf)};
	struct tp_err err;
	long row = tui_table_row(t);

	return row < 0 ? 0 : write_rows(t, &opt, all ? -1 : row, &err);
}
