#include "tprof-record/convert/names/images.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void test_images_get(void **state)
{
	struct rec_images *images = rec_images_new();
	struct tp_image *a, *b, *other;

	(void)state;
	assert_int_equal(rec_images_get(images, "/proc/self/exe", &a, NULL), 0);
	assert_int_equal(rec_images_get(images, "/proc/self/exe", &b, NULL), 0);
	assert_ptr_equal(a, b);
	rec_images_give(images, a);
	rec_images_give(images, b);
	assert_int_equal(rec_images_get(images, "/bin/sh", &other, NULL), 0);
	assert_ptr_not_equal(other, a);
	rec_images_give(images, other);
	assert_int_equal(rec_images_get(images, "/nowhere", &other, NULL), TP_ENOENT);
	assert_null(other);
	rec_images_free(images);
	/* Where nothing is kept. */
	assert_int_equal(rec_images_get(NULL, "/proc/self/exe", &a, NULL), 0);
	rec_images_give(NULL, a);
	rec_images_free(NULL);
}

/* Built anew under its old path while it runs: another file. */
static void test_images_changed(void **state)
{
	struct rec_images *images = rec_images_new();
	char folder[] = "/tmp/images_test-XXXXXX", path[64], command[256];
	struct tp_image *a, *b;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/sh", folder);
	snprintf(command, sizeof(command), "cp /bin/sh %s", path);
	assert_int_equal(system(command), 0);
	assert_int_equal(rec_images_get(images, path, &a, NULL), 0);
	snprintf(command, sizeof(command), "cp /bin/cat %s.new && mv %s.new %s", path, path, path);
	assert_int_equal(system(command), 0);
	assert_int_equal(rec_images_get(images, path, &b, NULL), 0);
	assert_ptr_not_equal(a, b);
	assert_string_not_equal(tp_image_gnu_id(a), tp_image_gnu_id(b));
	rec_images_free(images);
	unlink(path);
	rmdir(folder);
}

/* Cut, and its time set back: what is kept of it is not to be read any more. */
static void test_images_cut(void **state)
{
	struct rec_images *images = rec_images_new();
	char folder[] = "/tmp/images_test-XXXXXX", path[64], command[256];
	struct tp_image *a, *b;
	struct timespec times[2];
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/sh", folder);
	snprintf(command, sizeof(command), "cp /bin/sh %s", path);
	assert_int_equal(system(command), 0);
	assert_int_equal(rec_images_get(images, path, &a, NULL), 0);
	for (int size = 0; size < 2; size++) {
		assert_int_equal(stat(path, &st), 0);
		times[0] = st.st_atim;
		times[1] = st.st_mtim;
		/* The second time it is as long as before. */
		assert_int_equal(truncate(path, 0), 0);
		if (size)
			assert_int_equal(truncate(path, st.st_size), 0);
		assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
		assert_int_equal(rec_images_get(images, path, &b, NULL), TP_EFORMAT);
		snprintf(command, sizeof(command), "cp /bin/sh %s", path);
		assert_int_equal(system(command), 0);
		assert_int_equal(rec_images_get(images, path, &b, NULL), 0);
		assert_ptr_not_equal(a, b);
		a = b;
	}
	rec_images_free(images);
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_images_get),
	    cmocka_unit_test(test_images_changed),
	    cmocka_unit_test(test_images_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
