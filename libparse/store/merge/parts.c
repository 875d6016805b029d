/* Parts of traces among the runs: which belong together, and whether all are there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "store/cut.h"
#include "store/merge/inside.h"
#include "store/merge/stitch.h"
#include "store/sqlerr.h"

struct part {
	char hash[33], dump[33];
	uint32_t first, last, of;
	bool occupancy;
	size_t input; /* whose content is taken */
	int64_t run;
};

struct parts {
	struct part *at;
	size_t n, room;
};

/* ---- listing ---- */

static int read_part(struct merge *m, struct part *p, struct tp_err *err)
{
	struct tp_store *store;
	struct tp_cut cut;
	uint8_t hash[16];
	char text[33];
	int code = merge_best(m, p->hash, &p->input, &p->run, err);

	if (!code)
		code = sources_open(&m->sources, p->input, &store, err);
	if (!code)
		code = tp_store_peek_cut(store, p->run, &cut, err);
	if (code < 0)
		return code;
	tp_cut_hash(cut.dump, cut.first, cut.last, hash);
	tp_hash_text(hash, text);
	if (!code || strcmp(text, p->hash) != 0)
		return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE,
				  "%s: run %lld: what it says of its generations is damaged",
				  tp_store_path(store), (long long)p->run);
	tp_hash_text(cut.dump, p->dump);
	p->first = cut.first;
	p->last = cut.last;
	p->of = cut.of;
	p->occupancy = cut.occupancy;
	return 0;
}

static int add_part(struct parts *parts, const char *hash, struct tp_err *err)
{
	if (parts->n == parts->room) {
		size_t room = parts->room ? parts->room * 2 : 16;
		struct part *more = tp_more(parts->at, room, sizeof(*more));

		if (!more)
			return merge_no_memory(err);
		parts->at = more;
		parts->room = room;
	}
	parts->at[parts->n] = (struct part){0};
	snprintf(parts->at[parts->n++].hash, sizeof(parts->at->hash), "%s", hash);
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	int order = strcmp(x->dump, y->dump);

	if (!order)
		order = (x->first > y->first) - (x->first < y->first);
	if (!order)
		order = (x->last > y->last) - (x->last < y->last);
	return order;
}

static int list_parts(struct merge *m, struct parts *parts, struct tp_err *err)
{
	sqlite3_stmt *stmt = NULL;
	int code = 0, rc = sqlite3_prepare_v2(m->out.file.db,
					      "SELECT DISTINCT hash FROM temp.found WHERE cut", -1,
					      &stmt, NULL);

	while (!rc && !code && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		code = add_part(parts, (const char *)sqlite3_column_text(stmt, 0), err);
		rc = SQLITE_OK;
	}
	if (!code && rc != SQLITE_DONE)
		code = merge_cannot_write(m, err);
	sqlite3_finalize(stmt);
	for (size_t i = 0; i < parts->n && !code; i++)
		code = read_part(m, &parts->at[i], err);
	if (!code && parts->n)
		qsort(parts->at, parts->n, sizeof(*parts->at), by_place);
	return code;
}

/* ---- a trace ---- */

/* Runs a statement with one or two texts; *number (may be NULL) is its first column, 0 for none,
 * and `text` (may be NULL) takes the same as a text. */
static int ask(struct merge *m, const char *sql, const char *a, const char *b, int64_t *number,
	       char *text, size_t room, struct tp_err *err)
{
	sqlite3_stmt *stmt = NULL;
	int code = 0, rc = sqlite3_prepare_v2(m->out.file.db, sql, -1, &stmt, NULL);

	if (!rc)
		rc = sqlite3_bind_text(stmt, 1, a, -1, SQLITE_STATIC);
	if (!rc && b)
		rc = sqlite3_bind_text(stmt, 2, b, -1, SQLITE_STATIC);
	if (!rc)
		rc = sqlite3_step(stmt);
	if (number)
		*number = rc == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;
	if (text) {
		const char *got =
		    rc == SQLITE_ROW ? (const char *)sqlite3_column_text(stmt, 0) : NULL;

		snprintf(text, room, "%s", got ? got : "");
	}
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		code = merge_cannot_write(m, err);
	sqlite3_finalize(stmt);
	return code;
}

