#include "symbol/trace.h"

#include <stdio.h>
#include <string.h>

#include "symbol/text.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int put_symbol(struct tp_trace_names *t, struct tp_dict *dict, const struct tp_symbol *s,
		      struct tp_frame *frame)
{
	struct tp_function f = {0};
	int code = tp_symbol_function(&t->texts, dict, s, &f);

	*frame = (struct tp_frame){.line = s->line};
	return code ? code : tp_dict_function(dict, &f, &frame->function);
}

int tp_trace_names_put(void *ctx, struct tp_dict *dict, uint64_t address, struct tp_frame *frames,
		       size_t *n)
{
	static const struct tp_symbol_place place = {.file = "", .build_id = "", .first = true};
	struct tp_symbol chain[TP_SYMBOL_FRAMES];
	struct tp_trace_names *t = ctx;
	size_t size = 0;
	bool known = true;
	int code = 0;

	if (t->sidecar)
		size = tp_sidecar_lookup(t->sidecar, address, chain, TP_SYMBOL_FRAMES, &known);
	t->foreign += !known;
	if (!size && t->symbols) {
		size =
		    tp_symbolizer_lookup(t->symbols, &place, address - 1, chain, TP_SYMBOL_FRAMES);
		if (size)
			chain[0] = chain[size - 1];
		size = size > 0;
	}
	*n = size;
	t->named += size > 0;
	t->unnamed += !size;
	for (size_t i = 0; !code && i < size; i++)
		code = put_symbol(t, dict, &chain[i], &frames[i]);
	return code;
}

int tp_trace_names_beside(struct tp_trace_names *t, const char *path, struct tp_err *err)
{
	struct tp_err why;
	int code;

	if (!strcmp(path, "-") || !tp_sidecar_find(path, t->path, sizeof(t->path)))
		return 0;
	code = tp_sidecar_open(&t->sidecar, t->path, &why);
	/* A dump is never imported again once it is stored. After an error that may be temporary,
	 * refuse it rather than store it without its names. */
	if (code == TP_ENOMEM || code == TP_EIO) {
		if (err)
			*err = why;
		tp_err_prefix(err, "%s", base_name(t->path));
		return code;
	}
	if (code) {
		tp_err_printable(&why);
		snprintf(t->broken, sizeof(t->broken), "%.60s cannot be read: %.160s",
			 base_name(t->path), why.msg);
	}
	return 0;
}

void tp_trace_names_release(struct tp_trace_names *t)
{
	tp_sidecar_close(t->sidecar);
	t->sidecar = NULL;
	tp_memo_release(&t->texts);
}

void tp_trace_names_remark(char text[TP_SYMBOL_REMARK], const struct tp_trace_names *t)
{
	if (*t->broken)
		snprintf(text, TP_SYMBOL_REMARK, "%s", t->broken);
	else if (t->foreign)
		snprintf(text, TP_SYMBOL_REMARK,
			 "%.80s does not have %zu of %zu code addresses: it is of another trace",
			 base_name(t->path), t->foreign, t->named + t->unnamed);
	else if (t->symbols)
		tp_symbol_remark(text, t->symbols, t->named, t->unnamed);
}
