/* The options of everything that reads profiles (libreport/profile/options.h), as an argp child
 * whose input is a struct rep_profile_options. */
#ifndef CMD_PROFILE_OPTIONS_H
#define CMD_PROFILE_OPTIONS_H

#include <argp.h>

#include "common/common.h"
#include "profile/options.h"

extern const struct argp cmd_profile_argp;

/* Leaves in cmd_profile_argp only those options that the command takes. */
void cmd_profile_take(bool (*takes)(enum rep_profile_option o));
/* Returns which option a key that a parser of cmd_profile_argp gets stands for, or -1. */
int cmd_profile_option(int key);

/* Before cmd_parse: spells pprof's options as ours ("-tagfocus=x" and "--show_from x" become
 * "--tag-focus=x", "--show-from x"; "-inuse_space" becomes "--sample-index=inuse_space"; one dash
 * is enough for every option of argp), up to "--". An option of pprof that the command lacks ends
 * it with a sentence that says what to type (common/pprof.h); a word behind one dash that is no
 * option is never taken for letters. Replaces strings of argv and returns how many it has now. */
int cmd_profile_arguments(const struct cmd *cmd, const struct argp *argp, int argc, char **argv);

#endif
