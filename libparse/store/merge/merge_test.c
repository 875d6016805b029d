#include "store/merge/merge.h"

#include <sys/stat.h>

#include "store/edit.h"
#include "store/lock.h"
#include "store/store.h"
#include "store/testing.h"

/* ---- stores to merge ---- */

struct spec {
	const char *store, *hash, *name, *source; /* hash: a letter */
	int64_t imported_ns, wall_ns;
	uint32_t functions;
	const char *label; /* of the key "os"; NULL: none */
	bool more_kinds, materialize;
};

static void put_dict(struct tp_store_run *run, uint32_t n, struct tp_err *err)
{
	struct tp_trace trace = {.dict = tp_dict_new()};
	uint32_t name, stack = 0;

	assert_non_null(trace.dict);
	for (uint32_t i = 0; i < n; i++) {
		struct tp_function f = {.start_line = i};
		struct tp_frame frame = {.line = i};
		char text[32];
		int size = snprintf(text, sizeof(text), "main.f%u", i);

		assert_int_equal(tp_dict_string(trace.dict, text, (size_t)size, &name), 0);
		f.name = name;
		assert_int_equal(tp_dict_function(trace.dict, &f, &frame.function), 0);
		assert_int_equal(tp_dict_frame(trace.dict, &frame, &name), 0);
		assert_int_equal(tp_dict_stack(trace.dict, stack, name, &stack), 0);
	}
	assert_int_equal(tp_store_put_trace(run, &trace, err), 0);
	tp_dict_free(trace.dict);
}

static void write_run(const struct spec *spec)
{
	struct tp_store_options opt = {.wait_ms = 10000, .materialize = spec->materialize};
	struct tp_run row = {.kind = "trace",
			     .name = spec->name ? spec->name : "a",
			     .source = spec->source ? spec->source : "a.trace",
			     .format = "go 1.26",
			     .imported_ns = spec->imported_ns,
			     .wall_ns = spec->wall_ns ? spec->wall_ns : TP_NULL};
	struct tp_store_run *run;
	char hash[33];
	struct tp_err err;

	memset(hash, spec->hash[0], 32);
	hash[32] = '\0';
	row.hash = hash;
	assert_int_equal(tp_store_begin(&run, at(spec->store), &opt, &err), 0);
	put_dict(run, spec->functions, &err);
	assert_int_equal(tp_store_put_row(run, TP_TABLE_SITE_HIST, (int64_t[]){1, 2, 3}, &err), 0);
	if (spec->more_kinds)
		assert_int_equal(tp_store_put_row(run, TP_TABLE_PROC_TIME,
						  (int64_t[]){1, TP_NULL, 1, 4, 5}, &err),
				 0);
	if (spec->label)
		assert_int_equal(tp_store_put_label(run, "os", spec->label, &err), 0);
	assert_int_equal(tp_store_commit(run, &row, &err), 0);
}

struct told {
	int n;
	char last[200];
};

static void tell(void *ctx, const char *run, const char *key, const char *kept, const char *other)
{
	struct told *t = ctx;

	t->n++;
	snprintf(t->last, sizeof(t->last), "%s %s %s %s", run, key, kept, other);
}

static struct told told;
static const struct tp_merge_options options = {
    .wait_ms = 10000, .conflict = tell, .conflict_ctx = &told};

static struct tp_merge_result merge(const char *target, const char *const *stores, size_t n)
{
	struct tp_merge_result result;
	const char *paths[4];
	struct tp_err err;
	char to[64];

	snprintf(to, sizeof(to), "%s", at(target));
	for (size_t i = 0; i < n; i++)
		paths[i] = at(stores[i]);
	if (tp_store_merge(to, paths, n, &options, &result, &err))
		fail_msg("%s", err.msg);
	return result;
}

static const char *said(const char *store, const char *sql)
{
	return ask_text(at(store), sql);
}

#define ALL(...)                                                                                   \
	(const char *[]){__VA_ARGS__}, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)

