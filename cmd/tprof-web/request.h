/* A request before anything is done for it: is it from the page that this server gave out? All that is ours
 * of parsing HTTP; libmicrohttpd does the rest.
 *
 * Who has the address that tprof-web prints, with the secret in it, is given a cookie, without which nothing
 * is answered. Other pages of the same browser have no use of it:
 *
 *	Host            must be an address, localhost or this machine's name, so that a name whose owner makes it
 *	                stand for this machine (DNS rebinding) is refused
 *	Origin          must be this page's, if it is sent
 *	Sec-Fetch-Site  must not be another page, except to open this one
 *	Method          GET or HEAD */
#ifndef WEB_REQUEST_H
#define WEB_REQUEST_H

#include <stdatomic.h>
#include <stdbool.h>

#include "tprof-web/query.h"

#define WEB_SECRET 33 /* 32 hex digits and a NUL */

struct web_access {
	char cookie_name[24], cookie[WEB_SECRET];
	char secret[WEB_SECRET]; /* of the printed address */
	/* Of the address that the browser is started with, which other users of the machine can see in the list
	 * of processes: good for one request. */
	char opener[WEB_SECRET];
	atomic_bool opened;
	const char *host; /* the machine's name if others may ask, or NULL */
};

/* What was sent; NULL: nothing. */
struct web_sent {
	const char *method, *uri, *host, *origin, *site, *cookie;
};

enum web_route { WEB_ENTER, WEB_PAGE, WEB_ABOUT, WEB_RUN, WEB_LANES };

struct web_request {
	enum web_route route;
	char name[128]; /* of a page the path; of the last two what follows in it */
	struct web_query query;
	struct tp_err err;
};

/* Returns 0, or the status of HTTP to refuse the request with, r->err has the message then. Sets the opener's
 * secret to be used up. */
unsigned web_request_check(struct web_request *r, struct web_access *access,
			   const struct web_sent *sent);

#endif
