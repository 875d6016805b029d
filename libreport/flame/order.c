#include "flame/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"

int rep_flame_by_name(const void *a, const void *b)
{
	struct tp_text x = ((const struct rep_flame_ranked *)a)->name;
	struct tp_text y = ((const struct rep_flame_ranked *)b)->name;
	uint32_t n = x.size < y.size ? x.size : y.size;
	int c = n ? memcmp(x.text, y.text, n) : 0;

	return c ? c : (x.size > y.size) - (x.size < y.size);
}

int rep_flame_by_weight(const void *a, const void *b)
{
	const struct rep_flame_ranked *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return rep_flame_by_name(a, b);
}

static void sort_children(const struct rep_flame_tree *t, uint32_t node,
			  struct rep_flame_ranked *sibling, uint32_t *child)
{
	uint32_t n = 0;

	for (uint32_t c = t->node[node].child; c; c = t->node[c].next)
		sibling[n++] = (struct rep_flame_ranked){
		    rep_flame_weight(t, c), tp_dict_text(t->names, t->node[c].name), c};
	if (n > 1)
		qsort(sibling, n, sizeof(*sibling), rep_flame_by_weight);
	for (uint32_t i = 0; i < n; i++)
		child[i] = sibling[i].id;
}

int rep_flame_order(const struct rep_flame_tree *t, struct rep_flame_order *o, struct tp_err *err)
{
	struct rep_flame_ranked *sibling;
	uint32_t most = 1, at = 0;

	for (uint32_t i = 0; i < t->n; i++)
		most = t->node[i].nchildren > most ? t->node[i].nchildren : most;
	sibling = tp_many(most, sizeof(*sibling));
	o->first = tp_many((size_t)t->n + 1, sizeof(*o->first));
	o->child = tp_many((size_t)t->n, sizeof(*o->child));
	if (!sibling || !o->first || !o->child) {
		free(sibling);
		return tp_nomem(err);
	}
	for (uint32_t i = 0; i < t->n; i++) {
		o->first[i] = at;
		sort_children(t, i, sibling, o->child + at);
		at += t->node[i].nchildren;
	}
	o->first[t->n] = at;
	free(sibling);
	return 0;
}

void rep_flame_order_release(struct rep_flame_order *o)
{
	free(o->first);
	free(o->child);
	*o = (struct rep_flame_order){0};
}
