/* Addresses of engines:
 *
 *	clickhouse://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE][?NAME=VALUE&...]
 *
 * and clickhouses:// over TLS. Any part may have %XX. What may follow the question mark:
 *
 *	label=KEY=VALUE        only runs with this label; several: with all of them
 *	timeout=SECONDS        without a byte from the engine
 *	connect-timeout=SECONDS
 *	credentials=FILE       user and password
 *	ca=FILE                certificates that its own is checked by
 *
 * A file of credentials has lines HOST[:PORT] USER PASSWORD; nobody but its owner may read it. */
#ifndef CMD_ENGINE_URL_H
#define CMD_ENGINE_URL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct cmd_engine_url {
	char *host, *database;
	unsigned port;
	bool tls;
	char *user, *password;	/* "" none */
	char *credentials, *ca; /* NULL: none is named */
	unsigned timeout_s, connect_s;
	char **label; /* nlabels texts "KEY=VALUE" */
	size_t nlabels;
};

bool cmd_engine_is_url(const char *text);
/* TP_EFORMAT with a sentence that has no password in it. To be released in any case, which wipes
 * secrets. */
int cmd_engine_url_parse(struct cmd_engine_url *u, const char *text, struct tp_err *err);
void cmd_engine_url_release(struct cmd_engine_url *u);
/* Takes USER:PASSWORD@ out of the text, in place; what it no longer needs is zeroed. */
void cmd_engine_url_hide(char *text);

/* Where the address has no password: that of the file, `otherwise` where it names none (which then
 * need not be there; NULL: none). TP_EIO, TP_EFORMAT. */
int cmd_engine_credentials(struct cmd_engine_url *u, const char *otherwise, struct tp_err *err);

#endif
