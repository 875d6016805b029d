/* The server: answers the page's requests, in a jail (common/jail.h).
 *
 *	/?secret=HEX     gives the cookie, and leads on to /
 *	/, /NAME         files of the page
 *	/about           {"tprof": version, "file": name, "dump": bool, …, "runs": … (runs.h)}
 *	/run/COMMAND     the output of a command, ?a=WORD&a=WORD…
 *	/lanes/NAME      the timeline's data (lanes.h)
 *
 * An error is a line of text: 400 for a wrong address, 403 for a request that is not the page's, 404 for what
 * there is not, 422 for what the command itself refuses, with its message. */
#ifndef WEB_SERVER_H
#define WEB_SERVER_H

#include "base/err.h"
#include "tprof-web/ask.h"
#include "tprof-web/lanes.h"
#include "tprof-web/request.h"

#define WEB_CONNECTIONS	   64
#define WEB_IDLE_SECONDS   20
#define WEB_LISTEN_BACKLOG 32

struct web_server {
	int listener;	   /* a listening socket */
	const char *about; /* the answer to /about, up to the runs */
	/* In a command's message, the store's path becomes the name of the file that was given. */
	const char *store, *file;
	struct web_access access;
	struct web_asker ask;
	struct web_lanes *lanes;
};

/* Serves; returns only with an error. */
int web_server_run(struct web_server *s, struct tp_err *err);

#endif
