#include "profile/report/location.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/seed.h"

/* Chains of frames, each known by its frame and the chain it is inlined into (0: none). */
struct chain {
	uint32_t outer, frame;
	uint32_t number; /* 0 not yet numbered */
};

struct chains {
	struct chain *item; /* item[0] is no chain */
	uint32_t n;
	uint32_t *slot; /* chain, or 0 */
	uint32_t mask;
	uint64_t seed;
};

static uint64_t hash(const struct chains *c, uint32_t outer, uint32_t frame)
{
	return tp_mix64(c->seed, (uint64_t)outer << 32 | frame);
}

/* There are no more chains than stack nodes, for which everything has room. */
static uint32_t intern(struct chains *c, uint32_t outer, uint32_t frame)
{
	uint32_t at = (uint32_t)hash(c, outer, frame) & c->mask;

	for (; c->slot[at]; at = (at + 1) & c->mask) {
		const struct chain *k = &c->item[c->slot[at]];

		if (k->outer == outer && k->frame == frame)
			return c->slot[at];
	}
	c->slot[at] = ++c->n;
	c->item[c->n] = (struct chain){outer, frame, 0};
	return c->n;
}

static void number(struct rep_locations *l, const struct tp_profile *p, struct chains *c,
		   const uint32_t *chain, uint32_t leaf)
{
	uint32_t node = leaf, inner = leaf;

	while (node) {
		struct tp_stack_node s = tp_dict_stack_at(p->dict, node);

		if (!tp_dict_frame_at(p->dict, s.frame).inlined || !s.parent) {
			struct chain *k = &c->item[chain[inner]];

			/* Whoever named this stack before has named all that is towards the root.
			 */
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
	uint32_t nodes = tp_dict_stacks(p->dict), nslots = 64, *chain;
	struct chains c = {.seed = tp_seed()};
	int code = TP_ENOMEM;

	*l = (struct rep_locations){0};
	while (nslots < 2 * nodes)
		nslots *= 2;
	c.mask = nslots - 1;
	c.slot = calloc(nslots, sizeof(*c.slot));
	c.item = calloc((size_t)nodes + 1, sizeof(*c.item));
	chain = calloc((size_t)nodes + 1, sizeof(*chain));
	l->number = calloc((size_t)nodes + 1, sizeof(*l->number));
	l->node = calloc((size_t)nodes + 1, sizeof(*l->node));
	if (!c.slot || !c.item || !chain || !l->number || !l->node)
		goto done;
	/* A caller's node comes before its callee's. */
	for (uint32_t i = 1; i < nodes; i++) {
		struct tp_stack_node s = tp_dict_stack_at(p->dict, i);
		bool inlined = tp_dict_frame_at(p->dict, s.frame).inlined;

		chain[i] = intern(&c, inlined ? chain[s.parent] : 0, s.frame);
	}
	for (size_t i = 0; i < p->nsamples; i++)
		number(l, p, &c, chain, p->stack[i]);
	code = 0;
done:
	free(c.slot);
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
