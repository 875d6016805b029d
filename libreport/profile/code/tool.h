/* Runs external programs (graphviz's dot, objdump) without a shell. */
#ifndef REP_PROFILE_CODE_TOOL_H
#define REP_PROFILE_CODE_TOOL_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* Receives the tool's output piece by piece. An error stops the tool. */
typedef int (*rep_tool_fn)(void *ctx, const char *data, size_t size, struct tp_err *err);

/* Runs argv[0], which is looked for in PATH, with `input` (may be NULL) on its standard input, and
 * waits for it. TP_ENOENT: there is no such program. TP_EIO: it cannot be run, or it fails; the
 * sentence ends with the first line of its standard error. Else what `output` returns. */
int rep_tool_run(const char *const *argv, const struct tp_buf *input, rep_tool_fn output, void *ctx,
		 struct tp_err *err);

#endif
