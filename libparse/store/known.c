/* Holds the hashes of a store's dumps in memory, 16 bytes each. */
#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/many.h"
#include "store/query.h"
#include "store/sqlerr.h"
#include "store/store.h"

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Returns false if the text is not a hash, as in a store that was changed. */
static bool read_hash(const char *text, uint8_t hash[16])
{
	for (int i = 0; i < 16; i++) {
		int high = digit(text[2 * i]), low = high < 0 ? -1 : digit(text[2 * i + 1]);

		if (low < 0)
			return false;
		hash[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

static int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, 16);
}

static int load(struct tp_known *known, struct sqlite3 *db, const char *path, struct tp_err *err)
{
	struct tp_query q = tp_query(NULL, db, "SELECT hash FROM main.run", "");
	size_t room = known->n;
	int code = 0;

	while (!code && tp_query_row(&q)) {
		const char *text = (const char *)sqlite3_column_text(q.stmt, 0);

		if (tp_grow_raw(&known->hash, &room, known->n, sizeof(*known->hash)))
			code = tp_nomem(err);
		else if (text && read_hash(text, known->hash[known->n]))
			known->n++;
	}
	code = tp_query_end(&q, code, path, err);
	if (known->n)
		qsort(known->hash, known->n, sizeof(*known->hash), by_bytes);
	return code;
}

int tp_known_load(struct tp_known *known, const char *path, struct tp_err *err)
{
	struct stat st;

	*known = (struct tp_known){0};
	if (stat(path, &st))
		return errno == ENOENT ? 0 : tp_sys_err(err, errno, path, "cannot open");
	return st.st_size ? tp_known_add(known, path, err) : 0;
}

int tp_known_add(struct tp_known *known, const char *path, struct tp_err *err)
{
	struct tp_store *s;
	int code = tp_store_open(&s, path, err);

	if (code)
		return code;
	code = load(known, tp_store_db(s), path, err);
	tp_store_close(s);
	return code;
}

bool tp_known_has(const struct tp_known *known, const uint8_t hash[16])
{
	return known->n && bsearch(hash, known->hash, known->n, sizeof(*known->hash), by_bytes);
}

void tp_known_release(struct tp_known *known)
{
	free(known->hash);
	*known = (struct tp_known){0};
}
