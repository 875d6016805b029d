#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "decode/dict.h"

/* The number of strings that every dictionary begins with, including the empty one. */
enum {
#define TP_X(name, text) +1
	KNOWN = 1 TP_KNOWN_STRINGS(TP_X)
#undef TP_X
};

static uint32_t str(struct tp_dict *d, const char *text)
{
	uint32_t id;

	assert_int_equal(tp_dict_string(d, text, strlen(text), &id), 0);
	return id;
}

static uint32_t frame(struct tp_dict *d, const char *name, const char *file, int64_t line)
{
	struct tp_function f = {.name = str(d, name), .file = str(d, file)};
	struct tp_frame fr = {.line = line};
	uint32_t id;

	assert_int_equal(tp_dict_function(d, &f, &fr.function), 0);
	assert_int_equal(tp_dict_frame(d, &fr, &id), 0);
	return id;
}

static uint32_t push(struct tp_dict *d, uint32_t parent, uint32_t f)
{
	uint32_t id;

	assert_int_equal(tp_dict_stack(d, parent, f, &id), 0);
	return id;
}

static void test_empty_entries(void **state)
{
	struct tp_dict *d = tp_dict_new();
	uint32_t id = 9;

	(void)state;
	assert_int_equal(tp_dict_strings(d), KNOWN);
	assert_int_equal(tp_dict_functions(d), 1);
	assert_int_equal(tp_dict_locations(d), 1);
	assert_int_equal(tp_dict_frames(d), 1);
	assert_int_equal(tp_dict_stacks(d), 1);
	assert_int_equal(tp_dict_string(d, NULL, 0, &id), 0);
	assert_int_equal(id, 0);
	assert_int_equal(tp_dict_function(d, &(struct tp_function){0}, &id), 0);
	assert_int_equal(id, 0);
	assert_int_equal(tp_dict_location(d, &(struct tp_location){0}, &id), 0);
	assert_int_equal(id, 0);
	assert_int_equal(tp_dict_frame(d, &(struct tp_frame){0}, &id), 0);
	assert_int_equal(id, 0);
	assert_string_equal(tp_dict_text(d, 0).text, "");
	assert_int_equal(tp_dict_stack_at(d, 0).depth, 0);
	tp_dict_free(d);
	tp_dict_free(NULL);
}

static void test_string_same_id(void **state)
{
	struct tp_dict *d = tp_dict_new();
	uint32_t a, b;

	(void)state;
	assert_int_equal(tp_dict_string(d, "a\0b", 3, &a), 0);
	assert_int_equal(tp_dict_string(d, "a\0c", 3, &b), 0);
	assert_int_equal(a, KNOWN);
	assert_int_equal(b, KNOWN + 1);
	assert_int_equal(tp_dict_string(d, "a\0b", 3, &b), 0);
	assert_int_equal(b, KNOWN);
	assert_int_equal(tp_dict_text(d, a).size, 3);
	assert_memory_equal(tp_dict_text(d, a).text, "a\0b\0", 4);
	assert_int_equal(tp_dict_strings(d), KNOWN + 2);
	tp_dict_free(d);
}

/* Returned pointers stay valid while the dictionary grows. */
static void test_string_many(void **state)
{
	struct tp_dict *d = tp_dict_new();
	const char *first;
	char text[32];

	(void)state;
	str(d, "string 0");
	first = tp_dict_text(d, KNOWN).text;
	for (int i = 0; i < 100000; i++) {
		snprintf(text, sizeof(text), "string %d", i);
		assert_int_equal(str(d, text), i + KNOWN);
	}
	for (int i = 0; i < 100000; i += 7) {
		snprintf(text, sizeof(text), "string %d", i);
		assert_int_equal(str(d, text), i + KNOWN);
		assert_string_equal(tp_dict_text(d, (uint32_t)i + KNOWN).text, text);
	}
	assert_ptr_equal(first, tp_dict_text(d, KNOWN).text);
	tp_dict_free(d);
}

