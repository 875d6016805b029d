/* A session of the Model Context Protocol: messages of JSON-RPC 2.0, a line each, on standard input and output.
 *
 *	client → server   initialize, notifications/initialized, ping, tools/list, tools/call,
 *	                  notifications/cancelled
 *
 * Of the protocol's revisions 2025-11-25 and the three before it are spoken, of which one, 2025-03-26, has
 * batches. Errors of a call that its caller can mend are results (isError); errors of JSON-RPC are those of the
 * protocol. See https://modelcontextprotocol.io/specification/2025-11-25. */
#ifndef MCP_SESSION_H
#define MCP_SESSION_H

#include "base/buf.h"
#include "base/err.h"
#include "tprof-mcp/job.h"

#define MCP_LINE  ((size_t)1 << 20) /* bytes of a message */
#define MCP_DEPTH 64		    /* of values within values */
#define MCP_CALLS 32		    /* that run or wait */

struct mcp_batch;

struct mcp_session {
	const char *source; /* the option --source-path of listings */
	int64_t seconds;    /* that a call may take */
	/* Writes an answer, a line. Returns 0 or TP_EIO. */
	int (*write)(void *ctx, const void *data, size_t size, struct tp_err *err);
	void *ctx;

	/* private */
	const char *revision; /* NULL before initialize */
	struct tp_buf line;   /* the beginning of a message */
	bool skips;	      /* a message that is too long, until its end */
	struct mcp_batch *batch;
	struct mcp_task {
		struct json_object *id; /* NULL: free */
		struct mcp_batch *batch;
		struct mcp_job job;
	} task[MCP_CALLS];
	bool failed; /* the client cannot be written to, or memory is out */
};

/* Takes bytes from the client, and answers what can be answered at once. */
void mcp_session_take(struct mcp_session *s, const char *data, size_t size);
/* Takes the end of the input: a message without a newline after it is one as well. */
void mcp_session_end(struct mcp_session *s);
void mcp_session_release(struct mcp_session *s);

#define MCP_NPOLLS ((size_t)2 * MCP_CALLS)
/* Starts calls that wait, as far as they may run, and sets what to wait for. Returns how many calls there are,
 * and in *left_ns how long to wait at most, INT64_MAX: as long as one likes. */
size_t mcp_session_poll(struct mcp_session *s, const sigset_t *mask, struct pollfd p[MCP_NPOLLS],
			int64_t *left_ns);
/* Does what there is to do for calls, and answers those that have ended. */
void mcp_session_step(struct mcp_session *s, const struct pollfd p[MCP_NPOLLS]);

#endif
