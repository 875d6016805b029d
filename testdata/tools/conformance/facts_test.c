#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* A command's own code is in no library: the test brings it along. */
#include "conformance/facts.c"

static const char sample[] =
    "{\"events\":3,\"reader\":\"go1.27\",\"tolerance_ns\":10,\"mmu\":{\"stw\":{\"1ms\":0.5}},"
    "\"kinds\":{\"Log\":2},\"transitions\":{\"G Running->Waiting\":1},"
    "\"goroutines\":[{\"ID\":7,\"Name\":\"main.f\",\"Exec\":100,\"Block\":{\"chan "
    "receive\":5,\"\":0},"
    "\"Range\":{}}],\"tasks\":[{\"ID\":1,\"Complete\":true,\"Dur\":50}]}";

static struct facts *take_sample(void)
{
	struct tp_err err = {0};
	struct facts *f;

	assert_int_equal(facts_new(&f, &err), 0);
	assert_int_equal(facts_take_json(f, sample, sizeof(sample) - 1, &err), 0);
	return f;
}

static void put_right(struct facts *f)
{
	facts_put(f, FACTS_FOUND, 3, "events");
	facts_put(f, FACTS_FOUND, 2, "kind Log");
	facts_put(f, FACTS_FOUND, 1, "transition G Running->Waiting");
	facts_put(f, FACTS_FOUND, 7, "goroutine %d ID", 7);
	facts_put_text(f, FACTS_FOUND, "main.f", 6, "goroutine 7 Name");
	facts_put(f, FACTS_FOUND, 100, "goroutine 7 Exec");
	facts_put(f, FACTS_FOUND, 5, "goroutine 7 Block chan receive");
	facts_put(f, FACTS_FOUND, 1, "task 1 ID");
	facts_put(f, FACTS_FOUND, 1, "task 1 Complete");
	facts_put(f, FACTS_FOUND, 50, "task 1 Dur");
	facts_put_real(f, FACTS_FOUND, 0.5 + 1e-10, "mmu stw 1ms");
}

static int64_t differences(struct facts *f)
{
	struct facts_result r;
	struct tp_err err = {0};

	assert_int_equal(facts_compare(f, &r, 0, NULL, NULL, &err), 0);
	return r.differences;
}

static void test_compare_equal(void **state)
{
	struct facts *f = take_sample();
	struct facts_result r;
	struct tp_err err = {0};

	(void)state;
	put_right(f);
	facts_check(f, true, "holds");
	assert_int_equal(facts_compare(f, &r, 0, NULL, NULL, &err), 0);
	assert_int_equal(r.differences, 0);
	/* The sum of zero that only the expectation has counts, and so does the check. */
	assert_int_equal(r.compared, 13);
	facts_free(f);
}

static void test_compare_differences(void **state)
{
	static const struct {
		const char *name;
		int64_t value;
		int64_t differences;
	} cases[] = {
	    {"events", 4, 1},
	    {"kind Log", 3, 1},
	    {"kind Sync", 1, 1},	  /* not in the other list */
	    {"goroutine 7 Exec", 110, 0}, /* within the tolerance */
	    {"goroutine 7 Exec", 111, 1},
	    {"goroutine 7 ID", 8, 1}, /* no time: no tolerance */
	    {"goroutine 7 Block chan receive", 0, 0},
	    {"goroutine 7 Block sync", 0, 0}, /* no time for a reason: the same as none */
	    {"goroutine 7 Block sync", 1, 1},
	    {"task 1 Dur", 61, 1},
	    {"task 1 Complete", 0, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct facts *f = take_sample();

		put_right(f);
		/* In the place of the right one. */
		char *sql = sqlite3_mprintf("DELETE FROM found WHERE name = %Q", cases[i].name);

		run(f, sql);
		sqlite3_free(sql);
		facts_put(f, FACTS_FOUND, cases[i].value, "%s", cases[i].name);
		assert_int_equal(differences(f), cases[i].differences);
		facts_free(f);
	}
}

static void test_compare_missing_and_twice(void **state)
{
	struct facts *f = take_sample();

	(void)state;
	put_right(f);
	run(f, "DELETE FROM found WHERE name = 'goroutine 7 Name'");
	assert_int_equal(differences(f), 1);
	facts_put_text(f, FACTS_FOUND, "main.f", 6, "goroutine 7 Name");
	assert_int_equal(differences(f), 0);
	facts_put_text(f, FACTS_FOUND, "main.f", 6, "goroutine 7 Name");
	assert_int_equal(differences(f), 1);
	facts_check(f, false, "does not hold");
	assert_int_equal(differences(f), 2);
	facts_clear(f, FACTS_FOUND);
	put_right(f);
	assert_int_equal(differences(f), 0);
	facts_free(f);
}

static void test_take_json_unknown_fields(void **state)
{
	static const char json[] = "{\"events\":1,\"news\":{\"a\":1},\"list\":[1]}";
	struct tp_err err = {0};
	struct facts *f;

	(void)state;
	assert_int_equal(facts_new(&f, &err), 0);
	assert_int_equal(facts_take_json(f, json, sizeof(json) - 1, &err), 0);
	facts_put(f, FACTS_FOUND, 1, "events");
	assert_int_equal(differences(f), 2);
	assert_int_equal(facts_take_json(f, "{\"events\":", 10, &err), TP_ESTORE);
	facts_free(f);
}

static void test_put_text_as_json(void **state)
{
	static const char json[] = "{\"a\":\"x\xef\xbf\xbd\xef\xbf\xbdy\",\"b\":\"\xc5\xbe\"}";
	struct tp_err err = {0};
	struct facts *f;

	(void)state;
	assert_int_equal(facts_new(&f, &err), 0);
	assert_int_equal(facts_take_json(f, json, sizeof(json) - 1, &err), 0);
	facts_put_text(f, FACTS_FOUND, "x\xff\xc5y", 4, "a");
	facts_put_text(f, FACTS_FOUND, "\xc5\xbe", 2, "b");
	assert_int_equal(differences(f), 0);
	facts_free(f);
}

/* Every number but the tolerance can be altered, and every alteration shows. */
static void test_alter_every_number(void **state)
{
	struct facts *f = take_sample();
	struct tp_err err = {0};
	char path[200];
	int64_t n = 0;
	int code;

	(void)state;
	put_right(f);
	while ((code = facts_alter(f, n, 11, path, &err)) > 0) {
		if (!differences(f))
			fail_msg("%s", path);
		n++;
	}
	assert_int_equal(code, 0);
	assert_int_equal(n, 10);
	facts_free(f);
}

static void test_expects_top_level(void **state)
{
	struct facts *f = take_sample();
	int64_t value = 0;

	(void)state;
	assert_true(facts_expects(f, "events", &value));
	assert_int_equal(value, 3);
	assert_false(facts_expects(f, "error", &value));
	assert_string_equal(facts_expects_text(f, "reader"), "go1.27");
	assert_null(facts_expects_text(f, "whole"));
	facts_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_compare_equal),
	    cmocka_unit_test(test_compare_differences),
	    cmocka_unit_test(test_compare_missing_and_twice),
	    cmocka_unit_test(test_take_json_unknown_fields),
	    cmocka_unit_test(test_put_text_as_json),
	    cmocka_unit_test(test_alter_every_number),
	    cmocka_unit_test(test_expects_top_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
