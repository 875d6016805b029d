/* Callers and callees, level by level: what stacks hold that have a chain of calls in them, told
 * apart by who comes before the chain, or behind it.
 *
 * A chain is a sequence of nodes (functions, lines …: as the view has them) that follow each other
 * on a stack, from the root's side to the leaf's. Its cum is the sum of the samples that have it on
 * their stack, each counted once, however often it is there; its flat is the sum of those that end
 * with it. A node that calls itself directly is one step of a chain. So the callers of a single
 * node have the weights of the edges into it (graph.h, with nothing left out), and those below tell
 * by which way these came.
 *
 *	code = rep_chains_new(&chains, &view, &err);
 *	node = rep_chains_node(chains, &row->info);
 *	code = rep_chains_next(chains, &node, 1, true, &next, &n, &err);
 *	… two[0] = next[0].node, two[1] = node: their callers … */
#ifndef REP_PROFILE_CHAIN_H
#define REP_PROFILE_CHAIN_H

#include "decode/event.h"
#include "profile/view.h"

struct rep_chains;

struct rep_chain_next {
	struct tp_text name; /* as shown; lives as long as the chains, as the info does */
	struct rep_node_info info;
	uint32_t node;
	int64_t flat, cum; /* of the chain that is longer by it; means where asked for */
};

/* The view and its profile must outlive them, and stay as they are. TP_ENOMEM, TP_ELIMIT. */
int rep_chains_new(struct rep_chains **c, struct rep_profile_view *v, struct tp_err *err);
void rep_chains_free(struct rep_chains *c);

/* The node that looks like this; TP_NONE: none does. */
uint32_t rep_chains_node(const struct rep_chains *c, const struct rep_node_info *info);

/* Who calls the first node of the chain (n of them), or whom the last one calls: the most cum, by
 * size, first. *next is to be freed by the caller; NULL and 0 where it begins, or ends, here.
 * TP_ENOMEM. */
int rep_chains_next(struct rep_chains *c, const uint32_t *chain, size_t n, bool callers,
		    struct rep_chain_next **next, size_t *nnext, struct tp_err *err);

#endif
