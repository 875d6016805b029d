/* Look-ups in small programs whose DWARF is written here, entry by entry. Needs an assembler for x86-64. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbol/image.h"

static char dir[64];

static int setup(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(dir, sizeof(dir), "%.40s/tprof-test-XXXXXX", tmp ? tmp : "/tmp");
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	char line[128];

	(void)state;
	snprintf(line, sizeof(line), "rm -r %s", dir);
	return system(line);
}

/* A unit with one function of 256 bytes at 0x401000, which contains the entries of a test. Abbreviation 3 is
 * a call with a reference to the function (4 bytes) and ranges, 4 one with an address and a size; 5 is the
 * entry of an inlined function, 6 a block with an address and a size. */
static const char unit_text[] =
    ".text\n.globl f\nf: .skip 256\n"
    ".section .debug_abbrev,\"\",@progbits\nabbrev:\n"
    ".byte 1, 0x11, 1, 0x11, 1, 0x12, 6, 0, 0\n"
    ".byte 2, 0x2e, 1, 3, 8, 0x11, 1, 0x12, 6, 0, 0\n"
    ".byte 3, 0x1d, 0, 0x31, 0x13, 0x55, 0x17, 0, 0\n"
    ".byte 4, 0x1d, 1, 0x31, 0x13, 0x11, 1, 0x12, 6, 0, 0\n"
    ".byte 5, 0x2e, 0, 3, 8, 0, 0\n"
    ".byte 6, 0x0b, 1, 0x11, 1, 0x12, 6, 0, 0\n"
    ".byte 0\n"
    ".section .debug_info,\"\",@progbits\n"
    "info: .4byte end - start\nstart: .2byte 4\n.4byte abbrev\n.byte 8\n"
    ".byte 1\n.8byte f\n.4byte 256\n"
    "a: .byte 5\n.asciz \"a\"\nb: .byte 5\n.asciz \"b\"\n"
    ".byte 2\n.asciz \"f\"\n.8byte f\n.4byte 256\n";

static struct tp_image *assemble(const char *entries, const char *sections)
{
	struct tp_image *image;
	char path[128], line[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/p.s", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%s%s.byte 0, 0\nend:\n%s", unit_text, entries, sections);
	assert_int_equal(fclose(f), 0);
	snprintf(line, sizeof(line),
		 "cd %s && cc -nostdlib -static -Wl,-Ttext=0x401000,-ef -o p p.s >log 2>&1", dir);
	if (sizeof(void *) != 8 || system(line)) {
		print_message("the assembler is not of x86-64\n");
		skip();
	}
	snprintf(path, sizeof(path), "%s/p", dir);
	assert_int_equal(tp_image_open(&image, path, NULL), 0);
	return image;
}

static void check(struct tp_image *image, uint64_t address, const char *names)
{
	struct tp_symbol chain[8];
	size_t n = tp_image_lookup(image, address, chain, 8);
	char text[64] = "";

	for (size_t i = 0; i < n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "",
			 chain[i].name);
	assert_string_equal(text, names);
}

#define CALL(of, from, size) ".byte 4\n.4byte " of " - info\n.8byte f + " from "\n.4byte " size "\n"

/* Calls within calls and blocks. Of two calls with the same address, the first counts, and calls
 * within the second are ignored. */
static void test_dwarf_lookup_calls(void **state)
{
	struct tp_image *image =
	    assemble(CALL("a", "16", "32") CALL("b", "20", "8") ".byte 0, 0\n" /* b in a */
		     CALL("b", "40", "24")
			 CALL("a", "44", "4") ".byte 0, 0\n"			     /* a in b */
					      ".byte 6\n.8byte f + 128\n.4byte 64\n" /* a block */
		     CALL("a", "128", "8") ".byte 0, 0\n",
		     "");

	(void)state;
	check(image, 0x401000, "f");
	check(image, 0x401010, "a f");
	check(image, 0x401014, "b a f");
	check(image, 0x40101c, "a f");
	check(image, 0x40102c, "a f"); /* in both */
	check(image, 0x401030, "b f");
	check(image, 0x401040, "f");
	check(image, 0x401080, "a f");
	check(image, 0x401088, "f");
	assert_false(tp_image_spent(image));
	tp_image_close(image);
}

/* Twenty thousand calls share a list of as many ranges; a naive look-up would walk the list for each call. */
static void test_dwarf_lookup_shared_ranges(void **state)
{
	struct tp_image *image =
	    assemble(".rept 20000\n.byte 3\n.4byte a - info\n.4byte ranges\n.endr\n",
		     ".section .debug_ranges,\"\",@progbits\nranges:\n"
		     ".rept 20000\n.8byte 16, 17\n.endr\n.8byte 0, 0\n");

	(void)state;
	check(image, 0x401080, "");
	assert_true(tp_image_spent(image));
	assert_false(tp_image_has_lines(image));
	check(image, 0x401000, "");
	tp_image_close(image);
}

/* Compressed sections may unpack to sixteen megabytes, or to sixteen times the file; more is refused. */
static void test_dwarf_new_unpacked(void **state)
{
	struct tp_image *image = assemble("", ".section .debug_macro,\"\",@progbits\n"
					      ".fill 40000000, 1, 1\n");
	char line[256], path[128];

	(void)state;
	tp_image_close(image);
	snprintf(line, sizeof(line), "objcopy --compress-debug-sections=zlib %s/p %s/packed", dir,
		 dir);
	if (system(line)) {
		print_message("there is no objcopy\n");
		skip();
	}
	snprintf(path, sizeof(path), "%s/packed", dir);
	assert_int_equal(tp_image_open(&image, path, NULL), 0);
	check(image, 0x401000, "");
	assert_true(tp_image_spent(image));
	tp_image_close(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_dwarf_lookup_calls),
	    cmocka_unit_test(test_dwarf_lookup_shared_ranges),
	    cmocka_unit_test(test_dwarf_new_unpacked),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
