/* Runs commands for the server, by way of the process outside of the jail (runner.h). */
#ifndef WEB_ASK_H
#define WEB_ASK_H

#include <pthread.h>
#include <semaphore.h>

#include "base/buf.h"
#include "base/err.h"
#include "common/allowed.h"

#define WEB_OUTPUT ((size_t)32 << 20) /* an answer that is longer is an error */

struct web_asker {
	int channel;
	pthread_mutex_t lock; /* of the channel: one question at a time */
	sem_t free;	      /* commands that may be started */
};

int web_ask_init(struct web_asker *a, int channel, struct tp_err *err);

/* Runs a command whose words have been checked, and appends its output to *out. Returns 0, or TP_EFORMAT with
 * the command's own message in *message, TP_ECANCEL: the reader has closed the connection `reader`; TP_ELIMIT,
 * TP_EIO, TP_ENOMEM. */
int web_ask_run(struct web_asker *a, const struct cmd_allowed *c, const struct cmd_words *words,
		int reader, struct tp_buf *out, struct tp_buf *message, struct tp_err *err);

/* Returns whether the other side has closed the connection. */
bool web_ask_is_gone(int reader);

#endif
