/* Callers and callees of a chain of calls, one level at a time.
 *
 * A chain is a sequence of nodes (functions, lines …, as the view groups them) that call each other
 * on a stack, caller first. Its cum is the sum of the samples with the chain on their stack, each
 * counted once; its flat is the sum of the samples whose stack ends with the chain. A node that
 * calls itself directly is one step of a chain. The callers of a chain of one node have the weights
 * of the edges into that node (graph.h, with nothing left out); longer chains show where those
 * calls come from.
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
	int64_t flat, cum; /* of the chain with this node added; means if the view has means */
};

/* The view and its profile must outlive the chains unchanged. Errors: TP_ENOMEM, TP_ELIMIT. */
int rep_chains_new(struct rep_chains **c, struct rep_profile_view *v, struct tp_err *err);
void rep_chains_free(struct rep_chains *c);

/* Returns the node with this info, or TP_NONE. */
uint32_t rep_chains_node(const struct rep_chains *c, const struct rep_node_info *info);

/* Finds the callers of the first of n nodes of a chain, or the callees of the last one, largest cum
 * first. The caller frees *next; it is NULL, and *nnext 0, if the chain has none. Returns 0 or
 * TP_ENOMEM. */
int rep_chains_next(struct rep_chains *c, const uint32_t *chain, size_t n, bool callers,
		    struct rep_chain_next **next, size_t *nnext, struct tp_err *err);

#endif
