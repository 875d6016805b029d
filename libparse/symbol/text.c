#include "symbol/text.h"

#include <string.h>

static int put_text(struct tp_memo *known, struct tp_dict *dict, const char *text, uint32_t *id)
{
	void *kept = tp_memo_get(known, (uintptr_t)text, 0);
	int code;

	*id = (uint32_t)(uintptr_t)kept;
	if (kept || !*text)
		return 0;
	code = tp_dict_string(dict, text, strlen(text), id);
	return code ? code : tp_memo_put(known, (uintptr_t)text, 0, (void *)(uintptr_t)*id);
}

int tp_symbol_function(struct tp_memo *known, struct tp_dict *dict, const struct tp_symbol *s,
		       struct tp_function *f)
{
	int code;

	memset(f, 0, sizeof(*f));
	f->start_line = s->start_line;
	code = put_text(known, dict, s->name, &f->name);
	if (!code)
		code = put_text(known, dict, s->system_name, &f->system_name);
	if (!code)
		code = put_text(known, dict, s->file, &f->file);
	return code;
}