static int name_of(struct merge *m, const struct part *p, char *name, size_t room,
		   struct tp_err *err)
{
	return ask(m, "SELECT min(name) FROM temp.found WHERE hash = ?1", p->hash, NULL, NULL, name,
		   room, err);
}

/* "1-4, 9": what lies before, between and behind them. Cut where it is long. */
static void list_missing(const struct part *p, size_t n, char *text, size_t room)
{
	uint32_t next = 1;
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i <= n && used < room; i++) {
		uint32_t first = i < n ? p[i].first : p[0].of + 1;
		int more = 0;

		if (first == next + 1)
			more = snprintf(text + used, room - used, "%s%u", used ? ", " : "", next);
		else if (first > next)
			more = snprintf(text + used, room - used, "%s%u-%u", used ? ", " : "", next,
					first - 1);
		used += (size_t)more;
		next = i < n ? p[i].last + 1 : next;
	}
}

/* Are they parts of one cutting, and all of it? */
static int check_parts(struct merge *m, const struct part *p, size_t n, bool *all,
		       struct tp_err *err)
{
	char name[160], missing[80];
	int code = name_of(m, p, name, sizeof(name), err);

	*all = p[0].first == 1 && p[n - 1].last == p[n - 1].of;
	for (size_t i = 1; i < n && !code; i++) {
		if (p[i].of != p[0].of)
			code = tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE,
					  "%s: one part is of %u generations and another of %u",
					  name, p[0].of, p[i].of);
		else if (p[i].first <= p[i - 1].last)
			code =
			    tp_err_set(err, TP_EUNKNOWN, TP_OFFSET_NONE,
				       "%s: the part of generations %u to %u overlaps that of "
				       "%u to %u; leave out the store of one",
				       name, p[i - 1].first, p[i - 1].last, p[i].first, p[i].last);
		*all &= p[i].first == p[i - 1].last + 1;
	}
	if (!code && !*all && m->opt->missing) {
		list_missing(p, n, missing, sizeof(missing));
		m->opt->missing(m->opt->missing_ctx, name, missing, p[0].of);
	}
	return code;
}

/* What is said of the parts is said of the dump from now on. */
static int give_facts(struct merge *m, const struct part *p, size_t n, struct tp_err *err)
{
	int code = 0;

	for (size_t i = 0; i < n && !code; i++)
		code = ask(m, "UPDATE temp.found SET hash = ?2, content = 0 WHERE hash = ?1",
			   p[i].hash, p[i].dump, NULL, NULL, 0, err);
	return code;
}

/* ---- joining ---- */

struct joining {
	struct merge *m;
	const struct part *part;
};

static int open_part(void *ctx, size_t i, struct tp_store **store, int64_t *run, struct tp_err *err)
{
	struct joining *j = ctx;

	*run = j->part[i].run;
	return sources_open(&j->m->sources, j->part[i].input, store, err);
}

static int tell_progress(void *ctx, uint64_t done, uint64_t total)
{
	struct joining *j = ctx;
	const struct tp_merge_options *opt = j->m->opt;

	return opt->progress ? opt->progress(opt->progress_ctx, "join", done, total) : 0;
}

