/* Markdown: a table as GitHub and GitLab show it (GitHub Flavored Markdown, 4.10), with the columns
 * and the values of a table for people. Texts are escaped: a dump has no say in the markup. */
#include "output/ops.h"

static bool is_number(const struct rep_column *c)
{
	return c->right || (c->kind != REP_TEXT && c->kind != REP_BOOL && c->kind != REP_ANY);
}

/* Whatever has a meaning in a line of markdown or HTML gets a backslash in front; blanks at the
 * ends of a text are nothing. */
static int put_marked(struct tp_buf *b, const char *text, size_t size)
{
	int code = 0;

	for (size_t i = 0; !code && i < size; i++) {
		if (text[i] == '<')
			code = rep_put(b, "&lt;");
		else if (text[i] == '&')
			code = rep_put(b, "&amp;");
		else if (memchr("\\`*_{}[]|~#>", text[i], 12) && !(code = rep_put(b, "\\")))
			code = tp_buf_put(b, &text[i], 1);
		else if (!code)
			code = tp_buf_put(b, &text[i], 1);
	}
	return code;
}

static int put_cell(struct tp_buf *b, enum rep_kind kind, const struct rep_value *v)
{
	struct tp_buf text = {0};
	int code = rep_put_shown(&text, kind, v);

	if (!code)
		code = put_marked(b, (const char *)text.data, text.size);
	tp_buf_release(&text);
	return code;
}

static int put_title(struct tp_buf *b, const struct rep_column *c)
{
	struct tp_buf text = {0};
	int code = rep_put_title(&text, c);

	if (!code)
		code = put_marked(b, (const char *)text.data, text.size);
	tp_buf_release(&text);
	return code;
}

/* A blank line between two parts; out->priv tells whether there is one before. */
static int part(struct rep_output *out)
{
	bool second = out->priv != NULL;

	out->priv = out;
	return second ? rep_put(&out->buf, "\n") : 0;
}

static int begin(struct rep_output *out, const char *name)
{
	int code = part(out);

	(void)name;
	if (!code)
		code = rep_put(&out->buf, "|");
	for (size_t i = 0; !code && i < out->ncolumns; i++) {
		if (out->columns[i].raw_only)
			continue;
		code = rep_put(&out->buf, " ");
		if (!code)
			code = put_title(&out->buf, &out->columns[i]);
		if (!code)
			code = rep_put(&out->buf, " |");
	}
	if (!code)
		code = rep_put(&out->buf, "\n|");
	for (size_t i = 0; !code && i < out->ncolumns; i++)
		if (!out->columns[i].raw_only)
			code = rep_put(&out->buf, is_number(&out->columns[i]) ? "---:|" : "---|");
	return code ? code : rep_put(&out->buf, "\n");
}

static int row(struct rep_output *out, const struct rep_value *values)
{
	int code = rep_put(&out->buf, "|");

	for (size_t i = 0; !code && i < out->ncolumns; i++) {
		if (out->columns[i].raw_only)
			continue;
		code = rep_put(&out->buf, " ");
		if (!code)
			code = put_cell(&out->buf, out->columns[i].kind, &values[i]);
		if (!code)
			code = rep_put(&out->buf, " |");
	}
	return code ? code : rep_put(&out->buf, "\n");
}

static int end(struct rep_output *out)
{
	(void)out;
	return 0;
}

/* A paragraph of its own. */
static int note(struct rep_output *out, bool strong, const char *text)
{
	struct rep_value v = rep_str(text);
	int code;

	if (!*text)
		return 0;
	code = part(out);
	if (!code && strong)
		code = rep_put(&out->buf, "**");
	if (!code)
		code = put_cell(&out->buf, REP_TEXT, &v);
	if (!code)
		code = rep_put(&out->buf, strong ? "**\n" : "\n");
	return code;
}

const struct rep_output_ops rep_output_markdown = {
    .begin = begin, .row = row, .end = end, .note = note};
