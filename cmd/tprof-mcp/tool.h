/* The tools that a client may call: their names, arguments and descriptions, and the command that each stands
 * for. What a command may be asked for is in common/allowed.h. */
#ifndef MCP_TOOL_H
#define MCP_TOOL_H

#include <json-c/json.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

#define MCP_FILES  64	  /* of one argument */
#define MCP_WORDS  256	  /* of a command line */
#define MCP_BUDGET 8000	  /* bytes of an answer, unless a call has its own */
#define MCP_MOST   100000 /* bytes of an answer at most */
#define MCP_LEAST  500

struct mcp_tool;

/* Returns a tool by its name, or NULL. */
const struct mcp_tool *mcp_tool(const char *name);

/* Appends the descriptions of all tools, a JSON array. Returns 0 or TP_ENOMEM. */
int mcp_tools_put(struct tp_buf *out);

/* What to do for a call. */
struct mcp_call {
	const char *line[MCP_WORDS + 1]; /* the command, NULL after it; empty: list the folder */
	char folder[PATH_MAX];
	const char *cursor; /* or NULL */
	size_t budget;

	/* private */
	size_t n, nown;
	char *own[2 * MCP_WORDS];
};

/* Makes the call of a tool; `source`: the option --source-path of listings; `arguments`: an object, or NULL.
 * Returns 0, or an error with a message for whoever calls. mcp_call_release frees it in both cases. */
int mcp_call_make(struct mcp_call *call, const struct mcp_tool *tool, struct json_object *arguments,
		  const char *source, struct tp_err *err);
void mcp_call_release(struct mcp_call *call);

#endif
