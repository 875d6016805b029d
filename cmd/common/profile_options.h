/* The options of everything that reads profiles (libreport/profile/options.h) as an argp child,
 *whose input is the struct rep_profile_options:
 *
 *	static const struct argp_child children[] = {
 *	    {&cmd_argp, 0, NULL, 0}, {&cmd_profile_argp, 0, NULL, 0}, {0}};
 *	…
 *	case ARGP_KEY_INIT:
 *		state->child_inputs[0] = &args->cmd;
 *		state->child_inputs[1] = &args->profile;
 */
#ifndef CMD_PROFILE_OPTIONS_H
#define CMD_PROFILE_OPTIONS_H

#include <argp.h>

#include "common/common.h"
#include "profile/options.h"

extern const struct argp cmd_profile_argp;

/* Before cmd_parse: spells pprof's options as ours ("-tagfocus=x" and "--show_from x" become
 * "--tag-focus=x", "--show-from x"; "-inuse_space" becomes "--sample-index=inuse_space"; one dash
 * will do for every option of argp), up to "--". What pprof has and the command has not ends with
 * the sentence that says what to type (common/pprof.h), and a word behind one dash that is no
 * option is never taken for letters. Replaces strings of argv, and returns how many it has now. */
int cmd_profile_arguments(const struct cmd *cmd, const struct argp *argp, int argc, char **argv);

#endif
