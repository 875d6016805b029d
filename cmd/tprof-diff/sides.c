#include "sides.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/apart.h"

static bool is_base(const char *text)
{
	return !strcmp(text, "--base") || !strcmp(text, "--diff-base");
}

int sides_spell(int argc, char **argv)
{
	int n = 1;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return argc;
	for (int i = 1; i < argc; i++) {
		char *joined;

		if (!is_base(argv[i]) || i + 1 == argc) {
			argv[n++] = argv[i];
		} else if (asprintf(&joined, "%s=%s", argv[i], argv[i + 1]) < 0) {
			return -1;
		} else {
			argv[n++] = joined;
			i++;
		}
	}
	argv[n] = NULL;
	return n;
}

void sides_init(struct sides *s, int argc, char **argv)
{
	for (int i = 1; i < argc && !s->separated; i++) {
		s->separated = !strcmp(argv[i], "--");
		s->nbehind = (size_t)(argc - i - 1);
	}
}

void sides_release(struct sides *s)
{
	free(s->path);
	free(s->old);
}

static error_t add(const char ***list, size_t *n, const char *path)
{
	const char **p = realloc(*list, (*n + 1) * sizeof(*p));

	if (!p)
		return ENOMEM;
	*list = p;
	p[(*n)++] = path;
	return 0;
}

error_t sides_add(struct sides *s, const char *path)
{
	return add(&s->path, &s->n, path);
}

error_t sides_add_old(struct sides *s, const char *path)
{
	return add(&s->old, &s->nold, path);
}

const char *sides_check(struct sides *s, const char *run)
{
	if (s->labels.old || s->labels.new)
		return cmd_labels_check(&s->labels, run, s->n, s->nold);
	if (s->nold)
		return s->n ? NULL : "to what is the base compared? Name the new runs";
	if (s->separated) {
		if (s->nbehind >= s->n || !s->nbehind)
			return "old runs stand before --, new ones behind it: --base OLD... -- "
			       "NEW...";
		s->nold = s->n - s->nbehind;
		for (size_t i = s->nold; i < s->n; i++)
			if (s->path[i][0] == '-' && s->path[i][1])
				return "options stand before --, files behind it";
	} else if (s->n == 2) {
		s->nold = 1;
	} else if (s->n > 2) {
		return "which are old and which are new? Put -- between them: --base OLD... -- "
		       "NEW...";
	} else {
		return s->n
			   ? "compared to what? Give OLD and NEW, for --self-check the same twice; "
			     "runs of one store are picked by --base-label=RUN and --label=RUN"
			   : "of which files? Give OLD and NEW";
	}
	s->old = malloc(s->nold * sizeof(*s->old));
	if (!s->old)
		return SIDES_NO_MEMORY;
	memcpy(s->old, s->path, s->nold * sizeof(*s->old));
	s->n -= s->nold;
	memmove(s->path, s->path + s->nold, s->n * sizeof(*s->path));
	return NULL;
}

int sides_share(struct cmd *cmd, const struct sides *s, struct cmd_shared *out)
{
	return s->labels.new ? cmd_labels_share(cmd, &s->labels, s->path[0], out)
			     : cmd_files_share(cmd, s->old, s->nold, s->path, s->n, out);
}

void sides_name(const struct cmd *cmd, const struct sides *s, bool is_old, const char *run,
		const char *other, size_t n, char text[SIDES_NAME])
{
	const char *old = s->nold ? s->old[0] : s->path[0];
	const char *link = "", *what = "";
	char more[40] = "";

	if (other && !strcmp(run, other) && s->labels.new) {
		link = " with ";
		what = is_old ? s->labels.old : s->labels.new;
	} else if (other && !strcmp(run, other) && strcmp(old, s->path[0]) != 0) {
		link = " of ";
		what = cmd_name_apart(cmd, is_old ? old : s->path[0]);
	}
	if (n > 1)
		snprintf(more, sizeof(more), " and %zu more", n - 1);
	snprintf(text, SIDES_NAME, "%.200s%s%.90s%s", run, link, what, more);
}
