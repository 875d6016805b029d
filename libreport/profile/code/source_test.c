/* Which files names of a dump lead to. */
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
		const char *name, *found; /* NULL: it is not */
	} cases[] = {
	    {"a.go", "in/a.go"},
	    {"./sub//b.go", "in/sub/b.go"},
	    {"sub/../a.go", "in/a.go"},
	    {"nowhere/../a.go", "in/a.go"}, /* as pprof joins names */
	    {"..go", NULL},
	    {"..", NULL},
	    {"../secret", NULL},
	    {"../in/a.go", "in/a.go"}, /* all up to "in" is cut off */
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

/* What a prefix is cut off may not lead out either; a whole name is read where it says. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_source_stays_below_its_folders),
	    cmocka_unit_test(test_source_of_a_whole_name),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
