#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "timeline/parts.h"

void *tp_pool_push(struct tp_pool *p, uint32_t *head)
{
	struct tp_node *node;
	uint32_t id = p->free;

	if (!id && (p->n == UINT32_MAX - 1 || tp_grow_raw(&p->items, &p->room, p->n + 1, p->size)))
		return NULL;
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
	p->n = p->free = 0;
	p->room = 0;
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
