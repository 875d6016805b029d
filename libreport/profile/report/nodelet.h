/* The small boxes beside a function in a picture: what the labels of its samples hold. */
#ifndef REP_PROFILE_REPORT_NODELET_H
#define REP_PROFILE_REPORT_NODELET_H

#include "profile/graph.h"
#include "profile/paper/paper.h"

/* The boxes of a node, which is drawn as N<id>; whether there are any. */
bool rep_nodelets_put(struct rep_paper *out, const struct rep_node *node, size_t id,
		      const struct rep_profile_view *v);

#endif
