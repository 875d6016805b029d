#include "common/tool.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

long cmd_tool_number(struct argp_state *state, int key, const char *arg, long least, long most)
{
	char *end;
	long n = strtol(arg, &end, 10);

	if (!*arg || *end || n < least || n > most)
		argp_error(state, "-%c takes a number from %ld to %ld", key, least, most);
	return n;
}

int cmd_tool_write(const char *path, const struct tp_buf *bytes)
{
	FILE *f = fopen(path, "w");
	bool failed = !f || fwrite(bytes->data, 1, bytes->size, f) != bytes->size;

	if (f && fclose(f))
		failed = true;
	if (failed)
		perror(path);
	return failed ? 4 : 0;
}
