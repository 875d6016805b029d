/* A program that is run for what it prints: no shell, no standard input. */
#ifndef IMPORT_SLURM_CALL_H
#define IMPORT_SLURM_CALL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* Arguments that grow. */
struct call {
	char **argv; /* ends with NULL */
	size_t n, room;
	bool failed; /* there was no memory for one */
};

void call_add(struct call *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void call_release(struct call *c);

/* Runs argv[0], found by PATH. Its standard output and error are added to the buffers, each with a
 * NUL behind it, which does not count. 0 and its exit status (128 and the number of the signal that
 * ended it); TP_ENOENT: there is no such program; TP_EIO, TP_ENOMEM. */
int call_run(const struct call *c, struct tp_buf *out, struct tp_buf *error, int *status,
	     struct tp_err *err);

#endif