static void test_merge_union(void **state)
{
	struct tp_merge_result r;

	(void)state;
	write_run(&(struct spec){
	    .store = "a", .hash = "1", .name = "late", .wall_ns = 9, .functions = 40});
	write_run(&(struct spec){.store = "a", .hash = "2", .name = "never", .functions = 30});
	write_run(&(struct spec){
	    .store = "b", .hash = "3", .name = "early", .wall_ns = 5, .functions = 50});
	write_run(&(struct spec){
	    .store = "b", .hash = "1", .name = "late", .wall_ns = 9, .functions = 40});
	r = merge("x", ALL("a", "b"));
	assert_int_equal(r.stores, 2);
	assert_int_equal(r.runs, 3);
	assert_int_equal(r.repeated, 1);
	assert_int_equal(r.pools, 1);
	assert_string_equal(said("x", "SELECT id || name FROM run ORDER BY id"),
			    "1early|2late|3never");
	assert_string_equal(said("x", "SELECT count(*) FROM frame GROUP BY run"), "51|41|31");
	assert_string_equal(said("x", "SELECT func_of(id, 30) FROM run ORDER BY id"),
			    "main.f29|main.f29|main.f29");
	assert_string_equal(said("x", "SELECT value FROM meta WHERE key = 'min_reader'"), "3");
	/* The longest of three that are alike except for their ends. */
	assert_string_equal(said("x", "SELECT sum(rows) FROM block WHERE run = -1 AND stream = "
				      "'frame'"),
			    "51");
	assert_int_equal(wrong_in(at("x")), 0);
	assert_int_equal(STRANGERS("a", "b", "c", "x"), 0);
}

static void test_merge_any_order(void **state)
{
	(void)state;
	write_run(
	    &(struct spec){.store = "a", .hash = "1", .wall_ns = 9, .functions = 40, .label = "x"});
	write_run(&(struct spec){.store = "a", .hash = "2", .functions = 30, .materialize = true});
	write_run(&(struct spec){.store = "b", .hash = "3", .wall_ns = 5, .functions = 50});
	write_run(&(struct spec){.store = "b", .hash = "1", .functions = 40, .label = "y"});
	write_run(&(struct spec){.store = "c", .hash = "2", .functions = 31, .more_kinds = true});
	merge("x", ALL("a", "b", "c"));
	merge("y", ALL("c", "b"));
	merge("y", ALL("y", "a", "a"));
	assert_true(same_bytes(at("x"), at("y")));
	merge("z", ALL("a", "c"));
	merge("b", ALL("z"));
	assert_true(same_bytes(at("x"), at("b")));
	merge("x", ALL("x"));
	assert_true(same_bytes(at("x"), at("b")));
	assert_int_equal(wrong_in(at("x")), 0);
}

static void test_merge_decides(void **state)
{
	(void)state;
	write_run(&(struct spec){.store = "a",
				 .hash = "1",
				 .name = "first",
				 .source = "z",
				 .imported_ns = 5,
				 .functions = 40});
	write_run(&(struct spec){.store = "b",
				 .hash = "1",
				 .name = "again",
				 .source = "a",
				 .imported_ns = 6,
				 .functions = 41,
				 .materialize = true});
	write_run(&(struct spec){.store = "c",
				 .hash = "1",
				 .name = "once more",
				 .imported_ns = 7,
				 .functions = 3,
				 .more_kinds = true});
	merge("x", ALL("c", "b", "a"));
	assert_string_equal(said("x", "SELECT name || source || imported_ns FROM run"), "firstz5");
	/* More kinds of tables rank before more rows. */
	assert_string_equal(said("x", "SELECT count(*) FROM frame"), "4");
	assert_string_equal(said("x", "SELECT count(*) FROM proc_time"), "1");
	assert_string_equal(said("x", "SELECT count(*) FROM frame_rows"), "4");
	merge("y", ALL("b", "a"));
	assert_string_equal(said("y", "SELECT count(*) FROM frame"), "42");
	assert_string_equal(said("y", "SELECT count(*) FROM proc_time"), "0");
}

static void test_merge_labels(void **state)
{
	struct tp_merge_result r;

	(void)state;
	told = (struct told){0};
	write_run(&(struct spec){.store = "a", .hash = "1", .name = "go", .label = "plan9"});
	write_run(&(struct spec){.store = "b", .hash = "1", .name = "go", .label = "linux"});
	write_run(&(struct spec){.store = "c", .hash = "1", .name = "go"});
	r = merge("x", ALL("a", "b", "c"));
	assert_int_equal(r.conflicts, 1);
	assert_int_equal(told.n, 1);
	assert_string_equal(told.last, "go os linux plan9");
	assert_string_equal(said("x", "SELECT value FROM label"), "linux");
}

