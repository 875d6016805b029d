#include "common/profile_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/option.h"
#include "common/pprof.h"

enum { KEY_FIRST = 0x3000, KEY_FLAT = KEY_FIRST + REP_NPROFILE_OPTIONS };

/* Below the command's own options (0, 1, …), above those of every command (100). */
#define GROUP(group) (10 + REP_GROUP_##group)

static struct argp_option options[] = {
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

/* Returns which option of a profile the key stands for, or -1. */
static int option_of(int key)
{
	return key >= KEY_FIRST && key < KEY_FLAT ? key - KEY_FIRST : -1;
}

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct cmd *cmd = state->input;
	int which = option_of(key);
	struct tp_err err;

	if (key == KEY_FLAT) {
		cmd->profile->cum = false;
		return 0;
	}
	if (which < 0)
		return ARGP_ERR_UNKNOWN;
	if (rep_profile_option_set(cmd->profile, (enum rep_profile_option)which, arg, &err)) {
		tp_err_printable(&err);
		argp_error(state, "%s", err.msg);
	}
	if (cmd->narrows && rep_profile_options[which].group == REP_GROUP_FILTER &&
	    which != REP_OPTION_TAG_ROOT && which != REP_OPTION_TAG_LEAF &&
	    which != REP_OPTION_ALL_FRAMES)
		cmd->narrows(cmd, state, rep_profile_options[which].name, arg);
	return 0;
}

const struct argp cmd_profile_argp = {.options = options, .parser = on_option};

const char *cmd_profile_given(const struct rep_profile_options *opt,
			      const struct rep_profile_options *plain, uint64_t but)
{
	for (unsigned i = 0; i < REP_NPROFILE_OPTIONS; i++)
		if (!(but >> i & 1) &&
		    rep_profile_option_differs(opt, plain, (enum rep_profile_option)i))
			return rep_profile_options[i].name;
	return NULL;
}

static bool is_heading(const struct argp_option *o)
{
	return !o->name && !o->key && o->doc;
}

void cmd_profile_take(bool (*takes)(enum rep_profile_option o))
{
	struct argp_option *to = options;
	bool used[GROUP(LIMITS) + 1] = {false}; /* groups of options, for their headings */

	for (const struct argp_option *o = options; o->name || o->doc; o++) {
		int which = option_of(o->key);

		if (which >= 0 && takes((enum rep_profile_option)which))
			used[o->group] = true;
	}
	for (const struct argp_option *o = options; o->name || o->doc; o++) {
		int which = option_of(o->key);

		if (is_heading(o) ? used[o->group]
				  : which >= 0 && takes((enum rep_profile_option)which))
			*to++ = *o;
	}
	*to = (struct argp_option){0};
}

static const char *set(const char *name, const char *otherwise)
{
	const char *v = getenv(name);

	return v && *v ? v : otherwise;
}

struct rep_go_places cmd_go_places(void)
{
	static char home[4096];
	const char *h = getenv("HOME");

	if (!*home && h && *h)
		snprintf(home, sizeof(home), "%.4000s/go", h);
	return (struct rep_go_places){.goroot = set("GOROOT", "/usr/local/go"),
				      .modcache = set("GOMODCACHE", NULL),
				      .gopath = set("GOPATH", home)};
}

static char *spell(const char *name, const char *value)
{
	char *text = NULL;
	int n = value ? asprintf(&text, "--%s=%s", name, value) : asprintf(&text, "--%s", name);

	if (n < 0) {
		fprintf(stderr, "tprof: out of memory\n");
		exit(CMD_SYSTEM);
	}
	return text;
}

/* Finds an option of argp and its children: by its name of `size` letters, in which '_' equals '-',
 * or by its letter if name is NULL. Returns NULL if there is no such option. */
