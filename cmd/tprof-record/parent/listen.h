/* The recorder's end of core/hello.h: an abstract socket that processes send their arenas to, and
 * that others ask for snapshots. */
#ifndef RECORD_PARENT_LISTEN_H
#define RECORD_PARENT_LISTEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "tprof-record/core/hello.h"

#define REC_SOCKET_PREFIX "tprof-record."
#define REC_SOCKET_NAME	  48 /* room for the name and its NUL */

/* A socket that listens, not blocking, under "tprof-record.PID.RANDOM". -1 and err: TP_EIO. */
int rec_listen(char name[REC_SOCKET_NAME], struct tp_err *err);

struct rec_caller {
	struct rec_hello hello;
	pid_t pid; /* as the kernel knows it */
	uid_t uid;
	int memory; /* the arena, -1 none; the caller's */
};

/* Connections are not blocking. -1: none waits (or none can be had now). */
int rec_listen_accept(int socket);
/* 1: somebody who makes sense; 0: nothing has come yet; -1: nonsense, or gone. */
int rec_listen_hear(int connection, struct rec_caller *caller);
/* May any process of that user be recorded, or ask for snapshots? */
bool rec_listen_trusts(uid_t uid);
/* 0 when there is none. */
pid_t rec_listen_parent(pid_t pid);

/* Connects to the recorder of that process: it is the recorder, or one that it records. -1 and err:
 * TP_ENOENT (no such process, or nobody records it), TP_EIO. */
int rec_listen_find(pid_t pid, struct tp_err *err);

#endif
