/* Strings of a JSON text; json-c decodes their escapes. */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"

/* Returns the size of an escape: \n, \u00e4, or both halves of a character of more than 16 bits. */
static size_t escape_size(const char *at, const char *end)
{
	if (end - at < 6 || at[1] != 'u')
		return 2;
	return end - at >= 12 && strchr("dD", at[2]) && strchr("89abAB", at[3]) && at[6] == '\\' &&
		       at[7] == 'u' && strchr("dD", at[8]) && strchr("cdefCDEF", at[9])
		   ? 12
		   : 6;
}

/* Appends what an escape stands for. It is decoded alone, for which the tokener's first buffer is enough: if a
 * longer string makes that grow and there is no memory, json-c 0.16 drops a part and says nothing. */
static int put_escape(struct json_tokener *tok, const char *at, size_t size, struct tp_buf *text,
		      struct tp_err *err)
{
	char string[16];
	int n = snprintf(string, sizeof(string), "\"%.*s\"", (int)size, at), code;
	struct json_object *o;

	json_tokener_reset(tok);
	o = json_tokener_parse_ex(tok, string, n);
	if (json_tokener_get_error(tok) == json_tokener_error_parse_string)
		return tp_err_set(err, TP_EFORMAT, 0, "has an escape that is not JSON");
	if (!o)
		return tp_nomem(err);
	code = tp_buf_put(text, json_object_get_string(o), (size_t)json_object_get_string_len(o));
	json_object_put(o);
	return code ? tp_nomem(err) : 0;
}

int tp_json_text(struct tp_json value, struct tp_buf *text, struct tp_err *err)
{
	struct json_tokener *tok = NULL;
	const char *from, *at, *end; /* the part from `from` to `at` is as it is */
	int code = 0;

	if (value.end - value.at < 2 || *value.at != '"' || value.end[-1] != '"')
		return tp_err_set(err, TP_EFORMAT, 0, "is not a string");
	from = at = value.at + 1;
	end = value.end - 1;
	while (!code) {
		const char *escape = memchr(at, '\\', (size_t)(end - at));
		size_t n;

		if (tp_buf_put(text, from, (size_t)((escape ? escape : end) - from)))
			code = tp_nomem(err);
		if (code || !escape)
			break;
		n = escape_size(escape, end);
		from = at = escape + n;
		if ((size_t)(end - escape) < n)
			code = tp_err_set(err, TP_EFORMAT, 0, "is not a string");
		else if (escape[1] == '"' || escape[1] == '\\' || escape[1] == '/')
			from--;
		else if (!tok && !(tok = json_tokener_new_ex(1)))
			code = tp_nomem(err);
		else
			code = put_escape(tok, escape, n, text, err);
	}
	if (tok)
		json_tokener_free(tok);
	return code;
}
