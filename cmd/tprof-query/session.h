/* A session: SQL and dot commands against one store, from an argument, a script or a prompt. */
#ifndef QUERY_SESSION_H
#define QUERY_SESSION_H

#include <stdbool.h>

#include "common/common.h"
#include "query/query.h"

struct session {
	struct cmd *cmd;
	const char *path; /* of the store, as given */
	struct rep_query *query;
	bool prompt; /* a person is typing: dot commands may not page, results are timed */
	bool quit;   /* .quit was given */
};

/* Opens the store and picks the run that :run stands for. 0, or an exit status; what was opened is
 * released by session_close in every case. */
int session_open(struct session *s, const char *path, bool write);
void session_close(struct session *s);

/* Runs SQL (any number of statements), writes its rows. 0, or an exit status; the error has been
 * told, after `where` ("queries.sql") if that is not NULL. */
int session_sql(struct session *s, const char *where, const char *sql);
/* Runs a line that is_command: ".tables". The same results. */
int session_command(struct session *s, const char *where, const char *line);
bool session_is_command(const char *line);

/* Runs a script line by line: SQL and dot commands, until the first that fails or .quit. The text
 * is altered. */
int session_script(struct session *s, const char *where, char *text);

/* The names of the dot commands; NULL behind the last. */
extern const char *const session_commands[];

/* prompt.c: asks for statements until the end of input or .quit. */
int session_prompt(struct session *s);

#endif
