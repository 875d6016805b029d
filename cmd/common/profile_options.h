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

#include "profile/options.h"

extern const struct argp cmd_profile_argp;

/* Before cmd_parse: spells pprof's options as ours ("-tagfocus=x" and "--show_from x" become
 * "--tag-focus=x", "--show-from x"; "-inuse_space" becomes "--sample-index=inuse_space"), up to
 * "--". `also` names options of the command that may be given with one dash, too ("top", "tree";
 * ends with NULL; may be NULL). Replaces strings of argv, and returns how many it has now. */
int cmd_profile_arguments(int argc, char **argv, const char *const *also);

#endif
