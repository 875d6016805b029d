/* Markdown: a table as GitHub and GitLab show it (GitHub Flavored Markdown, 4.10), with the columns
 * and values of a table for people. Texts are escaped, so a dump cannot change the markup. */
#include "output/ops.h"

static bool is_number(const struct rep_column *c)
{
	return c->right || (c->kind != REP_TEXT && c->kind != REP_BOOL && c->kind != REP_ANY);
}

void rep_put_marked(struct tp_buf *b, const struct tp_buf *text)
{
	for (size_t i = 0; i < text->size; i++) {
		uint8_t c = text->data[i];

		if (memchr("\\`*_{}[]|~#>", c, 12))
			tp_buf_text(b, "\\");
		if (c == '<' || c == '&')
			tp_buf_text(b, c == '<' ? "&lt;" : "&amp;");
		else
			tp_buf_put(b, &c, 1);
	}
}

/* Writes a cell; without a value, the column's heading. */
static int put_cell(struct tp_buf *b, const struct rep_column *c, const struct rep_value *v)
{
	struct tp_buf text = {0};
	int code = v ? rep_put_shown(&text, c->kind, v) : rep_put_title(&text, c);

	if (!code)
		rep_put_marked(b, &text);
	tp_buf_release(&text);
	return code;
}

/* Writes a blank line between two parts; out->priv says whether a part came before. */
static void part(struct rep_output *out)
{
	tp_buf_text(&out->buf, out->priv ? "\n" : "");
	out->priv = out;
}

/* Writes a row; without values, the headings. */
static int row(struct rep_output *out, const struct rep_value *values)
{
	int code = 0;

	tp_buf_text(&out->buf, "|");
	for (size_t i = 0; !code && i < out->ncolumns; i++) {
		if (out->columns[i].raw_only)
			continue;
		tp_buf_text(&out->buf, " ");
		code = put_cell(&out->buf, &out->columns[i], values ? &values[i] : NULL);
		tp_buf_text(&out->buf, " |");
	}
	tp_buf_text(&out->buf, "\n");
	return code;
}

static int begin(struct rep_output *out, const char *name)
{
	int code;

	(void)name;
	part(out);
	code = row(out, NULL);
	tp_buf_text(&out->buf, "|");
	for (size_t i = 0; i < out->ncolumns; i++)
		if (!out->columns[i].raw_only)
			tp_buf_text(&out->buf, is_number(&out->columns[i]) ? "---:|" : "---|");
	tp_buf_text(&out->buf, "\n");
	return code;
}

/* Writes a note as a paragraph. */
static int note(struct rep_output *out, bool strong, const char *text)
{
	static const struct rep_column of_text = {.kind = REP_TEXT};
	struct rep_value v = rep_str(text);
	int code;

	if (!*text)
		return 0;
	part(out);
	tp_buf_text(&out->buf, strong ? "**" : "");
	code = put_cell(&out->buf, &of_text, &v);
	tp_buf_text(&out->buf, strong ? "**\n" : "\n");
	return code;
}

const struct rep_output_ops rep_output_markdown = {.begin = begin, .row = row, .note = note};
