#include "profile/demangle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const struct {
	const char *name, *shown; /* as pprof prints it by default */
	const char *templates;	  /* NULL: the same */
	bool library;		  /* libstdc++ reads it */
} names[] = {
    /* not mangled */
    {"main.main", "main.main", NULL, false},
    {"main.(*List[go.shape.int]).Push", "main.(*List[go.shape.int]).Push", NULL, false},
    {"main.Map[int].func1", "main.Map[int].func1", NULL, false},
    /* Generic methods (go 1.27), which pprof takes for C++. */
    {"main.(*A).Fill[go.shape.int64]", "main.(*A).Fill[go.shape.int64]", NULL, false},
    {"main.(*A).Fill[...]", "main.(*A).Fill[...]", NULL, false},
    {"main.(*A).Fill[...].func1", "main.(*A).Fill[...].func1", NULL, false},
    {"main.(*A).Fill[...]-fm", "main.(*A).Fill[...]-fm", NULL, false},
    {"main.A.Fill[go.shape.int64]-range1", "main.A.Fill[go.shape.int64]-range1", NULL, false},
    {"example.com/a-b/c%2ed.(*A).f[main.P[int]]", "example.com/a-b/c%2ed.(*A).f[main.P[int]]", NULL,
     false},
    {"main.f.(*A).g[int].func2", "main.f.(*A).g[int].func2", NULL, false},
    {"main.Map[func(int) string]", "main.Map[func(int) string]", NULL, false},
    {"main.Each[go.shape.interface { M(int) },<-chan int]",
     "main.Each[go.shape.interface { M(int) },<-chan int]", NULL, false},
    /* and names that are not Go's */
    {"f[abi:cxx11](int)", "f[abi:cxx11]", NULL, false},
    {"a.b[c](int)", "a.b[c]", NULL, false},
    {"f(int) [clone .isra.0]", "f [clone .isra.0]", NULL, false},
    {"f(std.x*) [clone .isra.0]", "f [clone .isra.0]", NULL, false},
    {"System.List`1[System.Int32].Add(int)", "System.List`1[System.Int32].Add", NULL, false},
    {"com.example.A.f(String[])", "com.example.A.f", NULL, false},
    {"main.(*A).f[int", "main..f[int", NULL, false},
    {"java.util.ArrayList.<init>", "java.util.ArrayList.<init>", NULL, false},
    {"com.example.App$$Lambda$14/0x08.run", "com.example.App$$Lambda$14/0x08.run", NULL, false},
    {"handler(Request const&)", "handler(Request const&)", NULL, false},
    {"[kernel.kallsyms]", "[kernel.kallsyms]", NULL, false},
    {"_start", "_start", NULL, false},
    {"_Znothing", "_Znothing", NULL, false},
    /* demangled in the dump */
    {"std::vector<int>::push_back(int const&)", "std::vector::push_back",
     "std::vector<int>::push_back", false},
    {"foo::bar(int) const", "foo::bar const", NULL, false},
    {"foo::operator->()", "foo::operator->", NULL, false},
    {"a(b)::c(d)>e", "a::c>e", NULL, false},
    {"a::b((c)", "a::b((c)", NULL, false},
    {"f<(a>b)", "f<", NULL, false},
    /* Rust */
    {"_ZN4core3fmt9Formatter3new17h0123456789abcdefE", "core::fmt::Formatter::new", NULL, false},
    {"_ZN3std2rt10lang_start28_$u7b$$u7b$closure$u7d$$u7d$17hbe8e5d1c2f3a4b60E.llvm.123",
     "std::rt::lang_start::{{closure}}", NULL, false},
    {"_ZN70_$LT$alloc..vec..Vec$LT$T$C$A$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop"
     "17h1f2e3d4c5b6a7988E",
     "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop", NULL, false},
    {"_ZN3std3sys9backtrace28__rust_begin_short_backtrace17h0123456789abcdefE",
     "std::sys::backtrace::__rust_begin_short_backtrace", NULL, false},
    /* Rust's new mangling */
    {"core::ops::FnOnce::call_once::h1f2e3d4c5b6a7988", "core::ops::FnOnce::call_once", NULL,
     false},
    {"<a::B<T> as c::D>::f::h1f2e3d4c5b6a7988", "<a::B<T> as c::D>::f", NULL, false},
    {"a::h1111111111111111", "a::h1111111111111111", NULL, false}, /* no hash */
    {"_RNvCs6GmmlP4bgsG_1r4main", "r::main", NULL, false},
    {"__RNvCs6GmmlP4bgsG_1r4main.llvm.7", "r::main", NULL, false},
    {"_RNvXCs6GmmlP4bgsG_1rNtB2_2SqNtB2_5Shape4grow", "<r::Sq as r::Shape>::grow", NULL, false},
    {"_RNCINvNtCsjrHSEGnQ3l9_3std2rt10lang_startuE0Cs6GmmlP4bgsG_1r",
     "std::rt::lang_start::<>::{closure#0}", "std::rt::lang_start::<()>::{closure#0}", false},
    {"_RNvNCNvC1a1b04name", "a::b::{closure#0}::name", NULL, false},
    {"_RNvMs3_C1aINtB5_3VechE1f", "<a::Vec<>>::f", "<a::Vec<u8>>::f", false},
    {"_RNvYpNtC1a1T1f", "<_ as a::T>::f", NULL, false},
    {"_RNvMC1aDINtB2_1ThEp4ItemhEL_1f", "<dyn a::T<, Item = u8>>::f",
     "<dyn a::T<u8, Item = u8>>::f", false},
    {"_RNSC1as_4shim", "a::{shim:shim#1}", NULL, false},
    {"_RINvC1a1fFG_RL0_hDG_INtC1a1TRL0_eKj4_Ep4ItemtEL0_EuAhj10_TaEQhOPbE", "a::f::<>",
     "a::f::<for<'a> fn(&'a u8, dyn for<'b> a::T<&'b str, 4, Item = u16> + 'a), [u8; 16], (i8,), "
     "&mut u8, *mut *const bool>",
     false},
    {"_RINvC1a1fFUKCvEzFK8sys_wideEbKb1_Kc27_Kc5d0_Kanf_KpKo123456789abcdef01_KpE", "a::f::<>",
     "a::f::<unsafe extern \"C\" fn(...) -> !, extern \"sys-wide\" fn() -> bool, true, '\\'', "
     "'\\u{5d0}', -15, _, 0x123456789abcdef01, _>",
     false},
    {"_RNqC11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
     "utf8_idents::\u10e1\u10d0\u10ed\u10db\u10d4\u10da\u10d0\u10d3_"
     "\u10d2\u10d4\u10db\u10e0\u10d8\u10d4\u10da\u10d8_\u10e1\u10d0\u10d3\u10d8\u10da\u10d8",
     NULL, false},
    {"_RNvC1a9long", "_RNvC1a9long", NULL, false},		     /* cut */
    {"_RC0", "_RC0", NULL, false},				     /* nothing */
    {"_Reset", "_Reset", NULL, false},				     /* a name in C */
    {"_RNvB_1a", "_RNvB_1a", NULL, false},			     /* it would never end */
    {"_RMIC1aFGzzzzzzz_EuEu", "_RMIC1aFGzzzzzzz_EuEu", NULL, false}, /* 3.5e12 lifetimes */
    {"_RNvC1au3a_0", "_RNvC1au3a_0", NULL, false},		     /* not punycode */
    /* C++ */
    {"_Z1fv", "f", NULL, true},
    {"__Z1fv", "f", NULL, true},
    {"_ZN3foo3barEi.isra.0.constprop.1", "foo::bar", NULL, true},
    {"_ZNK3BoxIiE3getEv", "Box::get", "Box<int>::get", true},
    {"_ZN3BoxIiE2asIlEET_S2_", "Box::as", "Box<int>::as<long>", true},
    {"_ZN3BoxIiEcvSsEv", "Box::operator std::string", "Box<int>::operator std::string", true},
    {"_ZN3BoxIiEclEi", "Box::operator()", "Box<int>::operator()", true},
    {"_ZltIiEbT_S0_", "operator<", "operator< <int>", true},
    {"_ZlsIiEbT_S0_", "operator<<", "operator<< <int>", true},
    {"_ZN12_GLOBAL__N_16hiddenEi", "(anonymous namespace)::hidden", NULL, true},
    {"_ZZ5locali"
     "ENKUliE_clEi",
     "local()::{lambda(int)#1}::operator()", NULL, true},
    {"_ZTV3BoxIiE", "vtable for Box", "vtable for Box<int>", true},
    {"_ZThn8_N1A1fEi", "non-virtual thunk to A::f(int)", NULL, true},
};

