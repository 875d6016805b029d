#include "flame/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"

struct sibling {
	int64_t weight;
	const char *text;
	uint32_t size, node;
};

static int compare(const void *a, const void *b)
{
	const struct sibling *x = a, *y = b;
	uint32_t n = x->size < y->size ? x->size : y->size;
	int c;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	c = n ? memcmp(x->text, y->text, n) : 0;
	return c ? c : x->size < y->size ? -1 : x->size > y->size;
}

static void sort_children(const struct rep_flame_tree *t, uint32_t node, struct sibling *sibling,
			  uint32_t *child)
{
	uint32_t n = 0;

	for (uint32_t c = t->node[node].child; c; c = t->node[c].next) {
		struct tp_text name = tp_dict_text(t->names, t->node[c].name);

		sibling[n++] = (struct sibling){rep_flame_weight(t, c), name.text, name.size, c};
	}
	if (n > 1)
		qsort(sibling, n, sizeof(*sibling), compare);
	for (uint32_t i = 0; i < n; i++)
		child[i] = sibling[i].node;
}

int rep_flame_order(const struct rep_flame_tree *t, struct rep_flame_order *o, struct tp_err *err)
{
	struct sibling *sibling;
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
