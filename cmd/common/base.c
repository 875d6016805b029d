#include "common/base.h"
#include "common/labels.h"
#include "common/option.h"

#include <errno.h>
#include <stdlib.h>

enum { KEY_BASE = 0x5000, KEY_DIFF_BASE, KEY_NORMALIZE };

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "Profiles, less others:", 9},
    {"base", KEY_BASE, "OLD", CMD_OPTION_MANY,
     "Take the values of OLD off; shares are of the sum of all changes; may be given several times",
     9},
    {"diff-base", KEY_DIFF_BASE, "OLD", CMD_OPTION_MANY, "The same with shares of the old total",
     9},
    {"normalize", KEY_NORMALIZE, NULL, 0, "Bring the values to the totals of OLD first", 9},
    {0},
};

static error_t add(struct cmd_base *base, struct argp_state *state, const char *path)
{
	const char **p;

	/* Nothing given is no base, as in pprof. */
	if (!*path)
		return 0;
	p = realloc(base->path, (base->npaths + 1) * sizeof(*p));
	if (!p)
		argp_failure(state, CMD_SYSTEM, 0, "out of memory");
	else
		base->path = p;
	if (p)
		p[base->npaths++] = path;
	return p ? 0 : ENOMEM;
}

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct cmd_base *base = state->input;

	switch (key) {
	case KEY_BASE:
		base->plain = base->plain || *arg;
		return add(base, state, arg);
	case KEY_DIFF_BASE:
		base->how.mark = base->how.mark || *arg;
		return add(base, state, arg);
	case KEY_NORMALIZE:
		base->how.normalize = true;
		return 0;
	case ARGP_KEY_SUCCESS:
		if (base->plain && base->how.mark)
			argp_error(state, "--base or --diff-base, not both: they differ in what "
					  "shares are of");
		if (base->how.normalize && !base->npaths)
			argp_error(state,
				   "--normalize is about differences; give --base or --diff-base");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp cmd_base_argp = {.options = options, .parser = on_option};

void cmd_base_release(struct cmd_base *base)
{
	free(base->path);
	base->path = NULL;
	base->npaths = 0;
}

/* list less old, in place. */
static int take_off(struct cmd *cmd, const struct cmd_base *base, struct cmd_profile *new,
		    const struct cmd_profile *old)
{
	struct tp_profile *sum = NULL;
	struct tp_err err;
	char *name = NULL;

	if (rep_profile_difference(old->profile, new->profile, &base->how, &sum, &err)) {
		if (err.code != TP_EFORMAT)
			return cmd_fail(cmd, NULL, &err);
		/* They do not fit: nothing is wrong with either. */
		cmd_error(cmd, "%s and %s: %s", new->name, old->name, err.msg);
		return CMD_INPUT;
	}
	tp_profile_free(new->profile);
	new->profile = sum;
	if (asprintf(&name, "%s minus %s", new->name, old->name) < 0) {
		cmd_error(cmd, "out of memory");
		return CMD_SYSTEM;
	}
	free(new->name);
	new->name = name;
	return CMD_OK;
}

int cmd_profiles_difference(struct cmd *cmd, const char *const *paths, size_t n,
			    const struct cmd_base *base, const struct cmd_profiles_options *opt,
			    struct cmd_profiles *out)
{
	struct cmd_profiles_options each = *opt;
	struct cmd_profiles old = {0};
	struct cmd_shared same;
	int status = cmd_files_share(cmd, base->path, base->npaths, paths, n, &same);

	/* A dump less itself is nothing, as in pprof. */
	if (!status && same.store)
		status = cmd_shared_tell(cmd, &same, false, true, CMD_LABELS_ELSEWHERE);
	each.picked_elsewhere = cmd_profiles_pick(cmd, base->path, base->npaths);
	if (!status)
		status = cmd_profiles_sum(cmd, paths, n, &each, out);
	if (status || !base->npaths)
		return status;
	each.picked_elsewhere = true; /* or it has been said */
	status = cmd_profiles_sum(cmd, base->path, base->npaths, &each, &old);
	if (!status && opt->trace)
		status = cmd_profiles_check_trace(cmd, opt->trace, true, out, &old);
	if (!status)
		status = take_off(cmd, base, &out->item[0], &old.item[0]);
	cmd_profiles_release(&old);
	return status;
}
