/* What the two halves of tprof-top share: its arguments. Traces are ranked by libreport/top,
 * profiles (and views of traces as profiles) by libreport/profile. */
#ifndef TPROF_TOP_H
#define TPROF_TOP_H

#include "common/files.h"
#include "common/sides.h"
#include "common/view_options.h"
#include "mmu/utilisation.h"
#include "profile/options.h"
#include "profile/report.h"
#include "top/top.h"

#define TOP_CHART "chart" /* --format: a chart without its table */

#define TOP_DEFAULT_FRACTION -1.0 /* of nodes: none was given */

struct top_args {
	struct cmd cmd;
	const char *sort; /* NULL: not given */

	/* traces */
	const char *report, *own;
	struct rep_top_options top;

	/* profiles */
	struct rep_profile_options profile;
	struct cmd_base base;		       /* how old files are subtracted */
	const struct rep_profile_report *text; /* tree, peek …; NULL: the table */
	const char *text_arg;
	bool pprof;		      /* --format=pprof */
	const char *over;	      /* --over: "run", what grows, or "time" */
	bool counters;		      /* with --over=run: those of profiles */
	struct cmd_view_options view; /* traces as profiles, and what of a trace is counted */
};

/* Returns the option given that is for reports on traces only, without its dashes, or NULL. */
const char *top_pick(const struct top_args *args);

/* Each prints its report and returns the exit status. */
int top_trace(struct top_args *args);
int top_profile(struct top_args *args);
/* Numbers over runs, of either. */
int top_series(struct top_args *args);

#endif
