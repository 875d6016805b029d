#include "leak/allow.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"

#define MAX_RULES 100000

static int add_rule(struct rep_allow *a, size_t *room, const struct rep_allow_rule *rule,
		    struct tp_err *err)
{
	if (a->n == MAX_RULES)
		return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE, "the list has more than %d rules",
				  MAX_RULES);
	if (tp_grow(&a->rule, room, a->n, sizeof(*a->rule)))
		return tp_nomem(err);
	a->rule[a->n++] = *rule;
	return 0;
}

static char *skip_blanks(char *at)
{
	return at + strspn(at, " \t");
}

/* Takes the number before a name, if there is one. */
static int take_number(struct rep_allow_rule *rule, char **at, struct tp_err *err)
{
	size_t digits = strspn(*at, "0123456789");
	char *end;

	if (!digits || ((*at)[digits] != ' ' && (*at)[digits] != '\t'))
		return 0;
	if (digits > 9)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "line %zu: the number before the name is too large", rule->line);
	rule->most = strtol(*at, &end, 10);
	*at = skip_blanks(end);
	return 0;
}

/* The end of what counts on a line: where a comment begins, at its beginning or behind a blank. */
static size_t length_of(const char *line)
{
	for (size_t i = 0; line[i]; i++)
		if (line[i] == '#' && (!i || strchr(" \t", line[i - 1])))
			return i;
	return strlen(line);
}

static int take_line(struct rep_allow *a, size_t *room, char *line, size_t number,
		     struct tp_err *err)
{
	struct rep_allow_rule rule = {.most = INT64_MAX, .line = number};
	size_t n;
	int code;

	line = skip_blanks(line);
	for (n = length_of(line); n && strchr(" \t\r", line[n - 1]); n--)
		;
	line[n] = '\0';
	if (!n)
		return 0;
	code = take_number(&rule, &line, err);
	if (code)
		return code;
	/* Names may hold blanks: "main.f[go.shape.struct { A int }]". */
	rule.name = line;
	return add_rule(a, room, &rule, err);
}

int rep_allow_parse(struct rep_allow *a, const void *data, size_t size, struct tp_err *err)
{
	size_t room = 0, number = 0;
	char *at, *end;
	int code = 0;

	*a = (struct rep_allow){0};
	if (size && memchr(data, '\0', size))
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "the file is not a list of functions, one on each line of text");
	a->text = malloc(size + 1);
	if (!a->text)
		return tp_nomem(err);
	if (size)
		memcpy(a->text, data, size);
	a->text[size] = '\0';
	for (at = a->text; !code && *at; at = end) {
		end = at + strcspn(at, "\n");
		if (*end)
			*end++ = '\0';
		code = take_line(a, &room, at, ++number, err);
	}
	return code;
}

void rep_allow_release(struct rep_allow *a)
{
	free(a->rule);
	free(a->text);
	*a = (struct rep_allow){0};
}

/* The last star takes as little as it can; when what follows it does not fit, it takes one more. */
bool rep_allow_match(const struct rep_allow_rule *rule, const char *name, size_t size)
{
	const char *pattern = rule->name, *star = NULL;
	size_t at = 0, from = 0;

	while (at < size) {
		if (*pattern == '*') {
			star = ++pattern;
			from = at;
		} else if (*pattern && *pattern == name[at]) {
			pattern++;
			at++;
		} else if (star) {
			pattern = star;
			at = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}
