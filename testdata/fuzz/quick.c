/* What makes the fuzzers quick, and is not in the programs that replay their inputs: SQLite's part
 * of an input's time was more than half of it.
 *
 * Statements that are finalised are kept, with their connection, for whoever prepares the same text
 * next: a table's rows are asked for by the same statement, whichever it is. And what SQLite
 * allocates and is small, or a page, does not come from the sanitizer's malloc; blobs and texts
 * that are larger than that do, so that reading behind their end is noticed. */
#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The linker puts these in the place of the names without a prefix (fuzz.mk). */
int __real_sqlite3_prepare_v2(sqlite3 *db, const char *sql, int n, sqlite3_stmt **stmt,
			      const char **tail);
int __real_sqlite3_finalize(sqlite3_stmt *stmt);
int __real_sqlite3_close(sqlite3 *db);
int __real_sqlite3_close_v2(sqlite3 *db);
int __wrap_sqlite3_prepare_v2(sqlite3 *db, const char *sql, int n, sqlite3_stmt **stmt,
			      const char **tail);
int __wrap_sqlite3_finalize(sqlite3_stmt *stmt);
int __wrap_sqlite3_close(sqlite3 *db);
int __wrap_sqlite3_close_v2(sqlite3 *db);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* ---- statements ---- */

#define KEPT 96

/* Whoever has `lock` calls nothing of SQLite's, which may call back. */
static struct kept {
	sqlite3 *db;
	sqlite3_stmt *stmt;
	const char *sql;
	bool used;
} kept[KEPT];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static sqlite3_stmt *find(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt = NULL;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < KEPT && !stmt; i++) {
		struct kept *k = &kept[i];

		if (k->stmt && !k->used && k->db == db && !strcmp(k->sql, sql)) {
			k->used = true;
			stmt = k->stmt;
		}
	}
	pthread_mutex_unlock(&lock);
	return stmt;
}

/* Into a free place, or that of a statement that nobody uses, which is returned; or nowhere. */
static sqlite3_stmt *keep(sqlite3 *db, sqlite3_stmt *stmt)
{
	static size_t next;
	struct kept *to = NULL;
	sqlite3_stmt *old = NULL;
	const char *sql = sqlite3_sql(stmt);

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < KEPT && !to; i++)
		to = kept[i].stmt ? NULL : &kept[i];
	for (size_t i = 0; i < KEPT && !to; i++, next++)
		to = kept[next % KEPT].used ? NULL : &kept[next % KEPT];
	if (to) {
		old = to->stmt;
		*to = (struct kept){db, stmt, sql, true};
	}
	pthread_mutex_unlock(&lock);
	return old;
}

int __wrap_sqlite3_prepare_v2(sqlite3 *db, const char *sql, int n, sqlite3_stmt **stmt,
			      const char **tail)
{
	bool kept_kind = n < 0 && !tail && db && sql && !strncmp(sql, "SELECT", 6);
	int rc;

	if (kept_kind && (*stmt = find(db, sql)))
		return SQLITE_OK;
	rc = __real_sqlite3_prepare_v2(db, sql, n, stmt, tail);
	if (kept_kind && !rc && *stmt)
		__real_sqlite3_finalize(keep(db, *stmt));
	return rc;
}

int __wrap_sqlite3_finalize(sqlite3_stmt *stmt)
{
	struct kept *k = NULL;
	int rc;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; stmt && i < KEPT && !k; i++)
		k = kept[i].stmt == stmt ? &kept[i] : NULL;
	pthread_mutex_unlock(&lock);
	if (!k)
		return __real_sqlite3_finalize(stmt);
	rc = sqlite3_reset(stmt);
	sqlite3_clear_bindings(stmt);
	pthread_mutex_lock(&lock);
	k->used = false;
	pthread_mutex_unlock(&lock);
	return rc;
}

