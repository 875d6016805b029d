/* The two sides of a comparison. Each is files of the command line, added up or one by one
 * (--base=OLD NEW...), or both are runs of one store that labels pick:
 *
 *	--base-label=KEY=VALUE --label=KEY=VALUE STORE */
#ifndef CMD_SIDES_H
#define CMD_SIDES_H

#include "common/profiles.h"
#include "profile/merge/difference.h"

/* --base-label and --label, an argp child. Its options are in group 1 and have no heading. */
extern const struct argp cmd_labels_argp;
/* Returns what is wrong with these options, or NULL. */
const char *cmd_labels_check(const struct cmd *cmd);

/* --base, --diff-base and --normalize of commands that show NEW minus OLD, as pprof has them: an
 * argp child that fills in cmd->base. */
struct cmd_base {
	struct rep_difference_options how;
	bool plain; /* --base was given */
};
extern const struct argp cmd_base_argp;

/* Returns whether there is an old side. */
bool cmd_compares(const struct cmd *cmd);

/* Files, or runs of the one store, that are on both sides. */
struct cmd_shared {
	size_t n, nold, nnew; /* how many are shared, and how many each side has */
	char name[200];	      /* of one of them */
	const char *store;    /* a store that is on both sides with the same runs, or NULL */
};
/* Finds what is on both sides. Files that cannot be opened are not counted: loading them reports
 * that. Returns 0 or an exit status: labels need a store. */
int cmd_sides_share(struct cmd *cmd, struct cmd_shared *out);
/* Reports what is on both sides, if anything is. Returns 0 after a note; CMD_USAGE after an error
 * if `strict`. `instead` says how runs of one store are compared. */
int cmd_shared_tell(const struct cmd *cmd, const struct cmd_shared *same, bool strict,
		    const char *instead);
/* `instead` of commands that take labels, and of others. */
#define CMD_LABELS_INSTEAD                                                                         \
	"--base-label=KEY=VALUE and --label=KEY=VALUE compare two sets of runs of one store"
#define CMD_LABELS_ELSEWHERE                                                                       \
	"tprof-diff and tprof-flame compare two sets of runs of one store: "                       \
	"--base-label=KEY=VALUE "                                                                  \
	"--label=KEY=VALUE STORE"

/* Loads both sides, by enum cmd_side; the old list stays empty if there is no old side. With `sum`
 * each side that has files becomes one item. `opt` may be NULL. Returns 0 or an exit status; both lists are to be
 * released in every case. */
int cmd_sides_open(struct cmd *cmd, const struct cmd_profiles_options *opt, bool sum,
		   struct cmd_profiles list[2]);

/* Loads the sum of the new files minus the sum of the old ones, as cmd->base says: *out holds one item, named "NEW
 * minus OLD". If there are no old files it is the sum. Returns 0 or an exit status. */
int cmd_profiles_difference(struct cmd *cmd, struct cmd_profiles *out);

#endif
