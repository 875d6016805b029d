#include "base/many.h"

#include <string.h>

#include "base/err.h"

#define FIRST_ROOM 64

int tp_grow_slow(void *array, size_t *room, size_t n, size_t size)
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
	memset((char *)more + *room * size, 0, (want - *room) * size);
	memcpy(array, &more, sizeof(more));
	*room = want;
	return 0;
}
