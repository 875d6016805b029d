/* Runs external programs (graphviz's dot, objdump) without a shell. */
#ifndef REP_PROFILE_CODE_TOOL_H
#define REP_PROFILE_CODE_TOOL_H

#include "base/buf.h"
#include "base/err.h"
#include "output/output.h"

/* Runs argv[0], which is looked for in PATH, with `input` (may be NULL) on its standard input, and
 * waits for it. `output` gets what it writes, piece by piece; an error of that stops the tool.
 * TP_ENOENT: there is no such program. TP_EIO: it cannot be run, or it fails; the sentence ends with
 * the first line of its standard error. Else what `output` returns. */
int rep_tool_run(const char *const *argv, const struct tp_buf *input, const struct rep_sink *output,
		 struct tp_err *err);

#endif
