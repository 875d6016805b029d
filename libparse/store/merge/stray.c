/* Parts that do not say any more what they are parts of, as that block of theirs is damaged. Their
 * hash is made of the whole trace's and their place in it (store/cut.h): where a whole trace is
 * here, it is known which hashes its parts have. So they go into it as damaged parts do that still
 * say it, whether they or the sound copy of them, which may be in the whole already, came first. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "store/cut.h"
#include "store/merge/inside.h"

/* Damaged traces have more generations than were decoded. What is looked for has an end, as rows
 * may say anything, and each trace takes the square of it: parts of what is behind that stay
 * strays. */
#define MOST_MORE	 64
#define MOST_GENERATIONS 1024
/* And of all traces together, of which a small store can hold thousands: so many hashes (0.1 s),
 * and one for each byte of the stores. A trace of ten generations takes 3,570, and is larger. */
#define MOST_HASHES ((uint64_t)4 << 20)

struct stray {
	uint8_t hash[16];
	char text[33];
};

struct strays {
	struct stray *at;
	size_t n;
	uint64_t left; /* hashes that may still be made */
};

static int by_hash(const void *a, const void *b)
{
	return memcmp(a, b, 16);
}

static void read_hash(const char *text, uint8_t hash[16])
{
	for (int i = 0; i < 16; i++) {
		char byte[3] = {text[2 * i], text[2 * i + 1], '\0'};

		hash[i] = (uint8_t)strtoul(byte, NULL, 16);
	}
}

static int finish(struct merge *m, sqlite3_stmt *stmt, int rc, int code, struct tp_err *err)
{
	sqlite3_finalize(stmt);
	return code || rc == SQLITE_DONE ? code : merge_cannot_write(m, err);
}

/* The runs of this name become facts of the trace. */
static int give_to(struct merge *m, const char *stray, const char *dump, struct tp_err *err)
{
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(m->out.file.db,
				    "UPDATE temp.found SET hash = ?2, content = 0 WHERE hash = ?1",
				    -1, &stmt, NULL);

	if (!rc)
		rc = sqlite3_bind_text(stmt, 1, stray, -1, SQLITE_STATIC);
	if (!rc)
		rc = sqlite3_bind_text(stmt, 2, dump, -1, SQLITE_STATIC);
	if (!rc)
		rc = sqlite3_step(stmt);
	return finish(m, stmt, rc, 0, err);
}

/* Gives a sound trace those of its parts that are among the strays. */
static int look_in(struct merge *m, struct strays *strays, const char *dump, int64_t generations,
		   struct tp_err *err)
{
	uint32_t most = MOST_GENERATIONS;
	uint8_t whole[16], hash[16];
	struct content content;
	struct best best = {0};
	int code = 0;

	if (generations < (MOST_GENERATIONS - MOST_MORE) / 2)
		most = 2 * (uint32_t)generations + MOST_MORE;
	read_hash(dump, whole);
	for (uint32_t last = 1; last <= most && last <= strays->left && !code; last++) {
		strays->left -= last;
		for (uint32_t first = 1; first <= last && !code; first++) {
			const struct stray *found;

			tp_cut_hash(whole, first, last, hash);
			found = bsearch(hash, strays->at, strays->n, sizeof(*found), by_hash);
			if (!found)
				continue;
			if (!best.n)
				code = merge_best(m, dump, &best, &content, err);
			/* What is damaged takes nothing in (parts.c). */
			if (!code && content.damaged)
				return 0;
			if (!code)
				code = give_to(m, found->text, dump, err);
		}
	}
	return code;
}

/* All traces that are here, in a table of their own, as rows are changed meanwhile. Those that take
 * most come last: who claims generations that are not there takes nothing from others. */
static int look_in_all(struct merge *m, struct strays *strays, struct tp_err *err)
{
	static const char sql[] =
	    "CREATE TEMP TABLE wholes AS SELECT hash, max(generations) AS generations FROM "
	    "temp.found WHERE content AND NOT cut AND generations > 0 GROUP BY hash";
	sqlite3_stmt *stmt = NULL;
	int code = 0, rc;

	if (sqlite3_exec(m->out.file.db, sql, NULL, NULL, NULL))
		return merge_cannot_write(m, err);
	rc = sqlite3_prepare_v2(
	    m->out.file.db, "SELECT hash, generations FROM temp.wholes ORDER BY generations, hash",
	    -1, &stmt, NULL);
	while (!rc && !code && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		if (m->opt->progress &&
		    m->opt->progress(m->opt->progress_ctx, "list", m->sources.n, m->sources.n))
			code = tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "stopped");
		if (!code)
			code = look_in(m, strays, (const char *)sqlite3_column_text(stmt, 0),
				       sqlite3_column_int64(stmt, 1), err);
		rc = SQLITE_OK;
	}
	return finish(m, stmt, rc, code, err);
}

int merge_strays(struct merge *m, const char *hash, size_t step, size_t n, struct tp_err *err)
{
	struct strays strays = {.n = n, .left = MOST_HASHES + (uint64_t)m->sources.size};
	int code;

	strays.at = tp_many(n, sizeof(*strays.at));
	if (!strays.at)
		return merge_no_memory(err);
	for (size_t i = 0; i < n; i++) {
		memcpy(strays.at[i].text, hash + i * step, sizeof(strays.at[i].text));
		read_hash(strays.at[i].text, strays.at[i].hash);
	}
	qsort(strays.at, n, sizeof(*strays.at), by_hash);
	code = look_in_all(m, &strays, err);
	free(strays.at);
	return code;
}