/* NOLINTNEXTLINE(misc-no-recursion): tables of options, two deep */
static const struct argp_option *find_option(const struct argp *argp, const char *name, size_t size,
					     int letter)
{
	const struct argp_option *o = argp->options;

	for (; o && (o->name || o->key || o->doc); o++) {
		size_t i = 0;

		if (!name && letter && o->key == letter)
			return o;
		if (!name || !o->name || strlen(o->name) != size)
			continue;
		while (i < size && (name[i] == o->name[i] || (name[i] == '_' && o->name[i] == '-')))
			i++;
		if (i == size)
			return o;
	}
	for (const struct argp_child *c = argp->children; c && c->argp; c++) {
		o = find_option(c->argp, name, size, letter);
		if (o)
			return o;
	}
	return NULL;
}

static bool has_option(const struct argp *argp, const char *name)
{
	return find_option(argp, name, strlen(name), 0);
}

/* Returns whether a text after one dash is a letter with its value ("-n10", "-oflame.svg"), not a misspelled
 * name: the value is a number, or for -o looks like a file. */
static bool is_letter_with_value(const struct argp *argp, const char *text)
{
	const struct argp_option *o = find_option(argp, NULL, 0, text[0]);
	const char *value = text + 1;

	if (!o || !o->arg)
		return false;
	return !value[strspn(value, "0123456789")] ||
	       (text[0] == 'o' && !strchr(value, '=') && strpbrk(value, "./"));
}

static void refuse(const struct cmd *cmd, const char *typed, const char *why)
{
	cmd_error(cmd, "%s: %s", typed, why);
	fprintf(stderr, "Try `%s --help' or `%s --usage' for more information.\n", cmd->name,
		cmd->name);
	exit(CMD_USAGE);
}

/* Returns the argument for argp in place of one that begins with a dash: the same, a translation, or NULL to
 * drop it. */
static char *translate(const struct cmd *cmd, const struct argp *argp, char *typed)
{
	bool one_dash = typed[1] != '-', ignored = false;
	const char *text = typed + (one_dash ? 1 : 2), *name = text, *value = NULL;
	const struct argp_option *own = find_option(argp, text, strcspn(text, "="), 0);
	char advice[CMD_PPROF_SIZE];

	if (rep_profile_option_pprof(text, &name, &value, &ignored) &&
	    (ignored || has_option(argp, name)))
		return ignored ? NULL : spell(name, value);
	if (own)
		return one_dash ? spell(own->name,
					text[strcspn(text, "=")] ? strchr(text, '=') + 1 : NULL)
				: typed;
	if (one_dash && (!strcmp(text, "h") || !strcmp(text, "help")))
		return spell("help", NULL);
	if (!strncmp(text, "help", 4) || !strcmp(text, "usage") || !strcmp(text, "version"))
		return one_dash ? spell(text, NULL) : typed;
	/* A single letter is an option of ours, or -o of pprof. */
	if (one_dash && !text[1] && (text[0] != 'o' || find_option(argp, NULL, 0, 'o')))
		return typed;
	if (one_dash && is_letter_with_value(argp, text))
		return typed;
	if (cmd_pprof_advice(cmd->name, text, advice)) {
		if (!*advice)
			return NULL;
		refuse(cmd, typed, advice);
	}
	if (one_dash && cmd_option_near(argp, text)) {
		snprintf(advice, sizeof(advice), "there is no such option; did you mean --%s?",
			 cmd_option_near(argp, text));
		refuse(cmd, typed, advice);
	}
	if (one_dash && cmd_pprof_near(text)) {
		snprintf(advice, sizeof(advice), "there is no such option; did you mean -%s?",
			 cmd_pprof_near(text));
		refuse(cmd, typed, advice);
	}
	if (one_dash)
		refuse(cmd, typed, "there is no such option; --help=all lists all options");
	return typed;
}

int cmd_profile_arguments(const struct cmd *cmd, const struct argp *argp, int argc, char **argv)
{
	int n = 1;

	for (int i = 1; i < argc; i++) {
		char *text = argv[i];

		if (!strcmp(text, "--")) {
			while (i < argc)
				argv[n++] = argv[i++];
			break;
		}
		/* "-" is standard input, and numbers may be negative. */
		if (text[0] == '-' && text[1] && !strchr("0123456789.", text[1]))
			text = translate(cmd, argp, text);
		if (text)
			argv[n++] = text;
	}
	argv[n] = NULL;
	return n;
}
