/* Parts of a JSON text as objects of json-c. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_scan.h"

/* What json-c 0.16 allocates for a value, an array and an object, rounded up. */
#define VALUE_BYTES  160
#define ARRAY_BYTES  448
#define OBJECT_BYTES 960

/* Returns how many members the objects in `top` have, or more than there can be where it is nested too deeply. */
static size_t count_members(struct json_object *top)
{
	struct level {
		struct json_object *of;
		struct lh_entry *entry; /* of an object, the next one */
		size_t item;		/* of an array */
	} levels[TP_JSON_DEPTH], *l = levels;
	struct json_object *o = top;
	size_t n = 0;

	for (;;) {
		enum json_type type = json_object_get_type(o);

		if (type == json_type_object) {
			n += (size_t)json_object_object_length(o);
			*l++ = (struct level){.of = o, .entry = json_object_get_object(o)->head};
		} else if (type == json_type_array) {
			*l++ = (struct level){.of = o};
		}
		/* Leave what has no further part. */
		for (; l > levels; l--) {
			struct level *in = l - 1;

			if (json_object_is_type(in->of, json_type_array)) {
				if (in->item == json_object_array_length(in->of))
					continue;
				o = json_object_array_get_idx(in->of, in->item++);
				break;
			}
			if (!in->entry)
				continue;
			o = (struct json_object *)lh_entry_v(in->entry);
			in->entry = in->entry->next;
			break;
		}
		if (l == levels)
			return n;
	}
}

int tp_json_parse(struct tp_json value, struct json_object **object, struct tp_err *err)
{
	struct tp_json_scan s = {.at = value.at, .end = value.end};
	struct json_tokener *tok;
	enum json_tokener_error failed;
	size_t size = (size_t)(value.end - value.at), most = TP_JSON_ROOM;

	*object = NULL;
	tp_json_skip(&s);
	if (s.wrong || s.at < value.end)
		return tp_err_set(err, TP_EFORMAT, (uint64_t)(s.at - value.at), "%s",
				  s.wrong ? s.wrong : "has text behind its end");
	if (size > most || s.values > most / VALUE_BYTES || s.arrays > most / ARRAY_BYTES ||
	    s.objects > most / OBJECT_BYTES ||
	    size + s.values * VALUE_BYTES + s.arrays * ARRAY_BYTES + s.objects * OBJECT_BYTES >
		most)
		return tp_err_set(err, TP_ELIMIT, 0, "has a value that takes more than %zu MiB",
				  most >> 20);
	tok = json_tokener_new_ex(TP_JSON_DEPTH + 1);
	if (!tok)
		return tp_nomem(err);
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
	*object = json_tokener_parse_ex(tok, value.at, (int)size);
	failed = json_tokener_get_error(tok);
	if (failed == json_tokener_continue) { /* it waits for the end of a number */
		*object = json_tokener_parse_ex(tok, " ", 1);
		failed = json_tokener_get_error(tok);
	}
	json_tokener_free(tok);
	if (failed) /* the text is right, so it is memory; or json-c is stricter than we are */
		return tp_err_set(err, TP_EFORMAT, 0, "has a value that json-c refuses: %s",
				  json_tokener_error_desc(failed));
	if (s.objects && count_members(*object) != s.members) {
		json_object_put(*object);
		*object = NULL;
		return tp_err_set(err, TP_EFORMAT, 0, "has an object with two members of one name");
	}
	return 0;
}

int tp_json_text(struct tp_json value, struct tp_buf *text, struct tp_err *err)
{
	size_t size = (size_t)(value.end - value.at);
	struct json_object *string;
	int code;

	/* Most have no escapes. */
	if (size >= 2 && *value.at == '"' && !memchr(value.at, '\\', size) &&
	    memchr(value.at + 1, '"', size - 1) == value.end - 1)
		return tp_buf_put(text, value.at + 1, size - 2) ? tp_nomem(err) : 0;
	code = tp_json_parse(value, &string, err);
	if (code)
		return code;
	if (!json_object_is_type(string, json_type_string))
		code = tp_err_set(err, TP_EFORMAT, 0, "is not a string");
	else if (tp_buf_put(text, json_object_get_string(string),
			    (size_t)json_object_get_string_len(string)))
		code = tp_nomem(err);
	json_object_put(string);
	return code;
}

/* Sets *text to a number, or a string, as it is written. */
static bool number_of(struct json_object *object, struct tp_json *text)
{
	enum json_type type = json_object_get_type(object);

	if (type != json_type_int && type != json_type_double && type != json_type_string)
		return false;
	text->at = json_object_get_string(object);
	if (!text->at)
		return false;
	text->end =
	    text->at + (type == json_type_string ? (size_t)json_object_get_string_len(object)
						 : strlen(text->at));
	return true;
}

bool tp_json_int64(struct json_object *object, int64_t *number)
{
	struct tp_json text;
	bool rounded;

	return number_of(object, &text) && tp_json_scaled(text, 0, number, &rounded) && !rounded;
}

bool tp_json_uint64(struct json_object *object, uint64_t *number)
{
	struct tp_json text;
	int64_t n;

	if (tp_json_int64(object, &n)) {
		*number = (uint64_t)n;
		return n >= 0;
	}
	/* Those of 2^63 and more. */
	if (!number_of(object, &text) || text.at == text.end ||
	    strspn(text.at, "0123456789") != (size_t)(text.end - text.at) ||
	    !tp_json_fits(text.at, text.end, false))
		return false;
	*number = strtoull(text.at, NULL, 10);
	return true;
}