/* How many events there are, and whether they were packed for size. */
static int survey(struct joining *j, size_t n, struct stitch_options *opt, struct tp_err *err)
{
	int code = 0;

	for (size_t i = 0; i < n && !code; i++) {
		sqlite3_stmt *stmt = NULL;
		struct tp_store *store;
		int64_t run;
		int rc;

		code = open_part(j, i, &store, &run, err);
		if (code)
			break;
		rc =
		    sqlite3_prepare_v2(tp_store_db(store),
				       "SELECT events, size_in, (SELECT codec FROM main.block "
				       "WHERE run = ?1 AND stream = 'event' LIMIT 1) FROM main.run "
				       "WHERE id = ?1",
				       -1, &stmt, NULL);
		if (!rc)
			rc = sqlite3_bind_int64(stmt, 1, run);
		if (!rc)
			rc = sqlite3_step(stmt);
		if (rc == SQLITE_ROW) {
			opt->events += (uint64_t)sqlite3_column_int64(stmt, 0);
			opt->store.dump_size = (uint64_t)sqlite3_column_int64(stmt, 1);
			opt->store.compress |= sqlite3_column_int(stmt, 2) == TP_CODEC_ZSTD;
		} else {
			code = tp_sql_err(err, tp_store_db(store), tp_store_path(store),
					  "cannot read");
		}
		sqlite3_finalize(stmt);
	}
	return code;
}

static int put_found(struct merge *m, const char *hash, size_t input, int64_t wall_ns,
		     struct tp_err *err)
{
	sqlite3_stmt *stmt = NULL;
	int rc =
	    sqlite3_prepare_v2(m->out.file.db,
			       "INSERT INTO temp.found VALUES(?1, ?2, 1, ?3, NULL, NULL, NULL, "
			       "NULL, 0, 0, 0, 1)",
			       -1, &stmt, NULL);

	if (!rc)
		rc = sqlite3_bind_text(stmt, 1, hash, -1, SQLITE_STATIC);
	if (!rc)
		rc = sqlite3_bind_int64(stmt, 2, (int64_t)input);
	if (!rc && wall_ns != TP_NULL)
		rc = sqlite3_bind_int64(stmt, 3, wall_ns);
	if (!rc)
		rc = sqlite3_step(stmt);
	sqlite3_finalize(stmt);
	return rc == SQLITE_DONE ? 0 : merge_cannot_write(m, err);
}

static int join_parts(struct merge *m, const struct part *p, size_t n, struct tp_err *err)
{
	struct joining j = {m, p};
	struct stitch_options opt = {.path = m->out.path,
				     .threads = m->opt->threads,
				     .part = open_part,
				     .progress = tell_progress,
				     .ctx = &j,
				     .store = {.wait_ms = -1, .background = m->opt->threads > 0}};
	struct tp_draft *draft, *more = tp_more(m->drafts, m->ndrafts + 1, sizeof(*more));
	bool occupancy = false;
	int64_t wall_ns = TP_NULL;
	int code;

	if (!more)
		return merge_no_memory(err);
	m->drafts = more;
	draft = &m->drafts[m->ndrafts++];
	tp_draft_create(draft, m->out.path); /* what is wrong is said when it is used */
	opt.store.draft = draft;
	for (size_t i = 0; i < n; i++)
		occupancy |= p[i].occupancy;
	code = survey(&j, n, &opt, err);
	if (!code)
		code = tp_stitch(n, occupancy, &opt, &wall_ns, err);
	if (!code)
		code = sources_add_made(&m->sources, draft->temp, err);
	if (!code)
		code = put_found(m, p[0].dump, m->sources.n - 1, wall_ns, err);
	m->result->joined += !code;
	return code;
}

static int take_trace(struct merge *m, const struct part *p, size_t n, struct tp_err *err)
{
	int64_t whole;
	bool all = true;
	int code = ask(m, "SELECT count(*) FROM temp.found WHERE hash = ?1 AND content", p->dump,
		       NULL, &whole, NULL, 0, err);

	if (!code && !whole)
		code = check_parts(m, p, n, &all, err);
	if (code || !all)
		return code;
	if (!whole)
		code = join_parts(m, p, n, err);
	return code ? code : give_facts(m, p, n, err);
}

int merge_parts(struct merge *m, struct tp_err *err)
{
	struct parts parts = {0};
	int code = list_parts(m, &parts, err);

	for (size_t i = 0, n; i < parts.n && !code; i += n) {
		n = 1;
		while (i + n < parts.n && !strcmp(parts.at[i].dump, parts.at[i + n].dump))
			n++;
		code = take_trace(m, &parts.at[i], n, err);
	}
	free(parts.at);
	return code;
}
