/* Finds a request by an id that the program logged (runtime/trace.Log): `--request`.
 *
 * A log has the id if its message contains it as a word, that is, between bytes which are neither
 * letters nor digits nor '_'. With a key, the category must be the key, or the message must contain
 * `key=id` or `key:id`, also with quotes or blanks between them.
 *
 * The request is the tasks that logged the id. A log outside of tasks stands for the innermost
 * region that its goroutine was in, or, without one, for the whole goroutine.
 *
 * Everything that takes a --task takes a request, too: it is written "?KEY=ID", or "?=ID" for any
 * key, which is no regular expression. */
#ifndef REP_TASK_REQUEST_H
#define REP_TASK_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spans/view.h"

/* Returns whether an argument of --task is a request. */
static inline bool rep_is_request(const char *task)
{
	return task && *task == '?';
}
/* Returns a request as a user typed it: "ID", or "KEY=ID". */
static inline const char *rep_request_shown(const char *task)
{
	return task[1] == '=' ? task + 2 : task + 1;
}

/* What a request is, by the rows of the tables; the columns of `log` are the logs that match. */
struct rep_request {
	uint8_t *task, *region, *goroutine, *log;
	size_t ntasks, nregions, ngoroutines; /* that are set */
};

/* Finds a request in a run. Errors: TP_ENOENT with a sentence that names the categories that the
 * run has, TP_ELIMIT, TP_ENOMEM … *r must be released in every case. */
int rep_request_find(struct rep_request *r, struct rep_view *v, const char *text,
		     struct tp_err *err);
void rep_request_release(struct rep_request *r);
/* Returns whether a text has the id, by the rule above for messages. `key` of 0 bytes: any. */
bool rep_request_in(struct tp_text message, struct tp_text key, struct tp_text id);

#endif
