/* Two sets of runs of one store, picked by labels, and what is on both sides of a comparison. An
 * argp child whose input is the struct cmd_labels:
 *
 *	--base-label=KEY=VALUE --label=KEY=VALUE STORE
 *
 *	static const struct argp_child children[] = {{&cmd_labels_argp, 0, NULL, 0}, …
 *	case ARGP_KEY_INIT:
 *		state->child_inputs[0] = &args->labels; */
#ifndef CMD_LABELS_H
#define CMD_LABELS_H

#include "common/profiles.h"

struct cmd_labels {
	const char *old, *new; /* as run.h has them; both NULL: not given */
};

/* Its options are in group 1, without a heading. */
extern const struct argp cmd_labels_argp;

/* What is wrong with them, NULL: nothing. `run`: --run, or NULL; `paths` are named as the new side,
 * `bases` as the old one. */
const char *cmd_labels_check(const struct cmd_labels *l, const char *run, size_t paths,
			     size_t bases);
/* Labels pick nothing of a dump: it would be compared with itself. 0 or an exit status. */
int cmd_labels_check_store(const struct cmd *cmd, const char *path);

/* Both sides of what compares profiles: cmd_profiles_open, of the store `path` with a set for each.
 */
int cmd_labels_open(struct cmd *cmd, const char *path, const char *label,
		    const struct cmd_profiles_options *opt, bool sum, struct cmd_profiles *out);

/* Runs, or files, that are on both sides. */
struct cmd_shared {
	size_t n, nold, nnew; /* of so many */
	char name[200];	      /* of one of them */
	const char *store;    /* a store with all its runs that is; NULL: none */
};
/* What cannot be opened counts for nothing: whoever loads it says so. 0 or an exit status. */
int cmd_labels_share(struct cmd *cmd, const struct cmd_labels *l, const char *path,
		     struct cmd_shared *out);
int cmd_files_share(const struct cmd *cmd, const char *const *old, size_t nold,
		    const char *const *new, size_t nnew, struct cmd_shared *out);
/* Says what is on both sides, if anything is: 0 after a note, CMD_USAGE after an error where
 * `strict` (a gate judges, or a store less itself would be drawn). `instead` says how runs of one
 * store are compared. */
int cmd_shared_tell(const struct cmd *cmd, const struct cmd_shared *same, bool labels, bool strict,
		    const char *instead);
/* `instead` of commands that have these options, and of others. */
#define CMD_LABELS_INSTEAD                                                                         \
	"--base-label=KEY=VALUE and --label=KEY=VALUE compare two sets of runs of one store"
#define CMD_LABELS_ELSEWHERE                                                                       \
	"tprof-diff and tprof-flame compare two sets of runs of one store: "                       \
	"--base-label=KEY=VALUE "                                                                  \
	"--label=KEY=VALUE STORE"

#endif
