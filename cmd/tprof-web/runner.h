/* The half of tprof-web outside of the jail: starts commands that the server asks for.
 *
 *	server → runner   the command's name and its words, each with a NUL after it
 *	runner → server   a code (0: started) and the reading ends of three pipes: standard output, standard
 *	                  error, and the end of the command, a struct web_end
 *
 * A server that closes the third pipe no longer wants the command, which is killed. What the server sends is
 * not trusted: it is checked once more. */
#ifndef WEB_RUNNER_H
#define WEB_RUNNER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define WEB_RUNS	4   /* commands at a time */
#define WEB_RUN_SECONDS 120 /* a command that takes longer is killed */
#define WEB_MESSAGE	((size_t)20 << 10)

enum web_pipe { WEB_OUT, WEB_ERRORS, WEB_END, WEB_NPIPES };

struct web_end {
	int status; /* exit status, or -1: it was killed */
	int late;   /* killed as it took too long */
};

struct web_runner {
	const char *store;
	bool cached;	    /* the store is the cache's, or a temporary one */
	const char *source; /* "--source-path=…", or NULL */
	int channel;	    /* SOCK_SEQPACKET, the server is at its other end */
	int server;	    /* becomes readable when the server ends */

	/* private */
	struct web_child {
		pid_t pid; /* 0: free */
		int end;
		int64_t until_ns;
		bool stopped; /* killed, but it has not ended yet */
		bool late;
	} run[WEB_RUNS];
};

/* Serves until the server ends, or a signal asks to stop (^C, SIGTERM, SIGHUP). Returns whether it was a
 * signal. No command is left. */
bool web_runner_serve(struct web_runner *r);

#endif