static void check(const char *name, enum rep_demangle how, const char *expected)
{
	struct tp_buf out = {0};

	assert_int_equal(
	    rep_demangle_name((struct tp_text){name, (uint32_t)strlen(name)}, how, &out), 0);
	assert_int_equal(tp_buf_put(&out, "", 1), 0);
	assert_string_equal((char *)out.data, expected);
	tp_buf_release(&out);
}

static bool have_library(void)
{
	struct tp_buf out = {0};
	bool have;

	assert_int_equal(rep_demangle_name((struct tp_text){"_Z1fv", 5}, REP_DEMANGLE_FULL, &out),
			 0);
	have = out.size == 3;
	tp_buf_release(&out);
	return have;
}

static void test_demangle_name(void **state)
{
	bool have = have_library();

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		check(names[i].name, REP_DEMANGLE_NONE, names[i].name);
		if (names[i].library && !have) {
			check(names[i].name, REP_DEMANGLE_DEFAULT, names[i].name);
			continue;
		}
		check(names[i].name, REP_DEMANGLE_DEFAULT, names[i].shown);
		check(names[i].name, REP_DEMANGLE_TEMPLATES,
		      names[i].templates ? names[i].templates : names[i].shown);
	}
}

/* Sixty doublings of a type would need more memory than any machine has. */
static void test_demangle_name_explosion(void **state)
{
	char name[2048] = "_Z1fSt4pairIiiE";
	size_t n = strlen(name);

	(void)state;
	for (int i = 0; i < 60; i++)
		n += (size_t)snprintf(name + n, sizeof(name) - n, "St4pairIS%c_S%c_E",
				      i < 10 ? '0' + i : 'A' + (i - 10) % 26,
				      i < 10 ? '0' + i : 'A' + (i - 10) % 26);
	check(name, REP_DEMANGLE_FULL, name);
}

