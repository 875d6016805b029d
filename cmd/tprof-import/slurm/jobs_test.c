/* What Slurm's commands are given, and what is believed of what they say. */
#include "tprof-import/slurm/call.c"
#include "tprof-import/slurm/jobs.c"

#include <setjmp.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <cmocka.h>

static void test_job_bad_option(void **state)
{
	static const struct {
		const char *options, *want;
	} cases[] = {
	    {"", NULL},
	    {"--partition=a --time=1:00", NULL},
	    {"-p night -c 4\t--mem 4G\n", NULL},
	    {"-p night --array=1-3", "--array"},
	    {"--array 1-3", "--array"},
	    {"--dependency=afterok:1", "--dependency"},
	    {"  -a1-3", "-a1-3"},
	    {"-W", "-W"},
	    {"--wait", "--wait"},
	    {"--wait-all-nodes=1", NULL},
	    /* Shortened, as sbatch takes them. */
	    {"--arr=1-3", "--arr"},
	    {"--arr 1-3", "--arr"},
	    {"--depend=afterok:1", "--depend"},
	    {"--chd=/tmp", "--chd"},
	    {"-D/tmp", "-D/tmp"},
	    {"-D /tmp", "-D"},
	    {"-Hd afterok:1", "-Hd"},
	    {"-vHa1-3", "-vHa1-3"},
	    {"-pa", NULL},
	    {"-vpday", NULL},
	    {"-Q", "-Q"},
	    {"--quie", "--quie"},
	    {"--mem=4G --wait-all-nodes=1 -v --exclusive --nice=3", NULL},
	    {"--verb --array=1-3", "--array"},
	    {"--hol -d afterok:1", "-d"},
	    {"--hol batch", "batch"},
	    {"--part --array --hol", NULL},
	    {"--part night --verb --mem 4G", NULL},
	    /* What is not known here may have a value, but not one of these. */
	    {"--new-one night --mem 4G", NULL},
	    {"--new-one --array=1-3", "--array"},
	    {"-Z -Hd afterok:1", "-Hd"},
	    {"--new-one night batch", "batch"},
	    {"--re day --exc batch", NULL},
	    /* What is a value is none. */
	    {"--comment --array -J -a", NULL},
	    {"-J --array --comment=-W", NULL},
	    /* What sbatch would take for the script, or the end of its options. */
	    {"batch", "batch"},
	    {"-p day batch", "batch"},
	    {"--partition=day batch", "batch"},
	    {"-H batch", "batch"},
	    {"--exclusive batch", "batch"},
	    {"-p day --", "--"},
	    {"-N1 : -N2", ":"},
	    {"-", "-"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *got = job_bad_option(cases[i].options);

		if (cases[i].want)
			assert_string_equal(got, cases[i].want);
		else
			assert_null(got);
	}
}

static void test_jobs_read_and_write(void **state)
{
	static const char text[] = "12\n13;one\n\nx\n-1\n14;a b\n15\x1b\n16\nall\nrest";
	struct tp_buf in = {(uint8_t *)(uintptr_t)text, sizeof(text) - 1, 0}, out = {0};
	struct jobs jobs;
	char list[64];

	(void)state;
	jobs_read(&jobs, &in);
	assert_int_equal(jobs.n, 3);
	assert_true(jobs.all);
	assert_int_equal(jobs_write(&jobs, &out), 0);
	assert_int_equal(out.size, 17);
	assert_memory_equal(out.data, "12\n13;one\n16\nall\n", 17);
	jobs_list(&jobs, 0, list, sizeof(list));
	assert_string_equal(list, "12, 13 and 16");
	jobs_list(&jobs, 1, list, sizeof(list));
	assert_string_equal(list, "13 and 16");
	jobs_list(&jobs, 2, list, sizeof(list));
	assert_string_equal(list, "16");
	tp_buf_release(&out);
	jobs_read(&jobs, &(struct tp_buf){0});
	assert_int_equal(jobs.n, 0);
}

/* Sbatch says what $SAYS has; its arguments are in the file `args`, NUL after each. */
static int setup(void **state)
{
	static char folder[] = "/tmp/tprof-jobs-XXXXXX", path[128];
	FILE *f;

	*state = folder;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	f = fopen("sbatch", "w");
	fputs("#!/bin/sh\nprintf '%s\\0' \"$@\" >args\nprintf '%b' \"$SAYS\"\n"
	      "echo 'sbatch: error: no\nmore' >&2\nexit ${STATUS:-0}\n",
	      f);
	fclose(f);
	chmod("sbatch", 0755);
	snprintf(path, sizeof(path), "%s:/bin:/usr/bin", folder);
	setenv("PATH", path, 1);
	return 0;
}

static int teardown(void **state)
{
	char command[80];

	snprintf(command, sizeof(command), "/bin/rm -r %s", (char *)*state);
	return chdir("/") || system(command);
}

static void test_job_submit(void **state)
{
	static const char *const argv[] = {"a b", "$(x)", "", "new\nline"};
	/* The folder of the tests stands for X. */
	char want[] = "--job-name=n\0--output=/dev/null\0--error=/dev/null\0-p\0q\0"
		      "--parsable\0--requeue\0--chdir=XXXXXXXXXXXXXXXXXXXXXX\0"
		      "--array=1-3,7\0--dependency=afterany:5\0"
		      "s c\0a b\0$(x)\0\0new\nline";
	static const struct {
		const char *says, *status, *want;
		int code;
	} cases[] = {
	    {"17\\n", "0", "17", 0},
	    {"17;cluster\\n", "0", "17;cluster", 0},
	    {"17", "0", "17", 0},
	    {"Submitted batch job 17\\n", "0",
	     "sbatch said 'Submitted batch job 17', which is no job's number", TP_EIO},
	    {"", "0", "sbatch said '', which is no job's number", TP_EIO},
	    {"17\\n", "1",
	     "sbatch: error: no; once sbatch works, give the same command again; without "
	     "--slurm, -j N imports here",
	     TP_EIO},
	};
	struct job job = {.name = "n",
			  .options = " -p\tq ",
			  .array = "1-3,7",
			  .after = "5;cluster",
			  .script = "s c",
			  .argv = argv,
			  .nargs = 4};
	char id[JOB_ID], args[512];
	struct tp_err err;
	FILE *f;

	for (size_t i = 0; i < sizeof(want); i++)
		if (want[i] == 'X') {
			memcpy(want + i, *state, strlen(*state));
			break;
		}
	setenv("SBATCH_WAIT", "1", 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		setenv("SAYS", cases[i].says, 1);
		setenv("STATUS", cases[i].status, 1);
		assert_int_equal(job_submit(&job, id, &err), cases[i].code);
		assert_string_equal(cases[i].code ? err.msg : id, cases[i].want);
	}
	f = fopen("args", "r");
	assert_int_equal(fread(args, 1, sizeof(args), f), sizeof(want));
	assert_memory_equal(args, want, sizeof(want));
	fclose(f);
	assert_null(getenv("SBATCH_WAIT"));
	unlink("sbatch");
	setenv("PATH", "/nowhere", 1);
	assert_int_equal(job_submit(&job, id, &err), TP_EIO);
	/* An emulator without vfork cannot tell why a program did not begin. */
	assert_true(strstr(err.msg, "sbatch is not there") || strstr(err.msg, "status 127"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_job_bad_option),
	    cmocka_unit_test(test_jobs_read_and_write),
	    cmocka_unit_test(test_job_submit),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
