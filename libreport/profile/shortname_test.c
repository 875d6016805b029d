#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "profile/graph.h"

static const struct {
	const char *name, *want;
} names[] = {
    {"", ""},
    {"main", "main"},
    {"main.main", "main.main"},
    {"(anonymous namespace)::f", "f"},
    {"foo/bar.F", "bar.F"},
    {"github.com/a/b.(*T).M", "b.(*T).M"},
    {"github.com/a/b/v2.F", "b.F"},
    {"github.com/a/b/v2/c.F", "c.F"},
    {"github.com/a/b/v1/c.F", "c.F"},
    {"example.com/m/v10.F", "m.F"},
    {"example.com/m/v1.F", "v1.F"},
    {"example.com/m/v02.F", "v02.F"},
    {"a/b", "a/b"},
    {"a/b.", "a/b."},
    {"a/.b", "a/.b"},
    {"a.b/c/d", "a.b/c/d"},
    {"x y/z.F", "x y/z.F"},
    {"a//b.F", "/b.F"},
    {"a/b.F/c.d", "c.d"},
    {"github.com/p/q.F[github.com/r/s.T]", "q.F[github.com/r/s.T]"},
    {"java.lang.Object.<init>", "Object.<init>"},
    {"java.util.List.get(int)", "List.get"},
    {"com.google.Foo$Bar.run$1", "Foo$Bar.run$1"},
    {"com.google.foo", "com.google.foo"},
    {"Foo.bar:", "Foo.bar:"},
    {"std::vector::push", "std::vector::push"},
    {"ns::Class::method", "Class::method"},
    {"a::b::Class::~Class", "Class::~Class"},
    {"a::_Foo::f<int>(x)", "_Foo::f<int>"},
    {"a::Foo::f<int> >(x)", "Foo::f<int> >"},
    {"a::Foo::Bar::f(int)", "Bar::f"},
    {"a::Foo::Bar::1", "Foo::Bar"},
    {"Foo::f", "Foo::f"},
};

static void test_shortname_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct tp_buf b = {0};

		assert_int_equal(rep_function_short(names[i].name, strlen(names[i].name), &b), 0);
		assert_int_equal(tp_buf_put(&b, "", 1), 0);
		assert_string_equal((char *)b.data, names[i].want);
		tp_buf_release(&b);
	}
}

/* Names on which a backtracking matcher would take forever. */
static void test_shortname_long(void **state)
{
	size_t n = 4000000;
	char *name = malloc(n);
	struct tp_buf b = {0};

	(void)state;
	assert_non_null(name);
	for (size_t i = 0; i < n; i++)
		name[i] = "a/"[i % 2];
	assert_int_equal(rep_function_short(name, n, &b), 0);
	assert_int_equal(b.size, n);
	b.size = 0;
	for (size_t i = 0; i < n; i++)
		name[i] = "A::"[i % 3];
	assert_int_equal(rep_function_short(name, n, &b), 0);
	b.size = 0;
	for (size_t i = 0; i < n; i++)
		name[i] = "/v1"[i % 3];
	assert_int_equal(rep_function_short(name, n, &b), 0);
	tp_buf_release(&b);
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_shortname_cases),
	    cmocka_unit_test(test_shortname_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
