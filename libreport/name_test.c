#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "name.h"

struct pair {
	const char *name, *want;
};

static const struct pair functions[] = {
    {"", ""},
    {"main.main", "main.main"},
    {"net/http.(*conn).serve", "net/http.(*conn).serve"},
    /* closures and what the compiler wraps around go and defer */
    {"main.f.func1", "main.f.func*"},
    {"main.f.func1.2", "main.f.func*"},
    {"main.f.func2", "main.f.func*"},
    {"main.f.func1.2.3", "main.f.func*"},
    {"main.f.func1.func2", "main.f.func*"},
    {"main.f.gowrap1", "main.f.func*"},
    {"main.f.func3.gowrap12", "main.f.func*"},
    {"main.f.deferwrap1", "main.f.func*"},
    {"main.f\xc2\xb7"
     "dwrap\xc2\xb7"
     "1",
     "main.f.func*"},
    {"main.f.func1.g.func2", "main.f.func*.g.func*"},
    {"main.glob..func7", "main.init.func*"},
    {"main.init.func7", "main.init.func*"},
    {"main.glob..func7.1", "main.init.func*"},
    {"main.init.0", "main.init"},
    {"main.init.12.func1", "main.init.func*"},
    {"main.f-range1", "main.f-range*"},
    {"main.f.func1-range2", "main.f.func*"},
    {"main.(*T).run-fm", "main.(*T).run"},
    {"main.(*T).run\xc2\xb7"
     "fm",
     "main.(*T).run"},
    /* names that only look like it */
    {"main.func1st", "main.func1st"},
    {"main.f.function1", "main.f.function1"},
    {"main.func", "main.func"},
    {"main.f-ranger", "main.f-ranger"},
    /* type arguments */
    {"main.Map[go.shape.int_0]", "main.Map[...]"},
    {"main.Map[go.shape.int,go.shape.struct { F []int }]", "main.Map[...]"},
    {"main.Map[...]", "main.Map[...]"},
    {"main.(*List[go.shape.string]).Push", "main.(*List[...]).Push"},
    {"main.Map[go.shape.int].func1", "main.Map[...].func*"},
    {"main.Map[main.Pair[int]].f", "main.Map[...].f"},
    {"type:.eq.[2]string", "type:.eq.[2]string"},
    {"f[16]", "f[16]"},
    {"operator[]", "operator[]"},
    {"main.Map[open", "main.Map[open"},
    {"main.(*A).Fill[go.shape.int64]", "main.(*A).Fill[...]"},
    /* allocators for a size class */
    {"runtime.mallocgcSmallNoScanSC1", "runtime.mallocgcSmallNoscan"},
    {"runtime.mallocgcSmallNoscan", "runtime.mallocgcSmallNoscan"},
    {"runtime.mallocgcSmallScanNoHeaderSC12", "runtime.mallocgcSmallScanNoHeader"},
    {"runtime.mallocgcTinySC2", "runtime.mallocgcTiny"},
    {"runtime.mallocgcSmallNoScanSC", "runtime.mallocgcSmallNoScanSC"},
    {"runtime.mallocgcTinySC2x", "runtime.mallocgcTinySC2x"},
    {"runtime.mallocgcTinySlowPath", "runtime.mallocgcTinySlowPath"},
    {"main.mallocgcTinySC2", "main.mallocgcTinySC2"},
    /* modules */
    {"example.com/app/vendor/golang.org/x/net/http2.f", "golang.org/x/net/http2.f"},
    {"vendor/golang.org/x/net/http2.f", "golang.org/x/net/http2.f"},
    {"example.com/a@v1.2.3/b.f", "example.com/a/b.f"},
    {"github.com/x/y/v2.f", "github.com/x/y.f"},
    {"github.com/x/y/v12/z.(*T).f", "github.com/x/y/z.(*T).f"},
    {"k8s.io/api/core/v1.(*Pod).Size", "k8s.io/api/core/v1.(*Pod).Size"},
    {"gopkg.in/yaml%2ev3.Marshal", "gopkg.in/yaml.v3.Marshal"},
    {"example.com/vendors/a.f", "example.com/vendors/a.f"},
    /* calling conventions, clones, hashes */
    {"runtime.memmove.abi0", "runtime.memmove"},
    {"runtime.f.abiinternal", "runtime.f"},
    {"core::fmt::write::h0123456789abcdef", "core::fmt::write"},
    {"core::fmt::write::h0123456789abcde", "core::fmt::write::h0123456789abcde"},
    {"core[0123456789abcdef]::fmt::write", "core::fmt::write"},
    {"a::b::{closure#3}", "a::b::{closure#*}"},
    {"a::b::{{closure}}::h0123456789abcdef", "a::b::{{closure}}"},
    {"f.llvm.1234567890123456789", "f"},
    {"f.isra.0", "f"},
    {"f.part.1.cold", "f"},
    {"f.constprop.0.isra.0.cold.12", "f"},
    {"f(int) [clone .isra.0]", "f(int)"},
    {"f(int) [clone .isra.0] [clone .cold]", "f(int)"},
    {"g::{lambda(int)#2}::operator()(int) const", "g::{lambda(int)#*}::operator()(int) const"},
    {".cold", ".cold"},
    {"[", "["},
    {"]", "]"},
};

