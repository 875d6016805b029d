/* The arguments of tprof-diff, and its two halves: profiles and traces. */
#ifndef TPROF_DIFF_DIFF_H
#define TPROF_DIFF_DIFF_H

#include "common/common.h"
#include "common/view_options.h"
#include "diff/diff.h"
#include "diff/gate.h"
#include "diff/trace/gate.h"
#include "profile/options.h"
#include "sides.h"

#define TABLE_ROWS 20 /* what a table shows unless told otherwise */

struct args {
	struct cmd cmd;
	struct rep_profile_options profile;
	struct rep_diff_options diff;
	struct cmd_view_options view;
	struct sides sides;
	const char **gate_text;
	size_t ngates;
	struct rep_gate *gate;		   /* of profiles */
	struct rep_trace_gate *trace_gate; /* of traces */
	struct rep_trace_options trace;
	const char *by, *per, *average_by;
	int64_t rows; /* -1: not given */
	bool traces;  /* traces are compared as such */
	bool min_share_given, alpha_given, of_change, sum, power, junit, pprof, self_check;
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

/* Writes to stdout, as a sink does. */
int diff_write(void *ctx, const void *data, size_t size, struct tp_err *err);
/* These formats hold one table, so what gates say has no place in them. */
bool diff_one_table(const struct args *args);
/* Whatever one must not miss goes to stderr as well: there, nobody's format hides it. Returns the
 * exit status of n gates. `damaged`: a run lost something. */
int diff_tell_gates(const struct args *args, const struct rep_gate *gate,
		    const struct rep_gate_result *result, size_t n, bool damaged);

#endif