/* A dictionary that is damaged or has duplicates is copied unchanged. */
static void test_merge_as_it_is(void **state)
{
	static const char *const changes[] = {
	    "UPDATE block SET data = x'0102' WHERE stream = 'frame'",
	    "DELETE FROM block WHERE stream = 'string'",
	    /* All strings twice. */
	    ("INSERT INTO block SELECT run, stream, part + 1, rows, first_ts, last_ts, codec, "
	     "raw_size, data FROM block WHERE stream = 'string'"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		struct tp_store *s;
		struct tp_err err;

		write_run(&(struct spec){.store = "a", .hash = "1", .functions = 3});
		write_run(&(struct spec){.store = "b", .hash = "2", .functions = 3});
		assert_int_equal(tp_store_open_rw(&s, at("a"), &err), 0);
		assert_int_equal(sqlite3_exec(tp_store_db(s), changes[i], NULL, NULL, NULL), 0);
		tp_store_close(s);
		merge("x", ALL("a", "b"));
		assert_string_equal(said("x", "SELECT count(*) FROM run"), "2");
		merge("y", ALL("b", "x"));
		assert_true(same_bytes(at("x"), at("y")));
		unlink(at("a"));
		unlink(at("x"));
		unlink(at("y"));
	}
}

static int stop(void *ctx, const char *stage, uint64_t done, uint64_t total)
{
	(void)ctx;
	(void)total;
	return !strcmp(stage, "merge") && done == 1;
}

/* After any error the store is unchanged, and no temporary files are left. */
static void test_merge_fails(void **state)
{
	static const struct {
		const char *change; /* of b */
		int code;
	} cases[] = {
	    {"PRAGMA user_version = 7", TP_EVERSION},
	    {"PRAGMA user_version = 7; UPDATE meta SET value = 7", TP_EVERSION},
	    {"PRAGMA application_id = 7", TP_ESTORE},
	    {"UPDATE run SET hash = 'short'", TP_ESTORE},
	    {"DROP INDEX block_key; INSERT INTO block SELECT * FROM block", TP_ESTORE},
	    {NULL, TP_ECANCEL},
	};

	(void)state;
	write_run(&(struct spec){.store = "x", .hash = "1", .functions = 3});
	write_run(&(struct spec){.store = "c", .hash = "1", .functions = 3});
	merge("x", ALL("c"));
	merge("c", ALL("x"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tp_merge_options opt = {.progress = cases[i].change ? NULL : stop};
		const char *b = at("b");
		struct tp_merge_result r;
		struct tp_store *s;
		struct tp_err err;

		write_run(&(struct spec){.store = "b", .hash = "2", .functions = 3});
		assert_int_equal(tp_store_open_rw(&s, b, &err), 0);
		if (cases[i].change)
			assert_int_equal(
			    sqlite3_exec(tp_store_db(s), cases[i].change, NULL, NULL, NULL), 0);
		tp_store_close(s);
		if (tp_store_merge(at("x"), &b, 1, &opt, &r, &err) != cases[i].code)
			fail_msg("%s: %s", cases[i].change, err.msg);
		assert_true(same_bytes(at("x"), at("c")));
		assert_int_equal(STRANGERS("a", "b", "c", "x"), 0);
		unlink(b);
	}
}

static void test_merge_waits(void **state)
{
	struct tp_merge_options opt = {.wait_ms = 10};
	const char *a = at("a");
	struct tp_merge_result r;
	struct tp_lock lock;
	struct tp_err err;

	(void)state;
	write_run(&(struct spec){.store = "a", .hash = "1"});
	write_run(&(struct spec){.store = "x", .hash = "2"});
	assert_int_equal(tp_lock_take(&lock, at("x"), 0, &err), 0);
	assert_int_equal(tp_store_merge(at("x"), &a, 1, &opt, &r, &err), TP_EBUSY);
	tp_lock_release(&lock);
	assert_int_equal(tp_store_merge(at("x"), &a, 1, &opt, &r, &err), 0);
	assert_int_equal(STRANGERS("a", "b", "c", "x"), 0);
}

static void test_merge_keeps_permissions(void **state)
{
	struct stat st;

	(void)state;
	write_run(&(struct spec){.store = "a", .hash = "1"});
	write_run(&(struct spec){.store = "x", .hash = "2"});
	assert_int_equal(chmod(at("x"), 0640), 0);
	merge("x", ALL("a"));
	assert_int_equal(stat(at("x"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
}

/* A list of the hash of the first run. */
#define FIRST(store)                                                                               \
	(const char *const[])                                                                      \
	{                                                                                          \
		said(store, "SELECT min(hash) FROM run WHERE id = 1")                              \
	}

/* Dictionaries go when the last run that used them is gone and the store is compacted. */
static void test_merge_delete_compact(void **state)
{
	int64_t before, after;
	struct tp_err err;
	size_t deleted;

	(void)state;
	write_run(&(struct spec){.store = "a", .hash = "1", .functions = 300});
	write_run(&(struct spec){.store = "a", .hash = "2", .functions = 3});
	merge("x", ALL("a"));
	assert_int_equal(tp_store_delete(at("x"), 0, FIRST("x"), 1, &deleted, &err), 0);
	assert_int_equal(tp_store_compact(at("x"), 0, &before, &after, &err), 0);
	assert_int_equal(wrong_in(at("x")), 0);
	assert_string_equal(said("x", "SELECT count(*) > 0 FROM block WHERE run < 0"), "1");
	/* Entries that only the deleted run used disappear with the next merge. */
	merge("x", ALL("x"));
	assert_string_equal(said("x", "SELECT rows FROM block WHERE run = -1 AND stream = 'frame'"),
			    "4");
	assert_int_equal(tp_store_delete(at("x"), 0, FIRST("x"), 1, &deleted, &err), 0);
	assert_int_equal(wrong_in(at("x")), 0);
	assert_int_equal(tp_store_compact(at("x"), 0, &before, &after, &err), 0);
	assert_string_equal(said("x", "SELECT count(*) FROM block"), "0");
	assert_int_equal(wrong_in(at("x")), 0);
}

/* A run imported into a merged store comes after the others. */
static void test_merge_then_import(void **state)
{
	(void)state;
	write_run(&(struct spec){.store = "a", .hash = "1", .functions = 30});
	merge("x", ALL("a"));
	write_run(&(struct spec){.store = "x", .hash = "2", .name = "0", .functions = 20});
	assert_string_equal(said("x", "SELECT id || name FROM run ORDER BY id"), "1a|20");
	assert_string_equal(said("x", "SELECT count(*) FROM frame GROUP BY run"), "31|21");
	assert_int_equal(wrong_in(at("x")), 0);
	merge("x", ALL("a"));
	assert_string_equal(said("x", "SELECT id || name FROM run ORDER BY id"), "10|2a");
	assert_string_equal(said("x", "SELECT count(*) FROM frame GROUP BY run"), "21|31");
}

/* ---- stores that change meanwhile ---- */

struct meanwhile {
	const char *store, *sql; /* a change to it before the first run is copied */
	const char *from, *to;	 /* or a file that takes another's place */
};

static int interfere(void *ctx, const char *stage, uint64_t done, uint64_t total)
{
	struct meanwhile *w = ctx;

	(void)total;
	if (strcmp(stage, "merge") != 0 || done)
		return 0;
	if (w->sql)
		change(at(w->store), w->sql);
	if (w->from)
		assert_int_equal(rename(at(w->from), at(w->to)), 0);
	return 0;
}

static int merge_while(struct meanwhile *w, struct tp_err *err)
{
	struct tp_merge_options opt = {.wait_ms = 0, .progress = interfere, .progress_ctx = w};
	const char *stores[] = {at("a"), at("b")};
	struct tp_merge_result r;

	return tp_store_merge(at("x"), stores, 2, &opt, &r, err);
}

/* The numbers of b name other runs than when it was listed: their labels belong to other dumps. */
static void test_merge_labels_of_a_store_that_changes(void **state)
{
	struct meanwhile w = {.store = "b",
			      .sql = "UPDATE run SET id = 3 - id + 10; UPDATE run SET id = id - 10;"
				     "UPDATE label SET run = 3 - run + 10;"
				     "UPDATE label SET run = run - 10"};
	struct tp_err err;

	(void)state;
	write_run(&(struct spec){.store = "a", .hash = "1", .functions = 40});
	write_run(&(struct spec){.store = "a", .hash = "2", .functions = 40});
	write_run(&(struct spec){.store = "b", .hash = "1", .functions = 3, .label = "one"});
	write_run(&(struct spec){.store = "b", .hash = "2", .functions = 3, .label = "two"});
	assert_int_equal(merge_while(&w, &err), TP_EBUSY);
	assert_non_null(strstr(err.msg, "was changed while it was merged; try again"));
	assert_int_equal(STRANGERS("a", "b"), 0);
	w.sql = NULL;
	assert_int_equal(merge_while(&w, &err), 0);
	assert_string_equal(said("x", "SELECT hash || value FROM label, run ON run = id"),
			    "11111111111111111111111111111111one|"
			    "22222222222222222222222222222222two");
}

/* A file put there without a lock was not merged, so it is not replaced. */
static void test_merge_into_a_store_that_is_replaced(void **state)
{
	struct meanwhile w = {.from = "c", .to = "x"};
	struct tp_err err;

	(void)state;
	write_run(&(struct spec){.store = "a", .hash = "1"});
	write_run(&(struct spec){.store = "b", .hash = "2"});
	for (size_t i = 0; i < 2; i++) {
		if (i)
			write_run(&(struct spec){.store = "x", .hash = "3"});
		write_run(&(struct spec){.store = "c", .hash = "4"});
		assert_int_equal(merge_while(&w, &err), TP_EBUSY);
		assert_non_null(strstr(err.msg, "was replaced by another file meanwhile"));
		assert_string_equal(said("x", "SELECT substr(hash, 1, 1) FROM run"), "4");
		assert_int_equal(STRANGERS("a", "b", "x"), 0);
		unlink(at("x"));
	}
}

/* A link leads to the same store, and stays a link. */
static void test_merge_by_a_link(void **state)
{
	struct stat st;

	(void)state;
	write_run(&(struct spec){.store = "x", .hash = "1"});
	write_run(&(struct spec){.store = "a", .hash = "2"});
	assert_int_equal(symlink("x", at("b")), 0);
	assert_int_equal(merge("b", ALL("a", "x")).stores, 2);
	assert_int_equal(lstat(at("b"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_string_equal(said("x", "SELECT count(*) FROM run"), "2");
}

/* ---- damage ---- */

static void tell_damage(void *ctx, const char *store, int64_t run, const char *why)
{
	snprintf(ctx, 200, "%s %lld %s", strrchr(store, '/') + 1, (long long)run, why);
}

static void test_merge_tells_of_damage(void **state)
{
	static const struct {
		const char *sql, *says;
	} damage[] = {
	    {"UPDATE block SET data = substr(data, 1, length(data) / 2) "
	     "WHERE stream = 'site_hist'",
	     "a 1 site_hist, block 0: "},
	    {"UPDATE block SET rows = 99999999 WHERE stream = 'site_hist'",
	     "a 1 site_hist, block 0: "},
	    {"INSERT INTO block VALUES(1, 'event', 0, 1, 0, 0, 2, 9, x'0201')",
	     "a 1 event, block 0: "},
	    {"UPDATE block SET data = x'0102' WHERE stream = 'frame'", "a 1 "},
	};
	char told_of[200];
	struct tp_merge_options opt = {.damaged = tell_damage, .damaged_ctx = told_of};
	struct tp_err err;

	(void)state;
	write_run(&(struct spec){.store = "b", .hash = "1", .functions = 3});
	for (size_t i = 0; i < sizeof(damage) / sizeof(*damage); i++) {
		const char *stores[] = {at("a"), at("b")};
		struct tp_merge_result r;

		write_run(
		    &(struct spec){.store = "a", .hash = "1", .functions = 3, .more_kinds = true});
		change(stores[0], damage[i].sql);
		*told_of = '\0';
		assert_int_equal(tp_store_merge(at("x"), stores, 1, &opt, &r, &err), 0);
		assert_int_equal(r.damaged, 1);
		if (strncmp(told_of, damage[i].says, strlen(damage[i].says)) != 0)
			fail_msg("%s: %s", damage[i].sql, told_of);
		/* If another store has the dump undamaged, that is taken, even if it has less. */
		*told_of = '\0';
		assert_int_equal(tp_store_merge(at("x"), stores, 2, &opt, &r, &err), 0);
		assert_int_equal(r.damaged, 0);
		assert_string_equal(told_of, "");
		assert_int_equal(wrong_in(at("x")), 0);
		unlink(at("a"));
		unlink(at("x"));
	}
}

/* If two stores contradict each other about a dump, one was manipulated. */
static void test_merge_different_content(void **state)
{
	static const struct {
		const char *change;
		int code;
	} cases[] = {
	    {"kind = 'profile'", TP_ESTORE},
	    {"format = 'go 1.25'", TP_ESTORE},
	    {"events = 7", TP_ESTORE},
	    {"duration_ns = 7", TP_ESTORE},
	    {"goroutines = 7", TP_ESTORE},
	    {"format = 'go 1.25', lost_bytes = 1", TP_ESTORE},
	    /* Salvage may recover more in later versions. */
	    {"events = 7, lost_bytes = 1", 0},
	    {"events = 7, inferred = 1", 0},
	};
	struct tp_merge_result r;
	struct tp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int turned = 0; turned < 2; turned++) {
			const char *stores[2];
			char sql[100], x[64];

			write_run(&(struct spec){.store = "a", .hash = "1", .functions = 40});
			write_run(&(struct spec){.store = "b", .hash = "1", .functions = 50});
			snprintf(sql, sizeof(sql), "UPDATE run SET %s", cases[i].change);
			change(at("b"), sql);
			stores[turned] = at("a");
			stores[!turned] = at("b");
			snprintf(x, sizeof(x), "%s", at("x"));
			assert_int_equal(tp_store_merge(x, stores, 2, &options, &r, &err),
					 cases[i].code);
			if (cases[i].code)
				assert_non_null(strstr(err.msg, "trust less"));
			else /* content without losses is taken, though it has less */
				assert_int_equal(ask(x, "SELECT count(*) FROM frame"), 41);
			assert_int_equal(access(x, F_OK), cases[i].code ? -1 : 0);
			unlink(at("a"));
			unlink(at("b"));
			unlink(x);
		}
}

/* A hash that is not a text of 32 bytes is an error, and the message does not blame a concurrent
 * change. */
static void test_merge_without_a_hash(void **state)
{
	static const char *const hashes[] = {"CAST(hash AS BLOB)", "substr(hash, 2)",
					     "char(0) || substr(hash, 2)"};
	const char *stores[1];
	struct tp_merge_result r;
	struct tp_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(hashes) / sizeof(hashes[0]); i++) {
		char sql[100], x[64];

		write_run(&(struct spec){.store = "a", .hash = "1", .functions = 4});
		snprintf(sql, sizeof(sql), "UPDATE run SET hash = %s", hashes[i]);
		change(at("a"), sql);
		stores[0] = at("a");
		snprintf(x, sizeof(x), "%s", at("x"));
		assert_int_equal(tp_store_merge(x, stores, 1, &options, &r, &err), TP_ESTORE);
		assert_non_null(strstr(err.msg, "run 1 has no hash of its dump"));
		unlink(at("a"));
	}
}

/* The latest changes of a store in WAL mode are in a file beside it. */
static void test_merge_into_a_store_that_writes_ahead(void **state)
{
	const char *stores[] = {at("a")};
	struct tp_merge_options opt = options;
	struct tp_merge_result r;
	struct tp_err err;
	sqlite3 *reader;

	(void)state;
	write_run(&(struct spec){.store = "a", .hash = "1", .functions = 40});
	write_run(&(struct spec){.store = "x", .hash = "2", .functions = 40});
	change(at("x"), "PRAGMA journal_mode = WAL");
	assert_int_equal(sqlite3_open(at("x"), &reader), SQLITE_OK);
	assert_int_equal(sqlite3_exec(reader, "SELECT * FROM run", NULL, NULL, NULL), SQLITE_OK);
	write_run(&(struct spec){.store = "x", .hash = "3", .functions = 40});
	assert_int_equal(access(at("x-wal"), F_OK), 0);
	opt.wait_ms = 0;
	assert_int_equal(tp_store_merge(at("x"), stores, 1, &opt, &r, &err), TP_EBUSY);
	assert_int_equal(ask(at("x"), "SELECT count(*) FROM run"), 2);
	sqlite3_close(reader);
	assert_int_equal(tp_store_merge(at("x"), stores, 1, &opt, &r, &err), 0);
	assert_int_equal(ask(at("x"), "SELECT count(*) FROM run"), 3);
	assert_int_equal(wrong_in(at("x")), 0);
	assert_int_equal(STRANGERS("a", "x"), 0);
}

int main(void)
{
#define TEST(name) STORE_TEST(test_merge_##name)
	const struct CMUnitTest tests[] = {
	    TEST(union),
	    TEST(any_order),
	    TEST(decides),
	    TEST(labels),
	    TEST(as_it_is),
	    TEST(fails),
	    TEST(waits),
	    TEST(keeps_permissions),
	    TEST(delete_compact),
	    TEST(then_import),
	    TEST(by_a_link),
	    TEST(tells_of_damage),
	    TEST(labels_of_a_store_that_changes),
	    TEST(into_a_store_that_is_replaced),
	    TEST(different_content),
	    TEST(without_a_hash),
	    TEST(into_a_store_that_writes_ahead),
	};
#undef TEST

	return cmocka_run_group_tests(tests, NULL, NULL);
}
