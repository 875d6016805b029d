#include "common/option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/near.h"
#include "common/number.h"

/* NOLINTNEXTLINE(misc-no-recursion): tables of options, two deep */
bool cmd_options_each(const struct argp *argp, bool (*fn)(void *ctx, const struct argp_option *o),
		      void *ctx)
{
	for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc); o++)
		if ((o->name || o->key) && !fn(ctx, o))
			return false;
	for (const struct argp_child *c = argp->children; c && c->argp; c++)
		if (!cmd_options_each(c->argp, fn, ctx))
			return false;
	return true;
}

/* An option's name as typed, up to '=', and the options that it may mean. */
struct typed {
	char name[64];
	size_t size;
	struct cmd_near near;
	const struct argp_option *exact, *begun; /* with this name; with a name that begins so */
	char letter;
	const struct argp_option *lettered;
};

static bool compare(void *ctx, const struct argp_option *o)
{
	struct typed *t = ctx;

	if (t->letter && o->key == t->letter)
		t->lettered = o;
	if (!o->name || t->letter)
		return true;
	if (!strcmp(o->name, t->name))
		t->exact = o;
	else if (!strncmp(o->name, t->name, t->size))
		t->begun = o;
	if (!(o->flags & OPTION_HIDDEN))
		cmd_near_try(&t->near, t->name, o->name);
	return !t->exact;
}

static void look(struct typed *t, const struct argp *argp, const char *text)
{
	*t = (struct typed){.size = strcspn(text, "=")};
	if (t->size >= sizeof(t->name))
		t->size = sizeof(t->name) - 1;
	memcpy(t->name, text, t->size);
	cmd_options_each(argp, compare, t);
}

const char *cmd_option_near(const struct argp *argp, const char *typed)
{
	struct typed t;

	look(&t, argp, typed);
	return t.near.word;
}

static void refuse(const struct cmd *cmd, const struct typed *t)
{
	if (t->near.word)
		cmd_error(cmd, "there is no option --%s; did you mean --%s?", t->name,
			  t->near.word);
	else
		cmd_error(cmd, "there is no option --%s; '%s --help=all' lists all options",
			  t->name, cmd->name);
	exit(CMD_USAGE);
}

/* The options with arguments given so far. */
struct given {
	struct one {
		const struct argp_option *o;
		const char *value; /* NULL: an optional argument is missing */
	} * one;
	size_t n;
};

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void refuse_twice(const struct cmd *cmd, const struct argp_option *o, const char *first,
			 const char *second)
{
	char name[64];

	if (o->name)
		snprintf(name, sizeof(name), "--%s", o->name);
	else
		snprintf(name, sizeof(name), "-%c", o->key);
	if (!first || !second)
		cmd_error(
		    cmd,
		    "%s is given twice, once with '%.200s' and once without a value; give it once",
		    name, first ? first : second);
	else if (!strcmp(o->arg, "REGEX"))
		cmd_error(cmd,
			  "%s is given twice, with '%.200s' and with '%.200s'; give it once: "
			  "'%.200s|%.200s' matches both",
			  name, first, second, first, second);
	else if (!strcmp(o->arg, "KEY=VALUE") ||
		 (!strcmp(o->arg, "RUN") && strchr(first, '=') && strchr(second, '=')))
		cmd_error(cmd,
			  "%s is given twice, with '%.200s' and with '%.200s'; give it once: "
			  "%s=%.200s,%.200s names the runs that have both labels",
			  name, first, second, name, first, second);
	else
		cmd_error(cmd, "%s is given twice, with '%.200s' and with '%.200s'; give it once",
			  name, first, second);
	exit(CMD_USAGE);
}

static void note_given(const struct cmd *cmd, struct given *g, const struct argp_option *o,
		       const char *value)
{
	if (o->flags & (CMD_OPTION_MANY | CMD_OPTION_LAST))
		return;
	for (size_t i = 0; i < g->n; i++)
		if (g->one[i].o == o && !same(g->one[i].value, value))
			refuse_twice(cmd, o, g->one[i].value, value);
	g->one[g->n++] = (struct one){o, value};
}

/* Checks the letters after one dash ("-vo"). The last one may have an argument, in the same word or the next
 * one. Returns whether the next word is an argument. */
static bool letters(const struct cmd *cmd, const struct argp *argp, struct given *g,
		    const char *text, const char *next)
{
	for (; *text; text++) {
		struct typed t = {.letter = *text};
		bool may;

		cmd_options_each(argp, compare, &t);
		/* -? and -V are among the options as well. */
		if (!t.lettered) {
			cmd_error(cmd, "there is no option -%c; '%s --help=all' lists all options",
				  *text, cmd->name);
			exit(CMD_USAGE);
		}
		if (!t.lettered->arg)
			continue;
		may = t.lettered->flags & OPTION_ARG_OPTIONAL;
		/* argp reports a missing argument. */
		if (text[1] || may || next)
			note_given(cmd, g, t.lettered, text[1] ? text + 1 : may ? NULL : next);
		return !text[1] && !may;
	}
	return false;
}

int64_t cmd_arg_rows(struct argp_state *state, const char *arg, int64_t most)
{
	int at = state->next - 1;

	if (at > 1 && state->argv[at] == arg)
		at--;
	return cmd_arg_count(state, at > 0 && !strncmp(state->argv[at], "--", 2) ? "--rows" : "-n",
			     arg, most);
}

void cmd_options_check(const struct cmd *cmd, const struct argp *argp, int argc, char **argv)
{
	struct given g = {.one = calloc((size_t)argc + 1, sizeof(*g.one))};

	if (!g.one) {
		cmd_nomem(cmd);
		exit(CMD_SYSTEM);
	}
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *text = argv[i], *value = strchr(text, '=');
		const struct argp_option *o;
		struct typed t;

		if (text[0] != '-' || !text[1]) {
			if (cmd->in_order)
				break;
			continue;
		}
		if (text[1] != '-') {
			i += letters(cmd, argp, &g, text + 1, argv[i + 1]);
			continue;
		}
		look(&t, argp, text + 2);
		o = t.exact ? t.exact : t.begun;
		if (!o)
			refuse(cmd, &t);
		/* Aliases set another option's value and have no argument, so they are not checked. */
		if (!o->arg)
			continue;
		value = value ? value + 1 : o->flags & OPTION_ARG_OPTIONAL ? NULL : argv[++i];
		if (i < argc)
			note_given(cmd, &g, o, value);
	}
	free(g.one);
}

const char *cmd_arg_output(struct argp_state *state, const char *option, const char *arg,
			   const char *what)
{
	if (!*arg)
		argp_error(state, "%s: the name is empty; " CMD_UNSET_VARIABLE, option);
	if (what && !strcmp(arg, "-"))
		argp_error(state,
			   "%s: '-' is standard output, and %s cannot be written there; give it a "
			   "name",
			   option, what);
	return arg;
}
