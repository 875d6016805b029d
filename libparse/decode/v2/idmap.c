#include "decode/v2/idmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/big.h"
#include "base/err.h"

#define FIRST_SLOTS 64
#define LEAST_USED  16	 /* a slot in so many, or there are too many: walks over all are not rare */
#define KEEP_SLOTS  4096 /* tables larger than this are freed when they are cleared */

/* Not a base/table.h: this is asked for each event, a slot that holds the id itself is one cache
 * line, and ids are taken out again. */
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

	m->seed |= 1;
	if (!slots || m->used + 1 > slots / 2) {
		int code = resize(m, slots ? slots * 2 : FIRST_SLOTS);

		if (code)
			return code;
	}
	place(m, id, value);
	m->used++;
	return 0;
}

/* The gap is closed by moving back every entry behind it that its home slot allows to move. */
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
		(void)resize(m, (m->mask + 1) / 4); /* without memory for it all stays as it is */
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