static void test_profile_demangle(void **state)
{
	static const struct {
		const char *name, *system, *shown;
	} rows[] = {
	    {"std::vector<int>::f()", "std::vector<int>::f()", "std::vector::f"},
	    {"std::vector<int>::f()", "other", "std::vector<int>::f()"},
	    {"", "a::b()", "a::b"},
	    {"", "plain", "plain"},
	    {"named", "", "named"},
	};
	struct tp_profile *p = tp_profile_new();
	struct tp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tp_function f = {.start_line = (int64_t)i};
		uint32_t id;

		assert_int_equal(
		    tp_dict_string(p->dict, rows[i].name, strlen(rows[i].name), &f.name), 0);
		assert_int_equal(
		    tp_dict_string(p->dict, rows[i].system, strlen(rows[i].system), &f.system_name),
		    0);
		assert_int_equal(tp_dict_function(p->dict, &f, &id), 0);
		assert_int_equal(id, i + 1);
	}
	assert_int_equal(rep_profile_demangle(p, REP_DEMANGLE_DEFAULT, &err), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(
		    tp_dict_text(p->dict, tp_dict_function_at(p->dict, (uint32_t)i + 1).name).text,
		    rows[i].shown);
	tp_profile_free(p);
}

/* Each type holds the one before three times. */
static void test_demangle_name_explosion_rust(void **state)
{
	char name[2048] = "_RIC1aTuuE";
	size_t n = strlen(name), last = 4, at;
	static const char digits[] =
	    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

	(void)state;
	for (int i = 0; i < 60; i++) {
		size_t k = last - 1;
		char place[3] = {digits[k / 62], digits[k % 62], '\0'};

		at = n - 2;
		n += (size_t)snprintf(name + n, sizeof(name) - n, "TB%s_B%s_B%s_E", place, place,
				      place);
		last = at;
	}
	snprintf(name + n, sizeof(name) - n, "E");
	check(name, REP_DEMANGLE_FULL, name);
	/* Nested more deeply than anything real. */
	n = (size_t)snprintf(name, sizeof(name), "_RIC1a");
	memset(name + n, 'S', 1500);
	snprintf(name + n + 1500, sizeof(name) - n - 1500, "uE");
	check(name, REP_DEMANGLE_FULL, name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_demangle_name),
	    cmocka_unit_test(test_demangle_name_explosion),
	    cmocka_unit_test(test_demangle_name_explosion_rust),
	    cmocka_unit_test(test_profile_demangle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
