#include "store/vfs.h"

#include <sys/stat.h>

#include "store/testing.h"
#include "store/testing_run.h"

/* Writes the journal of a killed writer, without pages. It ends with the name of another file,
 * unless `named` is NULL. */
static void put_journal(const char *name, const char *named)
{
	static const uint8_t magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
	uint8_t page[512] = {1}, numbers[8] = {0};
	FILE *f = fopen(name, "wb");
	uint32_t sum = 0;
	size_t n = named ? strlen(named) : 0;

	assert_non_null(f);
	fwrite(page, 1, sizeof(page), f);
	if (named) {
		for (size_t i = 0; i < n; i++)
			sum += (uint32_t)(unsigned char)named[i];
		for (int i = 0; i < 4; i++) {
			numbers[i] = (uint8_t)(n >> (24 - 8 * i));
			numbers[4 + i] = (uint8_t)(sum >> (24 - 8 * i));
		}
		fwrite("\0\0\0", 1, 4, f);
		fwrite(named, 1, n, f);
		fwrite(numbers, 1, 8, f);
		fwrite(magic, 1, 8, f);
	}
	assert_int_equal(fclose(f), 0);
}

static void test_sql_open_journal_names_a_file(void **state)
{
	struct tp_store_options opt = {.wait_ms = 1000};
	struct tp_store_run *run;
	struct tp_store *s = NULL;
	struct tp_run row;
	struct tp_err err;
	char diary[64];

	(void)state;
	snprintf(diary, sizeof(diary), "%s", at("diary"));
	assert_int_equal(write_run("aa", 10, 1, &row, &err), 0);
	change(at("diary"), "CREATE TABLE today(text)");
	put_journal(at("x.tprof-journal"), diary);
	assert_int_equal(tp_store_open(&s, path, &err), TP_ESTORE);
	assert_non_null(strstr(err.msg, "move it away"));
	assert_int_equal(tp_store_open_rw(&s, path, &err), TP_ESTORE);
	assert_int_equal(tp_store_begin(&run, path, &opt, &err), TP_ESTORE);
	assert_int_equal(access(diary, F_OK), 0);
	/* The journal is unchanged, so that a user can examine it. */
	assert_int_equal(access(at("x.tprof-journal"), F_OK), 0);
	assert_int_equal(unlink(at("x.tprof-journal")), 0);
	assert_int_equal(ask(path, "SELECT count(*) FROM run"), 1);
}

/* Without a name it is an ordinary journal of a killed writer. */
static void test_sql_open_journal(void **state)
{
	struct tp_run row;
	struct tp_err err;

	(void)state;
	assert_int_equal(write_run("aa", 10, 1, &row, &err), 0);
	put_journal(at("x.tprof-journal"), NULL);
	assert_int_equal(ask(path, "SELECT count(*) FROM run"), 1);
	assert_int_equal(access(at("x.tprof-journal"), F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    RUN_TEST(test_sql_open_journal_names_a_file),
	    RUN_TEST(test_sql_open_journal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
