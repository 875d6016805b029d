#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tprof-record/convert/names/names_demangle.h"

/* As the C++ runtime writes them, and as they are shown. */
static void test_shorten(void **state)
{
	static const struct {
		const char *said, *shown;
	} cases[] = {
	    {"worker(int)", "worker"},
	    {"ns::Class<int (*)(char)>::method(long) const", "ns::Class<int (*)(char)>::method"},
	    {"(anonymous namespace)::run()", "(anonymous namespace)::run"},
	    {"run()::{lambda()#1}::operator()() const", "run()::{lambda()#1}"},
	    {"A::f(int) const::{lambda(int)#2}::operator()(int) const",
	     "A::f(int) const::{lambda(int)#2}"},
	    {"Functor::operator()(int)", "Functor::operator()"},
	    {"A::operator->() const", "A::operator->"},
	    {"core::fmt::write::h0123456789abcdef", "core::fmt::write"},
	    {"core::fmt::write::hxyz3456789abcdef", "core::fmt::write::hxyz3456789abcdef"},
	    {"_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$Drop$GT$::drop::h0123456789abcdef",
	     "_<alloc::vec::Vec<T> as Drop>::drop"},
	    {"(", "("},
	    {"", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[128];

		snprintf(text, sizeof(text), "%s", cases[i].said);
		rec_shorten(text);
		assert_string_equal(text, cases[i].shown);
	}
}

static void test_demangle(void **state)
{
	char text[64];

	(void)state;
	assert_false(rec_demangle("main", text, sizeof(text)));
	assert_false(rec_demangle("_Z", text, sizeof(text)));
	assert_false(rec_demangle("_ZN3fooEv!", text, sizeof(text)));
	/* Where there is no C++ runtime, nothing is read. */
	if (rec_demangle("_ZN2ns5Class6methodEi", text, sizeof(text)))
		assert_string_equal(text, "ns::Class::method");
	assert_false(rec_demangle("_ZN2ns5Class6methodEi", text, 8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_shorten),
	    cmocka_unit_test(test_demangle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
