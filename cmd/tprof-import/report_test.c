/* Writing, adding up and refusing reports of imports. */
#include "tprof-import/paths.c"
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
	struct report
	    a = {.tally = {.dumps = 3, .imported = 2, .failed = 1, .bytes = 1000, .read = 1500}},
	    b = {0};
	struct cmd cmd = CMD_INIT("tprof-import");
	struct tp_err err;

	(void)state;
	tp_err_set(&err, TP_EFORMAT, TP_OFFSET_NONE, "no\nsense");
	assert_int_equal(report_add(&a, &cmd, "d/a\tb\n", &err), CMD_INPUT);
	tp_err_set(&err, TP_EIO, TP_OFFSET_NONE, "Is a directory");
	assert_int_equal(report_add(&a, &cmd, "d/e", &err), CMD_SYSTEM);
	assert_int_equal(report_add_loss(&a, "d/cut\n"), 0);
	assert_int_equal(report_add_other(&a, "d/README"), 0);
	assert_int_equal(report_write(&a, "r", &err), 0);
	assert_int_equal(report_read(&b, "r", &err), 0);
	assert_int_equal(report_read(&b, "r", &err), 0);
	assert_int_equal(b.tally.dumps, 6);
	assert_int_equal(b.tally.imported, 4);
	assert_int_equal(b.tally.bytes, 2000);
	assert_int_equal(b.tally.read, 3000);
	assert_int_equal(b.worst, CMD_SYSTEM);
	assert_int_equal(b.failures.size, 2 * a.failures.size);
	assert_memory_equal(b.failures.data, "failure 3 d/a\\tb\\n: no\\nsense", 28);
	assert_int_equal(b.losses.size, 2 * a.losses.size);
	assert_memory_equal(b.losses.data, "loss d/cut\\n\nloss ", 17);
	assert_memory_equal(b.others.data, "other d/README\n", 15);
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
	    {"loss x\nother y z\n", 0},
	    {"loss x", TP_EFORMAT},
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

/* Long lists of names are cut, and the number of names left out is returned. */
static void test_report_names(void **state)
{
	static const struct {
		size_t n;
		const char *first, *last;
		size_t more;
	} cases[] = {{1, "n0", "n0", 0}, {10, "n0, n1", "n8, n9", 0}, {11, "n0, n1", "n8, n9", 1}};
	struct report r = {0};
	char text[480], name[700];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		r.others.size = 0;
		for (size_t k = 0; k < cases[i].n; k++) {
			snprintf(name, sizeof(name), "n%zu", k);
			assert_int_equal(report_add_other(&r, name), 0);
		}
		assert_int_equal(list_names(&r.others, other_word, text, sizeof(text)),
				 cases[i].more);
		assert_int_equal(strncmp(text, cases[i].first, strlen(cases[i].first)), 0);
		assert_string_equal(text + strlen(text) - strlen(cases[i].last), cases[i].last);
	}
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	r.others.size = 0;
	assert_int_equal(report_add_other(&r, name), 0);
	assert_int_equal(report_add_other(&r, "short"), 0);
	assert_int_equal(list_names(&r.others, other_word, text, sizeof(text)), 1);
	assert_string_equal(text, "short");
	report_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_report_adds_up),
	    cmocka_unit_test(test_report_read_others),
	    cmocka_unit_test(test_report_names),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
