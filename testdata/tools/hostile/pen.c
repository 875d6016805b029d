#include "hostile/pen.h"

#include <stdarg.h>
#include <stdio.h>

void pen_bytes(struct pen *p, const void *data, size_t n)
{
	p->failed |= n && tp_buf_put(&p->out, data, n);
}

void pen_byte(struct pen *p, unsigned byte)
{
	uint8_t b = (uint8_t)byte;

	pen_bytes(p, &b, 1);
}

void pen_number(struct pen *p, uint64_t v)
{
	p->failed |= tp_buf_put_uvarint(&p->out, v) != 0;
}

void pen_numbers(struct pen *p, size_t n, const uint64_t *v)
{
	for (size_t i = 0; i < n; i++)
		pen_number(p, v[i]);
}

void pen_text(struct pen *p, const char *format, ...)
{
	char text[512];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	p->failed |= n < 0 || (size_t)n >= sizeof(text);
	if (!p->failed)
		pen_bytes(p, text, (size_t)n);
}

void pen_append(struct pen *p, struct pen *part)
{
	p->failed |= part->failed;
	pen_bytes(p, part->out.data, part->out.size);
	tp_buf_release(&part->out);
	*part = (struct pen){0};
}
