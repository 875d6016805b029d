/* Parts of traces among the runs: which belong together, and whether all are there.
 *
 * The same trace may be here as a whole and in parts, and not all of it was imported alike. What
 * becomes of them may not depend on the order in which they meet, though what was joined cannot be
 * told from what was imported as a whole, and of what was taken in nothing is left. So a whole
 * trace takes in only parts that have no more than it has (rank): a part that has more stays until
 * all of the trace is there in parts that have, and the whole that these make takes the place of
 * the other. Ranks are as compare_ranks (pick.c) has them.
 *
 * What is damaged has less than any whole trace, and is part of no join; what turns out not to fit
 * together is as if some of it were missing. Either is told of where it is why there is no whole.
 * A run that does not say any more what it is a part of stays, unless another store has it sound,
 * or the whole trace is there (stray.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "store/cut.h"
#include "store/merge/inside.h"
#include "store/merge/stitch.h"
#include "store/sqlerr.h"

struct part {
	char hash[33], dump[33]; /* dump: empty where nobody can tell */
	uint32_t first, last, of;
	int rank;
	struct best best; /* whose content is taken */
};

struct parts {
	struct part *at;
	size_t n, room;
};

/* What a run has more than others of the same trace: the table occupancy, then smaller blocks. What
 * is damaged has less than all others. */
enum { RANK_DAMAGED = -1, RANKS = 4 };

static int rank_of(bool occupancy, int64_t codec)
{
	return 2 * occupancy + (codec == TP_CODEC_ZSTD);
}

/* ---- what is said of them ---- */

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

/* Tells why parts stay as they are, and what to do. */
static int tell_apart(struct merge *m, const struct part *p, const char *why, const char *todo,
		      struct tp_err *err)
{
	char name[160], text[sizeof(err->msg) + 100];
	int code = m->opt->apart ? name_of(m, p, name, sizeof(name), err) : 0;

	if (!code && m->opt->apart) {
		snprintf(text, sizeof(text), "%s; %s, and merge that", why, todo);
		m->opt->apart(m->opt->apart_ctx, name, text);
	}
	return code;
}

/* ---- listing ---- */

static int peek(struct merge *m, const struct best *best, struct tp_cut *cut, struct tp_err *err)
{
	struct tp_store *store;
	bool begun;
	int code = sources_open(&m->sources, best->input, &store, err);

	if (!code)
		code = source_begin(store, best->own, best->run, &begun, err);
	if (code)
		return code;
	code = content_cut(store, best->run, cut, err);
	source_end(store, begun);
	return code;
}

