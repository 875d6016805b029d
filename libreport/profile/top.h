/* The flat list: functions by what they cost. */
#ifndef REP_PROFILE_TOP_H
#define REP_PROFILE_TOP_H

#include "output/output.h"
#include "profile/graph.h"

struct rep_top_row {
	struct tp_text name; /* as shown */
	const struct rep_node_info *info;
	const char *inlined; /* "", "(inline)" or "(partial-inline)" */
	int64_t flat, cum;   /* means where asked for */
};

struct rep_profile_top {
	struct rep_profile_view view;
	struct rep_graph *graph;
	struct rep_top_row *row; /* in pprof's order */
	size_t n;
	int64_t total; /* what 100 % is */
};

extern const struct rep_profile_traits rep_top_traits;

/* The rows of `gopprof -top` on a profile, which the filters change. Released in every case; the
 * profile must outlive it. */
int rep_profile_top(struct rep_profile_top *top, struct tp_profile *p,
		    const struct rep_profile_options *opt, struct tp_err *err);
void rep_profile_top_release(struct rep_profile_top *top);

/* As a table, CSV, JSON …: flat, flat%, sum%, cum, cum%, name; raw numbers where it is no table. */
int rep_profile_top_print(struct rep_profile_top *top, struct rep_output *out, struct tp_err *err);

#endif
