#include "base/idmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/big.h"
#include "base/err.h"
#include "base/many.h"
#include "base/seed.h"

#define FIRST_SLOTS 64
#define LEAST_USED  16	 /* the table shrinks if fewer than one in 16 slots is used */
#define KEEP_SLOTS  4096 /* tables larger than this are freed when they are cleared */

/* The array takes ids below DENSE_BASE plus DENSE_FACTOR for each id in the map. */
#define DENSE_BASE   4096
#define DENSE_FACTOR 16

/* This is not a base/table.h for two reasons: ids are removed again, and each event looks one up,
 * which costs a single cache line if the slot contains the id. */
static void place(struct tp_idmap *m, uint64_t id, void *value)
{
	size_t i = tp_idmap_home(m, id);

	while (m->slots[i].value)
		i = (i + 1) & m->mask;
	m->slots[i] = (struct tp_idmap_slot){.id = id, .value = value};
}

static int resize(struct tp_idmap *m, size_t slots)
{
	struct tp_idmap old = *m;

	m->slots = tp_big_zeroed(slots, sizeof(*m->slots));
	if (!m->slots) {
		m->slots = old.slots;
		return TP_ENOMEM;
	}
	m->mask = slots - 1;
	m->shift = 64;
	for (size_t n = slots >> 2; n > 1; n >>= 1)
		m->shift--;
	if (old.slots)
		for (size_t i = 0; i <= old.mask; i++)
			if (old.slots[i].value)
				place(m, old.slots[i].id, old.slots[i].value);
	free(old.slots);
	return 0;
}

int tp_idmap_add(struct tp_idmap *m, uint64_t id, void *value)
{
	size_t slots = m->slots ? m->mask + 1 : 0;

	if (!m->seed)
		m->seed = tp_seed() | 1;
	if (!slots || m->used + 1 > slots / 2) {
		int code = resize(m, slots ? slots * 2 : FIRST_SLOTS);

		if (code)
			return code;
	}
	place(m, id, value);
	m->used++;
	return 0;
}

/* Closes the gap by moving back every later entry that may be closer to its home slot. */
void tp_idmap_remove(struct tp_idmap *m, uint64_t id)
{
	size_t gap, i;

	if (!m->used)
		return;
	gap = tp_idmap_home(m, id);
	while (m->slots[gap].value && m->slots[gap].id != id)
		gap = (gap + 1) & m->mask;
	if (!m->slots[gap].value)
		return;
	for (i = (gap + 1) & m->mask; m->slots[i].value; i = (i + 1) & m->mask) {
		size_t home = tp_idmap_home(m, m->slots[i].id);

		if (((i - home) & m->mask) >= ((i - gap) & m->mask)) {
			m->slots[gap] = m->slots[i];
			gap = i;
		}
	}
	m->slots[gap].value = NULL;
	m->used--;
	if (m->mask >= FIRST_SLOTS * 4 && m->used < (m->mask + 1) / LEAST_USED)
		(void)resize(m, (m->mask + 1) / 4); /* if memory is out, the table keeps its size */
}

void tp_idmap_clear(struct tp_idmap *m)
{
	if (!m->slots)
		return;
	if (m->mask >= KEEP_SLOTS) {
		free(m->slots);
		m->slots = NULL;
		m->mask = 0;
	} else if (m->used) {
		memset(m->slots, 0, (m->mask + 1) * sizeof(*m->slots));
	}
	m->used = 0;
}

void tp_idmap_release(struct tp_idmap *m)
{
	free(m->slots);
	*m = (struct tp_idmap){.seed = m->seed};
}

/* Sets the value of an id beyond the array. */
static int put_far(struct tp_ids *m, uint64_t id, uint32_t value)
{
	void *v = (void *)((uintptr_t)value + 1);
	int code;

	if (!tp_idmap_get(&m->far, id)) {
		code = tp_idmap_add(&m->far, id, v);
		m->count += !code;
		return code;
	}
	for (size_t i = tp_idmap_home(&m->far, id);; i = (i + 1) & m->far.mask)
		if (m->far.slots[i].id == id) {
			m->far.slots[i].value = v;
			return 0;
		}
}

/* Extends the array to an id. Ids in between that are in `far` move to the array. */
static int extend(struct tp_ids *m, size_t id)
{
	if (tp_grow_raw(&m->dense, &m->room, id, sizeof(*m->dense)))
		return TP_ENOMEM;
	while (m->ndense <= id) {
		/* This id is still beyond the array, so its value comes from `far`. */
		uint32_t value = tp_ids_get(m, m->ndense);

		m->dense[m->ndense++] = value;
	}
	return 0;
}

int tp_ids_put(struct tp_ids *m, uint64_t id, uint32_t value)
{
	if (id >= m->ndense) {
		/* An id in `far` stays there, so that replacing its value needs no memory. */
		if (id >= DENSE_BASE + DENSE_FACTOR * m->count || tp_idmap_get(&m->far, id))
			return put_far(m, id, value);
		if (extend(m, (size_t)id))
			return TP_ENOMEM;
	}
	m->count += m->dense[id] == TP_NO_ID;
	m->dense[id] = value;
	return 0;
}

void tp_ids_clear(struct tp_ids *m)
{
	m->ndense = 0;
	m->count = 0;
	tp_idmap_clear(&m->far);
}

void tp_ids_release(struct tp_ids *m)
{
	free(m->dense);
	tp_idmap_release(&m->far);
	*m = (struct tp_ids){.far.seed = m->far.seed};
}
