/* Runs the commands of calls: a few at a time, each within a limit of time and of output. */
#ifndef MCP_JOB_H
#define MCP_JOB_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "tprof-mcp/tool.h"

#define MCP_RUNS   4		      /* commands at a time */
#define MCP_OUTPUT ((size_t)32 << 20) /* bytes of their output */
#define MCP_ERRORS ((size_t)4 << 10)  /* bytes of their messages that are kept */

enum mcp_end {
	MCP_ENDED,
	MCP_LATE,     /* it took too long and was killed */
	MCP_TOO_LONG, /* it wrote too much and was killed */
	MCP_LOST,     /* it was killed otherwise, or memory is out */
};

struct mcp_job {
	struct mcp_call call;
	struct tp_buf text[2]; /* output and messages */
	bool cut;	       /* further messages were left out */
	enum mcp_end end;
	int status; /* exit status */

	/* private */
	pid_t pid; /* 0: it does not run */
	int fd[2]; /* reading ends, -1 once they have ended */
	int64_t until_ns;
};

/* Starts a job, whose call is set. Returns 0 or TP_EIO. */
int mcp_job_start(struct mcp_job *job, int64_t seconds, const sigset_t *mask, struct tp_err *err);

/* What to wait for: its descriptors, and how long at most in ns. */
void mcp_job_poll(const struct mcp_job *job, struct pollfd p[2]);
int64_t mcp_job_left_ns(const struct mcp_job *job);

/* Reads what there is, and kills a job that is late. Returns whether it has ended, with all that it has
 * started; text, end and status say how. */
bool mcp_job_step(struct mcp_job *job, const struct pollfd p[2]);

/* Kills a job that runs, and frees what it holds. */
void mcp_job_release(struct mcp_job *job);

#endif
