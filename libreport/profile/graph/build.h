/* The steps that make a graph; private to graph/.
 *
 *	nodes.c  frames become nodes, and samples add up on the stacks' prefix tree: one pass from
 *	         the leaves gives the sum of each stack node and all below it
 *	values.c one pass over that tree gives cum: a node counts where it is met first on the way
 *	         from the root, which is once per sample
 *	walk.c   one walk down the tree gives the edges, by the same rule
 *	tree.c   the same for a call tree, where every path is a node of its own
 *	tags.c   sums of the samples with the same labels, by node
 *	trim.c   chooses the nodes and edges that are kept
 *	order.c  sorts nodes and tags
 *	chain.c  callers and callees of chains of calls (profile/chain.h): another such walk */
#ifndef REP_PROFILE_GRAPH_BUILD_H
#define REP_PROFILE_GRAPH_BUILD_H

#include "base/table.h"
#include "profile/graph.h"
#include "profile/node.h"

#define REP_NODE_UNKNOWN 0
#define REP_NODE_SKIPPED 1 /* inlined, and --no-inlines was given */
#define REP_NODE_FIRST	 2 /* node i is i + REP_NODE_FIRST */

/* A node while the graph is made. Drafts are numbered. */
struct rep_draft {
	int64_t flat, flat_div, cum, cum_div;
	uint32_t on_path;
	bool inlined;	       /* some of its frames are inlined */
	bool kept;	       /* is part of the graph, with its edges */
	bool listed;	       /* is shown; a node whose values are 0 is kept, but not shown */
	bool cut;	       /* call tree: the edge into it was left out */
	struct rep_node *node; /* the finished node, or NULL */
};

struct rep_draft_edge {
	uint32_t src, dest;
	int64_t weight, weight_div;
	uint32_t on_path;
	bool residual, inlined;
};

struct rep_build {
	struct rep_profile_view *v;
	struct tp_arena arena;
	const struct tp_stack_node *stack; /* of the dictionary, which does not change any more */
	uint32_t nstacks;

	uint32_t *frame_node; /* by frame */
	uint32_t nframes;
	struct rep_draft *draft;
	struct rep_node_key *key; /* of each draft */
	uint32_t ndrafts;
	size_t draft_room, key_room;
	struct tp_table by_key; /* of drafts, except those in by_name */

	/* By stack node: the sum of the samples that end there or below. */
	void *block;
	int64_t *sum, *sum_div; /* sum_div only for means */
	uint32_t *child, *next; /* first child and next sibling, of nodes with samples; 0 ends */
	uint32_t *by_name;	/* by the function's name: draft + 1, if the name is the whole
				   key */
	uint32_t nnames;
	uint32_t *frame_name; /* likewise, by frame: name << 1 | inlined; 0: resolve by key */

	struct rep_draft_edge *edge;
	uint32_t nedges;
	size_t edge_room;
	struct tp_table by_ends; /* of edges; empty for call trees */

	uint32_t *stack_draft;	 /* by stack node, draft + 1; only for call trees */
	struct rep_node **given; /* all finished nodes */
	uint32_t ngiven;
	struct rep_node_key *base; /* call tree: the keys that frame_node refers to */
};

/* Releases all but the arena. */
void rep_build_release(struct rep_build *b);
#define REP_GRAPH_FULL "the profile is too large for a graph" /* TP_ELIMIT */

/* Sums up the samples over the prefix tree. */
int rep_build_sums(struct rep_build *b);
/* Finds the draft of a frame: b->frame_node[frame]. */
int rep_build_resolve(struct rep_build *b, uint32_t frame);
/* Links the tree downwards, unless that has been done. Afterwards all its frames have drafts. */
int rep_build_lists(struct rep_build *b);
/* Finds the draft with this key, or adds it. */
int rep_build_draft(struct rep_build *b, const struct rep_node_key *key, uint32_t *draft);
/* Computes cum of all drafts. */
int rep_build_cum(struct rep_build *b);
/* Computes flat of all drafts: the samples that end in them. */
int rep_build_flat(struct rep_build *b);
/* Computes the edges between kept drafts, and replaces the earlier ones. */
int rep_build_edges(struct rep_build *b);

/* Makes the drafts of a call tree with their values and edges, parents before children. */
int rep_build_tree(struct rep_build *b);
/* Returns draft + 1 of a stack node, or 0. */
uint32_t rep_build_draft_at(const struct rep_build *b, uint32_t stack);

/* Walks down the tree of the stacks in use, depth first and without recursion: `enter` is called
 * for each stack node, callers first, and `leave` once all below it is done. Ends at the first
 * error. Inline, because calls for millions of nodes should be part of the loop. */
static inline int rep_build_walk(struct rep_build *b, int (*enter)(void *ctx, uint32_t stack),
				 void (*leave)(void *ctx, uint32_t stack), void *ctx)
{
	int code = rep_build_lists(b);
	uint32_t at = code ? 0 : b->child[0];

	while (at && !code) {
		code = enter(ctx, at);
		if (b->child[at]) {
			at = b->child[at];
			continue;
		}
		for (bool up = true; at && up && !code;) {
			leave(ctx, at);
			up = !b->next[at];
			at = up ? b->stack[at].parent : b->next[at];
		}
	}
	return code;
}

/* The same walk, with facts about the path from the root to the node. `leave` may be NULL. */
struct rep_step {
	uint32_t stack; /* node of the tree */
	uint32_t above; /* draft + 1 of the nearest caller with a draft, 0 none */
	uint32_t draft; /* draft + 1, or 0 if it has none */
	uint32_t edge;	/* edge + 1 into it, or 0 */
	bool residual;	/* drafts were left out between here and `above` */
};
struct rep_visitor {
	int (*enter)(struct rep_build *b, struct rep_step *s);
	void (*leave)(struct rep_build *b, const struct rep_step *s);
};
int rep_build_visit(struct rep_build *b, const struct rep_visitor *visitor);

/* Makes nodes of the listed drafts: g->node, with names, unsorted. */
int rep_build_nodes(struct rep_build *b, struct rep_graph *g);
/* Computes the edges between kept drafts and links the nodes with them. */
int rep_build_links(struct rep_build *b, struct rep_graph *g);
/* Unlinks the edges that are marked as gone. */
void rep_build_unlink(struct rep_build *b);

/* Computes the tags of the finished nodes. */
int rep_build_tags(struct rep_build *b, struct rep_graph *g);

/* Makes the nodes and edges that newTrimmedGraph keeps. */
int rep_build_trimmed(struct rep_build *b, struct rep_graph *g);
/* Makes all nodes that are not 0. */
int rep_build_whole(struct rep_build *b, struct rep_graph *g);

#endif
