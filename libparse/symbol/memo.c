#include "symbol/memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

/* The slot of the two, or the free one that would be theirs. */
static struct tp_memo_slot *slot_of(const struct tp_memo *m, uint64_t a, uint64_t b)
{
	uint64_t hash = (a * 0x9e3779b97f4a7c15u) ^ (b * 0xc2b2ae3d27d4eb4fu);
	size_t at = (size_t)(hash ^ hash >> 29);

	while (m->slot[at & (m->room - 1)].kept) {
		struct tp_memo_slot *s = &m->slot[at & (m->room - 1)];

		if (s->a == a && s->b == b)
			return s;
		at++;
	}
	return &m->slot[at & (m->room - 1)];
}

void *tp_memo_get(const struct tp_memo *m, uint64_t a, uint64_t b)
{
	return m->room ? slot_of(m, a, b)->kept : NULL;
}

static int grow(struct tp_memo *m)
{
	struct tp_memo more = {.n = m->n, .room = m->room ? 2 * m->room : 64};

	more.slot = calloc(more.room, sizeof(*more.slot));
	if (!more.slot)
		return TP_ENOMEM;
	for (size_t i = 0; i < m->room; i++)
		if (m->slot[i].kept)
			*slot_of(&more, m->slot[i].a, m->slot[i].b) = m->slot[i];
	free(m->slot);
	*m = more;
	return 0;
}

int tp_memo_put(struct tp_memo *m, uint64_t a, uint64_t b, void *kept)
{
	if (2 * m->n >= m->room && grow(m))
		return TP_ENOMEM;
	*slot_of(m, a, b) = (struct tp_memo_slot){a, b, kept};
	m->n++;
	return 0;
}

void tp_memo_release(struct tp_memo *m)
{
	free(m->slot);
	memset(m, 0, sizeof(*m));
}
