/* Profiles as text, for tests. Each line is a sample, with its stack from the root:
 *
 *	10 main;work+fill;alloc tier=gold bytes:64kb
 *
 * A location is a function, or several with '+' where the later ones are inlined into the earlier;
 * "name@file:12" adds a place, "0x10" alone is an address without lines. KEY=TEXT and
 * KEY:NUMBER[UNIT] are labels. Values are separated by commas. Errors end the test. */
#ifndef REP_PROFILE_TESTING_H
#define REP_PROFILE_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "decode/profile.h"

static inline uint32_t test_string(struct tp_profile *p, const char *text, size_t size)
{
	uint32_t id;

	assert_int_equal(tp_dict_string(p->dict, text, size, &id), 0);
	return id;
}

/* Makes a frame from a line of a location: "name@file:12". */
static inline struct tp_frame test_line(struct tp_profile *p, const char *text, size_t size)
{
	const char *at = memchr(text, '@', size);
	const char *colon = at ? memchr(at, ':', size - (size_t)(at - text)) : NULL;
	struct tp_function fn = {.name = test_string(p, text, at ? (size_t)(at - text) : size)};
	struct tp_frame f = {0};

	fn.system_name = fn.name;
	if (at)
		fn.file = test_string(p, at + 1, (size_t)((colon ? colon : text + size) - at - 1));
	if (colon)
		f.line = strtol(colon + 1, NULL, 10);
	assert_int_equal(tp_dict_function(p->dict, &fn, &f.function), 0);
	return f;
}

static inline void test_location(struct tp_profile *p, const char *text, size_t size,
				 uint32_t *stack)
{
	struct tp_location l = {.mapping = p->nmappings ? 1 : 0};
	struct tp_frame lines[16];
	size_t n = 0, at = size;

	if (size > 2 && !memcmp(text, "0x", 2)) {
		l.address = strtoul(text, NULL, 16);
	} else {
		/* Innermost first. */
		while (at) {
			size_t begin = at;

			while (begin && text[begin - 1] != '+')
				begin--;
			assert_true(n < 16);
			lines[n++] = test_line(p, text + begin, at - begin);
			at = begin ? begin - 1 : 0;
		}
		/* Equal lines are equal locations. */
		l.address = 0x1000;
		for (size_t i = 0; i < size; i++)
			l.address = l.address * 31 + (unsigned char)text[i];
	}
	assert_int_equal(tp_profile_push_location(p, stack, &l, lines, n), 0);
}

static inline uint32_t test_stack(struct tp_profile *p, const char *text, size_t size)
{
	uint32_t stack = 0;
	const char *end = text + size;

	while (text < end) {
		const char *semicolon = memchr(text, ';', (size_t)(end - text));
		const char *stop = semicolon ? semicolon : end;

		if (stop > text)
			test_location(p, text, (size_t)(stop - text), &stack);
		text = stop + 1;
	}
	return stack;
}

static inline struct tp_label test_label(struct tp_profile *p, const char *text, size_t size)
{
	size_t key = strcspn(text, "=:");
	struct tp_label l = {.key = test_string(p, text, key), .numeric = text[key] == ':'};
	char *unit;

	if (!l.numeric) {
		l.text = test_string(p, text + key + 1, size - key - 1);
		return l;
	}
	l.number = strtol(text + key + 1, &unit, 10);
	l.unit = test_string(p, unit, (size_t)(text + size - unit));
	return l;
}

static inline void test_sample(struct tp_profile *p, const char *line)
{
	struct tp_label labels[8];
	int64_t value[8];
	uint32_t stack, set;
	size_t n = 0, size;
	char *end;

	for (size_t i = 0; i < p->ntypes; i++, line = *end == ',' ? end + 1 : end)
		value[i] = strtol(line, &end, 10);
	line += strspn(line, " ");
	size = strcspn(line, " ");
	stack = test_stack(p, line, *line == '-' ? 0 : size);
	for (line += size; *line; line += size) {
		line += strspn(line, " ");
		size = strcspn(line, " ");
		if (size)
			labels[n++] = test_label(p, line, size);
	}
	assert_int_equal(tp_profile_label_set(p, labels, n, &set), 0);
	assert_int_equal(tp_profile_add_sample(p, stack, set, value), 0);
}

