#include "export/perfetto/json.h"

#include <stdlib.h>
#include <string.h>

#define PIECE ((size_t)1 << 16)

static void put(struct rep_perfetto *p, const void *data, size_t size)
{
	if (p->code)
		return;
	p->code = tp_buf_put(&p->buf, data, size);
	if (p->code)
		tp_nomem(p->err);
}

void json_raw(struct rep_perfetto *p, const char *text)
{
	put(p, text, strlen(text));
}

static void put_uint(struct rep_perfetto *p, uint64_t v)
{
	char text[20], *at = text + sizeof(text);

	do
		*--at = (char)('0' + v % 10);
	while (v /= 10);
	put(p, at, (size_t)(text + sizeof(text) - at));
}

static void key_of(struct rep_perfetto *p, const char *key)
{
	/* Members follow one another, but for the first of an object. */
	if (p->buf.size && p->buf.data[p->buf.size - 1] != '{')
		put(p, ",", 1);
	put(p, "\"", 1);
	json_raw(p, key);
	put(p, "\":", 2);
}

void json_uint(struct rep_perfetto *p, const char *key, uint64_t v)
{
	key_of(p, key);
	put_uint(p, v);
}

void json_int(struct rep_perfetto *p, const char *key, int64_t v)
{
	key_of(p, key);
	if (v < 0)
		put(p, "-", 1);
	put_uint(p, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void json_ts(struct rep_perfetto *p, const char *key, int64_t ns)
{
	uint64_t v = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	unsigned rest = (unsigned)(v % 1000);
	char text[4] = {'.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
			(char)('0' + rest % 10)};

	key_of(p, key);
	if (ns < 0)
		put(p, "-", 1);
	put_uint(p, v / 1000);
	if (rest)
		put(p, text, sizeof(text));
}

/* Length of the valid UTF-8 sequence at s, 0 if there is none (RFC 3629). */
static size_t sequence(const uint8_t *s, size_t n)
{
	size_t len = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

	if (!len || s[0] > 0xf4 || n < len)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

/* C1 controls, and what turns text around or hides in it: no viewer of this form has use for them,
 * a terminal that the file is shown on might. */
static bool is_deceptive(const uint8_t *s, size_t len)
{
	if (len == 2)
		return s[0] == 0xc2 && s[1] < 0xa0;
	return len == 3 && ((s[0] == 0xe2 && ((s[1] == 0x80 && ((s[2] >= 0x8b && s[2] <= 0x8f) ||
								(s[2] >= 0xa8 && s[2] <= 0xae))) ||
					      (s[1] == 0x81 && s[2] >= 0xa0 && s[2] <= 0xaf))) ||
			    (s[0] == 0xef && s[1] == 0xbb && s[2] == 0xbf));
}

static void put_text(struct rep_perfetto *p, const char *text, size_t size)
{
	static const char hex[] = "0123456789abcdef";
	const uint8_t *s = (const uint8_t *)text;
	size_t from = 0;

	for (size_t i = 0; i < size;) {
		size_t len = s[i] < 0x20 || s[i] == '"' || s[i] == '\\' || s[i] == 0x7f
				 ? 0
				 : sequence(s + i, size - i);
		char escape[6] = {'\\', 'u', '0', '0', hex[s[i] >> 4], hex[s[i] & 15]};

		if (len && !is_deceptive(s + i, len)) {
			i += len;
			continue;
		}
		put(p, text + from, i - from);
		/* A byte that is no text shows as the replacement character. */
		if (s[i] >= 0x80)
			put(p, "\\ufffd", 6);
		else
			put(p, escape, sizeof(escape));
		i += len ? len : 1;
		from = i;
	}
	put(p, text + from, size - from);
}

void json_text(struct rep_perfetto *p, const char *key, const char *text, size_t size)
{
	key_of(p, key);
	put(p, "\"", 1);
	put_text(p, text, size);
	put(p, "\"", 1);
}

void json_str(struct rep_perfetto *p, const char *key, const char *text)
{
	json_text(p, key, text, strlen(text));
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
	put(p, "{", 1);
}

void json_args_end(struct rep_perfetto *p)
{
	put(p, "}", 1);
}

void json_begin(struct rep_perfetto *p, char phase, enum perfetto_section section, uint64_t tid)
{
	char text[] = "{\"ph\":\"?\"";

	text[7] = phase;
	json_raw(p, p->any ? ",\n" : "\n");
	p->any = true;
	put(p, text, sizeof(text) - 1);
	json_uint(p, "pid", p->pid + section);
	json_uint(p, "tid", tid);
}

void json_end(struct rep_perfetto *p)
{
	put(p, "}", 1);
	if (p->buf.size < PIECE || p->code)
		return;
	p->code = p->out.write(p->out.ctx, p->buf.data, p->buf.size, p->err);
	p->buf.size = 0;
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
