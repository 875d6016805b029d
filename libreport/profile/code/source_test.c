/* Tests which files the names in a dump lead to. */
#include "profile/code/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

/* in/a.go, in/sub/b.go, and secret beside in. */
static char dir[] = "/tmp/tprof-source-XXXXXX", in[64];

static const char *at(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static int put(const char *name)
{
	FILE *f = fopen(at(name), "w");

	return !f || fputs("text\n", f) < 0 || fclose(f);
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(in, sizeof(in), "%s/in", dir);
	return mkdir(in, 0700) || mkdir(at("in/sub"), 0700) || put("in/a.go") ||
	       put("in/sub/b.go") || put("secret");
}

static int teardown(void **state)
{
	(void)state;
	unlink(at("in/a.go"));
	unlink(at("in/sub/b.go"));
	unlink(at("secret"));
	return rmdir(at("in/sub")) || rmdir(in) || rmdir(dir);
}

static void test_source_stays_below_its_folders(void **state)
{
	static const struct {
		const char *name, *found; /* NULL: not found */
	} cases[] = {
	    {"a.go", "in/a.go"},
	    {"./sub//b.go", "in/sub/b.go"},
	    {"sub/../a.go", "in/a.go"},
	    {"nowhere/../a.go", "in/a.go"}, /* as pprof joins names */
	    {"..go", NULL},
	    {"..", NULL},
	    {"../secret", NULL},
	    {"../in/a.go", "in/a.go"}, /* everything up to "in" is cut off */
	    {"x/in/../secret", NULL},
	    {"x/../../secret", NULL},
	    {"sub/../../secret", NULL},
	    {"./../secret", NULL},
	    {"secret", "secret"}, /* in a folder above */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *name = cases[i].name;
		struct rep_source s;

		print_message("%s\n", name);
		rep_source_init(&s, in, NULL);
		assert_int_equal(
		    rep_source_open(&s, (struct tp_text){name, (uint32_t)strlen(name)}, NULL), 0);
		assert_int_equal(s.found.size != 0, cases[i].found != NULL);
		assert_int_equal(s.why[0] != 0, cases[i].found == NULL);
		if (cases[i].found)
			assert_string_equal((char *)s.found.data, at(cases[i].found));
		rep_source_release(&s);
	}
}

/* A name without its prefix must not lead out of the folders either; an absolute name is read as it
 * is. */
static void test_source_of_a_whole_name(void **state)
{
	struct tp_text out = {"/build/../secret", 16};
	struct rep_source s;
	const char *name = at("secret");

	(void)state;
	rep_source_init(&s, in, "/build");
	assert_int_equal(rep_source_open(&s, out, NULL), 0);
	assert_string_equal(s.why, "../secret leads out of the folders that are searched");
	assert_int_equal(rep_source_open(&s, (struct tp_text){name, (uint32_t)strlen(name)}, NULL),
			 0);
	assert_string_equal(s.why, "");
	rep_source_release(&s);
}

/* With `within`, only files below the searched folder are read: no whole name, no file of a folder above, and
 * nothing that a link leads to. */
static void test_source_within(void **state)
{
	static const char *const names[] = {"a.go", "secret", "link.go", NULL};
	char whole[4200];

	(void)state;
	snprintf(whole, sizeof(whole), "%s", at("secret"));
	assert_int_equal(symlink(whole, at("in/link.go")), 0);
	for (size_t i = 0; i < 4; i++) {
		const char *name = names[i] ? names[i] : whole;
		struct rep_source s;

		print_message("%s\n", name);
		rep_source_init(&s, in, NULL);
		s.within = true;
		assert_int_equal(
		    rep_source_open(&s, (struct tp_text){name, (uint32_t)strlen(name)}, NULL), 0);
		assert_int_equal(s.found.size != 0, i == 0);
		assert_int_equal(s.text.size != 0, i == 0);
		assert_int_equal(s.why[0] == 0, i == 0);
		rep_source_release(&s);
	}
	assert_int_equal(unlink(at("in/link.go")), 0);
}

/* Tests sources of Go by names from programs built with -trimpath or on other machines. */
static void test_source_of_go(void **state)
{
	static const char *const folders[] = {
	    "go",
	    "go/src",
	    "go/src/net",
	    "go/src/vendor",
	    "path",
	    "path/src",
	    "path/src/old",
	    "path/pkg",
	    "path/pkg/mod",
	    "path/pkg/mod/github.com",
	    "path/pkg/mod/github.com/!foo",
	    "path/pkg/mod/github.com/!foo/bar@v1.2.3-!r!c1",
	    "path/pkg/mod/github.com/!foo/bar@v1.2.3-!r!c1/Sub",
	    "app",
	    "app/cmd",
	    "app/vendor",
	    "app/vendor/example.org",
	    "app/vendor/example.org/Dep",
	};
	static const struct {
		const char *file;
		const char *names[5]; /* that lead to it */
	} cases[] = {
	    {"go/src/net/dial.go",
	     {"net/dial.go", "/usr/local/go/src/net/dial.go", "/usr/lib/go-1.27/src/net/dial.go",
	      "/r/pkg/mod/golang.org/toolchain@v0.0.1-go1.27.0.linux-amd64/src/net/dial.go"}},
	    {"go/src/vendor/v.go", {"vendor/v.go"}},
	    {"path/src/old/o.go", {"old/o.go", "/root/go/src/old/o.go"}},
	    {"path/pkg/mod/github.com/!foo/bar@v1.2.3-!r!c1/Sub/F.go",
	     {"github.com/Foo/bar@v1.2.3-RC1/Sub/F.go",
	      "/root/go/pkg/mod/github.com/!foo/bar@v1.2.3-!r!c1/Sub/F.go"}},
	    {"app/vendor/example.org/Dep/d.go",
	     {"example.org/Dep/d.go", "example.org/Dep@v1.0.0/d.go",
	      "/root/go/pkg/mod/example.org/!dep@v1.0.0/d.go",
	      "/build/shop/vendor/example.org/Dep/d.go",
	      "example.com/shop/vendor/example.org/Dep/d.go"}},
	    {"app/cart.go", {"example.com/shop/cart.go", "example.com/shop@v1.0.0/cart.go"}},
	    {NULL,
	     {"example.com/shopping/cart.go", "example.com/shop/../secret",
	      "github.com/foo/bar@v1.2.3-RC1/Sub/F.go", "/x/src/net/dial.go",
	      "/usr/local/go/src/../../secret"}},
	};
	const char *const files[] = {"go/src/net/dial.go",
				     "go/src/vendor/v.go",
				     "path/src/old/o.go",
				     "path/pkg/mod/github.com/!foo/bar@v1.2.3-!r!c1/Sub/F.go",
				     "app/vendor/example.org/Dep/d.go",
				     "app/cart.go",
				     "app/go.mod"};
	const size_t n = sizeof(folders) / sizeof(folders[0]);
	char root[128], path[160], program[128];
	FILE *mod;

	(void)state;
	for (size_t i = 0; i < n; i++)
		assert_int_equal(mkdir(at(folders[i]), 0700), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		assert_int_equal(put(files[i]), 0);
	mod = fopen(at("app/go.mod"), "w");
	assert_non_null(mod);
	fputs("// the shop\nmodule \"example.com/shop\" // sells\n\ngo 1.27\n", mod);
	assert_int_equal(fclose(mod), 0);
	snprintf(root, sizeof(root), "%s", at("go"));
	snprintf(path, sizeof(path), "/nowhere:%s", at("path"));
	snprintf(program, sizeof(program), "%s", at("app/cmd/shop"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (size_t k = 0; k < 5 && cases[i].names[k]; k++) {
			const char *name = cases[i].names[k];
			struct rep_source s;

			print_message("%s\n", name);
			rep_source_init(&s, in, NULL);
			s.go = (struct rep_go_places){.goroot = root, .gopath = path};
			s.program = program;
			assert_int_equal(
			    rep_source_open(&s, (struct tp_text){name, (uint32_t)strlen(name)},
					    NULL),
			    0);
			assert_int_equal(s.found.size != 0, cases[i].file != NULL);
			assert_int_equal(s.why[0] != 0, cases[i].file == NULL);
			if (cases[i].file)
				assert_string_equal((char *)s.found.data, at(cases[i].file));
			rep_source_release(&s);
		}
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		unlink(at(files[i]));
	for (size_t i = n; i-- > 0;)
		assert_int_equal(rmdir(at(folders[i])), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_source_stays_below_its_folders),
	    cmocka_unit_test(test_source_of_a_whole_name),
	    cmocka_unit_test(test_source_within),
	    cmocka_unit_test(test_source_of_go),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
