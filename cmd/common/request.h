/* --request and --request-key: a request by an id of its own, such as a trace_id. Of a trace it is a selection
 * like --task, in whose place it stands (task/request.h); of a profile, samples with such a label. */
#ifndef CMD_REQUEST_H
#define CMD_REQUEST_H

#include <argp.h>
#include <stdbool.h>

#define CMD_REQUEST_OPTIONS(id, key, group)                                                        \
	{"request",                                                                                \
	 id,                                                                                       \
	 "ID",                                                                                     \
	 0,                                                                                        \
	 "Count only the request with this id, by what the program logged (runtime/trace.Log) or " \
	 "by the labels of its profiles",                                                          \
	 group},                                                                                   \
	{                                                                                          \
		"request-key", key, "KEY", 0,                                                      \
		    "With --request: look for the id only where it has this key, such as "         \
		    "trace_id",                                                                    \
		    group                                                                          \
	}

/* All zero before. The texts are those of the command line. */
struct cmd_request {
	const char *id, *key;
	char text[256]; /* what stands in place of --task */
};

/* Takes the argument of --request, or of --request-key, and sets *task once the id is known. Ends the command
 * with a usage error if the texts are too long, or *task is a task. */
void cmd_request_set(struct cmd_request *r, struct argp_state *state, bool key, const char *arg,
		     const char **task);
/* Ends the command with a usage error if a key is given without an id, or a task with an id. */
void cmd_request_check(const struct cmd_request *r, struct argp_state *state, const char *task);

#endif
