/* In place of base/json_text.c, which needs json-c: strings are as they are, escapes stay. */
#include "base/json.h"

int tp_json_text(struct tp_json value, struct tp_buf *text, struct tp_err *err)
{
	size_t size = (size_t)(value.end - value.at);

	if (size < 2 || *value.at != '"' || value.end[-1] != '"')
		return tp_err_set(err, TP_EFORMAT, 0, "is not a string");
	return tp_buf_put(text, value.at + 1, size - 2) ? tp_nomem(err) : 0;
}
