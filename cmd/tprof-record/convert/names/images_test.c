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
	struct rec_images *images = rec_images_new(NULL, NULL);
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
	struct rec_images *images = rec_images_new(NULL, NULL);
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
	struct rec_images *images = rec_images_new(NULL, NULL);
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

static void run(const char *command)
{
	assert_int_equal(system(command), 0);
}

/* A copy of a program without lines, in a folder of its own, that names `link` as its debugging information. */
static void test_images_debug_link(void **state)
{
	static const char *const places[] = {"true.debug", ".debug/true.debug"};
	char folder[] = "/tmp/images_test-XXXXXX", was[256];
	struct rec_images *images;
	struct tp_image *image, *debug;

	(void)state;
	assert_non_null(getcwd(was, sizeof(was)));
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	run("mkdir .debug; objcopy --remove-section=.gnu_debuglink /bin/true plain; objcopy "
	    "--only-keep-debug plain true.debug;"
	    "objcopy --add-gnu-debuglink=true.debug plain linked");
	for (size_t i = 0; i < 2; i++) {
		if (i)
			assert_int_equal(rename(places[0], places[1]), 0);
		images = rec_images_new(NULL, NULL);
		assert_int_equal(rec_images_get(images, "linked", &image, NULL), 0);
		debug = rec_images_debug(images, image);
		assert_non_null(debug);
		assert_non_null(strstr(tp_image_path(debug), places[i]));
		assert_ptr_equal(rec_images_debug(images, image), debug);
		rec_images_give(images, debug);
		rec_images_give(images, image);
		rec_images_free(images);
	}
	/* Where nothing is kept; without a link; with another checksum; a pipe that nobody writes to. */
	assert_int_equal(rec_images_get(NULL, "linked", &image, NULL), 0);
	debug = rec_images_debug(NULL, image);
	assert_non_null(debug);
	rec_images_give(NULL, debug);
	run("echo >>.debug/true.debug; mkfifo true.debug");
	assert_null(rec_images_debug(NULL, image));
	rec_images_give(NULL, image);
	assert_int_equal(rec_images_get(NULL, "plain", &image, NULL), 0);
	assert_null(rec_images_debug(NULL, image));
	rec_images_give(NULL, image);
	/* Names with folders could be anywhere. */
	run("mv true.debug .debug/..x; printf '../x.debug\\0\\0abcd' >link;"
	    "objcopy --add-section .gnu_debuglink=link plain linked");
	assert_int_equal(rec_images_get(NULL, "linked", &image, NULL), 0);
	assert_string_equal(tp_image_debug_link(image, &(uint32_t){0}), "");
	rec_images_give(NULL, image);
	assert_int_equal(chdir(was), 0);
	snprintf(was, sizeof(was), "rm -r %s", folder);
	run(was);
}

static char *fetch(void *ctx, const char *id)
{
	++*(int *)ctx;
	assert_true(strlen(id) > 20);
	return strdup("/bin/true");
}

/* What is fetched counts only if it has the build id, and is fetched once. */
static void test_images_debug_fetched(void **state)
{
	int n = 0;
	struct rec_images *images = rec_images_new(fetch, &n);
	struct tp_image *image;

	(void)state;
	assert_int_equal(rec_images_get(images, "/bin/true", &image, NULL), 0);
	assert_non_null(rec_images_debug(images, image));
	assert_non_null(rec_images_debug(images, image));
	assert_int_equal(n, 1);
	assert_int_equal(rec_images_get(images, "/bin/cat", &image, NULL), 0);
	assert_null(rec_images_debug(images, image));
	assert_null(rec_images_debug(images, image));
	assert_int_equal(n, 2);
	/* It has lines. */
	assert_int_equal(rec_images_get(images, "/proc/self/exe", &image, NULL), 0);
	assert_null(rec_images_debug(images, image));
	assert_int_equal(n, 2);
	rec_images_free(images);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_images_get),		 cmocka_unit_test(test_images_changed),
	    cmocka_unit_test(test_images_cut),		 cmocka_unit_test(test_images_debug_link),
	    cmocka_unit_test(test_images_debug_fetched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
