#include "diff/closures.h"

#include <stdlib.h>
#include <string.h>

#define MOST 1000 /* names of one place; there are as many as callers of a function */

void rep_closures_release(struct rep_closures *c)
{
	tp_buf_release(&c->all);
	tp_buf_release(&c->other);
}

bool rep_closures_is(struct tp_text name)
{
	static const char *const marks[] = {".func", "-range", "wrap"};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (memmem(name.text, name.size, marks[i], strlen(marks[i])))
			return true;
	return false;
}

uint32_t rep_closures_depth(struct tp_text name)
{
	uint32_t n = 0;
	size_t nesting = 0;

	for (uint32_t i = 0; i < name.size; i++) {
		nesting += name.text[i] == '[';
		nesting -= name.text[i] == ']' && nesting;
		n += name.text[i] == '.' && !nesting;
		if (name.text[i] == '/' && !nesting)
			n = 0;
	}
	return n;
}

int rep_closures_add(struct rep_closures *c, const struct rep_closure *closure)
{
	return tp_buf_put(&c->all, closure, sizeof(*closure));
}

static int compare_places(const void *x, const void *y)
{
	const struct rep_closure *a = x, *b = y;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->name > b->name) - (a->name < b->name);
}

/* Returns the part of a canonical name from the function on whose closure it is: ".callee.func*" of
 * "main.callee.func*", ".(*T).run-range*"'s ".run-range*". Empty where there is none. */
static struct tp_text callee_of(struct tp_text name)
{
	const char *closure = memmem(name.text, name.size, ".func*", 6);
	const char *range = memmem(name.text, name.size, "-range*", 7);
	const char *at = closure && (!range || closure < range) ? closure : range;
	size_t nesting = 0;

	while (at && at > name.text) {
		at--;
		nesting += *at == ']';
		nesting -= *at == '[' && nesting;
		if (*at == '/')
			break;
		if (*at == '.' && !nesting)
			return (struct tp_text){at,
						(uint32_t)(name.size - (size_t)(at - name.text))};
	}
	return (struct tp_text){name.text, 0};
}

static bool has_end(struct tp_text name, struct tp_text end)
{
	return name.size > end.size &&
	       !memcmp(name.text + name.size - end.size, end.text, end.size);
}

/* Is `a` what older releases call the closure `b`, as far as names say? */
static bool goes_by(const struct tp_dict *names, const struct rep_closure *a,
		    const struct rep_closure *b)
{
	struct tp_text name = tp_dict_text(names, b->name);
	struct tp_text end = {name.text + name.size - b->callee, b->callee};

	return a->depth > b->depth && end.size && has_end(tp_dict_text(names, a->name), end);
}

/* Closures of one place, n of them, each name once: those whose names only one side has, anywhere,
 * go by a name of the other. */
static void match_place(struct rep_closure *c, size_t n, const uint8_t *sides, uint32_t *other,
			const struct tp_dict *names)
{
	for (size_t i = 0; i < n; i++)
		c[i].callee = callee_of(tp_dict_text(names, c[i].name)).size;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n && !other[c[i].name]; j++)
			if ((c[j].sides & ~sides[c[i].name]) && goes_by(names, &c[i], &c[j]))
				other[c[i].name] = c[j].name;
}

/* Makes one of closures that have both place and name; returns how many are left. */
static size_t merge(struct rep_closure *c, size_t n)
{
	size_t out = 0;

	for (size_t i = 0; i < n; i++) {
		if (out && !compare_places(&c[out - 1], &c[i]))
			c[out - 1].sides |= c[i].sides;
		else
			c[out++] = c[i];
	}
	return out;
}

int rep_closures_match(struct rep_closures *c, const struct tp_dict *names)
{
	struct rep_closure *all = (struct rep_closure *)(void *)c->all.data;
	size_t n = c->all.size / sizeof(*all), room = tp_dict_strings(names), last;
	uint8_t *sides;
	int code;

	if (c->matched || !n)
		return 0;
	sides = calloc(room, sizeof(*sides));
	code = sides ? tp_buf_reserve(&c->other, room * sizeof(uint32_t)) : TP_ENOMEM;
	if (!code) {
		c->other.size = room * sizeof(uint32_t);
		memset(c->other.data, 0, c->other.size);
		for (size_t i = 0; i < n; i++)
			sides[all[i].name] |= all[i].sides;
		qsort(all, n, sizeof(*all), compare_places);
		n = merge(all, n);
		for (size_t i = 0; i < n; i = last) {
			for (last = i + 1; last < n && all[last].file == all[i].file &&
					   all[last].line == all[i].line;
			     last++)
				;
			if (all[i].file && all[i].line > 0 && last - i <= MOST)
				match_place(all + i, last - i, sides,
					    (uint32_t *)(void *)c->other.data, names);
		}
		c->matched = true;
	}
	free(sides);
	return code;
}

uint32_t rep_closures_other(const struct rep_closures *c, uint32_t name)
{
	const uint32_t *other = (const uint32_t *)(const void *)c->other.data;

	return name < c->other.size / sizeof(*other) ? other[name] : 0;
}
