#include "export/perfetto/json.h"

#include "output/ops.h"

void json_raw(struct rep_perfetto *p, const char *text)
{
	tp_buf_text(&p->buf, text);
}

static void put_uint(struct rep_perfetto *p, uint64_t v)
{
	char text[20], *at = text + sizeof(text);

	do
		*--at = (char)('0' + v % 10);
	while (v /= 10);
	tp_buf_put(&p->buf, at, (size_t)(text + sizeof(text) - at));
}

static void key_of(struct rep_perfetto *p, const char *key)
{
	/* A comma comes before every member except the first of an object. */
	if (p->buf.size && p->buf.data[p->buf.size - 1] != '{')
		tp_buf_text(&p->buf, ",");
	tp_buf_text(&p->buf, "\"");
	json_raw(p, key);
	tp_buf_text(&p->buf, "\":");
}

void json_uint(struct rep_perfetto *p, const char *key, uint64_t v)
{
	key_of(p, key);
	put_uint(p, v);
}

void json_int(struct rep_perfetto *p, const char *key, int64_t v)
{
	key_of(p, key);
	rep_put_int(&p->buf, v);
}

void json_ts(struct rep_perfetto *p, const char *key, int64_t ns)
{
	uint64_t v = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	unsigned rest = (unsigned)(v % 1000);
	char text[4] = {'.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
			(char)('0' + rest % 10)};

	key_of(p, key);
	if (ns < 0)
		tp_buf_text(&p->buf, "-");
	put_uint(p, v / 1000);
	if (rest)
		tp_buf_put(&p->buf, text, sizeof(text));
}

/* Escapes the text as tables do, then for JSON. */
void json_text(struct rep_perfetto *p, const char *key, const char *text, size_t size)
{
	key_of(p, key);
	tp_buf_text(&p->buf, "\"");
	p->shown.size = 0;
	if (rep_escape(&p->shown, text, size, REP_ESCAPE_SHOWN))
		tp_buf_fail(&p->buf);
	rep_escape(&p->buf, (const char *)p->shown.data, p->shown.size, REP_ESCAPE_JSON);
	tp_buf_text(&p->buf, "\"");
}

void json_str(struct rep_perfetto *p, const char *key, const char *text)
{
	key_of(p, key);
	tp_buf_text(&p->buf, "\"");
	json_raw(p, text);
	tp_buf_text(&p->buf, "\"");
}

void json_stack(struct rep_perfetto *p, const char *key, uint32_t stack)
{
	struct perfetto_stacks *s = &p->stacks[p->nstacks - 1];

	if (!stack || stack >= s->n)
		return;
	s->used[stack] = 1;
	json_uint(p, key, s->first + stack);
}

void json_args(struct rep_perfetto *p)
{
	key_of(p, "args");
	tp_buf_text(&p->buf, "{");
}

void json_args_end(struct rep_perfetto *p)
{
	tp_buf_text(&p->buf, "}");
}

void json_begin(struct rep_perfetto *p, char phase, enum perfetto_section section, uint64_t tid)
{
	char text[] = "{\"ph\":\"?\"";

	text[7] = phase;
	tp_buf_text(&p->buf, p->any ? ",\n" : "\n");
	p->any = true;
	json_raw(p, text);
	json_uint(p, "pid", p->pid + section);
	json_uint(p, "tid", tid);
}

void json_flush(struct rep_perfetto *p, size_t at_least)
{
	if (!p->code && tp_buf_text(&p->buf, ""))
		p->code = tp_nomem(p->err);
	if (!p->code && p->buf.size >= at_least)
		p->code = p->out.write(p->out.ctx, p->buf.data, p->buf.size, p->err);
	if (p->code || p->buf.size >= at_least)
		p->buf.size = 0;
}

void json_end(struct rep_perfetto *p)
{
	tp_buf_text(&p->buf, "}");
	json_flush(p, (size_t)1 << 16);
}

void json_name(struct rep_perfetto *p, const char *what, enum perfetto_section section,
	       uint64_t tid, const char *name, size_t size)
{
	json_begin(p, 'M', section, tid);
	json_str(p, "name", what);
	json_args(p);
	json_text(p, "name", name, size);
	json_args_end(p);
	json_end(p);
}
