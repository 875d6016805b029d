/* Checks options against argp's tables: suggests an option for a misspelled one, and refuses an option that
 * is given twice but may be given only once. */
#ifndef CMD_OPTION_H
#define CMD_OPTION_H

#include <argp.h>
#include <stdbool.h>

#include "common/common.h"

/* A flag of an option with an argument, besides argp's: it may be given several times, and all arguments
 * count. Other options are refused when given twice with different arguments, as the first would be ignored
 * silently. */
#define CMD_OPTION_MANY 0x10000
/* It may be given several times, and the last one counts: for options such as --color and --jobs, which an
 * alias may have set before. */
#define CMD_OPTION_LAST 0x20000

/* The description of the option --own. */
#define CMD_OWN_DOC                                                                                \
	"The user's own code, of which WHERE shows the first frame, are functions matching REGEX " \
	"(default: by package and file)"

/* The advice in messages about an empty name. */
#define CMD_UNSET_VARIABLE "is a shell variable unset?"

/* Calls fn for every option of argp and its children, without headings, until it returns false. */
bool cmd_options_each(const struct argp *argp, bool (*fn)(void *ctx, const struct argp_option *o),
		      void *ctx);
/* Returns the name of the option nearest to `typed` (without dashes, up to '='); NULL if none is near. */
const char *cmd_option_near(const struct argp *argp, const char *typed);
/* Ends the command with a message if an option among the arguments is unknown, or is given twice but may be
 * given only once. Other errors are left to argp. */
void cmd_options_check(const struct cmd *cmd, const struct argp *argp, int argc, char **argv);

/* Returns the number of rows that -n or --rows asks for, at most `most`; 0 stands for all. Ends the
 * command with a message, which names the option as it was typed, if it is not such a number. */
int64_t cmd_arg_rows(struct argp_state *state, const char *arg, int64_t most);

/* Returns the argument of -o, or of another option that names an output. Ends the command with a message if
 * it is empty, or if it is "-" (standard output) and the output, `what` ("a store"), cannot be a stream.
 * `what` NULL: it can. */
const char *cmd_arg_output(struct argp_state *state, const char *option, const char *arg,
			   const char *what);

#endif
