/* The recorder's end of core/hello.h: an abstract socket. Processes send their arenas to it, and
 * clients ask for snapshots. */
#ifndef RECORD_PARENT_LISTEN_H
#define RECORD_PARENT_LISTEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "tprof-record/core/hello.h"

#define REC_SOCKET_PREFIX "tprof-record."
#define REC_SOCKET_NAME	  48 /* room for the name and its NUL */

/* Returns a non-blocking socket that listens as "tprof-record.PID.RANDOM"; -1 and err: TP_EIO. */
int rec_listen(char name[REC_SOCKET_NAME], struct tp_err *err);

struct rec_caller {
	struct rec_hello hello;
	pid_t pid; /* as the kernel says */
	uid_t uid;
	int memory; /* the arena, -1: none; the caller of rec_listen_hear closes it */
};

/* Returns the next connection, which is non-blocking, or -1 if no client is waiting. */
int rec_listen_accept(int socket);
/* Returns 1 for a valid message, 0 if nothing has arrived yet, and -1 if the message is not valid or the
 * caller has closed the connection. */
int rec_listen_hear(int connection, struct rec_caller *caller);
/* Returns whether any process of that user may be recorded, or ask for snapshots. */
bool rec_listen_trusts(uid_t uid);
/* Returns the parent of a process, or 0 if the process has gone. */
pid_t rec_listen_parent(pid_t pid);

/* Connects to a recorder: that process, or the one that records it. -1 and err: TP_ENOENT (the process
 * does not exist, or is not recorded), TP_EIO. */
int rec_listen_find(pid_t pid, struct tp_err *err);

#endif
