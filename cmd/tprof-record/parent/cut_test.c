#include "tprof-record/parent/cut.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void test_cut_reads_zeros(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = memfd_create("cut_test", MFD_CLOEXEC);
	volatile char *at;
	uint64_t before;

	(void)state;
	assert_int_equal(ftruncate(fd, (off_t)(3 * page)), 0);
	at = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(at, MAP_FAILED);
	for (size_t i = 0; i < 3; i++)
		at[i * page + 5] = 'x';
	rec_cut_begin();
	before = rec_cut_pages();
	assert_int_equal(ftruncate(fd, (off_t)page), 0);
	assert_int_equal(at[5], 'x');
	assert_int_equal(rec_cut_pages(), before);
	assert_int_equal(at[2 * page + 5], 0);
	assert_int_equal(at[2 * page + 6], 0);
	assert_int_equal(rec_cut_pages(), before + 1);
	assert_int_equal(at[page], 0);
	assert_int_equal(rec_cut_pages(), before + 2);
	munmap((void *)(uintptr_t)at, 3 * page);
	close(fd);
}

/* What does not come from such a file ends the process as it would without. */
static void test_cut_other(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (!pid) {
		rec_cut_begin();
		raise(SIGBUS);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGBUS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cut_reads_zeros),
	    cmocka_unit_test(test_cut_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
