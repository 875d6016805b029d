#include "common/request.h"

#include <stdio.h>
#include <string.h>

void cmd_request_check(const struct cmd_request *r, struct argp_state *state, const char *task)
{
	if (r->key && !r->id)
		argp_error(state, "--request-key needs --request=ID");
	/* That is how a request is written as a task. */
	if (!r->id && task && *task == '?')
		argp_error(state,
			   "--task: '%s' is not a regular expression; --request=ID picks a request",
			   task);
	if (r->id && task != r->text)
		argp_error(state, "--request and --task cannot be given together: a request is "
				  "itself a choice of tasks");
}

void cmd_request_set(struct cmd_request *r, struct argp_state *state, bool key, const char *arg,
		     const char **task)
{
	const char *option = key ? "--request-key" : "--request";
	int n;

	if (!*arg)
		argp_error(state, "%s: the text is empty", option);
	if (key && strchr(arg, '='))
		argp_error(state, "--request-key: '%s' contains a '='", arg);
	*(key ? &r->key : &r->id) = arg;
	n = snprintf(r->text, sizeof(r->text), "?%s=%s", r->key ? r->key : "", r->id ? r->id : "");
	if (n < 0 || (size_t)n >= sizeof(r->text))
		argp_error(state, "%s: the text is longer than %zu bytes", option,
			   sizeof(r->text) - 3);
	if (!r->id)
		return;
	if (*task && *task != r->text)
		cmd_request_check(r, state, *task);
	*task = r->text;
}
