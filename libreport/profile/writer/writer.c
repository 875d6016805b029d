#include "profile/writer/writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "output/text.h"

#define PIECE ((size_t)64 << 10)

void rep_writer_init(struct rep_writer *p, const struct rep_sink *sink)
{
	*p = (struct rep_writer){.sink = sink};
}

void rep_writer_fail(struct rep_writer *p, int code)
{
	if (code && !p->err.code)
		tp_err_full(&p->err, code, "the profile is too large for this report");
}

bool rep_writer_failed(const struct rep_writer *p)
{
	return p->err.code != 0;
}

static void flush(struct rep_writer *p, size_t least)
{
	if (p->err.code || p->buf.size < least || !p->buf.size)
		return;
	if (!p->sink->write(p->sink->ctx, p->buf.data, p->buf.size, &p->err))
		p->err.code = 0;
	p->buf.size = 0;
}

int rep_writer_finish(struct rep_writer *p, struct tp_err *err)
{
	flush(p, 1);
	tp_buf_release(&p->buf);
	tp_buf_release(&p->scratch);
	if (p->err.code && err)
		*err = p->err;
	return p->err.code;
}

void rep_writer_raw(struct rep_writer *p, const void *data, size_t size)
{
	if (p->err.code)
		return;
	rep_writer_fail(p, tp_buf_put(&p->buf, data, size));
	flush(p, PIECE);
}

void rep_writer_put(struct rep_writer *p, const char *text)
{
	rep_writer_raw(p, text, strlen(text));
}

void rep_writer_printf(struct rep_writer *p, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n > 0)
		rep_writer_raw(p, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

void rep_writer_space(struct rep_writer *p, size_t n)
{
	static const char spaces[] = "                                ";

	for (size_t most = sizeof(spaces) - 1; n; n -= n < most ? n : most)
		rep_writer_raw(p, spaces, n < most ? n : most);
}

void rep_writer_text(struct rep_writer *p, const char *text, size_t size)
{
	if (p->err.code)
		return;
	rep_writer_fail(p, rep_escape(&p->buf, text, size, REP_ESCAPE_SHOWN));
	flush(p, PIECE);
}

void rep_writer_string(struct rep_writer *p, struct tp_text text)
{
	rep_writer_text(p, text.text, text.size);
}

void rep_writer_prose(struct rep_writer *p, struct tp_text text)
{
	const char *at = text.text, *end = text.text + text.size;

	while (at < end) {
		const char *stop = at;

		while (stop < end && *stop != '\n' && *stop != '\t')
			stop++;
		rep_writer_text(p, at, (size_t)(stop - at));
		if (stop < end)
			rep_writer_raw(p, stop++, 1);
		at = stop;
	}
}

size_t rep_writer_runes(const char *text, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < size; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

void rep_writer_column(struct rep_writer *p, size_t width, const char *text, size_t size)
{
	size_t n;

	if (p->err.code)
		return;
	p->scratch.size = 0;
	rep_writer_fail(p, rep_escape(&p->scratch, text, size, REP_ESCAPE_SHOWN));
	n = p->scratch.size ? rep_writer_runes((char *)p->scratch.data, p->scratch.size) : 0;
	if (n < width)
		rep_writer_space(p, width - n);
	rep_writer_raw(p, p->scratch.data, p->scratch.size);
}