static int read_part(struct merge *m, struct part *p, struct tp_err *err)
{
	struct content content;
	struct tp_cut cut = {0};
	int code = merge_best(m, p->hash, &p->best, &content, err);

	if (!code)
		code = peek(m, &p->best, &cut, err);
	/* A run that was taken for a part when it was listed, and is of nobody knows what. */
	if (code < 0)
		return merge_is_content(code) ? 0 : code;
	tp_hash_text(cut.dump, p->dump);
	p->first = cut.first;
	p->last = cut.last;
	p->of = cut.of;
	p->rank = content.damaged ? RANK_DAMAGED : rank_of(content.occupancy, content.codec);
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

/* Are they parts of one cutting? */
static int check_parts(struct merge *m, const struct part *p, size_t n, struct tp_err *err)
{
	char name[160];
	int code = name_of(m, p, name, sizeof(name), err);

	for (size_t i = 1; i < n && !code; i++) {
		if (p[i].first <= p[i - 1].last)
			code =
			    tp_err_set(err, TP_EUNKNOWN, TP_OFFSET_NONE,
				       "%s: the part of generations %u to %u overlaps that of "
				       "%u to %u; leave out the store of one",
				       name, p[i - 1].first, p[i - 1].last, p[i].first, p[i].last);
	}
	return code;
}

/* Puts those of this rank, or a higher one, first in `chosen`; are they all of the trace? */
static bool choose(const struct part *p, size_t n, int rank, const struct part **chosen,
		   size_t *nchosen)
{
	uint32_t next = 1;

	*nchosen = 0;
	for (size_t i = 0; i < n; i++) {
		if (p[i].rank < rank)
			continue;
		if (p[i].first != next || p[i].of != p[0].of)
			return false;
		chosen[(*nchosen)++] = &p[i];
		next = p[i].last + 1;
	}
	/* None are all of a trace of no generations, which only a damaged store has. */
	return *nchosen && next == p[0].of + 1;
}

/* Which are missing, or else what is the matter with those that are there. */
static int tell_missing(struct merge *m, const struct part *p, size_t n, struct tp_err *err)
{
	char name[160], text[120];
	size_t bad = 0;
	int code;

	list_missing(p, n, text, sizeof(text));
	if (*text) {
		code = m->opt->missing ? name_of(m, p, name, sizeof(name), err) : 0;
		if (!code && m->opt->missing)
			m->opt->missing(m->opt->missing_ctx, name, text, p[0].of);
		return code;
	}
	while (bad < n - 1 && p[bad].rank != RANK_DAMAGED && p[bad].of == p[0].of)
		bad++;
	if (p[bad].rank == RANK_DAMAGED)
		snprintf(text, sizeof(text), "that of generations %u to %u is damaged",
			 p[bad].first, p[bad].last);
	else
		snprintf(text, sizeof(text), "one is of %u generations and another of %u", p[0].of,
			 p[bad].of);
	return tell_apart(m, p, text, "import it once more", err);
}

/* What is said of the parts is said of the dump from now on. Those that have more than it stay, and
 * what is said of them is what is said of it: of the copies of a part, some may have gone into the
 * whole before. */
static int give_facts(struct merge *m, const struct part *p, size_t n, int rank, struct tp_err *err)
{
	static const char take[] = "UPDATE temp.found SET hash = ?2, content = 0 WHERE hash = ?1",
			  copy[] = "INSERT INTO temp.found SELECT ?2, input, run, wall, imported, "
				   "name, source, size, written_out, cut, 1, 0, own, "
				   "generations FROM temp.found WHERE hash = ?1",
			  stay[] = "INSERT INTO temp.beside VALUES(?1, ?2)";
	int code = 0;

	for (size_t i = 0; i < n && !code; i++) {
		bool stays = p[i].rank > rank;

		code = ask(m, stays ? copy : take, p[i].hash, p[i].dump, NULL, NULL, 0, err);
		if (!code && stays)
			code = ask(m, stay, p[i].hash, p[i].dump, NULL, NULL, 0, err);
	}
	return code;
}

/* ---- joining ---- */

struct joining {
	struct merge *m;
	const struct part *const *part;
	struct tp_store *store; /* of the part that is read, NULL: of none */
	bool begun;
};

static void end_part(struct joining *j)
{
	if (j->store)
		source_end(j->store, j->begun);
	j->store = NULL;
}

/* All of a part is read in one transaction, which ends with the next one. */
static int open_part(void *ctx, size_t i, struct tp_store **store, int64_t *run, struct tp_err *err)
{
	struct joining *j = ctx;
	const struct best *best = &j->part[i]->best;
	int code;

	end_part(j);
	*run = best->run;
	code = sources_open(&j->m->sources, best->input, store, err);
	if (!code)
		code = source_begin(*store, best->own, best->run, &j->begun, err);
	if (!code)
		j->store = *store;
	return code;
}

static int tell_progress(void *ctx, uint64_t done, uint64_t total)
{
	struct joining *j = ctx;
	const struct tp_merge_options *opt = j->m->opt;

	return opt->progress ? opt->progress(opt->progress_ctx, "join", done, total) : 0;
}

/* How many events there are. */
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
		rc = sqlite3_prepare_v2(tp_store_db(store),
					"SELECT events, size_in FROM main.run WHERE id = ?1", -1,
					&stmt, NULL);
		if (!rc)
			rc = sqlite3_bind_int64(stmt, 1, run);
		if (!rc)
			rc = sqlite3_step(stmt);
		if (rc == SQLITE_ROW) {
			opt->events += (uint64_t)sqlite3_column_int64(stmt, 0);
			opt->store.dump_size = (uint64_t)sqlite3_column_int64(stmt, 1);
		} else {
			code = tp_sql_err(err, tp_store_db(store), tp_store_path(store),
					  "cannot read");
		}
		sqlite3_finalize(stmt);
	}
	return code;
}

static int put_found(struct merge *m, const char *hash, const struct stitched *made,
		     struct tp_err *err)
{
	sqlite3_stmt *stmt = NULL;
	int rc =
	    sqlite3_prepare_v2(m->out.file.db,
			       "INSERT INTO temp.found VALUES(?1, ?2, ?3, ?4, NULL, NULL, NULL, "
			       "NULL, 0, 0, 0, 1, ?1, ?5)",
			       -1, &stmt, NULL);

	if (!rc)
		rc = sqlite3_bind_text(stmt, 1, hash, -1, SQLITE_STATIC);
	/* The draft is the last of the stores, once it is complete. */
	if (!rc)
		rc = sqlite3_bind_int64(stmt, 2, (int64_t)m->sources.n);
	if (!rc)
		rc = sqlite3_bind_int64(stmt, 3, m->njoined);
	if (!rc && made->wall_ns != TP_NULL)
		rc = sqlite3_bind_int64(stmt, 4, made->wall_ns);
	if (!rc)
		rc = sqlite3_bind_int64(stmt, 5, made->generations);
	if (!rc)
		rc = sqlite3_step(stmt);
	sqlite3_finalize(stmt);
	return rc == SQLITE_DONE ? 0 : merge_cannot_write(m, err);
}

