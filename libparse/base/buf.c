#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

int tp_buf_reserve(struct tp_buf *b, size_t more)
{
	size_t room = b->room ? b->room : 256;
	uint8_t *data;

	if (b->room - b->size >= more)
		return 0;
	if (more > SIZE_MAX / 2 - b->size)
		return TP_ENOMEM;
	while (room - b->size < more)
		room *= 2;
	data = realloc(b->data, room);
	if (!data)
		return TP_ENOMEM;
	b->data = data;
	b->room = room;
	return 0;
}

int tp_buf_put(struct tp_buf *b, const void *data, size_t n)
{
	if (!n)
		return 0;
	if (tp_buf_reserve(b, n))
		return TP_ENOMEM;
	memcpy(b->data + b->size, data, n);
	b->size += n;
	return 0;
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
