/* What JSON begins with under --json-head: which command it answers, and which runs. */
#ifndef CMD_HEAD_H
#define CMD_HEAD_H

#include "common/common.h"

/* Returns the first members that tprof-json(5) lists under HEAD, for rep_output_options.json_head, or NULL
 * if memory is out. It is about the runs picked so far. The text is valid until the next call, or
 * cmd_json_head_release. */
const char *cmd_json_head(const struct cmd *cmd);
void cmd_json_head_release(void);

#endif
