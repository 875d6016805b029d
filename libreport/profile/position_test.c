#include "profile/position.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static uint32_t string(struct tp_profile *p, const char *text)
{
	uint32_t id;

	assert_int_equal(tp_dict_string(p->dict, text, strlen(text), &id), 0);
	return id;
}

static void add(struct tp_profile *p, const char *name, const char *file, int64_t start,
		int64_t line)
{
	struct tp_function fn = {
	    .name = string(p, name), .file = string(p, file), .start_line = start};
	struct tp_frame f = {.line = line};
	uint32_t id;

	assert_int_equal(tp_dict_function(p->dict, &fn, &f.function), 0);
	assert_int_equal(tp_dict_frame(p->dict, &f, &id), 0);
}

static void test_positions(void **state)
{
	static const struct {
		const char *name, *file;
		int64_t line;
	} rows[] = {
	    {"starts", "a.go", 10},  /* the first line, not that of a sample */
	    {"samples", "a.go", 31}, /* the lowest sample */
	    {"several", "", 0},	     /* in two files */
	    {"fileless", "", 7},     {"nowhere", "", 0},
	    {"both", "new.go", 5},  /* the first profile that has it */
	    {"other", "b/c.go", 2}, /* only the second has it; cleaned */
	    {"unknown", "", 0},
	};
	struct tp_profile *first = tp_profile_new(), *second = tp_profile_new();
	struct rep_positions p = {0};

	(void)state;
	assert_true(first && second);
	add(first, "starts", "./a.go", 10, 8);
	add(first, "samples", "a.go", 0, 35);
	add(first, "samples", "a.go", 0, 31);
	add(first, "samples", "a.go", 0, 33);
	add(first, "several", "a.go", 1, 2);
	add(first, "several", "b.go", 3, 4);
	add(first, "fileless", "", 0, 7);
	add(first, "nowhere", "", 0, 0);
	add(first, "both", "new.go", 5, 6);
	add(second, "both", "old.go", 3, 4);
	add(second, "several", "c.go", 1, 2);
	add(second, "other", "b/./c.go", 2, 9);
	assert_int_equal(rep_positions_add(&p, first, NULL), 0);
	assert_int_equal(rep_positions_add(&p, second, NULL), 0);
	tp_profile_free(first);
	tp_profile_free(second);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *name = rows[i].name;
		struct rep_position at =
		    rep_position_of(&p, (struct tp_text){name, (uint32_t)strlen(name)});

		if (at.file.size != strlen(rows[i].file) || at.line != rows[i].line ||
		    (at.file.size && memcmp(at.file.text, rows[i].file, at.file.size) != 0))
			fail_msg("%s: %.*s:%lld", name, (int)at.file.size, at.file.text,
				 (long long)at.line);
	}
	rep_positions_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_positions)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
