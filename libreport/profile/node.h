/* The identity of nodes, as ids of the profile's dictionary; private to view and graph. */
#ifndef REP_PROFILE_NODE_H
#define REP_PROFILE_NODE_H

#include "profile/view.h"

/* Has no padding, because it is compared and hashed as bytes. */
struct rep_node_key {
	uint64_t address;
	int64_t start_line, line, column;
	uint32_t name, file, object; /* strings */
	uint32_t context;	     /* the caller's node in a call tree, else 0 */
};

/* Computes the key of the node that a frame belongs to. Returns 0 or TP_ENOMEM. */
int rep_node_key(const struct rep_profile_view *v, uint32_t frame, struct rep_node_key *key);
void rep_node_info_of(const struct tp_profile *p, const struct rep_node_key *key,
		      struct rep_node_info *info);
/* Returns whether --no-inlines leaves this frame out. */
static inline bool rep_frame_skipped(const struct rep_profile_view *v, const struct tp_frame *f)
{
	return v->opt.no_inlines && f->inlined;
}

/* Compares by what is shown (graph.NodeInfo.comparePrintableName): addresses, then names. */
int rep_node_names_compare(const struct rep_node_info *a, struct tp_text a_name,
			   const struct rep_node_info *b, struct tp_text b_name);
/* Compares by all fields (graph.compareNodes: by the text that Go prints for the struct). */
int rep_node_infos_compare(const struct rep_node_info *a, const struct rep_node_info *b);

#endif
