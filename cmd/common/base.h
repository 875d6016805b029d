/* What profiles are compared with, as pprof's users say it: --base=OLD and --diff-base=OLD, which
 * may be given several times, and --normalize. An argp child whose input is the struct cmd_base:
 *
 *	static const struct argp_child children[] = {{&cmd_base_argp, 0, NULL, 0}, …
 *	case ARGP_KEY_INIT:
 *		state->child_inputs[0] = &args->base; */
#ifndef CMD_BASE_H
#define CMD_BASE_H

#include "common/profiles.h"
#include "profile/merge/difference.h"

struct cmd_base {
	const char **path; /* npaths of them */
	size_t npaths;
	struct rep_difference_options how;
	bool plain; /* --base was given */
};

extern const struct argp cmd_base_argp;

void cmd_base_release(struct cmd_base *base);

/* The sum of the profiles, less the sum of the base's: *out holds one item, named "NEW minus OLD".
 * Without a base it is cmd_profiles_sum. 0 or an exit status. */
int cmd_profiles_difference(struct cmd *cmd, const char *const *paths, size_t n,
			    const struct cmd_base *base, const struct cmd_profiles_options *opt,
			    struct cmd_profiles *out);

#endif
