/* JSON (RFC 8259): an array of objects, one per row, one row per line; with `several`, an object of
 * such arrays by the tables' names; with a head, one object of all (tprof-json(5)). Always valid
 * UTF-8: bytes that are not are escaped, \xff. */
#include <math.h>
#include <stdlib.h>

#include "output/ops.h"

int rep_put_json(struct tp_buf *b, const char *text, size_t size)
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
		return rep_put_json(b, v->text.data, v->text.size);
	case REP_TYPE_BLOB:
		tp_buf_text(b, "\"");
		rep_put_hex(b, v->text.data, v->text.size);
		return tp_buf_text(b, "\"");
	case REP_TYPE_ABSENT:
		return rep_put_json(b, "", 0);
	case REP_TYPE_NULL:
		break;
	}
	return tp_buf_text(b, "null");
}

/* What the end of an output with a head lists: arrays without brackets. */
struct told {
	struct tp_buf cut, notes;
	const struct tp_buf *messages; /* borrowed */
};

static struct told *told(struct rep_output *out)
{
	if (!out->priv)
		out->priv = calloc(1, sizeof(struct told));
	return out->priv;
}

int rep_output_messages(struct rep_output *out, const struct tp_buf *list)
{
	struct told *t = told(out);

	if (!t)
		return TP_ENOMEM;
	t->messages = list;
	return 0;
}

/* Returns whether a column is written. Those that otherwise only tables have come with a head, if
 * they have a description: others repeat what the row has by other names. */
static bool has_column(const struct rep_output *out, const struct rep_column *c)
{
	return !c->table_only || (out->opt.json_head && c->doc);
}

static int put_member(struct tp_buf *b, const char *before, const char *name, const char *text)
{
	tp_buf_text(b, before);
	rep_put_json(b, name, strlen(name));
	tp_buf_text(b, ": ");
	return rep_put_json(b, text, strlen(text));
}

static int open_object(struct rep_output *out)
{
	tp_buf_text(&out->buf, "{");
	tp_buf_text(&out->buf, out->opt.json_head);
	return tp_buf_text(&out->buf, ",\n\"tables\": [");
}

static int begin_with_columns(struct rep_output *out, const char *name)
{
	struct tp_buf *b = &out->buf;
	const char *sep = "\n";

	if (!out->tables)
		open_object(out);
	put_member(b, out->tables ? ",\n{" : "\n{", "name", name);
	tp_buf_text(b, ", \"columns\": [");
	for (size_t i = 0; i < out->ncolumns; i++) {
		const struct rep_column *c = &out->columns[i];

		if (!has_column(out, c))
			continue;
		tp_buf_text(b, sep);
		put_member(b, "{", "name", c->name);
		put_member(b, ", ", "title", c->title ? c->title : c->name);
		put_member(b, ", ", "kind", rep_kinds[c->kind]);
		if (c->doc)
			put_member(b, ", ", "doc", c->doc);
		if (c->raw_only)
			tp_buf_text(b, ", \"raw\": true");
		if (c->by)
			put_member(b, ", ", "by", c->by);
		tp_buf_text(b, "}");
		sep = ",\n";
	}
	return tp_buf_text(b, "], \"rows\": [");
}

static int begin(struct rep_output *out, const char *name)
{
	if (out->opt.json_head)
		return begin_with_columns(out, name);
	if (!out->opt.several)
		return tp_buf_text(&out->buf, "[");
	tp_buf_text(&out->buf, out->tables ? ",\n" : "{");
	rep_put_json(&out->buf, name, strlen(name));
	return tp_buf_text(&out->buf, ": [");
}

static int row(struct rep_output *out, const struct rep_value *values)
{
	const char *sep = "";

	tp_buf_text(&out->buf, out->rows ? ",\n{" : "\n{");
	for (size_t i = 0; i < out->ncolumns; i++) {
		const struct rep_column *c = &out->columns[i];

		if (!has_column(out, c))
			continue;
		tp_buf_text(&out->buf, sep);
		rep_put_json(&out->buf, c->name, strlen(c->name));
		tp_buf_text(&out->buf, ": ");
		put_value(&out->buf, c, &values[i]);
		sep = ", ";
	}
	return tp_buf_text(&out->buf, "}");
}

static int end(struct rep_output *out)
{
	tp_buf_text(&out->buf, out->rows ? "\n]" : "]");
	if (out->opt.json_head)
		return tp_buf_text(&out->buf, "}");
	return tp_buf_text(&out->buf, out->opt.several ? "" : "\n");
}

static int note(struct rep_output *out, bool strong, const char *text)
{
	struct told *t = out->opt.json_head && *text ? told(out) : NULL;

	(void)strong;
	if (!t)
		return out->opt.json_head && *text ? TP_ENOMEM : 0;
	tp_buf_text(&t->notes, t->notes.size ? ",\n" : "\n");
	return rep_put_json(&t->notes, text, strlen(text));
}

static int cut(struct rep_output *out, size_t shown, size_t n, const char *rows)
{
	struct told *t = out->opt.json_head ? told(out) : NULL;

	if (!t)
		return out->opt.json_head ? TP_ENOMEM : 0;
	put_member(&t->cut, t->cut.size ? ",\n{" : "\n{", "rows", rows);
	tp_buf_text(&t->cut, ", \"shown\": ");
	rep_put_int(&t->cut, (int64_t)shown);
	tp_buf_text(&t->cut, ", \"of\": ");
	rep_put_int(&t->cut, (int64_t)n);
	return tp_buf_text(&t->cut, "}");
}

/* Begins a member with the elements of a list; its array stays open. */
static int put_list(struct tp_buf *b, const char *name, const struct tp_buf *list)
{
	tp_buf_text(b, ",\n\"");
	tp_buf_text(b, name);
	tp_buf_text(b, "\": [");
	return list ? tp_buf_put(b, list->data, list->size) : 0;
}

static int finish(struct rep_output *out)
{
	const struct told *t = out->priv;
	int code;

	if (out->opt.json_head) {
		if (!out->tables)
			open_object(out);
		tp_buf_text(&out->buf, "]");
		put_list(&out->buf, "cut", t ? &t->cut : NULL);
		code = rep_output_piece(out, REP_PIECE_CUT, NULL);
		tp_buf_text(&out->buf, "]");
		put_list(&out->buf, "notes", t ? &t->notes : NULL);
		tp_buf_text(&out->buf, "]");
		put_list(&out->buf, "messages", t ? t->messages : NULL);
		tp_buf_text(&out->buf, "]}\n");
		return code;
	}
	if (!out->opt.several)
		return 0;
	return tp_buf_text(&out->buf, out->tables ? "}\n" : "{}\n");
}

static void release(struct rep_output *out)
{
	struct told *t = out->priv;

	if (!t)
		return;
	tp_buf_release(&t->cut);
	tp_buf_release(&t->notes);
	free(t);
}

const struct rep_output_ops rep_output_json = {
    .begin = begin,
    .row = row,
    .end = end,
    .note = note,
    .cut = cut,
    .finish = finish,
    .free = release,
};
