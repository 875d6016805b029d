/* What the tools of this tree that write files share; commands that are installed write by draft.h.
 */
#ifndef CMD_TOOL_H
#define CMD_TOOL_H

#include <argp.h>

#include "base/buf.h"

/* The number given to the option `key`: ends with a usage error when it is none, or none of these.
 */
long cmd_tool_number(struct argp_state *state, int key, const char *arg, long least, long most);

/* A file of these bytes. An exit status, explained on stderr. */
int cmd_tool_write(const char *path, const struct tp_buf *bytes);

#endif
