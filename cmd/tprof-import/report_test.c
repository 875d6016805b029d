/* Reports of imports: written, added up, and refused. */
#include "tprof-import/report.c"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static char folder[] = "/tmp/tprof-report-XXXXXX";

static int setup(void **state)
{
	(void)state;
	return mkdtemp(folder) ? chdir(folder) : -1;
}

static int teardown(void **state)
{
	char command[80];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return chdir("/") || system(command);
}

static void test_report_adds_up(void **state)
{
	struct report a = {.tally = {.dumps = 3, .imported = 2, .failed = 1, .bytes = 1000}},
		      b = {0};
	struct cmd cmd = CMD_INIT("tprof-import");
	struct tp_err err;

	(void)state;
	tp_err_set(&err, TP_EFORMAT, TP_OFFSET_NONE, "no\nsense");
	assert_int_equal(report_add(&a, &cmd, "d/a\tb\n", &err), CMD_INPUT);
	tp_err_set(&err, TP_EIO, TP_OFFSET_NONE, "Is a directory");
	assert_int_equal(report_add(&a, &cmd, "d/e", &err), CMD_SYSTEM);
	assert_int_equal(report_write(&a, "r", &err), 0);
	assert_int_equal(report_read(&b, "r", &err), 0);
	assert_int_equal(report_read(&b, "r", &err), 0);
	assert_int_equal(b.tally.dumps, 6);
	assert_int_equal(b.tally.imported, 4);
	assert_int_equal(b.tally.bytes, 2000);
	assert_int_equal(b.worst, CMD_SYSTEM);
	assert_int_equal(b.failures.size, 2 * a.failures.size);
	assert_memory_equal(b.failures.data, "failure 3 d/a\\tb\\n: no\\nsense", 28);
	report_release(&a);
	report_release(&b);
}

static void test_report_read_others(void **state)
{
	static const struct {
		const char *text;
		int code;
	} cases[] = {
	    {"", 0},
	    {"dumps 1\nlater 7\n", 0},
	    {"dumps 1", TP_EFORMAT},
	    {"dumps\n", TP_EFORMAT},
	    {"dumps \n", TP_EFORMAT},
	    {"dumps -1\n", TP_EFORMAT},
	    {"dumps 99999999999999999999999\n", TP_EFORMAT},
	    {"failure 3 x\n", 0},
	    {"failure 9 x\n", TP_EFORMAT},
	    {"failure 0 x\n", TP_EFORMAT},
	    {"failure 3x\n", TP_EFORMAT},
	    {"failure \n", TP_EFORMAT},
	    {"SQLite format 3", TP_EFORMAT},
	};
	struct tp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct report r = {0};
		FILE *f = fopen("other", "w");

		fputs(cases[i].text, f);
		fclose(f);
		assert_int_equal(report_read(&r, "other", &err), cases[i].code);
		report_release(&r);
	}
	assert_int_equal(report_read(&(struct report){0}, "none", &err), TP_ENOENT);
	assert_int_equal(report_read(&(struct report){0}, "/", &err), TP_EFORMAT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_report_adds_up),
	    cmocka_unit_test(test_report_read_others),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
