/* The reports of this folder; private to it. */
#ifndef REP_PROFILE_REPORT_REPORTS_H
#define REP_PROFILE_REPORT_REPORTS_H

#include "profile/report.h"

/* Returns whether a node is shown. With means, edges can lead to nodes that are not shown, because
 * their values add up to 0; pprof draws such edges to missing nodes. */
static inline bool rep_node_shown(const struct rep_graph *g, const struct rep_node *n)
{
	return n->id < g->n && g->node[n->id] == n;
}

extern const struct rep_profile_report rep_profile_report_tree, rep_profile_report_peek,
    rep_profile_report_traces, rep_profile_report_tags, rep_profile_report_raw,
    rep_profile_report_comments, rep_profile_report_list, rep_profile_report_dot,
    rep_profile_report_svg, rep_profile_report_callgrind, rep_profile_report_disasm,
    rep_profile_report_goroutines, rep_profile_report_deadlock;

#endif