static void let_go(sqlite3 *db)
{
	sqlite3_stmt *stmt;

	do {
		stmt = NULL;
		pthread_mutex_lock(&lock);
		for (size_t i = 0; db && i < KEPT && !stmt; i++) {
			if (kept[i].db != db || kept[i].used)
				continue;
			stmt = kept[i].stmt;
			kept[i] = (struct kept){0};
		}
		pthread_mutex_unlock(&lock);
		__real_sqlite3_finalize(stmt);
	} while (stmt);
}

int __wrap_sqlite3_close(sqlite3 *db)
{
	let_go(db);
	return __real_sqlite3_close(db);
}

int __wrap_sqlite3_close_v2(sqlite3 *db)
{
	let_go(db);
	return __real_sqlite3_close_v2(db);
}

/* ---- memory ---- */

/* Pieces of 2^n bytes up to SMALL, and those of a page of 4096 with what SQLite adds to it. */
#define SMALL	  1024
#define SMALLEST  5
#define CLASSES	  (10 - SMALLEST + 2)
#define PAGE	  4096
#define PAGE_MOST 4608
#define SLAB	  ((size_t)1 << 18)

union piece {
	struct {
		uint32_t size, class; /* what it was asked for; CLASSES: malloc's */
		union piece *next;    /* while it is free */
	} of;
	char aligned[16];
};

static union piece *unused[CLASSES];
static pthread_spinlock_t pieces_lock;

static unsigned class_of(int n)
{
	unsigned class = 0;

	if (n > PAGE && n <= PAGE_MOST)
		return CLASSES - 1;
	if (n > SMALL)
		return CLASSES;
	while (n > 1 << (class + SMALLEST))
		class ++;
	return class;
}

static size_t room_of(unsigned class)
{
	return class == CLASSES - 1 ? PAGE_MOST : (size_t)1 << (class + SMALLEST);
}

/* With the lock. Slabs are never given back; they are found by what lies in them. */
static void fill(unsigned class)
{
	size_t one = sizeof(union piece) + room_of(class);
	char *slab = aligned_alloc(sizeof(union piece), SLAB);

	for (size_t at = 0; slab && at + one <= SLAB; at += one) {
		union piece *p = (union piece *)(void *)(slab + at);

		p->of.next = unused[class];
		unused[class] = p;
	}
}

static void *get(int n)
{
	unsigned class = class_of(n);
	union piece *p;

	if (class == CLASSES) {
		p = malloc(sizeof(*p) + (size_t)n);
	} else {
		pthread_spin_lock(&pieces_lock);
		if (!unused[class])
			fill(class);
		p = unused[class];
		if (p)
			unused[class] = p->of.next;
		pthread_spin_unlock(&pieces_lock);
	}
	if (!p)
		return NULL;
	p->of.size = (uint32_t)n;
	p->of.class = class;
	return p + 1;
}

static void put(void *data)
{
	union piece *p = data;

	if (!p--)
		return;
	if (p->of.class == CLASSES) {
		free(p);
		return;
	}
	pthread_spin_lock(&pieces_lock);
	p->of.next = unused[p->of.class];
	unused[p->of.class] = p;
	pthread_spin_unlock(&pieces_lock);
}

static int size_of(void *data)
{
	union piece *p = data;

	return p ? (int)p[-1].of.size : 0;
}

static void *resize(void *data, int n)
{
	union piece *p = data;
	void *to;
	int had = size_of(data);

	if (p && p[-1].of.class < CLASSES && (size_t)n <= room_of(p[-1].of.class)) {
		p[-1].of.size = (uint32_t)n;
		return data;
	}
	to = get(n);
	if (to && data) {
		memcpy(to, data, (size_t)(had < n ? had : n));
		put(data);
	}
	return to;
}

static int round_up(int n)
{
	return (n + 7) & ~7;
}

static int init(void *unneeded)
{
	(void)unneeded;
	return SQLITE_OK;
}

static void shut(void *unneeded)
{
	(void)unneeded;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const sqlite3_mem_methods methods = {get,      put,  resize, size_of,
						    round_up, init, shut,   NULL};

	(void)argc, (void)argv;
	pthread_spin_init(&pieces_lock, PTHREAD_PROCESS_PRIVATE);
	sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	return 0;
}
