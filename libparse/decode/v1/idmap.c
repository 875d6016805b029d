#include "decode/v1/idmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/err.h"

/* Ids below this many per id seen go to the array. */
#define DENSE_BASE   4096
#define DENSE_FACTOR 16

/* The high bits of a product with a factor that nobody knows beforehand: ids cannot be made to
 * meet. */
static size_t home(const struct tp_v1_idmap *m, uint64_t id)
{
	return (size_t)((id * (0x9e3779b97f4a7c15u ^ m->seed << 1)) >> m->shift);
}

/* Not a base/table.h: this is asked for each event, and a slot that holds the id itself is one cache
 * line. */
static struct tp_v1_idslot *slot_of(const struct tp_v1_idmap *m, uint64_t id)
{
	size_t i = home(m, id);

	while (m->hash[i].value && m->hash[i].id != id)
		i = (i + 1) & (m->room - 1);
	return &m->hash[i];
}

uint32_t tp_v1_idmap_find_slow(const struct tp_v1_idmap *m, uint64_t id)
{
	const struct tp_v1_idslot *s = slot_of(m, id);

	return s->value ? s->value - 1 : TP_V1_NO_ID;
}

static int grow_hash(struct tp_v1_idmap *m)
{
	struct tp_v1_idmap wider = {.room = m->room ? m->room * 2 : 64,
				    .shift = m->room ? m->shift - 1 : 58,
				    .seed = m->seed};

	wider.hash = calloc(wider.room, sizeof(*wider.hash));
	if (!wider.hash)
		return TP_ENOMEM;
	for (size_t i = 0; i < m->room; i++)
		if (m->hash[i].value)
			*slot_of(&wider, m->hash[i].id) = m->hash[i];
	free(m->hash);
	m->hash = wider.hash;
	m->room = wider.room;
	m->shift = wider.shift;
	return 0;
}

static int grow_dense(struct tp_v1_idmap *m, uint64_t id)
{
	uint64_t n = m->ndense ? m->ndense : DENSE_BASE;
	uint32_t *p;

	while (n <= id)
		n *= 2;
	p = tp_more(m->dense, n, sizeof(*p));
	if (!p)
		return TP_ENOMEM;
	memset(p + m->ndense, 0, (size_t)(n - m->ndense) * sizeof(*p));
	m->dense = p;
	m->ndense = n;
	return 0;
}

int tp_v1_idmap_put(struct tp_v1_idmap *m, uint64_t id, uint32_t value)
{
	struct tp_v1_idslot *s;

	/* An id that went to the hash stays there. */
	if (m->used && (s = slot_of(m, id))->value) {
		s->value = value + 1;
		return 0;
	}
	if (id < DENSE_BASE + DENSE_FACTOR * m->count) {
		if (id >= m->ndense && grow_dense(m, id))
			return TP_ENOMEM;
		m->count += !m->dense[id];
		m->dense[id] = value + 1;
		return 0;
	}
	if (m->used * 2 >= m->room && grow_hash(m))
		return TP_ENOMEM;
	s = slot_of(m, id);
	s->id = id;
	s->value = value + 1;
	m->used++;
	m->count++;
	return 0;
}

void tp_v1_idmap_release(struct tp_v1_idmap *m)
{
	free(m->dense);
	free(m->hash);
	*m = (struct tp_v1_idmap){.seed = m->seed};
}