static const struct pair files[] = {
    {"/usr/local/go/src/runtime/proc.go", "runtime/proc.go"},
    {"/usr/share/go-1.27/src/runtime/proc.go", "runtime/proc.go"},
    {"/opt/go1.22.1/src/runtime/proc.go", "runtime/proc.go"},
    {"/home/u/go/pkg/mod/golang.org/x/net@v0.1.0/http2/a.go", "golang.org/x/net/http2/a.go"},
    {"/src/app/vendor/golang.org/x/net/http2/a.go", "golang.org/x/net/http2/a.go"},
    {"example.com/a/v2@v2.0.1/b.go", "example.com/a/b.go"},
    {"example.com/v2/v3/b.go", "example.com/b.go"},
    {"/src/a.func1", "/src/a.func1"},
    {"main.go", "main.go"},
};

static void check(enum rep_name_kind kind, const struct pair *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct tp_buf b = {0};

		/* Its own canonical form, too. */
		for (int twice = 0; twice < 2; twice++) {
			const char *from = twice ? p[i].want : p[i].name;

			b.size = 0;
			assert_int_equal(rep_name_canonical(&b, kind, from, strlen(from)), 0);
			assert_int_equal(tp_buf_put(&b, "", 1), 0);
			assert_string_equal((char *)b.data, p[i].want);
		}
		tp_buf_release(&b);
	}
}

static void test_name_functions(void **state)
{
	(void)state;
	check(REP_NAME_FUNCTION, functions, sizeof(functions) / sizeof(functions[0]));
}

static void test_name_files(void **state)
{
	(void)state;
	check(REP_NAME_FILE, files, sizeof(files) / sizeof(files[0]));
}

/* Whatever the bytes, it ends, in time, and is never longer. */
static void test_name_hostile(void **state)
{
	static const char *const pieces[] = {".func1", "@v1",  "[",	  "a[",	   "]",	   "/v2/",
					     "%2e",    "go1.", "vendor/", ".cold", "\xff", "::h01"};
	enum { SIZE = 1 << 20 };
	char *text = malloc(SIZE);
	struct tp_buf b = {0};

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		size_t n = strlen(pieces[i]);

		for (size_t at = 0; at < SIZE; at++)
			text[at] = pieces[i][at % n];
		b.size = 0;
		assert_int_equal(rep_name_canonical(&b, REP_NAME_FUNCTION, text, SIZE), 0);
		assert_true(b.size <= SIZE);
		b.size = 0;
		assert_int_equal(rep_name_canonical(&b, REP_NAME_FILE, text, SIZE), 0);
		assert_true(b.size <= SIZE);
	}
	tp_buf_release(&b);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_name_functions),
	    cmocka_unit_test(test_name_files),
	    cmocka_unit_test(test_name_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
