/* The options of all commands that read profiles (libreport/profile/options.h), as an argp child that fills
 * in cmd->profile. */
#ifndef CMD_PROFILE_OPTIONS_H
#define CMD_PROFILE_OPTIONS_H

#include <argp.h>

#include "common/common.h"
#include "profile/options.h"

extern const struct argp cmd_profile_argp;

/* Leaves in cmd_profile_argp only those options that the command takes. */
void cmd_profile_take(bool (*takes)(enum rep_profile_option o));

/* Returns the name, without dashes, of the first option that differs from `plain`, or NULL. Options in the
 * mask `but` (1 << REP_OPTION_…) are not compared. */
const char *cmd_profile_given(const struct rep_profile_options *opt,
			      const struct rep_profile_options *plain, uint64_t but);

/* Returns where Go keeps sources on this machine: GOROOT, GOMODCACHE and GOPATH of the environment, or
 * /usr/local/go and ~/go. The texts live as long as the process. */
struct rep_go_places cmd_go_places(void);

/* For cmd_parse: spells pprof's options as ours ("-tagfocus=x" and "--show_from x" become
 * "--tag-focus=x", "--show-from x"; "-inuse_space" becomes "--sample-index=inuse_space"; one dash
 * is enough for every option of argp), up to "--". An option of pprof that the command lacks ends
 * it with a sentence that says what to type (common/pprof.h); a word after one dash that is not an
 * option is never taken for letters. Replaces strings of argv and returns their new number. */
int cmd_profile_arguments(const struct cmd *cmd, const struct argp *argp, int argc, char **argv);

#endif
