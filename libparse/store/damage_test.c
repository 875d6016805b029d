/* Stores with changed bytes: reading gives an error or the changed values, and never reads beyond
 * them. */
#include <fcntl.h>
#include <sys/stat.h>

#include "base/testing_rounds.h"
#include "store/testing_run.h"

/* Reads everything from a store in which every block was damaged. */
static void read_everything(struct tp_store *s)
{
	struct tp_event_reader *r;
	const struct tp_event *ev;
	struct tp_dict *d;
	struct tp_err err;
	size_t n;

	if (!tp_events_open(&r, s, 1, NULL, &err)) {
		while (tp_events_next(r, &ev, &n, &err) == 1)
			;
		tp_events_close(r);
	}
	for (enum tp_table_id t = 0; t < TP_NTABLES; t++) {
		struct tp_rows rows;

		tp_rows_load(s, 1, t, 0, &rows, &err);
		tp_rows_release(&rows);
	}
	if (!tp_dict_load(s, 1, &d, &err))
		tp_dict_free(d);
}

static void test_store_damaged_blocks(void **state)
{
	static const char *const damages[] = {
	    "UPDATE block SET rows = rows + 1",
	    "UPDATE block SET rows = -rows",
	    "UPDATE block SET rows = 9223372036854775807",
	    "UPDATE block SET rows = 'many'",
	    "UPDATE block SET data = zeroblob(100)",
	    "UPDATE block SET data = x''",
	    "UPDATE block SET data = 'text'",
	    "UPDATE block SET data = substr(data, 1, length(data) / 2)",
	    "UPDATE block SET data = CAST(substr(data, 1, 20) || x'ffffffff' || substr(data, 25) "
	    "AS BLOB)",
	    "UPDATE block SET part = -part - 5",
	    "UPDATE block SET part = part * 4611686018427387904",
	    "UPDATE block SET stream = 'frame' || stream WHERE stream = 'stack';"
	    "UPDATE block SET stream = 'stack' WHERE stream = 'frame';"
	    "UPDATE block SET stream = 'frame' WHERE stream = 'framestack'",
	    "UPDATE block SET stream = 'strings' WHERE stream = 'string';"
	    "UPDATE block SET stream = 'string' WHERE stream = 'event'",
	    "DELETE FROM block WHERE stream = 'string'",
	    "UPDATE block SET first_ts = 'x', last_ts = x'00'",
	};
	struct tp_store *s;
	struct tp_run row;
	struct tp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++) {
		unlink(path);
		assert_int_equal(write_run("aa", 20000, 1000, &row, &err), 0);
		assert_int_equal(tp_store_open_rw(&s, path, &err), 0);
		if (sqlite3_exec(tp_store_db(s), damages[i], NULL, NULL, NULL))
			fail_msg("%s: %s", damages[i], sqlite3_errmsg(tp_store_db(s)));
		read_everything(s);
		tp_store_close(s);
	}
}

/* Any byte of the file may have any value. */
static void test_store_damaged_file(void **state)
{
	struct tp_store *s;
	struct tp_run row;
	const off_t apart = 10 / TP_ROUNDS(10);
	struct tp_err err;
	struct stat st;
	int fd;

	(void)state;
	assert_int_equal(write_run("aa", 300, 20, &row, &err), 0);
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	for (off_t at = 0; at < st.st_size; at += (at < 4096 ? 7 : 97) * apart) {
		uint8_t was, is;

		assert_int_equal(pread(fd, &was, 1, at), 1);
		is = (uint8_t)~was;
		assert_int_equal(pwrite(fd, &is, 1, at), 1);
		if (!tp_store_open(&s, path, &err)) {
			read_everything(s);
			tp_store_close(s);
		}
		assert_int_equal(pwrite(fd, &was, 1, at), 1);
	}
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    RUN_TEST(test_store_damaged_blocks),
	    RUN_TEST(test_store_damaged_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
