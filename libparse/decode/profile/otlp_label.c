/* Attributes of OpenTelemetry as labels. Integers are numbers; everything else is text: true and false,
 * fractions, bytes in hexadecimal, and lists as in JSON. */
#include <stdio.h>
#include <string.h>

#include "base/many.h"
#include "decode/profile/otlp.h"

/* Most bytes of a text that is made of a list: a list of indices may name a long string many times. */
#define LIST_MOST 1024

int tp_otlp_add_label(struct tp_otlp *o, struct tp_otlp_labels *labels, const struct tp_label *l)
{
	/* As in pprof, a label without a value is left out. */
	if (!l->key || (!l->numeric && !l->text))
		return 0;
	if (tp_grow_raw(&labels->item, &labels->room, labels->n, sizeof(*labels->item)))
		return tp_nomem(o->err);
	labels->item[labels->n++] = *l;
	return 0;
}

/* A value of any kind: the fields of AnyValue. */
struct any {
	uint32_t kind; /* number of the field, 0 no value */
	uint64_t number;
	struct tp_slice bytes;
};

static struct any any_of(struct tp_slice bytes)
{
	struct tp_cursor c = tp_cursor(bytes.data, bytes.size);
	struct any v = {0};
	struct tp_field f;

	while (tp_field_next(&c, &f))
		if (tp_otlp_field(TP_OTLP_VALUE, f.number))
			v = (struct any){f.number, f.value, f.bytes};
	return v;
}

/* ---- lists as text ---- */

static void put_hex(struct tp_buf *text, struct tp_slice bytes)
{
	for (size_t i = 0; i < bytes.size && text->size <= LIST_MOST; i++)
		tp_buf_printf(text, "%02x", bytes.data[i]);
}

static struct tp_slice string_at(const struct tp_otlp *o, uint64_t index)
{
	const struct tp_otlp_list *strings = &o->table[TP_OTLP_STRINGS];

	return index < strings->n ? strings->item[index] : (struct tp_slice){0};
}

static void put_quoted(struct tp_buf *text, struct tp_slice s)
{
	tp_buf_text(text, "\"");
	for (size_t i = 0; i < s.size && text->size <= LIST_MOST; i++) {
		if (s.data[i] == '"' || s.data[i] == '\\')
			tp_buf_text(text, "\\");
		tp_buf_put(text, s.data + i, 1);
	}
	tp_buf_text(text, "\"");
}

static double double_of(struct tp_slice bytes)
{
	uint64_t bits = tp_otlp_le64(bytes);
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* Writes a value that is no list. */
static void put_scalar(const struct tp_otlp *o, struct tp_buf *text, const struct any *v)
{
	switch (v->kind) {
	case 1:
		put_quoted(text, v->bytes);
		break;
	case 2:
		tp_buf_text(text, v->number ? "true" : "false");
		break;
	case 3:
		tp_buf_printf(text, "%lld", (long long)v->number);
		break;
	case 4:
		tp_buf_printf(text, "%.15g", double_of(v->bytes));
		break;
	case 7:
		tp_buf_text(text, "\"");
		put_hex(text, v->bytes);
		tp_buf_text(text, "\"");
		break;
	case 8:
		put_quoted(text, string_at(o, v->number));
		break;
	default:
		tp_buf_text(text, "null");
	}
}

/* Sets *key to the key of a KeyValue or KeyValueAndUnit and *value to its value; returns the unit. */
static uint64_t pair_of(const struct tp_otlp *o, enum tp_otlp_message message,
			struct tp_slice bytes, struct tp_slice *key, struct any *value)
{
	struct tp_cursor c = tp_cursor(bytes.data, bytes.size);
	uint64_t unit = 0;
	struct tp_field f;

	*key = (struct tp_slice){0};
	*value = (struct any){0};
	while (tp_field_next(&c, &f)) {
		bool named = message == TP_OTLP_KEY_VALUE;

		if (f.number == 2)
			*value = any_of(f.bytes);
		else if (f.number == 1 && named)
			*key = f.bytes;
		else if (f.number == (named ? 3 : 1))
			*key = string_at(o, f.value);
		else if (f.number == 3)
			unit = f.value;
	}
	return unit;
}

/* Writes an array or a list of pairs, as JSON. tp_otlp_check has limited its depth. */
static void put_list(const struct tp_otlp *o, struct tp_buf *text, const struct any *list)
{
	struct {
		struct tp_cursor c;
		bool pairs, some;
	} open[TP_OTLP_DEPTH];
	size_t depth = 0;
	struct any v = *list;

	for (;;) {
		struct tp_field f;
		struct tp_slice key;

		if ((v.kind == 5 || v.kind == 6) && depth < TP_OTLP_DEPTH) {
			open[depth].c = tp_cursor(v.bytes.data, v.bytes.size);
			open[depth].pairs = v.kind == 6;
			open[depth++].some = false;
			tp_buf_text(text, v.kind == 6 ? "{" : "[");
		} else {
			put_scalar(o, text, &v);
		}
		while (depth && (text->size > LIST_MOST || !tp_field_next(&open[depth - 1].c, &f)))
			tp_buf_text(text, open[--depth].pairs ? "}" : "]");
		if (!depth)
			return;
		if (open[depth - 1].some)
			tp_buf_text(text, ",");
		open[depth - 1].some = true;
		if (f.number != 1) {
			v = (struct any){0};
		} else if (open[depth - 1].pairs) {
			pair_of(o, TP_OTLP_KEY_VALUE, f.bytes, &key, &v);
			put_quoted(text, key);
			tp_buf_text(text, ":");
		} else {
			v = any_of(f.bytes);
		}
	}
}

/* Interns a text that is made here. */
static int text_value(struct tp_otlp *o, const struct any *v, uint32_t *id)
{
	struct tp_buf text = {0};
	int code = 0;

	if (v->kind == 5 || v->kind == 6)
		put_list(o, &text, v);
	else if (v->kind == 7)
		put_hex(&text, v->bytes);
	else
		put_scalar(o, &text, v);
	if (text.size > LIST_MOST) {
		text.size = LIST_MOST;
		while (text.size && (text.data[text.size] & 0xc0) == 0x80)
			text.size--;
		tp_buf_text(&text, "…");
	}
	code = text.failed ? TP_ENOMEM
			   : tp_dict_string(o->p->dict, (const char *)text.data, text.size, id);
	tp_buf_release(&text);
	return tp_otlp_checked(o, code);
}

int tp_otlp_pair(struct tp_otlp *o, enum tp_otlp_message message, struct tp_slice bytes,
		 struct tp_label *label)
{
	struct tp_slice key;
	struct any v;
	uint64_t unit = pair_of(o, message, bytes, &key, &v);
	int code;

	*label = (struct tp_label){.numeric = v.kind == 3};
	if (!key.size || !v.kind)
		return 0;
	code = tp_otlp_checked(o, tp_dict_string(o->p->dict, key.data, key.size, &label->key));
	if (code)
		return code;
	if (v.kind == 3) {
		label->number = (int64_t)v.number;
		return tp_otlp_string(o, unit, &label->unit);
	}
	if (v.kind == 8)
		return tp_otlp_string(o, v.number, &label->text);
	if (v.kind == 1)
		return tp_otlp_checked(
		    o, tp_dict_string(o->p->dict, v.bytes.data, v.bytes.size, &label->text));
	return text_value(o, &v, &label->text);
}