/* One file for all that are joined, however many there are: descriptors are few. */
static int open_draft(struct merge *m, uint64_t dump_size, struct tp_err *err)
{
	if (m->draft.several)
		return 0;
	tp_draft_create(&m->draft, m->out.path); /* what is wrong is said when it is used */
	return tp_draft_open(&m->draft, dump_size, err);
}

static int join_parts(struct merge *m, const struct part *const *p, size_t n, int rank,
		      struct tp_err *err)
{
	struct joining j = {.m = m, .part = p};
	struct stitch_options opt = {.path = m->out.path,
				     .threads = m->opt->threads,
				     .part = open_part,
				     .progress = tell_progress,
				     .ctx = &j,
				     .store = {.draft = &m->draft,
					       .wait_ms = -1,
					       .compress = rank & 1,
					       .background = m->opt->threads > 0}};
	struct stitched made = {.wall_ns = TP_NULL};
	int code = survey(&j, n, &opt, err);

	if (!code)
		code = open_draft(m, opt.store.dump_size, err);
	if (!code)
		code = tp_stitch(n, rank >= 2, &opt, &made, err);
	end_part(&j);
	m->njoined += !code;
	if (!code)
		code = put_found(m, p[0]->dump, &made, err);
	m->result->joined += !code;
	return code;
}

/* Joins parts of this rank; *joined: they could be. Those that cannot stay beside what there is. */
static int try_join(struct merge *m, const struct part *const *p, size_t n, int rank, bool *joined,
		    struct tp_err *err)
{
	struct tp_err why;
	int code = join_parts(m, p, n, rank, &why);

	*joined = !code;
	if (merge_is_content(code))
		return tell_apart(m, p[0], why.msg,
				  "import the whole trace with the options of its parts", err);
	if (code)
		*err = why;
	return code;
}

/* Of all that there is of a trace in parts; `chosen` has room for n. */
static int take_trace(struct merge *m, const struct part *p, size_t n, const struct part **chosen,
		      struct tp_err *err)
{
	struct content whole;
	struct best best;
	size_t nchosen = 0;
	bool joined = false;
	int code = merge_best(m, p->dump, &best, &whole, err);
	int has = RANK_DAMAGED, rank = RANKS - 1;

	if (!code && !best.n)
		code = check_parts(m, p, n, err);
	else if (!whole.damaged)
		has = rank_of(whole.occupancy, whole.codec);
	if (code)
		return code;
	while (rank > has && !choose(p, n, rank, chosen, &nchosen))
		rank--;
	if (rank > has)
		code = try_join(m, chosen, nchosen, rank, &joined, err);
	else if (!best.n)
		return tell_missing(m, p, n, err);
	if (code || (!joined && has == RANK_DAMAGED))
		return code;
	return give_facts(m, p, n, joined ? rank : has, err);
}

static int take_all(struct merge *m, const struct parts *parts, struct tp_err *err)
{
	const struct part **chosen = tp_many(parts->n, sizeof(*chosen));
	int code = 0;

	if (!chosen)
		return merge_no_memory(err);
	for (size_t i = 0, n; i < parts->n && !code; i += n) {
		n = 1;
		if (!*parts->at[i].dump)
			continue;
		while (i + n < parts->n && !strcmp(parts->at[i].dump, parts->at[i + n].dump))
			n++;
		code = take_trace(m, &parts->at[i], n, chosen, err);
	}
	free(chosen);
	return code;
}

/* ---- strays: the first of the parts, as they are of no dump ---- */

static int tell_stray(struct merge *m, const struct part *p, struct tp_err *err)
{
	struct tp_cut cut;
	struct tp_err why;
	int64_t left;
	int code = ask(m, "SELECT count(*) FROM temp.found WHERE hash = ?1", p->hash, NULL, &left,
		       NULL, 0, err);

	if (code || !left)
		return code;
	code = peek(m, &p->best, &cut, &why);
	if (code < 0 && merge_is_content(code))
		return tell_apart(m, p, why.msg, "import these generations once more", err);
	if (code < 0)
		*err = why;
	return code < 0 ? code : 0;
}

static int take_strays(struct merge *m, const struct parts *parts, struct tp_err *err)
{
	size_t n = 0;
	int code = 0;

	while (n < parts->n && !*parts->at[n].dump)
		n++;
	if (n)
		code = merge_strays(m, parts->at->hash, sizeof(*parts->at), n, err);
	for (size_t i = 0; i < n && !code; i++)
		code = tell_stray(m, &parts->at[i], err);
	return code;
}

int merge_parts(struct merge *m, struct tp_err *err)
{
	struct parts parts = {0};
	struct tp_err ignored;
	int code = list_parts(m, &parts, err);

	if (!code && parts.n)
		code = take_all(m, &parts, err);
	if (m->draft.several) {
		int closed = tp_draft_close(&m->draft, false, code ? &ignored : err);

		code = code ? code : closed;
	}
	if (!code && m->njoined)
		code = sources_add_made(&m->sources, m->draft.temp, err);
	if (!code)
		code = take_strays(m, &parts, err);
	free(parts.at);
	return code;
}
