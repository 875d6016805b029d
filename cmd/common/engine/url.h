/* Addresses of engines:
 *
 *	clickhouse://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE][?NAME=VALUE&...]
 *
 * and clickhouses:// for TLS. Any part may contain %XX. The parameters:
 *
 *	label=KEY=VALUE        only runs with this label; several: runs with all of them
 *	timeout=SECONDS        limit on the time without a byte from the engine
 *	connect-timeout=SECONDS
 *	credentials=FILE       a file with user and password
 *	ca=FILE                certificates to check the engine's certificate with
 *
 * A file of credentials has lines HOST[:PORT] USER PASSWORD; only its owner may have access to it. */
#ifndef CMD_ENGINE_URL_H
#define CMD_ENGINE_URL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct cmd_engine_url {
	char *host, *database;
	unsigned port;
	bool tls;
	char *user, *password;	/* "": not given */
	char *credentials, *ca; /* files; NULL: not given */
	unsigned timeout_s, connect_s;
	char **label; /* nlabels texts "KEY=VALUE" */
	size_t nlabels;
};

bool cmd_engine_is_url(const char *text);
/* Parses an address. Returns 0, TP_EFORMAT with a message that contains no password, or TP_ENOMEM. The caller
 * releases it in every case, which wipes secrets. */
int cmd_engine_url_parse(struct cmd_engine_url *u, const char *text, struct tp_err *err);
void cmd_engine_url_release(struct cmd_engine_url *u);
/* Removes USER:PASSWORD@ from an address in place, and zeroes the bytes after its new end. */
void cmd_engine_url_hide(char *text);

/* If the address has no password, takes user and password from its file of credentials, or if it names none
 * from the file `otherwise`, which may be missing (NULL: no file). Returns 0, TP_EIO or TP_ENOMEM. */
int cmd_engine_credentials(struct cmd_engine_url *u, const char *otherwise, struct tp_err *err);

#endif
