/* Which paths of a client lead to files, and none outside of the folder. */
#include "tprof-mcp/folder.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

static char outer[] = "/tmp/tprof-mcp-XXXXXX", root[PATH_MAX];

static void put(const char *path)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fclose(f), 0);
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(outer) || chdir(outer) || mkdir("in", 0700) || mkdir("inside", 0700) ||
	    mkdir("in/sub", 0700))
		return -1;
	put("secret");
	put("inside/secret");
	put("in/a.trace");
	put("in/top");
	put("in/-n5");
	put("in/sub/b.trace");
	return symlink("../secret", "in/link") || symlink("..", "in/up") ||
	       symlink("sub", "in/within") || mkfifo("in/pipe", 0600) || chdir("in") ||
	       !realpath(".", root);
}

static int teardown(void **state)
{
	static const char *const files[] = {
	    "a.trace", "top",  "-n5",	 "sub/b.trace", "link",
	    "up",      "pipe", "within", "../secret",	"../inside/secret"};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		unlink(files[i]);
	rmdir("sub");
	return chdir("/") || rmdir(root) || rmdir(strcat(strcpy(root, outer), "/inside")) ||
	       rmdir(outer);
}

static void test_folder_find(void **state)
{
	static const struct {
		const char *path, *found; /* "/…": below the folder, as a whole path */
		int code;
	} tests[] = {
	    {"a.trace", "a.trace", 0},
	    {"./sub//b.trace", "sub/b.trace", 0},
	    {"within/b.trace", "sub/b.trace", 0},
	    {"/a.trace", "a.trace", 0},
	    {"/", "./", 0},
	    {"", "./", 0},
	    {".", "./", 0},
	    {"sub", "./sub", 0},
	    {"top", "./top", 0},
	    {"-n5", "./-n5", 0},
	    {"nothing", NULL, TP_ENOENT},
	    {"a.trace/x", NULL, TP_ENOENT},
	    {"clickhouse://x/y", NULL, TP_ENOENT},
	    {"pipe", NULL, TP_EFORMAT},
	    {"link", NULL, TP_EFORMAT},
	    {"up/secret", NULL, TP_EFORMAT},
	    {"..", NULL, TP_EFORMAT},
	    {"../secret", NULL, TP_EFORMAT},
	    {"../nothing", NULL, TP_EFORMAT},
	    {"sub/../a.trace", NULL, TP_EFORMAT},
	    {"sub/../../secret", NULL, TP_EFORMAT},
	    {"/../secret", NULL, TP_EFORMAT},
	};
	static const char *const outside[] = {"/", "/etc/passwd", "/nothing", "//etc/passwd"};
	char whole[2 * PATH_MAX], found[PATH_MAX];
	struct tp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		snprintf(whole, sizeof(whole), "%s%s", *tests[i].path == '/' ? root : "",
			 tests[i].path);
		print_message("%s\n", tests[i].path);
		assert_int_equal(mcp_folder_find(whole, found, &err), tests[i].code);
		if (tests[i].found)
			assert_string_equal(found, tests[i].found);
	}
	for (size_t i = 0; i < sizeof(outside) / sizeof(outside[0]); i++)
		assert_int_equal(mcp_folder_find(outside[i], found, &err), TP_EFORMAT);
	/* A folder whose name only begins alike. */
	snprintf(whole, sizeof(whole), "%sside/secret", root);
	assert_int_equal(mcp_folder_find(whole, found, &err), TP_EFORMAT);
	assert_non_null(strstr(err.msg, "outside of the folder"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_folder_find)};

	return cmocka_run_group_tests(tests, setup, teardown);
}
