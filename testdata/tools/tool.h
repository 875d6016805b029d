/* What the tools of this folder that write files share. Commands that are installed write files by
 * common/draft.h. */
#ifndef TOOLS_TOOL_H
#define TOOLS_TOOL_H

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"

/* Returns the number given to the option `key`. Ends with a usage error if it is not a number of this
 * range. */
static inline long tool_number(struct argp_state *state, int key, const char *arg, long least,
			       long most)
{
	char *end;
	long n = strtol(arg, &end, 10);

	if (!*arg || *end || n < least || n > most)
		argp_error(state, "-%c takes a number from %ld to %ld", key, least, most);
	return n;
}

/* Writes a file of these bytes. Returns an exit status, after a message on stderr. */
static inline int tool_write(const char *path, const struct tp_buf *bytes)
{
	FILE *f = fopen(path, "w");
	bool failed = !f || fwrite(bytes->data, 1, bytes->size, f) != bytes->size;

	if (f && fclose(f))
		failed = true;
	if (failed)
		perror(path);
	return failed ? 4 : 0;
}

#endif
