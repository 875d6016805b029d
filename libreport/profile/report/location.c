#include "profile/report/location.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/seed.h"
#include "base/table.h"

/* A chain of frames, identified by its innermost frame and the chain that this is inlined into (0:
 * none). */
struct chain {
	uint32_t outer, frame;
	uint32_t number; /* 0 not yet numbered */
};

struct chains {
	struct chain *item; /* item[0] is unused */
	uint32_t n;
	struct tp_table table;
	uint64_t seed;
};

/* Finds a chain, or adds it. `item` has room for as many chains as stack nodes, which are enough.
 */
static int intern(struct chains *c, uint32_t outer, uint32_t frame, uint32_t *chain)
{
	uint64_t hash = tp_mix64(c->seed, (uint64_t)outer << 32 | frame);
	int code;

	for (struct tp_probe p = {0}; tp_table_next(&c->table, hash, &p);) {
		*chain = p.row;
		if (c->item[*chain].outer == outer && c->item[*chain].frame == frame)
			return 0;
	}
	*chain = c->n + 1;
	code = tp_table_add(&c->table, hash, *chain);
	if (!code)
		c->item[++c->n] = (struct chain){outer, frame, 0};
	return code;
}

static void number(struct rep_locations *l, const struct tp_profile *p, struct chains *c,
		   const uint32_t *chain, uint32_t leaf)
{
	uint32_t node = leaf, inner = leaf;

	while (node) {
		struct tp_stack_node s = tp_dict_stack_at(p->dict, node);

		if (!tp_dict_frame_at(p->dict, s.frame).inlined || !s.parent) {
			struct chain *k = &c->item[chain[inner]];

			/* If this node has a number, so have all its callers. */
			if (l->number[inner])
				return;
			if (!k->number) {
				l->node[l->n] = inner;
				k->number = ++l->n;
			}
			l->number[inner] = k->number;
			inner = s.parent;
		}
		node = s.parent;
	}
}

int rep_locations_make(struct rep_locations *l, const struct tp_profile *p)
{
	uint32_t nodes = tp_dict_stacks(p->dict), *chain;
	struct chains c = {.seed = tp_seed()};
	int code = TP_ENOMEM;

	*l = (struct rep_locations){0};
	c.item = calloc((size_t)nodes + 1, sizeof(*c.item));
	chain = calloc((size_t)nodes + 1, sizeof(*chain));
	l->number = calloc((size_t)nodes + 1, sizeof(*l->number));
	l->node = calloc((size_t)nodes + 1, sizeof(*l->node));
	if (!c.item || !chain || !l->number || !l->node)
		goto done;
	/* A caller's node comes before its callee's. */
	code = 0;
	for (uint32_t i = 1; i < nodes && !code; i++) {
		struct tp_stack_node s = tp_dict_stack_at(p->dict, i);
		bool inlined = tp_dict_frame_at(p->dict, s.frame).inlined;

		code = intern(&c, inlined ? chain[s.parent] : 0, s.frame, &chain[i]);
	}
	for (size_t i = 0; i < p->nsamples && !code; i++)
		number(l, p, &c, chain, p->stack[i]);
done:
	tp_table_release(&c.table);
	free(c.item);
	free(chain);
	return code;
}

void rep_locations_release(struct rep_locations *l)
{
	free(l->number);
	free(l->node);
	*l = (struct rep_locations){0};
}

uint32_t rep_location_caller(const struct tp_profile *p, uint32_t node)
{
	while (node) {
		struct tp_stack_node s = tp_dict_stack_at(p->dict, node);

		node = s.parent;
		if (!tp_dict_frame_at(p->dict, s.frame).inlined)
			break;
	}
	return node;
}