/* Makes a profile. types: "space/bytes" …, separated by blanks. `object`: the object file of the
 * only mapping; NULL: no mapping. A NULL ends the samples. */
static inline struct tp_profile *test_profile(const char *types, const char *object,
					      const char *const *samples)
{
	struct tp_profile *p = tp_profile_new();
	struct tp_mapping m = {.start = 0, .limit = UINT64_MAX};
	uint32_t number;

	assert_non_null(p);
	while (*types) {
		size_t size = strcspn(types, " "), slash = strcspn(types, "/");

		assert_int_equal(
		    tp_profile_add_type(p, test_string(p, types, slash),
					test_string(p, types + slash + 1, size - slash - 1)),
		    0);
		types += size + (types[size] == ' ');
	}
	if (object) {
		m.file = test_string(p, object, strlen(object));
		assert_int_equal(tp_profile_add_mapping(p, &m, &number), 0);
	}
	for (; *samples; samples++)
		test_sample(p, *samples);
	return p;
}

static inline void test_put(struct tp_buf *b, const char *text, size_t size)
{
	assert_int_equal(size ? tp_buf_put(b, text, size) : 0, 0);
}

static inline void test_put_stack(const struct tp_profile *p, uint32_t node, struct tp_buf *b)
{
	struct tp_stack_node s = tp_dict_stack_at(p->dict, node);
	struct tp_frame f = tp_dict_frame_at(p->dict, s.frame);
	struct tp_text name = tp_dict_text(p->dict, tp_dict_function_at(p->dict, f.function).name);

	if (!node)
		return;
	test_put_stack(p, s.parent, b);
	if (s.parent)
		test_put(b, f.inlined ? "+" : ";", 1);
	else if (f.inlined)
		test_put(b, "?", 1);
	test_put(b, f.function ? name.text : "??", f.function ? name.size : 2);
}

static inline void test_put_labels(const struct tp_profile *p, uint32_t set, struct tp_buf *b)
{
	for (uint32_t i = 0; i < p->sets[set].n; i++) {
		const struct tp_label *l = &p->labels[p->sets[set].first + i];
		char text[200];

		if (l->numeric)
			snprintf(text, sizeof(text), " %s:%lld%s",
				 tp_dict_text(p->dict, l->key).text, (long long)l->number,
				 tp_dict_text(p->dict, l->unit).text);
		else
			snprintf(text, sizeof(text), " %s=%s", tp_dict_text(p->dict, l->key).text,
				 tp_dict_text(p->dict, l->text).text);
		test_put(b, text, strlen(text));
	}
}

/* Checks the samples, written as for test_profile but without places, and separated by " | ". */
static inline void assert_samples(const struct tp_profile *p, const char *want)
{
	struct tp_buf b = {0};

	for (size_t i = 0; i < p->nsamples; i++) {
		test_put(&b, " | ", i ? 3 : 0);
		for (size_t t = 0; t < p->ntypes; t++) {
			char text[32];

			snprintf(text, sizeof(text), "%s%lld", t ? "," : "",
				 (long long)p->value[i * p->ntypes + t]);
			test_put(&b, text, strlen(text));
		}
		test_put(&b, " ", 1);
		test_put_stack(p, p->stack[i], &b);
		test_put_labels(p, p->label_set[i], &b);
	}
	test_put(&b, "", 0);
	assert_int_equal(tp_buf_put(&b, "", 1), 0);
	assert_string_equal((char *)b.data, want);
	tp_buf_release(&b);
}

#endif
