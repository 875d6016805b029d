#include "common/option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/near.h"

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

/* The name that was typed, up to '='. */
struct typed {
	char name[64];
	size_t size;
	struct cmd_near near;
	const struct argp_option *exact, *begun; /* of this name; whose name begins so */
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
		cmd_error(cmd, "there is no option --%s; '%s --help=all' lists those there are",
			  t->name, cmd->name);
	exit(CMD_USAGE);
}

/* Does the last of these letters ("-vo") take the argument that follows? */
static bool takes_next(const struct argp *argp, const char *letters)
{
	for (; *letters; letters++) {
		struct typed t = {.letter = *letters};

		cmd_options_each(argp, compare, &t);
		if (t.lettered && t.lettered->arg)
			return !letters[1] && !(t.lettered->flags & OPTION_ARG_OPTIONAL);
	}
	return false;
}

void cmd_options_check(const struct cmd *cmd, const struct argp *argp, int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *text = argv[i];
		const struct argp_option *o;
		struct typed t;

		if (text[0] != '-' || !text[1]) {
			if (cmd->in_order)
				return;
			continue;
		}
		if (text[1] != '-') {
			i += takes_next(argp, text + 1);
			continue;
		}
		look(&t, argp, text + 2);
		o = t.exact ? t.exact : t.begun;
		if (!o)
			refuse(cmd, &t);
		/* An alias has the argument of what it stands for: only looked at where it has one.
		 */
		if (o->arg && !(o->flags & OPTION_ARG_OPTIONAL) && !strchr(text, '='))
			i++;
	}
}
