/* The arguments of tprof-diff; profiles.c and traces.c load what it compares, compare.c does. */
#ifndef TPROF_DIFF_DIFF_H
#define TPROF_DIFF_DIFF_H

#include "common/common.h"
#include "common/view_options.h"
#include "diff/diff.h"
#include "diff/gate.h"
#include "profile/options.h"
#include "sides.h"

struct args {
	struct cmd cmd;
	struct rep_profile_options profile;
	struct rep_diff_options diff;
	struct cmd_view_options view;
	struct sides sides;
	const char **gate_text;
	size_t ngates;
	struct rep_gate *gate;
	const char *by, *per, *average_by;
	int64_t rows; /* -1: not given */
	bool traces;  /* traces are compared as such */
	bool of_change, sum, power, junit, pprof, self_check;
};

/* arguments.c: what the command line is parsed by, into a struct args. Options of profiles have to
 * be picked before. */
extern const struct argp diff_argp;
void diff_pick_profile_options(void);

/* What is wrong with the arguments where traces are compared, into text; NULL for nothing. */
#define DIFF_WRONG 400
const char *diff_trace_check(struct args *args, char text[DIFF_WRONG]);
/* Compare traces, profiles: an exit status. */
int diff_traces(struct args *args);
int diff_profiles(struct args *args);

/* What is compared, whichever kind it is. */
struct compared {
	struct rep_diff_side old, new;
	const char *old_name, *new_name;
	const char *damaged; /* name of a run that lost something, NULL: none did */
};

/* Judges all gates, then shows the diff and what they say. An exit status: that of the gates where
 * there are any, 2 for one that does not fit what is compared. `exactly` judges them again where
 * exact metrics could say otherwise; NULL: all are exact. */
int diff_compare(struct args *args, const struct compared *c,
		 int (*exactly)(struct args *args, struct rep_gate_result *result));
/* Judges all gates anew: a result for each, to be released in every case. An exit status. */
int diff_judge(struct args *args, const struct compared *c, struct rep_gate_result *result);
/* How often the old runs, called `name`, differ from each other; `how` says how they are dealt. */
int diff_self_check(struct args *args, const struct rep_diff_side *old, const char *name,
		    const char *how);
/* What was asked for does not fit what is compared, of which nothing is wrong: an exit status,
 * `status` for that. */
int diff_refuse(struct args *args, struct tp_err *err, int status);

#endif
