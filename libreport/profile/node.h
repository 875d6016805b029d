/* What tells nodes apart, as ids of the profile's dictionary; private to view and graph. */
#ifndef REP_PROFILE_NODE_H
#define REP_PROFILE_NODE_H

#include "profile/view.h"

/* No padding: compared and hashed as bytes. */
struct rep_node_key {
	uint64_t address;
	int64_t start_line, line, column;
	uint32_t name, file, object; /* strings */
	uint32_t context;	     /* the caller's node in a call tree, else 0 */
};

int rep_node_key(const struct rep_profile_view *v, uint32_t frame, struct rep_node_key *key);
void rep_node_info_of(const struct tp_profile *p, const struct rep_node_key *key,
		      struct rep_node_info *info);
/* Is this frame left out for --no-inlines? */
static inline bool rep_frame_skipped(const struct rep_profile_view *v, const struct tp_frame *f)
{
	return v->opt.no_inlines && f->inlined;
}

/* By what is shown (graph.NodeInfo.comparePrintableName): addresses first. 0 also for two that look
 * the same. */
int rep_node_names_compare(const struct rep_node_info *a, struct tp_text a_name,
			   const struct rep_node_info *b, struct tp_text b_name);
/* By everything there is (graph.compareNodes: as Go prints the struct). */
int rep_node_infos_compare(const struct rep_node_info *a, const struct rep_node_info *b);
int rep_text_compare(struct tp_text a, struct tp_text b);

#endif
