/* Cuts a text to a budget by whole lines, and makes cursors to go on from there. A cursor is the place in the
 * text and a hash of all before it, so nothing is kept for it: the call is made again, and a text that has
 * changed, or of another call, is noticed. */
#ifndef MCP_CUT_H
#define MCP_CUT_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* Appends as many lines of the text to `page` as fit into `budget` bytes, at least one, or a part of one that
 * is longer; and if there are more a line that says so and has the cursor. `cursor`: where to begin, NULL: at
 * the beginning. Returns 0, TP_ENOMEM, or TP_EFORMAT if the cursor is not of this text. */
int mcp_cut(const struct tp_buf *text, const char *cursor, size_t budget, struct tp_buf *page,
	    struct tp_err *err);

#endif
