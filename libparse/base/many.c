#include "base/many.h"

#include <string.h>

#include "base/err.h"

#define FIRST_ROOM 64

int tp_grow_raw_slow(void *array, size_t *room, size_t n, size_t size)
{
	size_t want = *room ? *room : FIRST_ROOM;
	void *old, *more;

	while (want <= n) {
		if (want > SIZE_MAX / 2 / size)
			return TP_ENOMEM;
		want *= 2;
	}
	/* The caller's pointer may be of any type, so its bytes are copied. */
	memcpy(&old, array, sizeof(old));
	more = tp_more(old, want, size);
	if (!more)
		return TP_ENOMEM;
	memcpy(array, &more, sizeof(more));
	*room = want;
	return 0;
}

int tp_grow_slow(void *array, size_t *room, size_t n, size_t size)
{
	size_t had = *room;
	int code = tp_grow_raw_slow(array, room, n, size);
	char *items;

	if (code)
		return code;
	memcpy(&items, array, sizeof(items));
	memset(items + had * size, 0, (*room - had) * size);
	return 0;
}
