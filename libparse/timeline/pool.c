#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "timeline/parts.h"

void *tp_pool_push(struct tp_pool *p, uint32_t *head)
{
	struct tp_node *node;
	uint32_t id = p->free;

	if (!id && p->n + 1 >= p->room) {
		size_t room = p->room ? (size_t)p->room * 2 : 64;
		void *items;

		if (room > UINT32_MAX)
			return NULL;
		items = room <= SIZE_MAX / p->size ? tp_more(p->items, room, p->size) : NULL;
		if (!items)
			return NULL;
		p->items = items;
		p->room = (uint32_t)room;
	}
	if (id)
		p->free = ((struct tp_node *)tp_pool_at(p, id))->next;
	else
		id = ++p->n;
	node = tp_pool_at(p, id);
	memset(node, 0, p->size);
	node->next = *head;
	*head = id;
	return node;
}

void tp_pool_release(struct tp_pool *p)
{
	free(p->items);
	p->items = NULL;
	p->n = p->room = p->free = 0;
}

static int map_grow(struct tp_map *m)
{
	uint64_t size = m->slots ? (m->mask + 1) * 2 : 256;
	struct tp_map_slot *slots =
	    size <= SIZE_MAX / sizeof(*slots) ? calloc((size_t)size, sizeof(*slots)) : NULL;

	if (!slots)
		return TP_ENOMEM;
	for (uint64_t i = 0; m->slots && i <= m->mask; i++) {
		uint64_t at = tp_mix(m->seed, m->slots[i].key) & (size - 1);

		if (!m->slots[i].value)
			continue;
		while (slots[at].value)
			at = (at + 1) & (size - 1);
		slots[at] = m->slots[i];
	}
	free(m->slots);
	m->slots = slots;
	m->mask = size - 1;
	return 0;
}

uint64_t *tp_map_at(struct tp_map *m, uint64_t key)
{
	uint64_t at;

	if ((!m->slots || m->n >= (m->mask + 1) / 2) && map_grow(m))
		return NULL;
	at = tp_mix(m->seed, key) & m->mask;
	while (m->slots[at].value && m->slots[at].key != key)
		at = (at + 1) & m->mask;
	if (!m->slots[at].value) {
		m->slots[at].key = key;
		m->n++;
	}
	return &m->slots[at].value;
}

void tp_map_release(struct tp_map *m)
{
	free(m->slots);
	*m = (struct tp_map){0};
}

/* Not base/table.h: tables of the timeline are asked for each event, from states whose hash is made
 * so that neighbours share cache lines, and a slot of 4 bytes is half as large. */
int tp_grow_slots(uint32_t **slots, uint32_t *mask, uint32_t **fresh)
{
	uint32_t size = *slots ? (*mask + 1) * 2 : 4096;

	if (!size || !(*fresh = calloc(size, sizeof(**fresh))))
		return TP_ENOMEM;
	free(*slots);
	*slots = *fresh;
	*mask = size - 1;
	return 0;
}

int tp_grow_items(void **items, uint32_t *room, size_t size)
{
	uint32_t more = *room ? *room * 2 : 1024;
	void *p = more ? tp_more(*items, more, size) : NULL;

	if (!p)
		return TP_ENOMEM;
	*items = p;
	*room = more;
	return 0;
}

int tp_grow_lines(void **items, uint32_t *room)
{
	uint32_t more = *room ? *room * 2 : 1024;
	void *p = more ? aligned_alloc(64, (size_t)more * 64) : NULL;

	if (!p)
		return TP_ENOMEM;
	if (*room)
		memcpy(p, *items, (size_t)*room * 64);
	free(*items);
	*items = p;
	*room = more;
	return 0;
}
