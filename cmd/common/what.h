/* What a path holds, as far as its beginning tells. */
#ifndef CMD_WHAT_H
#define CMD_WHAT_H

#include <stddef.h>

#include "base/err.h"

enum cmd_what { CMD_WHAT_PROFILE, CMD_WHAT_TRACE, CMD_WHAT_STORE };

/* By the first bytes. Whatever is neither store nor trace is for the profile decoders to refuse. */
enum cmd_what cmd_what_of(const void *head, size_t size);

/* Opens the path for that. Standard input can still be read from its beginning afterwards; a store
 * there is an error, as SQLite reads files. */
int cmd_look(const char *path, enum cmd_what *what, struct tp_err *err);

/* The same, but for files that are read in no time anyway: those are taken for profiles until they
 * have been unpacked. */
int cmd_look_ahead(const char *path, enum cmd_what *what, struct tp_err *err);

#endif
