/* For tests of diffs: small profiles from stacks written as text. */
#ifndef REP_DIFF_TESTING_H
#define REP_DIFF_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "diff/diff.h"

static inline uint32_t testing_string(struct tp_profile *p, const char *text, size_t n)
{
	uint32_t id;

	assert_int_equal(tp_dict_string(p->dict, text, n, &id), 0);
	return id;
}

/* Sample types "objects" (count) and "space" (bytes), like a heap profile's. */
static inline struct tp_profile *testing_profile(void)
{
	struct tp_profile *p = tp_profile_new();

	assert_non_null(p);
	assert_int_equal(
	    tp_profile_add_type(p, testing_string(p, "objects", 7), testing_string(p, "count", 5)),
	    0);
	assert_int_equal(
	    tp_profile_add_type(p, testing_string(p, "space", 5), testing_string(p, "bytes", 5)),
	    0);
	return p;
}

/* "main.main;main.f:12;main.g", root first; a number is a line, "+" after it where the function
 * starts: "main.f:12+10". */
static inline void testing_sample(struct tp_profile *p, const char *stack, int64_t objects,
				  int64_t space)
{
	uint32_t node = 0;

	while (*stack) {
		size_t n = strcspn(stack, ";"), name = strcspn(stack, ":;");
		struct tp_function f = {.name = testing_string(p, stack, name)};
		struct tp_frame line = {0};
		struct tp_location l = {0};

		if (name < n) {
			char *end;

			line.line = strtoll(stack + name + 1, &end, 10);
			if (*end == '+')
				f.start_line = strtoll(end + 1, NULL, 10);
			f.file = testing_string(p, "main.go", 7);
		}
		assert_int_equal(tp_dict_function(p->dict, &f, &line.function), 0);
		l.address = (uint64_t)line.function << 16 | (uint64_t)line.line;
		assert_int_equal(tp_profile_push_location(p, &node, &l, &line, 1), 0);
		stack += n + (stack[n] == ';');
	}
	assert_int_equal(tp_profile_add_sample(p, node, 0, (int64_t[]){objects, space}), 0);
}

static inline const struct rep_diff_row *testing_row(const struct rep_diff *d, const char *want)
{
	const struct rep_diff_row *found = NULL;
	struct tp_buf name = {0};

	for (size_t i = 0; i < d->n && !found; i++) {
		size_t names;

		name.size = 0;
		assert_int_equal(rep_diff_name(d, &d->row[i], &name, &names), 0);
		assert_int_equal(tp_buf_put(&name, "", 1), 0);
		if (!strcmp((char *)name.data, want))
			found = &d->row[i];
	}
	tp_buf_release(&name);
	return found;
}

#endif
