/* Shared by tests of the store: a folder per test, files in it, queries of a store, and damage to
 * it. For tests only. */
#ifndef TP_STORE_TESTING_H
#define TP_STORE_TESTING_H

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "store/store.h"
#include "store/verify.h"

/* ---- a folder per test ---- */

/* Shell commands, with names made here only. */
/* NOLINTBEGIN(cert-env33-c) */

static char testing_folder[40];

static inline int testing_setup(void **state)
{
	(void)state;
	snprintf(testing_folder, sizeof(testing_folder), "/tmp/tprof-store-test-XXXXXX");
	return mkdtemp(testing_folder) ? 0 : -1;
}

static inline int testing_teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "chmod -R u+w %s && rm -rf %s", testing_folder,
		 testing_folder);
	return system(command) ? -1 : 0;
}

#define STORE_TEST(name) cmocka_unit_test_setup_teardown(name, testing_setup, testing_teardown)

/* Returns the path of this name in the folder; the last sixteen results are valid. */
static inline const char *at(const char *name)
{
	static char paths[16][96];
	static unsigned next;
	char *p = paths[next++ % 16];

	snprintf(p, sizeof(paths[0]), "%.39s/%.55s", testing_folder, name);
	return p;
}

/* Returns the number of files in the folder that are not in the list, which ends with NULL; prints
 * their names. */
static inline int strangers(const char *const *known)
{
	char command[80], line[256];
	FILE *f;
	int n = 0;

	snprintf(command, sizeof(command), "ls -A %s", testing_folder);
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		const char *const *k = known;

		line[strcspn(line, "\n")] = '\0';
		while (*k && strcmp(*k, line) != 0)
			k++;
		if (!*k) {
			print_message("also there: %s\n", line);
			n++;
		}
	}
	pclose(f);
	return n;
}
#define STRANGERS(...) strangers((const char *const[]){__VA_ARGS__, NULL})

/* ---- what is in a store ---- */

/* Returns the first column of all rows as "a|b|c". */
static inline const char *ask_text(const char *path, const char *sql)
{
	static char text[1000];
	sqlite3_stmt *stmt = NULL;
	struct tp_store *s;
	struct tp_err err;

	text[0] = '\0';
	if (tp_store_open(&s, path, &err))
		fail_msg("%s", err.msg);
	if (sqlite3_prepare_v2(tp_store_db(s), sql, -1, &stmt, NULL))
		fail_msg("%s: %s", sql, sqlite3_errmsg(tp_store_db(s)));
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		const char *value = (const char *)sqlite3_column_text(stmt, 0);

		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
			 text[0] ? "|" : "", value ? value : "NULL");
	}
	sqlite3_finalize(stmt);
	tp_store_close(s);
	return text;
}

static inline int64_t ask(const char *path, const char *sql)
{
	const char *text = ask_text(path, sql);

	if (!*text)
		fail_msg("%s: no row", sql);
	return strtoll(text, NULL, 10);
}

/* Runs SQL on its own connection without the lock, as other programs may. */
static inline void change(const char *path, const char *sql)
{
	sqlite3 *db = NULL;
	char *why = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &why))
		fail_msg("%s: %s", sql, why);
	sqlite3_close(db);
}

static inline void testing_found(void *ctx, int64_t run, const char *what)
{
	print_message("run %lld: %s\n", (long long)run, what);
	++*(size_t *)ctx;
}

static inline size_t wrong_in(const char *path)
{
	size_t told = 0, wrong = 0;
	const struct tp_verify v = {.found = testing_found, .ctx = &told};
	struct tp_err err;

	if (tp_store_verify(path, &v, &wrong, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(told, wrong);
	return wrong;
}

/* ---- files ---- */

static inline void copy_file(const char *from, const char *to)
{
	static char part[1 << 16];
	FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
	size_t n;

	assert_non_null(in);
	assert_non_null(out);
	while ((n = fread(part, 1, sizeof(part), in)) > 0)
		assert_int_equal(fwrite(part, 1, n, out), n);
	assert_int_equal(ferror(in), 0);
	fclose(in);
	assert_int_equal(fclose(out), 0);
}

static inline bool same_bytes(const char *a, const char *b)
{
	static char part[2][1 << 16];
	FILE *in[2] = {fopen(a, "rb"), fopen(b, "rb")};
	size_t n, m;

	assert_non_null(in[0]);
	assert_non_null(in[1]);
	do {
		n = fread(part[0], 1, sizeof(part[0]), in[0]);
		m = fread(part[1], 1, sizeof(part[1]), in[1]);
	} while (n && n == m && !memcmp(part[0], part[1], n));
	assert_false(ferror(in[0]) || ferror(in[1]));
	fclose(in[0]);
	fclose(in[1]);
	return !n && !m;
}

/* NOLINTEND(cert-env33-c) */

#endif
