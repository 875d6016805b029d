/* Checks options against argp's tables: suggests the option that a misspelled one was meant to be, and
 * refuses an option that is given twice but may be given only once. */
#ifndef CMD_OPTION_H
#define CMD_OPTION_H

#include <argp.h>
#include <stdbool.h>

#include "common/common.h"

/* A flag of an option with an argument, beside those of argp: it may be given several times, and
 * all of them count. Others are refused when they are given another argument the second time: the
 * first would be dropped in silence. */
#define CMD_OPTION_MANY 0x10000
/* The same, and the last counts: how something looks, not what it says, which an alias may have
 * given once already. */
#define CMD_OPTION_LAST 0x20000

/* What the option --own does. */
#define CMD_OWN_DOC                                                                                \
	"The user's own code, of which WHERE shows the first frame, are functions matching REGEX " \
	"(default: by package and file)"

/* What is said of a name that is empty. */
#define CMD_UNSET_VARIABLE "is a shell variable unset?"

/* Calls fn for every option of argp and its children (not for headings) until it says false. */
bool cmd_options_each(const struct argp *argp, bool (*fn)(void *ctx, const struct argp_option *o),
		      void *ctx);
/* The option whose name is the most like `typed` (without dashes, up to '='); NULL: none is. */
const char *cmd_option_near(const struct argp *argp, const char *typed);
/* Ends the command with a message when a long option among the arguments is none, or when an option
 * that can be given once is given twice. What else may be wrong with them is argp's to say. */
void cmd_options_check(const struct cmd *cmd, const struct argp *argp, int argc, char **argv);

/* Returns the number of rows that -n or --rows asks for, at most `most`; 0 stands for all. Ends the
 * command with a message, which names the option as it was typed, if it is not such a number. */
int64_t cmd_arg_rows(struct argp_state *state, const char *arg, int64_t most);

/* The argument of -o (or of another option that names what is made). The command ends with a
 * message where it is empty, and where it is "-", standard output, and `what` ("a store") is no
 * stream of bytes; NULL: it is one. */
const char *cmd_arg_output(struct argp_state *state, const char *option, const char *arg,
			   const char *what);

#endif
