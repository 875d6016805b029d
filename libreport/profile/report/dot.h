/* The call graph as a picture for graphviz; svg.c hands it on. */
#ifndef REP_PROFILE_REPORT_DOT_H
#define REP_PROFILE_REPORT_DOT_H

#include "profile/graph.h"
#include "profile/paper/paper.h"

/* The whole text of the graph; `g` was made with edges and tags, for a visual report. */
void rep_dot_put(struct rep_paper *out, const struct rep_graph *g,
		 const struct rep_profile_view *v);

#endif
