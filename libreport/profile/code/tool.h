/* Other people's programs (graphviz's dot, objdump): started without a shell, fed, read. */
#ifndef REP_PROFILE_CODE_TOOL_H
#define REP_PROFILE_CODE_TOOL_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* Called with what the tool writes, as it comes. An error stops the tool. */
typedef int (*rep_tool_fn)(void *ctx, const char *data, size_t size, struct tp_err *err);

/* Runs argv[0], which is looked for in PATH, with `input` (may be NULL) on its standard input, and
 * waits for it. TP_ENOENT where there is no such program; TP_EIO with its own last words where it
 * fails, or cannot be run; what `output` returns. */
int rep_tool_run(const char *const *argv, const struct tp_buf *input, rep_tool_fn output, void *ctx,
		 struct tp_err *err);

#endif
