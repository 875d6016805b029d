#include "common/advice.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"

static char folder[64];

static int make_folder(void **state)
{
	char path[sizeof(folder) + 16];
	FILE *f;

	(void)state;
	strcpy(folder, "/tmp/advice-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/go.trace", folder);
	f = fopen(path, "w");
	return f ? fclose(f) : -1;
}

static int remove_folder(void **state)
{
	char path[sizeof(folder) + 16];

	(void)state;
	snprintf(path, sizeof(path), "%s/go.trace", folder);
	return unlink(path) || rmdir(folder);
}

/* Copies a text, with FOLDER replaced by the path of the test's folder. */
static void expand(char out[256], const char *text)
{
	const char *at = strstr(text, "FOLDER");

	if (at)
		snprintf(out, 256, "%.*s%s%s", (int)(at - text), text, folder, at + 6);
	else
		snprintf(out, 256, "%s", text);
}

static void test_advise_sentences(void **state)
{
	static const struct {
		const char *path;
		int code;
		const char *msg, *want;
	} rows[] = {
	    /* A missing file: suggests a similar name in its folder. */
	    {"FOLDER/go.trce", TP_ENOENT, "No such file or directory",
	     "; did you mean FOLDER/go.trace?"},
	    {"FOLDER/go.trce", TP_ENOENT, "cannot be opened: No such file or directory",
	     "; did you mean FOLDER/go.trace?"},
	    {NULL, TP_ENOENT, "FOLDER/og.trace: No such file or directory",
	     "; did you mean FOLDER/go.trace?"},
	    {NULL, TP_ENOENT, "cannot open FOLDER/go.trac: No such file or directory",
	     "; did you mean FOLDER/go.trace?"},
	    {"FOLDER/quite-another", TP_ENOENT, "No such file or directory",
	     "; check the name and the folder"},
	    {"FOLDER/no/go.trace", TP_ENOENT, "No such file or directory",
	     "; the folder FOLDER/no does not exist either"},
	    /* The message is not about the file. */
	    {"FOLDER/go.trce", TP_ENOENT, "objdump cannot be started: No such file or directory",
	     ""},
	    {"FOLDER/go.trce", TP_ENOENT, "no run is called 'x'; there are: 1", ""},
	    {"FOLDER/go.trace", TP_ENOENT, "No such file or directory exists", ""},
	    /* Advice for reading and for writing differs. */
	    {"x", TP_EIO, "Permission denied", "; you may not read it; ask its owner for a copy"},
	    {"x", TP_EIO, "cannot create y: Permission denied", "; choose another place"},
	    {"x", TP_EIO, "cannot create s.lock: Permission denied",
	     "; work on a copy in a folder that you may write to"},
	    {"x", TP_EIO, "cannot create s.lock: Read-only file system",
	     "; work on a copy in a folder that you may write to"},
	    {NULL, TP_EIO, "cannot change labels of a run of s: Permission denied",
	     "; work on a copy that you may write to"},
	    {NULL, TP_EIO, "cannot update s: Permission denied",
	     "; work on a copy that you may write to"},
	    {"s", TP_EIO, "the store cannot be written: Permission denied",
	     "; work on a copy that you may write to"},
	    {NULL, TP_EIO, "cannot delete runs of s: No space left on device",
	     "; make room, or choose another place"},
	    {"x", TP_EIO, "cannot write x: No space left on device",
	     "; make room, or choose another place"},
	    {"x", TP_ENOENT, "cannot create no/x: No such file or directory",
	     "; make the folder first, or choose another place"},
	    {"x", TP_EIO, "Is a directory", "; give the name of a file in it"},
	    {"x/y", TP_EIO, "Not a directory", "; one of the folders in this name is a file"},
	    /* Advice depends on the message and its code. */
	    {"x", TP_EUNKNOWN, "is not a trace or profile; tprof reads others", ""},
	    {"x", TP_ESTORE, "x: not a tprof store", "; tprof-import imports dumps into a store"},
	    {"x", TP_EFORMAT, "not an ELF file",
	     "; give the program that the dump is of, not stripped"},
	    {"x", TP_EFORMAT, "generation 3: varint overflow",
	     "; see DAMAGED TRACES in tprof-import(1)"},
	    {"x", TP_EBUSY, "another program is using it", "; try again when it is done"},
	    {"x", TP_ELIMIT, "too much of everything", ""},
	};
	char text[CMD_ADVICE_SIZE], path[256], msg[256], want[256];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		expand(path, rows[i].path ? rows[i].path : "");
		expand(msg, rows[i].msg);
		expand(want, rows[i].want);
		assert_string_equal(cmd_advise(text, rows[i].path ? path : NULL, rows[i].code, msg),
				    want);
	}
}

static void test_advice_numbers(void **state)
{
	(void)state;
	assert_string_equal(cmd_advice(ENOSPC), "; make room, or choose another place");
	assert_string_equal(cmd_advice(EISDIR), "; give the name of a file in it");
	assert_string_equal(cmd_advice(0), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_advise_sentences),
	    cmocka_unit_test(test_advice_numbers),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
