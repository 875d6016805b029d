/* The call graph in graphviz's language. */
#ifndef REP_PROFILE_REPORT_DOT_H
#define REP_PROFILE_REPORT_DOT_H

#include "profile/graph.h"
#include "profile/writer/writer.h"

/* Writes the whole text. `g` was made with traits.visual and traits.edges. */
void rep_dot_put(struct rep_writer *out, const struct rep_graph *g,
		 const struct rep_profile_view *v);

#endif
