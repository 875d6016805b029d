/* Nodelets (pprof's word): the small boxes beside a function in a picture, with the values of its
 * samples by label. */
#ifndef REP_PROFILE_REPORT_NODELET_H
#define REP_PROFILE_REPORT_NODELET_H

#include "profile/graph.h"
#include "profile/writer/writer.h"

/* Writes the boxes of a node, which is drawn as N<id>. Returns whether there are any. */
bool rep_nodelets_put(struct rep_writer *out, const struct rep_node *node, size_t id,
		      const struct rep_profile_view *v);

#endif
