/* Runs external programs (graphviz's dot, objdump) without a shell. */
#ifndef REP_PROFILE_CODE_TOOL_H
#define REP_PROFILE_CODE_TOOL_H

#include "base/buf.h"
#include "base/err.h"
#include "output/output.h"

/* Runs argv[0], which is looked for in PATH, with `input` (may be NULL) on its standard input, and
 * waits for it. Passes its standard output on to `output`, piece by piece; an error of `output`
 * stops the tool and is returned. TP_ENOENT: the program does not exist. TP_EIO: it cannot be run,
 * or it fails; then the sentence ends with the first line of its standard error. */
int rep_tool_run(const char *const *argv, const struct tp_buf *input, const struct rep_sink *output,
		 struct tp_err *err);

#endif
