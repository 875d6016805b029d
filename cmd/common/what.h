/* Finds out what a path holds, from its first bytes. */
#ifndef CMD_WHAT_H
#define CMD_WHAT_H

#include <stddef.h>

#include "base/err.h"

enum cmd_what { CMD_WHAT_PROFILE, CMD_WHAT_TRACE, CMD_WHAT_STORE };

/* Returns what the first bytes show. Anything but a store or a trace is left to the decoders of
 * profiles, which refuse what they do not know. */
enum cmd_what cmd_what_of(const void *head, size_t size);

/* Reads the first bytes of a path. Standard input can be read from its beginning afterwards, as a
 * pipe is copied to a temporary file; a store on it is an error, as SQLite needs a file. */
int cmd_look(const char *path, enum cmd_what *what, struct tp_err *err);

#endif
