/* Temporary files and locks beside a store: which are removed, and who may read them. */
#include "store/lock.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "store/sqlerr.h"
#include "store/store.h"
#include "store/testing.h"

#define FLAKE at("flake")

static const char *beside(const char *suffix)
{
	char name[64];

	snprintf(name, sizeof(name), "flake%s", suffix);
	return at(name);
}

static void put(const char *suffix, const char *text)
{
	FILE *f = fopen(beside(suffix), "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static bool is_there(const char *suffix)
{
	return access(beside(suffix), F_OK) == 0;
}

/* Files with names only similar to those of temporary files or locks belong to users, such as the
 * parts of a split file, or flake.lock. They were once removed when something was written beside
 * them. */
static void test_temp_sweep_leaves_files_of_others(void **state)
{
	static const struct {
		const char *suffix, *text;
		bool swept;
	} files[] = {
	    {".part-aa", "part", false},
	    {".part-", "part", false},
	    {".part-0123456789a", "part", false},
	    {".part-0123456789abc", "part", false},
	    {".part-0123456789AB", "part", false},
	    {"y.part-0123456789ab", "of flakey", false},
	    {".lock", "pinned", false},
	    {".part-0123456789ab", "part", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		put(files[i].suffix, files[i].text);
	tp_temp_sweep_store(FLAKE);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		print_message("%s\n", files[i].suffix);
		assert_int_equal(is_there(files[i].suffix), !files[i].swept);
	}
}

/* Only stores have locks: an empty lock file beside another output belongs to the user. */
static void test_temp_sweep_leaves_locks(void **state)
{
	(void)state;
	put(".lock", "");
	put(".part-0123456789ab", "part");
	tp_temp_sweep(FLAKE);
	assert_true(is_there(".lock"));
	assert_false(is_there(".part-0123456789ab"));
	tp_temp_sweep_store(FLAKE);
	assert_false(is_there(".lock"));
}

static void test_lock_release_removes_its_own_only(void **state)
{
	struct tp_lock lock;
	struct tp_err err;

	(void)state;
	assert_int_equal(tp_lock_take(&lock, FLAKE, 0, &err), 0);
	assert_true(is_there(".lock"));
	tp_lock_release(&lock);
	assert_false(is_there(".lock"));
	put(".lock", "pinned");
	assert_int_equal(tp_lock_take(&lock, FLAKE, 0, &err), 0);
	tp_lock_release(&lock);
	assert_true(is_there(".lock"));
}

/* If the lock's name is taken by something other than a file, nothing waits for it. */
static void test_lock_is_a_file(void **state)
{
	struct tp_lock lock;
	struct tp_err err;

	(void)state;
	assert_int_equal(mkfifo(beside(".lock"), 0444), 0);
	assert_int_equal(tp_lock_take(&lock, FLAKE, 0, &err), TP_EIO);
	assert_non_null(strstr(err.msg, "Permission denied"));
	assert_int_equal(unlink(beside(".lock")), 0);
}

/* If the lock cannot be created, the error is about that, not about its absence. */
static void test_lock_in_a_folder_of_others(void **state)
{
	bool root = !geteuid();
	struct tp_lock lock;
	struct tp_err err;
	int code;

	(void)state;
	put("", "");
	assert_int_equal(chmod(at("."), 0555), 0);
	assert_int_equal(root ? seteuid(65534) : 0, 0);
	code = tp_lock_take(&lock, FLAKE, 0, &err);
	assert_int_equal(root ? seteuid(0) : 0, 0);
	assert_int_equal(chmod(at("."), 0755), 0);
	assert_int_equal(code, TP_EIO);
	assert_non_null(strstr(err.msg, "Permission denied"));
}

/* Under all of its names a store has one lock: that of the file. */
static void test_lock_of_a_link_is_that_of_the_file(void **state)
{
	static const char *const names[] = {"flake", "link", "folder/flake", "far"};
	struct tp_lock lock, other;
	struct tp_err err;

	(void)state;
	put("", "");
	assert_int_equal(symlink("flake", at("link")), 0);
	assert_int_equal(symlink(".", at("folder")), 0);
	assert_int_equal(symlink("folder/link", at("far")), 0);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(tp_lock_take(&lock, at(names[i]), 0, &err), 0);
		assert_true(is_there(".lock"));
		for (size_t k = 0; k < 4; k++) {
			assert_int_equal(tp_lock_take(&other, at(names[k]), 0, &err), TP_EBUSY);
			tp_lock_release(&other);
		}
		/* The link may point elsewhere by the time the lock is released. */
		if (i == 1) {
			assert_int_equal(unlink(at("link")), 0);
			assert_int_equal(symlink("elsewhere", at("link")), 0);
		}
		tp_lock_release(&lock);
		assert_int_equal(STRANGERS("flake", "link", "folder", "far"), 0);
		if (i == 1) {
			assert_int_equal(unlink(at("link")), 0);
			assert_int_equal(symlink("flake", at("link")), 0);
		}
	}
}

/* ---- waits that are told ---- */

static struct tp_lock held;
static struct sqlite3 *holder;
static int times_told;

/* Ends the wait. */
static void tell(const char *path)
{
	assert_string_equal(path, FLAKE);
	tp_lock_release(&held);
	if (holder)
		assert_int_equal(sqlite3_exec(holder, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
	times_told++;
}

static void test_long_waits_are_told(void **state)
{
	struct tp_lock lock;
	struct sqlite3 *db;
	struct tp_err err;

	(void)state;
	tp_lock_waits = tell;
	put("", "");
	assert_int_equal(tp_lock_take(&held, FLAKE, 0, &err), 0);
	assert_int_equal(tp_lock_take(&lock, FLAKE, 100, &err), TP_EBUSY);
	assert_int_equal(times_told, 0);
	assert_int_equal(tp_lock_take(&lock, FLAKE, -1, &err), 0);
	assert_int_equal(times_told, 1);
	tp_lock_release(&lock);
	/* SQLite's locks, too. */
	assert_int_equal(sqlite3_open(FLAKE, &holder), SQLITE_OK);
	assert_int_equal(sqlite3_open(FLAKE, &db), SQLITE_OK);
	tp_lock_wait(db);
	assert_int_equal(sqlite3_exec(holder, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(times_told, 2);
	sqlite3_close(db);
	sqlite3_close(holder);
	holder = NULL;
	tp_lock_waits = NULL;
}

/* ---- stores that are replaced ---- */

static void make_store(const char *path, const char *hash)
{
	const struct tp_store_options opt = {.wait_ms = 0};
	struct tp_run row = {
	    .kind = "trace", .name = hash, .source = "x", .hash = hash, .format = "go 1.26"};
	struct tp_store_run *run;
	struct tp_err err;

	assert_int_equal(tp_store_begin(&run, path, &opt, &err), 0);
	assert_int_equal(tp_store_commit(run, &row, &err), 0);
}

/* An open store is written to only as long as its name refers to the same file. */
static void test_store_replaced_under_a_handle(void **state)
{
	struct tp_store *s;
	struct tp_err err;

	(void)state;
	make_store(FLAKE, "aa");
	make_store(at("other"), "bb");
	assert_int_equal(tp_store_open_rw(&s, FLAKE, &err), 0);
	assert_int_equal(rename(FLAKE, at("moved")), 0);
	assert_int_equal(rename(at("other"), FLAKE), 0);
	assert_int_not_equal(
	    sqlite3_exec(tp_store_db(s), "UPDATE run SET name = 'x'", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(tp_sql_err(&err, tp_store_db(s), FLAKE, "cannot write"), TP_EBUSY);
	assert_non_null(strstr(err.msg, "it was replaced or moved meanwhile"));
	tp_store_close(s);
	assert_string_equal(ask_text(FLAKE, "SELECT name FROM run"), "bb");
	assert_string_equal(ask_text(at("moved"), "SELECT name FROM run"), "aa");
}

/* The path of a store becomes a link while a run is collected: the store is then the link's
 * target. */
static void test_run_of_a_store_that_became_a_link(void **state)
{
	const struct tp_store_options opt = {.wait_ms = 0};
	struct tp_run row = {
	    .kind = "trace", .name = "cc", .source = "x", .hash = "cc", .format = "go 1.26"};
	struct tp_store_run *run;
	struct tp_lock lock;
	struct tp_err err;
	struct stat st;

	(void)state;
	make_store(FLAKE, "aa");
	assert_int_equal(tp_store_begin(&run, FLAKE, &opt, &err), 0);
	assert_int_equal(rename(FLAKE, at("real")), 0);
	assert_int_equal(symlink("real", FLAKE), 0);
	assert_int_equal(tp_store_commit(run, &row, &err), 0);
	assert_int_equal(lstat(FLAKE, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_string_equal(ask_text(at("real"), "SELECT name FROM run ORDER BY id"), "aa|cc");
	/* And it waits for writers of the target. */
	assert_int_equal(tp_store_begin(&run, FLAKE, &opt, &err), 0);
	assert_int_equal(tp_lock_take(&lock, at("real"), 0, &err), 0);
	row.hash = "dd";
	assert_int_equal(tp_store_commit(run, &row, &err), TP_EBUSY);
	tp_lock_release(&lock);
	assert_int_equal(STRANGERS("flake", "real"), 0);
}

/* A temporary file beside a private store is as private. */
static void test_temp_create_mode(void **state)
{
	static const struct {
		mode_t there, mode; /* 0: the store does not exist */
	} cases[] = {{0, 0644}, {0600, 0600}, {0640, 0640}, {0666, 0666}, {0400, 0600}};
	mode_t mask = umask(022);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tp_err err;
		struct stat st;
		char *name;
		int fd;

		unlink(FLAKE);
		if (cases[i].there) {
			put("", "");
			assert_int_equal(chmod(FLAKE, cases[i].there), 0);
		}
		assert_int_equal(tp_temp_create(FLAKE, &name, &fd, &err), 0);
		assert_int_equal(fstat(fd, &st), 0);
		assert_int_equal(st.st_mode & 0777, cases[i].mode);
		unlink(name);
		free(name);
		close(fd);
	}
	umask(mask);
}

/* Its group is the store's, not the user's own. */
static void test_temp_create_group(void **state)
{
	struct tp_err err;
	struct stat st;
	char *name;
	int fd;

	(void)state;
	if (geteuid()) {
		print_message("only root has files that are another's\n");
		skip();
	}
	unlink(FLAKE);
	put("", "");
	assert_int_equal(chown(FLAKE, (uid_t)-1, 1234), 0);
	assert_int_equal(chmod(FLAKE, 0660), 0);
	assert_int_equal(tp_temp_create(FLAKE, &name, &fd, &err), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_gid, 1234);
	assert_int_equal(st.st_mode & 0777, 0660);
	unlink(name);
	free(name);
	close(fd);
	unlink(FLAKE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    STORE_TEST(test_temp_sweep_leaves_files_of_others),
	    STORE_TEST(test_temp_sweep_leaves_locks),
	    STORE_TEST(test_lock_release_removes_its_own_only),
	    STORE_TEST(test_lock_is_a_file),
	    STORE_TEST(test_lock_in_a_folder_of_others),
	    STORE_TEST(test_lock_of_a_link_is_that_of_the_file),
	    STORE_TEST(test_long_waits_are_told),
	    STORE_TEST(test_store_replaced_under_a_handle),
	    STORE_TEST(test_run_of_a_store_that_became_a_link),
	    STORE_TEST(test_temp_create_mode),
	    STORE_TEST(test_temp_create_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
