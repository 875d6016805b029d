#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/many.h"
#include "store/kept.h"
#include "store/merge/inside.h"
#include "store/query.h"
#include "store/schema.h"
#include "store/sqlerr.h"

/* Open stores; each has a few descriptors and a page cache. */
#define MOST_OPEN 16

static int open_source(struct source *s, int wait_ms, struct tp_err *err)
{
	int version = 0, code = s->stays ? tp_store_open_rw(&s->store, s->path, err)
					 : tp_store_open(&s->store, s->path, err);

	if (!code)
		code = tp_schema_check(tp_store_db(s->store), s->path, &version, err);
	/* Data that only a newer program knows would be left out. */
	if (!code && version > TP_STORE_VERSION)
		code = tp_err_set(err, TP_EVERSION, TP_OFFSET_NONE,
				  "%s was written by a newer tprof (store version %d); this one can "
				  "read it, but cannot merge it: update tprof",
				  s->path, version);
	if (!code && s->stays && wait_ms >= 0)
		sqlite3_busy_timeout(tp_store_db(s->store), wait_ms);
	/* The store may be in WAL mode; its WAL would not belong to the store that replaces it. And
	 * programs that change it without our lock have to wait, too. */
	if (!code && s->stays &&
	    sqlite3_exec(tp_store_db(s->store),
			 "PRAGMA main.journal_mode = DELETE; BEGIN IMMEDIATE", NULL, NULL, NULL))
		code = tp_sql_err(err, tp_store_db(s->store), s->path, "cannot write");
	if (code) {
		tp_store_close(s->store);
		s->store = NULL;
	}
	return code;
}

int sources_add(struct sources *s, const char *path, bool stays, int wait_ms, struct tp_err *err)
{
	struct source *source;
	struct stat st;
	int code;

	if (stat(path, &st))
		return tp_sys_err(err, errno, path, "cannot open");
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].dev == st.st_dev && s->at[i].ino == st.st_ino)
			return 0;
	if (s->n == s->room) {
		size_t room = s->room ? s->room * 2 : 16;
		struct source *more = tp_more(s->at, room, sizeof(*more));

		if (!more)
			return tp_nomem(err);
		s->at = more;
		s->room = room;
	}
	source = &s->at[s->n];
	*source = (struct source){.path = strdup(path), .stays = stays};
	source->dev = st.st_dev;
	source->ino = st.st_ino;
	if (!source->path)
		return tp_nomem(err);
	code = stays ? open_source(source, wait_ms, err) : 0;
	if (code) {
		free(source->path);
		return code;
	}
	s->n++;
	s->size += st.st_size;
	return 0;
}

int sources_open(struct sources *s, size_t i, struct tp_store **store, struct tp_err *err)
{
	struct source *source = &s->at[i], *oldest = NULL;
	int code = 0;

	source->used = ++s->uses;
	if (!source->store && s->open == MOST_OPEN) {
		for (size_t k = 0; k < s->n; k++)
			if (s->at[k].store && !s->at[k].stays &&
			    (!oldest || s->at[k].used < oldest->used))
				oldest = &s->at[k];
		if (oldest) {
			tp_store_close(oldest->store);
			oldest->store = NULL;
			s->open--;
		}
	}
	if (!source->store) {
		code = open_source(source, -1, err);
		s->open += !code;
	}
	*store = source->store;
	return code;
}

void sources_release(struct sources *s)
{
	for (size_t i = 0; i < s->n; i++) {
		tp_store_close(s->at[i].store);
		free(s->at[i].path);
	}
	free(s->at);
	*s = (struct sources){0};
}

int source_begin(struct tp_store *store, const char *hash, int64_t run, bool *begun,
		 struct tp_err *err)
{
	static const char sql[] = "SELECT 1 FROM main.run WHERE id = ? AND hash = ?";
	sqlite3 *db = tp_store_db(store);
	struct tp_query q;
	bool there;
	int code = 0;

	/* The store that is replaced is in a transaction from the beginning. */
	*begun = sqlite3_get_autocommit(db);
	if (*begun && sqlite3_exec(db, "BEGIN", NULL, NULL, NULL))
		return tp_sql_err(err, db, tp_store_path(store), "cannot read");
	q = tp_query(tp_store_kept(store), db, sql, "is", run, hash);
	there = tp_query_row(&q);
	code = tp_query_end(&q, 0, tp_store_path(store), err);
	if (!code && !there)
		code = tp_err_set(err, TP_EBUSY, TP_OFFSET_NONE,
				  "%s was changed while it was merged; try again",
				  tp_store_path(store));
	if (code)
		source_end(store, *begun);
	return code;
}

void source_end(struct tp_store *store, bool begun)
{
	if (begun)
		sqlite3_exec(tp_store_db(store), "COMMIT", NULL, NULL, NULL);
}
