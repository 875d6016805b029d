#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

int tp_buf_fail(struct tp_buf *b)
{
	b->failed = true;
	b->room = b->size;
	return TP_ENOMEM;
}

int tp_buf_reserve(struct tp_buf *b, size_t more)
{
	size_t room = b->room ? b->room : 256;
	uint8_t *data;

	if (b->room - b->size >= more && !b->failed)
		return 0;
	if ((b->failed && b->size == b->room) || more > SIZE_MAX / 2 - b->size)
		return tp_buf_fail(b);
	/* The owner has made the buffer shorter since the failure. */
	b->failed = false;
	while (room - b->size < more)
		room *= 2;
	data = realloc(b->data, room);
	if (!data)
		return tp_buf_fail(b);
	b->data = data;
	b->room = room;
	return 0;
}

int tp_buf_put(struct tp_buf *b, const void *data, size_t n)
{
	if ((b->room - b->size < n || b->failed) && tp_buf_reserve(b, n))
		return TP_ENOMEM;
	if (n)
		memcpy(b->data + b->size, data, n);
	b->size += n;
	return 0;
}

int tp_buf_printf(struct tp_buf *b, const char *fmt, ...)
{
	va_list ap, again;
	size_t room = b->room - b->size;
	int n, code = 0;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(room ? (char *)b->data + b->size : NULL, room, fmt, ap);
	if (n < 0 || (size_t)n >= room || b->failed)
		code = tp_buf_reserve(b, n < 0 ? SIZE_MAX : (size_t)n + 1);
	if (!code && (size_t)n >= room)
		vsnprintf((char *)b->data + b->size, (size_t)n + 1, fmt, again);
	if (!code)
		b->size += (size_t)n;
	va_end(ap);
	va_end(again);
	return code;
}

int tp_buf_put_uvarint(struct tp_buf *b, uint64_t v)
{
	if (tp_buf_reserve(b, 10))
		return TP_ENOMEM;
	b->size = (size_t)(tp_put_uvarint(b->data + b->size, v) - b->data);
	return 0;
}

void tp_buf_release(struct tp_buf *b)
{
	free(b->data);
	memset(b, 0, sizeof(*b));
}
