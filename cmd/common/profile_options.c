#include "common/profile_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_FIRST = 0x3000, KEY_FLAT = KEY_FIRST + REP_NPROFILE_OPTIONS };

/* Below the command's own options (0, 1, …), above those of every command (100). */
#define GROUP(group) (10 + REP_GROUP_##group)

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "Profiles, which values:", GROUP(VALUES)},
    {NULL, 0, NULL, 0, "Profiles, which samples and frames:", GROUP(FILTER)},
    {NULL, 0, NULL, 0, "Profiles, what is added up:", GROUP(NODES)},
    {NULL, 0, NULL, 0, "Profiles, how much is shown:", GROUP(LIMITS)},
    {"flat", KEY_FLAT, NULL, 0, "Sort by flat (the default)", GROUP(LIMITS)},
#define REP_X(name, id, kind, member, arg, group, doc)                                             \
	{name, KEY_FIRST + REP_OPTION_##id, arg, 0, doc, GROUP(group)},
    REP_PROFILE_OPTIONS(REP_X)
#undef REP_X
	{0},
};

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct rep_profile_options *opt = state->input;
	struct tp_err err;

	if (key == KEY_FLAT) {
		opt->cum = false;
		return 0;
	}
	if (key < KEY_FIRST || key >= KEY_FLAT)
		return ARGP_ERR_UNKNOWN;
	if (rep_profile_option_set(opt, (enum rep_profile_option)(key - KEY_FIRST), arg, &err)) {
		tp_err_printable(&err);
		argp_error(state, "%s", err.msg);
	}
	return 0;
}

const struct argp cmd_profile_argp = {.options = options, .parser = on_option};

static char *spell(const char *name, const char *value)
{
	char *text = NULL;
	int n = value ? asprintf(&text, "--%s=%s", name, value) : asprintf(&text, "--%s", name);

	if (n < 0) {
		fprintf(stderr, "tprof: out of memory\n");
		exit(4);
	}
	return text;
}

/* "-top" is "--top" where the command has it. */
static const char *own_option(const char *text, const char *const *also)
{
	size_t n = strcspn(text, "=");

	for (; also && *also; also++)
		if (strlen(*also) == n && !strncmp(text, *also, n))
			return *also;
	return NULL;
}

int cmd_profile_arguments(int argc, char **argv, const char *const *also)
{
	int n = 1;

	for (int i = 1; i < argc; i++) {
		const char *text = argv[i], *name, *value;
		bool one_dash, ignored = false;

		if (!strcmp(text, "--")) {
			while (i < argc)
				argv[n++] = argv[i++];
			break;
		}
		/* One letter behind one dash is an option of ours, and so is what has a dash less. */
		one_dash = text[0] == '-' && text[1] != '-';
		text += strspn(text, "-") > 2 ? 2 : strspn(text, "-");
		if (text == argv[i] || !text[0] || (one_dash && !text[1])) {
			argv[n++] = argv[i];
		} else if (own_option(text, also)) {
			argv[n++] = one_dash ? spell(text, NULL) : argv[i];
		} else if (rep_profile_option_pprof(text, &name, &value, &ignored)) {
			if (!ignored)
				argv[n++] = spell(name, value);
		} else {
			argv[n++] = argv[i];
		}
	}
	argv[n] = NULL;
	return n;
}