static void test_every_field_counts(void **state)
{
	static const struct tp_function functions[] = {
	    {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
	static const struct tp_location locations[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
	static const struct tp_frame frames[] = {
	    {1, 0, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 0, 1, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 1}};
	struct tp_dict *d = tp_dict_new();
	uint32_t id;

	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		for (uint32_t i = 0; i < 4; i++) {
			assert_int_equal(tp_dict_function(d, &functions[i], &id), 0);
			assert_int_equal(id, i + 1);
		}
		for (uint32_t i = 0; i < 3; i++) {
			assert_int_equal(tp_dict_location(d, &locations[i], &id), 0);
			assert_int_equal(id, i + 1);
		}
		for (uint32_t i = 0; i < 5; i++) {
			assert_int_equal(tp_dict_frame(d, &frames[i], &id), 0);
			assert_int_equal(id, i + 1);
		}
	}
	assert_int_equal(tp_dict_frame_at(d, 4).column, 1);
	assert_int_equal(tp_dict_location_at(d, 1).address, 1);
	tp_dict_free(d);
}

static void test_stack_is_a_tree(void **state)
{
	struct tp_dict *d = tp_dict_new();
	uint32_t fm = frame(d, "main.main", "m.go", 1), fa = frame(d, "main.a", "m.go", 2);
	uint32_t m = push(d, 0, fm), ma = push(d, m, fa), maa = push(d, ma, fa), a = push(d, 0, fa);

	(void)state;
	assert_int_equal(push(d, m, fa), ma);
	assert_int_equal(tp_dict_stacks(d), 5);
	assert_int_equal(tp_dict_stack_at(d, maa).depth, 3);
	assert_int_equal(tp_dict_stack_at(d, maa).parent, ma);
	assert_true(m < ma && ma < maa);
	assert_int_equal(tp_dict_stack_root(d, maa), fm);
	assert_int_equal(tp_dict_stack_root(d, a), fa);
	assert_int_equal(tp_dict_stack_root(d, 0), 0);
	assert_string_equal(tp_dict_text(d, tp_dict_frame_name(d, fa)).text, "main.a");
	/* The unknown frame 0 makes a node, too. */
	assert_int_equal(tp_dict_stack_at(d, push(d, ma, 0)).depth, 3);
	assert_int_not_equal(push(d, 0, 0), 0);
	tp_dict_free(d);
}

static void test_ids_out_of_range(void **state)
{
	struct tp_dict *d = tp_dict_new();
	uint32_t id;

	(void)state;
	assert_string_equal(tp_dict_text(d, 77).text, "");
	assert_int_equal(tp_dict_frame_at(d, UINT32_MAX).function, 0);
	assert_int_equal(tp_dict_stack_at(d, 1).depth, 0);
	assert_int_equal(tp_dict_frame_name(d, 5), 0);
	assert_true(tp_dict_stack_hash(d, 9) == tp_dict_stack_hash(d, 0));
	assert_int_equal(tp_dict_stack(d, 1000, 1000, &id), 0);
	assert_int_equal(tp_dict_stack_at(d, id).parent, 0);
	assert_int_equal(tp_dict_stack_at(d, id).frame, 0);
	tp_dict_free(d);
}

/* Two dictionaries that interned the same content in different orders agree on hashes but not on ids. */
static void test_hash_is_of_content(void **state)
{
	struct tp_dict *a = tp_dict_new(), *b = tp_dict_new();
	uint32_t a1, a2, b1, b2;

	(void)state;
	a1 = push(a, 0, frame(a, "main.main", "m.go", 1));
	a2 = push(a, a1, frame(a, "main.a", "m.go", 2));
	str(b, "something else first");
	b2 = frame(b, "main.a", "m.go", 2);
	b1 = push(b, 0, frame(b, "main.main", "m.go", 1));
	b2 = push(b, b1, b2);
	assert_true(tp_dict_string_hash(a, str(a, "m.go")) ==
		    tp_dict_string_hash(b, str(b, "m.go")));
	assert_int_not_equal(str(a, "m.go"), str(b, "m.go"));
	assert_true(tp_dict_stack_hash(a, a1) == tp_dict_stack_hash(b, b1));
	assert_true(tp_dict_stack_hash(a, a2) == tp_dict_stack_hash(b, b2));
	assert_true(tp_dict_stack_hash(a, a2) != tp_dict_stack_hash(a, a1));
	/* Name, file and line all count; so does the order. */
	assert_true(tp_dict_stack_hash(a, push(a, 0, frame(a, "main.main", "m.go", 2))) !=
		    tp_dict_stack_hash(a, a1));
	assert_true(tp_dict_stack_hash(a, push(a, 0, frame(a, "main.main", "n.go", 1))) !=
		    tp_dict_stack_hash(a, a1));
	assert_true(tp_dict_stack_hash(a, push(a, 0, frame(a, "main.mail", "m.go", 1))) !=
		    tp_dict_stack_hash(a, a1));
	assert_true(tp_dict_stack_hash(a, push(a, push(a, 0, frame(a, "main.a", "m.go", 2)),
					       frame(a, "main.main", "m.go", 1))) !=
		    tp_dict_stack_hash(a, a2));
	tp_dict_free(a);
	tp_dict_free(b);
}

/* Stores contain this hash, XXH3 of the bytes, so it must never change. */
static void test_string_hash_pinned(void **state)
{
	struct tp_dict *d = tp_dict_new();

	(void)state;
	assert_true(tp_dict_string_hash(d, str(d, "main.main")) == 0xc7f1936b5b74653f);
	assert_true(tp_dict_stack_hash(d, push(d, 0, frame(d, "main.main", "m.go", 1))) ==
		    0x8dd5e9c4df830e2e);
	tp_dict_free(d);
}

/* Frames without a function differ by their address alone (go 1.5 traces have bare PCs). */
static void test_hash_of_bare_addresses(void **state)
{
	struct tp_dict *d = tp_dict_new();
	uint32_t stack[2];

	(void)state;
	for (uint64_t i = 0; i < 2; i++) {
		struct tp_location l = {.address = 0x400000 + i};
		struct tp_frame f = {0};
		uint32_t id;

		assert_int_equal(tp_dict_location(d, &l, &f.location), 0);
		assert_int_equal(tp_dict_frame(d, &f, &id), 0);
		stack[i] = push(d, 0, id);
	}
	assert_true(tp_dict_stack_hash(d, stack[0]) != tp_dict_stack_hash(d, stack[1]));
	tp_dict_free(d);
}

/* Appended strings are found and hashed like interned ones, from the first look-up on. */
static void test_dict_append_string_then_intern(void **state)
{
	struct tp_dict *a = tp_dict_new(), *b = tp_dict_new();
	uint32_t first = tp_dict_strings(a), id, other;

	(void)state;
	for (uint32_t i = 0; i < 3000; i++) {
		char text[16];
		int n = snprintf(text, sizeof(text), "s%u", i);

		assert_int_equal(tp_dict_append_string(a, text, (size_t)n, &id), 0);
		assert_int_equal(id, first + i);
		assert_int_equal(tp_dict_string(b, text, (size_t)n, &other), 0);
		assert_int_equal(other, id);
		assert_true(tp_dict_string_hash(a, id) == tp_dict_string_hash(b, id));
	}
	assert_int_equal(tp_dict_string(a, "s1234", 5, &id), 0);
	assert_int_equal(id, first + 1234);
	assert_int_equal(tp_dict_string(a, "new", 3, &id), 0);
	assert_int_equal(id, first + 3000);
	assert_int_equal(tp_dict_append_string(a, "appended", 8, &id), 0);
	assert_int_equal(tp_dict_string(a, "appended", 8, &other), 0);
	assert_int_equal(id, other);
	assert_string_equal(tp_dict_text(a, id).text, "appended");
	tp_dict_free(a);
	tp_dict_free(b);
}

/* Parents with few and with many children, looked up in another order than they were added. */
static void test_dict_stack_wide_parents(void **state)
{
	enum { PARENTS = 5, CHILDREN = 700 };
	static uint32_t node[PARENTS][CHILDREN], parent[PARENTS];
	struct tp_dict *d = tp_dict_new();

	(void)state;
	for (uint32_t i = 0; i < CHILDREN; i++) {
		struct tp_frame f = {.line = i + 1};
		uint32_t id;

		assert_int_equal(tp_dict_frame(d, &f, &id), 0);
		assert_int_equal(id, i + 1);
	}
	for (uint32_t p = 1; p < PARENTS; p++)
		parent[p] = push(d, parent[p - 1], p);
	for (uint32_t c = 0; c < CHILDREN; c++)
		for (uint32_t p = 0; p < PARENTS; p++)
			if (c < 1u << p * 3)
				node[p][c] = push(d, parent[p], c + 1);
	for (uint32_t c = CHILDREN; c-- > 0;)
		for (uint32_t p = 0; p < PARENTS; p++)
			if (c < 1u << p * 3)
				assert_int_equal(push(d, parent[p], c + 1), node[p][c]);
	tp_dict_free(d);
}

/* Appended entries are found like interned ones, from the first look-up on. */
static void test_dict_append_then_intern(void **state)
{
	struct tp_dict *a = tp_dict_new(), *b = tp_dict_new();
	int64_t parent[600], frames[600];

	(void)state;
	for (uint32_t i = 1; i <= 600; i++) {
		struct tp_function fn = {.name = 1, .start_line = i};
		struct tp_location l = {.address = i * 16};
		struct tp_frame f = {.function = i, .location = i};
		uint32_t id;

		assert_int_equal(tp_dict_append_function(a, &fn, &id), 0);
		assert_int_equal(id, i);
		assert_int_equal(tp_dict_append_location(a, &l, &id), 0);
		assert_int_equal(id, i);
		assert_int_equal(tp_dict_append_frame(a, &f, &id), 0);
		assert_int_equal(id, i);
		assert_int_equal(tp_dict_function(b, &fn, &id), 0);
		assert_int_equal(tp_dict_location(b, &l, &id), 0);
		assert_int_equal(tp_dict_frame(b, &f, &id), 0);
		parent[i - 1] = i % 3 ? i / 3 : 0;
		frames[i - 1] = i;
		assert_int_equal(push(b, (uint32_t)parent[i - 1], i), i);
	}
	assert_int_equal(tp_dict_append_stacks(a, parent, frames, 600), 0);
	for (uint32_t i = 600; i; i--) {
		struct tp_function fn = tp_dict_function_at(b, i);
		struct tp_location l = tp_dict_location_at(b, i);
		struct tp_frame f = tp_dict_frame_at(b, i);
		uint32_t id;

		assert_int_equal(tp_dict_function(a, &fn, &id), 0);
		assert_int_equal(id, i);
		assert_int_equal(tp_dict_location(a, &l, &id), 0);
		assert_int_equal(id, i);
		assert_int_equal(tp_dict_frame(a, &f, &id), 0);
		assert_int_equal(id, i);
		assert_int_equal(push(a, (uint32_t)parent[i - 1], i), i);
		assert_int_equal(tp_dict_stack_at(a, i).depth, tp_dict_stack_at(b, i).depth);
		assert_int_equal(tp_dict_stack_root(a, i), tp_dict_stack_root(b, i));
		assert_true(tp_dict_stack_hash(a, i) == tp_dict_stack_hash(b, i));
	}
	assert_int_equal(push(a, 600, 1), 601);
	tp_dict_free(a);
	tp_dict_free(b);
}

/* Appending a path gives the same nodes as pushing its frames one by one, and look-ups find them. */
static void test_dict_append_path(void **state)
{
	struct tp_dict *a = tp_dict_new(), *b = tp_dict_new();

	(void)state;
	for (uint32_t i = 1; i <= 6; i++) {
		struct tp_frame f = {.line = i};
		uint32_t id;

		assert_int_equal(tp_dict_frame(a, &f, &id), 0);
		assert_int_equal(tp_dict_frame(b, &f, &id), 0);
	}
	for (uint32_t root = 1; root <= 5; root++) {
		uint32_t frames[] = {root, 2, 6, 9}, path[4], node = 0, second;

		assert_int_equal(tp_dict_append_path(a, 0, frames, 4, path), 0);
		assert_int_equal(tp_dict_append_path(a, path[1], frames, 1, path + 2), 0);
		second = push(b, push(b, 0, root), 2);
		for (size_t i = 2; i < 4; i++)
			node = push(b, i == 2 ? second : node, frames[i]);
		assert_int_equal(push(b, second, root), path[2]);
	}
	assert_int_equal(tp_dict_stacks(a), tp_dict_stacks(b));
	for (uint32_t i = tp_dict_stacks(a); i-- > 1;) {
		struct tp_stack_node n = tp_dict_stack_at(b, i);

		assert_int_equal(push(a, n.parent, n.frame), i);
		assert_int_equal(tp_dict_stack_at(a, i).depth, n.depth);
	}
	tp_dict_free(a);
	tp_dict_free(b);
}

static void test_dict_append_stacks_refuses(void **state)
{
	struct tp_dict *d = tp_dict_new();
	uint32_t f = frame(d, "main.main", "m.go", 1);

	(void)state;
	assert_int_equal(tp_dict_append_stacks(d, (int64_t[]){0, 2}, (int64_t[]){f, f}, 2),
			 TP_EFORMAT);
	assert_int_equal(tp_dict_append_stacks(d, (int64_t[]){-1}, (int64_t[]){f}, 1), TP_EFORMAT);
	assert_int_equal(tp_dict_append_stacks(d, (int64_t[]){0}, (int64_t[]){f + 1}, 1),
			 TP_EFORMAT);
	assert_int_equal(tp_dict_stacks(d), 1);
	assert_int_equal(tp_dict_append_stacks(d, (int64_t[]){0, 1}, (int64_t[]){f, f}, 2), 0);
	assert_int_equal(tp_dict_stack_nodes(d)[2].depth, 2);
	tp_dict_free(d);
}

/* Look-ups stay fast for frames whose fields depend on each other (the line equals the location's
 * id), so an input cannot choose frames that all collide. */
static void test_frames_that_could_meet(void **state)
{
	clock_t took[2];

	(void)state;
	for (int chosen = 0; chosen < 2; chosen++) {
		struct tp_dict *d = tp_dict_new();
		clock_t from = clock();

		for (uint32_t i = 1; i <= 40000; i++) {
			struct tp_frame f = {.location = i, .line = chosen ? i : 1};
			uint32_t id;

			assert_int_equal(tp_dict_frame(d, &f, &id), 0);
			assert_int_equal(id, i);
		}
		took[chosen] = clock() - from;
		tp_dict_free(d);
	}
	assert_true(took[1] < 20 * took[0] + CLOCKS_PER_SEC / 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_empty_entries),
	    cmocka_unit_test(test_string_same_id),
	    cmocka_unit_test(test_string_many),
	    cmocka_unit_test(test_every_field_counts),
	    cmocka_unit_test(test_stack_is_a_tree),
	    cmocka_unit_test(test_ids_out_of_range),
	    cmocka_unit_test(test_hash_is_of_content),
	    cmocka_unit_test(test_string_hash_pinned),
	    cmocka_unit_test(test_hash_of_bare_addresses),
	    cmocka_unit_test(test_dict_append_string_then_intern),
	    cmocka_unit_test(test_dict_stack_wide_parents),
	    cmocka_unit_test(test_dict_append_then_intern),
	    cmocka_unit_test(test_dict_append_path),
	    cmocka_unit_test(test_dict_append_stacks_refuses),
	    cmocka_unit_test(test_frames_that_could_meet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
