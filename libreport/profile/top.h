/* The flat list: functions sorted by value. */
#ifndef REP_PROFILE_TOP_H
#define REP_PROFILE_TOP_H

#include "output/output.h"
#include "profile/graph.h"

struct rep_top_row {
	struct tp_text name; /* as shown */
	const struct rep_node_info *info;
	const char *inlined; /* "", "(inline)" or "(partial-inline)" */
	int64_t flat, cum;   /* means if the view has means */
};

struct rep_profile_top {
	struct rep_profile_view view;
	struct rep_graph *graph;
	struct rep_top_row *row; /* in pprof's order */
	size_t n;
	int64_t total; /* the value of 100 % */
};

extern const struct rep_profile_traits rep_top_traits;

/* Makes the rows of `pprof -top`. The filters change the profile, which must outlive the rows. *top
 * must be released in every case. */
int rep_profile_top(struct rep_profile_top *top, struct tp_profile *p,
		    const struct rep_profile_options *opt, struct tp_err *err);
void rep_profile_top_release(struct rep_profile_top *top);

/* Prints the rows as a table, CSV, JSON …: flat, flat%, sum%, cum, cum%, name. Formats other than
 * the table have raw numbers. */
int rep_profile_top_print(struct rep_profile_top *top, struct rep_output *out, struct tp_err *err);

#endif
