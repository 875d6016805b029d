/* values, for completions alone: names in a store that an option could be given. */
#include <stdio.h>
#include <sys/stat.h>

#include "query/values.h"
#include "tprof-store/store.h"

static const char *find_store(const struct store_args *args)
{
	struct tp_err err;
	struct stat st;

	for (size_t i = 2; i < args->nwords; i++)
		if (!stat(args->word[i], &st) && S_ISREG(st.st_mode) &&
		    cmd_is_store(args->word[i], &err) == 1)
			return args->word[i];
	return NULL;
}

static void put(const char *value)
{
	puts(value);
}

/* Words: the option, what is typed of its value, then the command line. Says nothing that is not a
 * value: no store, nothing to complete. */
int store_values(struct store_args *args)
{
	args->path = find_store(args);
	if (args->path && !cmd_open_store(&args->cmd, args->path, false))
		rep_values_each(args->cmd.store, args->word[0], args->word[1], put);
	return CMD_OK;
}
