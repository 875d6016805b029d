/* The arguments of tprof-diff; profiles.c and traces.c load what it compares,
 * compare.c does. */
#ifndef TPROF_DIFF_DIFF_H
#define TPROF_DIFF_DIFF_H

#include "common/common.h"
#include "common/files.h"
#include "common/view_options.h"
#include "diff/diff.h"
#include "diff/gate.h"
#include "diff/selfcheck.h"
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
	bool traces; /* traces are compared as such */
	bool of_change, sum, power, junit, pprof, self_check, seed;
	struct rep_check_options check;
};

/* arguments.c: parses the command line into a struct args. diff_takes, for cmd_profile_take, leaves
 * out options about graphs, sources and pictures. */
extern const struct argp diff_argp;
bool diff_takes(enum rep_profile_option o);

/* Both sides, old and new, whichever kind they are. */
struct loaded {
	struct rep_diff_side side[2];
	const char *first[2]; /* names of their first runs */
	const char *damaged;  /* name of a run that lost something, NULL: none did */
	struct cmd_profiles list[2];
	char *owned[3]; /* of traces, these names */
};

/* Load both sides: an exit status. In every case what was loaded is to be released. */
int diff_load_profiles(struct args *args, struct loaded *l);
int diff_load_traces(struct args *args, struct loaded *l);
/* The same traces again, event by event, so that all percentiles are exact. */
int diff_load_exactly(struct args *args, struct loaded *l);

/* Loads both sides, and compares them or the old runs with each other. An exit status: that of the
 * gates where there are any, 2 for one that does not fit what is compared. */
int diff_run(struct args *args);
/* Writes the difference as a profile. */
int diff_write_pprof(struct args *args);

#endif
