/* How a graph is made; private to graph/.
 *
 *	nodes.c  frames become nodes, and samples add up on the stacks' prefix tree: one pass from
 *	         the leaves gives what each stack node and all below it hold
 *	values.c one pass over that tree gives cum: a node counts where it is met first on the way
 *	         from the root, which is once per sample
 *	walk.c   one walk down the tree gives the edges, by the same rule
 *	tree.c   the same for a call tree, where every path is a node of its own
 *	tags.c   what samples of the same labels add up to, per node
 *	trim.c   which nodes and edges stay
 *	order.c  and in which order
 *	chain.c  callers and callees of chains of calls (profile/chain.h): another walk down it */
#ifndef REP_PROFILE_GRAPH_BUILD_H
#define REP_PROFILE_GRAPH_BUILD_H

#include "base/table.h"
#include "profile/graph.h"
#include "profile/node.h"

#define REP_NODE_UNKNOWN 0
#define REP_NODE_SKIPPED 1 /* inlined, and --no-inlines was given */
#define REP_NODE_FIRST	 2 /* node i is i + REP_NODE_FIRST */

/* While a graph is made, nodes are these, by number. */
struct rep_draft {
	int64_t flat, flat_div, cum, cum_div;
	uint32_t on_path;
	bool inlined;	       /* some frame of it is */
	bool kept;	       /* is there, with edges */
	bool listed;	       /* is shown; what adds up to 0 is not, but has edges */
	bool cut;	       /* call tree: the edge into it was left out */
	struct rep_node *node; /* where it has been given out */
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
	const struct tp_stack_node *stack; /* of the dictionary, which is not changed any more */
	uint32_t nstacks;

	uint32_t *frame_node; /* by frame */
	uint32_t nframes;
	struct rep_draft *draft;
	struct rep_node_key *key; /* of each draft */
	uint32_t ndrafts;
	size_t draft_room, key_room;
	struct tp_table by_key; /* of drafts, but those that are found by_name */

	/* By stack node: what samples end there, and below. */
	void *block;
	int64_t *sum, *sum_div; /* sum_div only for means */
	uint32_t *child, *next; /* of those that samples touch, where edges are wanted; 0 ends */
	uint32_t *by_name;	/* draft + 1, by the function's name, where it says all */
	uint32_t nnames;
	uint32_t
	    *frame_name; /* likewise, by frame: the name << 1 | inlined; 0 << 1: resolve by key */

	struct rep_draft_edge *edge;
	uint32_t nedges;
	size_t edge_room;
	struct tp_table by_ends; /* of edges; empty for call trees */

	uint32_t *stack_draft;	 /* by stack node, draft + 1; only for call trees */
	struct rep_node **given; /* every node that has been given out */
	uint32_t ngiven;
	struct rep_node_key *base; /* call tree: of what frame_node speaks of */
};

/* All but the arena. */
void rep_build_release(struct rep_build *b);
int rep_fail(struct tp_err *err, int code); /* the sentence that belongs to a bare code */
#ifdef TP_ANALYZER
#define rep_fail(err, code) (rep_fail(err, code), (code))
#endif

/* Sums of the samples over the prefix tree. */
int rep_build_sums(struct rep_build *b);
/* Finds the draft of a frame: b->frame_node[frame]. */
int rep_build_resolve(struct rep_build *b, uint32_t frame);
/* Makes the tree one that can be walked down, if it is not yet; all its frames have drafts then. */
int rep_build_lists(struct rep_build *b);
/* The draft with this key, added where it is new. */
int rep_build_draft(struct rep_build *b, const struct rep_node_key *key, uint32_t *draft);
/* cum of all drafts. */
int rep_build_cum(struct rep_build *b);
/* flat of all drafts: what samples end in. */
int rep_build_flat(struct rep_build *b);
/* The edges between kept drafts, anew. */
int rep_build_edges(struct rep_build *b);

/* Call trees: drafts with their values and edges at once, parents before children. */
int rep_build_tree(struct rep_build *b);
/* Draft + 1 of a stack node, 0 where it has none. */
uint32_t rep_build_draft_at(const struct rep_build *b, uint32_t stack);

/* A walk over the tree in use, without recursion. */
struct rep_step {
	uint32_t stack; /* node of the tree */
	uint32_t above; /* draft + 1 nearest to the root, 0 none */
	uint32_t draft; /* draft + 1, or 0 where it is none */
	uint32_t edge;	/* edge + 1 into it, or 0 */
	bool residual;	/* drafts were left out between here and `above` */
};
struct rep_visitor {
	int (*enter)(struct rep_build *b, struct rep_step *s);
	void (*leave)(struct rep_build *b, const struct rep_step *s);
};
int rep_build_walk(struct rep_build *b, const struct rep_visitor *visitor);

/* Gives out the listed drafts as nodes in g->node, with names, unsorted. */
int rep_build_nodes(struct rep_build *b, struct rep_graph *g);
/* Works out the edges between kept drafts and hangs them on the nodes. */
int rep_build_links(struct rep_build *b, struct rep_graph *g);
/* Takes the edges marked as gone off the nodes. */
void rep_build_unlink(struct rep_build *b);

/* The tags of the nodes given out. */
int rep_build_tags(struct rep_build *b, struct rep_graph *g);

/* Which nodes and edges stay, as newTrimmedGraph has it: everything from here on. */
int rep_build_trimmed(struct rep_build *b, struct rep_graph *g);
/* All that is not 0. */
int rep_build_whole(struct rep_build *b, struct rep_graph *g);

#endif
